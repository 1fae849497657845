// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of data cache port 1, for the data port and for compiled code that does some of them itself.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/base/bits.h"
#include "hw/iface/message_target.h"

namespace softgen {

/// Types of data cache port 1's messages, descriptor [18:14] (Mesa brw_eu_defines.h, HSW_DATAPORT_DC_PORT1_*; SKL PRM vol 7).
enum Data1Type : uint32_t {
  d1_untyped_surface_read = 0x01,
  d1_untyped_atomic = 0x02,
  d1_untyped_atomic_simd4x2 = 0x03,
  d1_media_block_read = 0x04,
  d1_typed_surface_read = 0x05,
  d1_typed_atomic = 0x06,
  d1_typed_atomic_simd4x2 = 0x07,
  d1_untyped_surface_write = 0x09,
  d1_media_block_write = 0x0a,
  d1_atomic_counter = 0x0b,
  d1_atomic_counter_simd4x2 = 0x0c,
  d1_typed_surface_write = 0x0d,
  d1_a64_scattered_read = 0x10,
  d1_a64_untyped_surface_read = 0x11,
  d1_a64_untyped_atomic = 0x12,
  d1_a64_oword_block_read = 0x14,
  d1_a64_oword_block_write = 0x15,
  d1_a64_untyped_surface_write = 0x19,
  d1_a64_scattered_write = 0x1a,
  d1_untyped_atomic_float = 0x1b,
  d1_a64_untyped_atomic_float = 0x1d,
};

/// Channels of an untyped surface message, A64 or not, [13:12]: 2 with SIMD4x2; 0: reserved.
constexpr unsigned untyped_channels(uint32_t descriptor) {
  constexpr unsigned channels[4] = {2, 16, 8, 0};
  return channels[descriptor >> 12 & 3];
}

/// An untyped read or write of port 1 that could move whole registers: without header, of the first 1, 2 or 4 dwords of each channel.
struct UntypedRow {
  bool write = false;
  unsigned each = 0, count = 0;    ///< registers that a dword of all channels takes; dwords a channel
  unsigned address = 0, data = 0;  ///< first registers
};

/// None: it is another message, or its registers do not follow each other.
inline std::optional<UntypedRow> untyped_row(const MessageForm& form) {
  const uint32_t type = bits(form.descriptor, 18u, 14u), off = bits(form.descriptor, 11u, 8u);
  if (form.sfid != Sfid::dp_data1 || (type != d1_untyped_surface_read && type != d1_untyped_surface_write) || form.header_present()) return std::nullopt;
  const unsigned each = untyped_channels(form.descriptor) / 8;
  // Channels of a dword that are off leave no hole where they are the last.
  const unsigned count = off == 0 ? 4 : off == 0b1100 ? 2 : off == 0b1110 ? 1 : 0, data = count * each;
  const auto adjoin = [&](unsigned first, unsigned n) { return first + n <= form.registers() && form.reg(first + n - 1) - form.reg(first) == n - 1; };
  if (!data || form.channels != 8 * each || !adjoin(0, each)) return std::nullopt;
  const bool write = type == d1_untyped_surface_write;
  if (write ? !adjoin(each, data) : form.response.count < data) return std::nullopt;
  return UntypedRow{write, each, count, form.reg(0), write ? form.reg(each) : form.response.first};
}

}  // namespace softgen

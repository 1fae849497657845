// SPDX-License-Identifier: GPL-2.0-or-later
// Untyped reads and writes that move whole registers, for the data port and for compiled code that does some of them itself.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/iface/message_target.h"

namespace softgen {

/// An untyped read or write of port 1 that could move whole registers: without header, of the first 1, 2 or 4 dwords of each channel.
struct UntypedRow {
  bool write = false;
  unsigned each = 0, count = 0;    ///< registers that a dword of all channels takes; dwords a channel
  unsigned address = 0, data = 0;  ///< first registers
};

/// None: it is another message, or its registers do not follow each other.
inline std::optional<UntypedRow> untyped_row(const MessageForm& form) {
  const MessageOp& op = form.op;
  const bool write = op.kind == MessageKind::untyped_write;
  if ((op.kind != MessageKind::untyped_read && !write) || op.header || op.simd < 8) return std::nullopt;
  const unsigned each = op.simd / 8;
  // Dwords that are not moved leave no hole where they are the last.
  const unsigned count = op.components == 0b1111 ? 4 : op.components == 0b0011 ? 2 : op.components == 0b0001 ? 1 : 0, data = count * each;
  const auto adjoin = [&](unsigned first, unsigned n) {
    return first + n <= form.registers() && form.reg(first + n - 1) - form.reg(first) == n - 1;
  };
  if (!data || form.channels != 8 * each || !adjoin(0, each)) return std::nullopt;
  if (write ? !adjoin(each, data) : form.response.count < data) return std::nullopt;
  return UntypedRow{write, each, count, form.reg(0), write ? form.reg(each) : form.response.first};
}

}  // namespace softgen

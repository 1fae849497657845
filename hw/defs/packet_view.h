// SPDX-License-Identifier: GPL-2.0-or-later
// What the generated View classes are made of: fields read where they stand in a packet.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/base/bits.h"

namespace softgen::defs {

/// The dwords are the guest's and may be fewer than the packet has: missing ones read as zero.
class PacketView {
 public:
  constexpr explicit PacketView(std::span<const uint32_t> dwords) : dwords_(dwords) {}

 protected:
  constexpr uint32_t dword(size_t index) const { return index < dwords_.size() ? dwords_.data()[index] : 0; }
  /// Bits [high:low] of one dword.
  template <unsigned high, unsigned low>
  constexpr uint32_t narrow(size_t index) const {
    return bits(dword(index), high, low);
  }
  /// Bits [high:low] of a dword and the next.
  template <unsigned high, unsigned low>
  constexpr uint64_t wide(size_t index) const {
    return bits(dword(index) | uint64_t{dword(index + 1)} << 32, high, low);
  }
  /// Whole elements of `size` dwords from `first` to the packet's end.
  constexpr size_t elements(size_t first, size_t size) const { return dwords_.size() > first ? (dwords_.size() - first) / size : 0; }

 private:
  std::span<const uint32_t> dwords_;
};

}  // namespace softgen::defs

// SPDX-License-Identifier: GPL-2.0-or-later
// What messages are made of: headers, keys with lengths and values, addresses.
#pragma once

#include <cstdint>
#include <span>

#include "hw/defs/guc_abi.h"

namespace softgen::guc {

/// A message of the GuC: an action with its type, or an answer's type with its value.
constexpr uint32_t header_from_guc(defs::guc::HxgType type, uint32_t value) {
  return defs::guc::hxg_type.with(defs::guc::hxg_origin.with(value, defs::guc::from_guc), type);
}

/// Calls act(key, value) per key, with the first dword of its value or 0. False, after the keys before it: a key is longer than what is left.
template <typename F>
bool for_each_key(std::span<const uint32_t> keys, F&& act) {
  while (!keys.empty()) {
    const size_t dwords = 1 + size_t{defs::guc::klv_dwords.of(keys[0])};
    if (dwords > keys.size()) return false;
    act(defs::guc::klv_key.of(keys[0]), dwords > 1 ? keys[1] : 0);
    keys = keys.subspan(dwords);
  }
  return true;
}

/// The GGTT addresses that the GuC reaches: from the size of its WOPCM to ggtt_top.
struct AddressRange {
  uint64_t bottom = 0;

  /// All of [address, address + bytes), with the address a multiple of `alignment`. Requires bytes > 0.
  constexpr bool has(uint64_t address, uint64_t bytes, uint64_t alignment = 4) const {
    return address % alignment == 0 && address >= bottom && address < defs::guc::ggtt_top && bytes <= defs::guc::ggtt_top - address;
  }
};

}  // namespace softgen::guc

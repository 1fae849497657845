// SPDX-License-Identifier: GPL-2.0-or-later
// Fields of the 64-bit forms of instructions: those that both forms hold as they are, and indexes into tables, whose entries stand for bits scattered
// over the native form (Mesa brw_eu_compact.c).
#pragma once

#include <algorithm>
#include <span>

#include "hw/base/bits.h"
#include "hw/eu/isa/instruction.h"

namespace softgen::eu::compact_form {

struct Range {
  uint8_t high, low;
};

/// An index field of the compacted form: where it stands, its table, what the entries stand for.
template <typename T>
struct IndexField {
  unsigned high, low;
  std::span<const T> table;
  std::span<const Range> ranges;

  uint64_t gather(const Native& bits) const {
    uint64_t key = 0;
    for (const Range& r : ranges) key = key << (r.high - r.low + 1) | bits.get(r.high, r.low);
    return key;
  }
  bool shrink(uint64_t& compacted, const Native& bits, uint64_t ignore = 0) const {
    const uint64_t key = gather(bits) & ~ignore;
    const auto found = std::find_if(table.begin(), table.end(), [&](T entry) { return (entry & ~ignore) == key; });
    if (found == table.end()) return false;
    compacted = with_bits<uint64_t>(compacted, high, low, static_cast<uint64_t>(found - table.begin()));
    return true;
  }
  void grow(Native& native, uint64_t compacted) const {
    uint64_t key = table[softgen::bits(compacted, high, low)];
    for (auto r = ranges.rbegin(); r != ranges.rend(); ++r) {
      const unsigned width = r->high - r->low + 1u;
      native.set(r->high, r->low, key);
      key >>= width;
    }
  }
};

/// A field both forms hold as it is.
struct Plain {
  uint8_t compact_high, compact_low, native_high, native_low;
};
inline void shrink(uint64_t& compacted, const Native& native, const Plain& p) {
  compacted = with_bits<uint64_t>(compacted, p.compact_high, p.compact_low, native.get(p.native_high, p.native_low));
}
inline void grow(Native& native, uint64_t compacted, const Plain& p) {
  native.set(p.native_high, p.native_low, softgen::bits(compacted, p.compact_high, p.compact_low));
}

constexpr uint64_t cmpt_control = uint64_t{1} << 29;

}  // namespace softgen::eu::compact_form

// SPDX-License-Identifier: GPL-2.0-or-later
// The color control surface of single-sampled render targets: two bits for each pair of cache lines, 32 bytes by 4 rows.
// Layout: SKL PRM vol 7, "MCS Buffer for Render Target(s)"; vol 12, "Planes" (a cache line of the CCS is 16x16 pairs); bits within a tile as
// Mesa's docs/isl/ccs.rst has found them, levels and slices as isl.c lays them out.
//
// Pixels lie in memory as they are, whatever the codes say: codes are written for those who look at them, and never needed to read a pixel.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::surface {

/// Zero is "pass-through" (Mesa iris_resource.c); "compressed" is what IGT's kms_ccs.c of 2018 filled surfaces with (0x55). What a chip calls
/// "clear" is written nowhere.
enum class CcsCode : uint8_t { pass_through = 0, compressed = 1, clear = 3 };

/// Pixels of a level: [x0, x1) by [y0, y1).
struct CcsRect {
  uint32_t x0, y0, x1, y1;
};

class Ccs {
 public:
  static constexpr uint32_t pair_bytes = 32, pair_rows = 4;

  Ccs() = default;
  /// Not there unless the surface has one sample, a tiling of 16-byte columns, 32, 64 or 128 bits a pixel, and a CCS.
  Ccs(const Surface& surface, unsigned lod);

  explicit operator bool() const { return width_ != 0; }
  bool operator==(const Ccs&) const = default;
  /// AUX_CCS_E, with a format that it takes: what is written may be compressed. Else only clears are coded.
  bool compresses() const { return compresses_; }
  /// Pixels across one pair.
  uint32_t width() const { return width_; }

  /// Of the pair at (column, row), counted from the level's first one, in `slice` counted from the surface's own first one.
  CcsCode read(memory::View& view, uint32_t column, uint32_t row, uint32_t slice) const;
  void write(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, CcsCode code) const;
  /// All pairs that `rect` touches.
  void fill(memory::View& view, const CcsRect& rect, uint32_t slice, CcsCode code) const;
  /// Render target resolves: a full one leaves nothing compressed, a partial one nothing clear (isl.h, isl_aux_state).
  void resolve(memory::View& view, const CcsRect& rect, uint32_t slice, bool partial) const;

  /// The byte with the codes of 2x2 pairs; `column` and `row` are even. Bits [1:0] are of (0, 0), [3:2] of (1, 0), [5:4] of (0, 1).
  uint64_t address(uint32_t column, uint32_t row, uint32_t slice) const;
  static constexpr unsigned shift(uint32_t column, uint32_t row) { return (column & 1) * 2 + (row & 1) * 4; }

 private:
  uint64_t base_ = 0;
  uint32_t pitch_ = 0, slice_rows_ = 0;        ///< bytes; pairs from slice to slice
  uint32_t first_column_ = 0, first_row_ = 0;  ///< of the level, in pairs
  uint32_t width_ = 0;
  bool compresses_ = false;
};

/// Whether a pair of 64-byte lines fits into one without loss: the first of its elements, which bits ever differ from it, and these bits of
/// each element. `element`: 4, 8 or 16 bytes. A chip's own coding is not public; as this one, it takes smooth and flat colours.
bool pair_compresses(const std::byte* line, const std::byte* other, unsigned element);
/// The same, when it is known which bits differ from the first element's anywhere in their 16 bytes.
inline bool pair_compresses(const std::array<uint64_t, 2>& varies, unsigned element) {
  constexpr int line_bits = 512;
  const uint64_t eight = varies[0] | varies[1];
  switch (element) {
    case 16: return std::popcount(varies[0]) + std::popcount(varies[1]) <= (line_bits - 2 * 128) / 8;
    case 8: return std::popcount(eight) <= (line_bits - 2 * 64) / 16;
    default: return std::popcount(static_cast<uint32_t>(eight | eight >> 32)) <= (line_bits - 2 * 32) / 32;
  }
}

}  // namespace softgen::surface

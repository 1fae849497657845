// SPDX-License-Identifier: GPL-2.0-or-later
// The color control surface of single-sampled surfaces: a code for each pair of cache lines, 32 bytes by 4 rows. Up to Gen11 the surface state says
// where it is, and codes have two bits; after that the aux map does (hw/surface/mapped_ccs.h).
// Layout: SKL PRM vol 7, "MCS Buffer for Render Target(s)"; vol 12, "Planes" (a cache line of the CCS is 16x16 pairs); bits within a tile as
// Mesa's docs/isl/ccs.rst has found them, levels and slices as isl.c lays them out.
//
// Pixels are never stored compressed: of the codes, only "clear" says what a pixel holds. Such a pair has the clear colour of the surface state
// that reads or writes it, and its memory holds nothing of use, as on hardware: a driver may give a cleared surface another clear colour without
// clearing it again (Mesa iris_clear.c, fast_clear_color). Whoever reads or draws to a surface calls expand_clears() first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::surface {

namespace mapped {
struct CodePlace;
}

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
  /// Not there unless the surface has one sample, a tiling of 16-byte columns, 32, 64 or 128 bits a pixel, and a CCS. By the aux map: unless it has Y
  /// tiles and 8 to 128 bits a pixel, or Yf ones and 16 or 32, and the level begins with a pair.
  Ccs(const Surface& surface, unsigned lod);

  explicit operator bool() const { return width_ != 0; }
  bool operator==(const Ccs&) const = default;
  /// AUX_CCS_E, with a compressible format: what is written may be compressed. Else only clears are coded.
  bool compresses() const { return compresses_; }
  /// The level is in a mip tail, where pairs of the surface share lines with other levels.
  bool in_tail() const { return in_tail_; }
  /// Pixels across one pair.
  uint32_t width() const { return width_; }

  /// Of the pair at (column, row), counted from the level's first one, in `slice` counted from the surface's own first one.
  CcsCode read(memory::View& view, uint32_t column, uint32_t row, uint32_t slice) const;
  void write(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, CcsCode code) const;
  /// All pairs that `rect` touches.
  void fill(memory::View& view, const CcsRect& rect, uint32_t slice, CcsCode code) const;
  /// Whether all pairs that `rect` touches have codes: by the aux map some may have none.
  bool covers(memory::View& view, const CcsRect& rect, uint32_t slice) const { return !mapped_ || all_mapped(view, rect, slice); }
  /// Codes 2x2 pairs from the even (column, row) on. Bits of `pairs`, which of them: (0, 0), (1, 0), (0, 1), (1, 1); of `compressed`, which of these are
  /// "compressed", the others being "pass-through". Threads may do so at the same time for the pairs of different tiles of the screen.
  void update(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, uint32_t pairs, uint32_t compressed) const;
  /// Calls visit(const CcsRect&) with rectangles of whole pairs that together are those coded "clear" among the pairs that `rect` touches. They may
  /// reach beyond the level.
  template <typename Visit>
  void each_clear(memory::View& view, const CcsRect& rect, uint32_t slice, Visit&& visit) const;
  /// Codes after a render target resolve, whose pixels expand_clears() has written: a full one leaves nothing compressed, a partial one nothing
  /// clear (isl.h, isl_aux_state).
  void resolve(memory::View& view, const CcsRect& rect, uint32_t slice, bool partial) const;

  /// Not by the aux map: the byte with the codes of 2x2 pairs; `column` and `row` are even. Bits [1:0] are of (0, 0), [3:2] of (1, 0), [5:4] of (0, 1).
  uint64_t address(uint32_t column, uint32_t row, uint32_t slice) const;
  static constexpr unsigned shift(uint32_t column, uint32_t row) { return (column & 1) * 2 + (row & 1) * 4; }

 private:
  // hw/surface/mapped_ccs.cpp
  mapped::CodePlace mapped_place(memory::View& view, uint32_t u, uint32_t v) const;  // by columns and rows of the surface, as its tiles are
  template <typename Visit>
  void each_word(memory::View& view, const CcsRect& rect, uint32_t slice, Visit&& visit) const;
  CcsCode read_mapped(memory::View& view, uint32_t column, uint32_t row, uint32_t slice) const;
  void fill_mapped(memory::View& view, const CcsRect& rect, uint32_t slice, CcsCode code) const;
  bool all_mapped(memory::View& view, const CcsRect& rect, uint32_t slice) const;
  void each_clear_mapped(memory::View& view, const CcsRect& rect, uint32_t slice, const std::function<void(const CcsRect&)>& visit) const;
  void update_mapped(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, uint32_t pairs, uint32_t compressed) const;

  void place_mapped(const Surface& surface, unsigned lod);
  /// Of the codes of 16x2 pairs, with the low bit set for each clear one: which columns of row `row` (0 or 1) are clear.
  static uint32_t clear_columns(uint64_t clear, uint32_t row);
  /// The eight bytes with the codes of 16x2 pairs, by columns and rows of the whole CCS.
  uint64_t block_address(uint32_t u, uint32_t v) const;
  uint64_t base_ = 0;                          ///< of the CCS; by the aux map: of the surface, as is the pitch
  uint32_t pitch_ = 0, slice_rows_ = 0;        ///< bytes; pairs from slice to slice
  uint32_t first_column_ = 0, first_row_ = 0;  ///< of the level, in pairs
  uint32_t width_ = 0;
  Tiling tiling_ = Tiling::y;  ///< by the aux map
  bool mapped_ = false, compresses_ = false, in_tail_ = false;
};

/// The user of a surface's clear colour. Of an sRGB format rendering has linear ones in its surface states, and the sampler those that texels hold,
/// sRGB (Mesa anv_image.c, "HW expects the clear color to be in two different color spaces").
enum class ClearUse : uint8_t { rendering, sampling };
/// Of a surface with a clear_address: its colour as memory has it now.
void read_clear_color(memory::View& view, Surface& surface);
/// What a fast clear does besides: the colour in the surface's format, where the sampler finds it, if the surface's state asks for that.
void convert_clear_color(memory::View& view, const Surface& surface);
/// A cleared texel as it is stored, up to 16 bytes.
void store_clear_color(const Surface& surface, ClearUse use, std::byte* texel);

/// Writes the surface's clear colour to the pairs coded "clear" among those that `rect` of `level` touches; their codes stay. `ccs` is the level's.
/// The caller keeps other threads from writing to these pairs. Returns whether there was one.
bool expand_clears(memory::View& view, const Ccs& ccs, const Surface& surface, ClearUse use, const Level& level, const CcsRect& rect,
                   uint32_t slice);

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

template <typename Visit>
void Ccs::each_clear(memory::View& view, const CcsRect& rect, uint32_t slice, Visit&& visit) const {
  constexpr uint32_t block_columns = 16, block_rows = 2;
  constexpr uint64_t low_bits = 0x5555'5555'5555'5555;  // of all codes
  if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) return;
  if (mapped_) return each_clear_mapped(view, rect, slice, visit);
  const uint32_t shift_v = first_row_ + slice * slice_rows_;
  const uint32_t u0 = rect.x0 / width_ + first_column_, u1 = (rect.x1 + width_ - 1) / width_ + first_column_;
  const uint32_t v0 = rect.y0 / pair_rows + shift_v, v1 = (rect.y1 + pair_rows - 1) / pair_rows + shift_v;
  const auto report = [&](uint32_t from_u, uint32_t from_v, uint32_t to_u, uint32_t to_v) {
    visit(CcsRect{(from_u - first_column_) * width_, (from_v - shift_v) * pair_rows, (to_u - first_column_) * width_,
                  (to_v - shift_v) * pair_rows});
  };
  for (uint32_t u = u0 & ~(block_columns - 1); u < u1; u += block_columns) {
    const uint32_t left = std::max(u, u0), right = std::min(u + block_columns, u1);
    const uint32_t columns = ((1u << (right - left)) - 1) << (left - u);
    uint32_t run = v0;  // rows from here on are clear in all columns, and not reported yet
    uint32_t v = v0;
    while (v < v1) {
      const uint64_t codes = view.load<uint64_t>(block_address(u, v & ~1u));
      const uint64_t clear = codes & codes >> 1 & low_bits;
      const uint32_t end = std::min((v & ~(block_rows - 1)) + block_rows, v1);
      for (; v < end; ++v) {
        const uint32_t row = clear ? clear_columns(clear, v & 1) & columns : 0;
        if (row == columns) continue;
        if (run < v) report(left, run, right, v);
        run = v + 1;
        for (uint32_t rest = row; rest;) {
          const auto first = static_cast<uint32_t>(std::countr_zero(rest)), count = static_cast<uint32_t>(std::countr_one(rest >> first));
          report(u + first, v, u + first + count, v + 1);
          rest &= ~(((1u << count) - 1) << first);
        }
      }
    }
    if (run < v1) report(left, run, right, v1);
  }
}

}  // namespace softgen::surface

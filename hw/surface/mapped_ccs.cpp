// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/mapped_ccs.h"

#include <algorithm>
#include <bit>

#include "hw/base/mutex.h"
#include "hw/defs/translation_tables.h"

namespace softgen::surface {
namespace mapped {
namespace {

static_assert(bits_of(CcsCode::pass_through) == 0 && bits_of(CcsCode::compressed) == 1);
constexpr uint32_t word_pairs = 4;  ///< each way
constexpr uint64_t each_code = 0x1111'1111'1111'1111;

/// Of a word's codes, those of the columns and rows of a part of it.
uint64_t word_mask(uint32_t u0, uint32_t v0, uint32_t u1, uint32_t v1) {
  uint64_t mask = 0;
  for (uint32_t v = v0; v < v1; ++v)
    for (uint32_t u = u0; u < u1; ++u) mask |= uint64_t{0xf} << index_in_tile(u, v) * code_bits;
  return mask;
}

}  // namespace

CodePlace place_of(memory::View& view, Tiling tiling, uint64_t address) {
  const uint64_t control = view.control_of(address);
  return control ? place_from(tiling, control, address % defs::AuxTables::block_bytes) : CodePlace{};
}

bool has_codes(const Surface& s) {
  if (!s.aux_mapped || (s.aux != AuxMode::ccs_d && s.aux != AuxMode::ccs_e) || s.samples != 1 || s.is_null() || s.is_buffer()) return false;
  return s.format->kind == FormatKind::plain && has_codes(s.tiling, s.format->block_bits);
}

CcsCode code_at(memory::View& view, const CodePlace& place) {
  return place.byte ? code_of(view.load_acquire<uint8_t>(place.byte) >> place.shift & 0xf) : CcsCode::pass_through;
}

void store_code(memory::View& view, const CodePlace& place, CcsCode code) {
  if (!place.byte) return;
  view.atomic_update<uint8_t>(
      place.byte, [&](uint8_t old) { return static_cast<uint8_t>((old & ~(0xfu << place.shift)) | bits_of(code) << place.shift); });
}

CcsCode read_at(memory::View& view, Tiling tiling, uint64_t address) { return code_at(view, place_of(view, tiling, address)); }

void claim(memory::View& view, Tiling tiling, uint64_t address, const std::byte* line) {
  static Mutex mutex;
  const CodePlace place = place_of(view, tiling, address);
  if (code_at(view, place) != CcsCode::clear) return;
  MutexLock lock(mutex);
  if (code_at(view, place) != CcsCode::clear) return;
  constexpr uint64_t line_bytes = 64;
  const uint64_t first = address & ~(second_line(tiling) | (line_bytes - 1));
  view.write(first, line, line_bytes);
  view.write(first + second_line(tiling), line, line_bytes);
  store_code(view, place, CcsCode::pass_through);
}

}  // namespace mapped

using namespace mapped;

CodePlace Ccs::mapped_place(memory::View& view, uint32_t u, uint32_t v) const {
  const uint64_t tile = uint64_t{v / tile_rows} * (pitch_ / (tile_columns * pair_bytes)) + u / tile_columns;
  return place_of(view, tiling_, base_ + tile * tile_size + offset_in_tile(tiling_, u % tile_columns, v % tile_rows));
}

/// Calls visit(view address of the word or 0, u, v of its first pair, mask of the codes that are meant) for all words that `rect` touches.
template <typename Visit>
void Ccs::each_word(memory::View& view, const CcsRect& rect, uint32_t slice, Visit&& visit) const {
  if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) return;
  const uint32_t shift_v = first_row_ + slice * slice_rows_;
  const uint32_t u0 = rect.x0 / width_ + first_column_, u1 = (rect.x1 + width_ - 1) / width_ + first_column_;
  const uint32_t v0 = rect.y0 / pair_rows + shift_v, v1 = (rect.y1 + pair_rows - 1) / pair_rows + shift_v;
  constexpr uint32_t in_word = word_pairs - 1;
  for (uint32_t v = v0 & ~in_word; v < v1; v += word_pairs)
    for (uint32_t u = u0 & ~in_word; u < u1; u += word_pairs) {
      const bool whole = u >= u0 && v >= v0 && u + word_pairs <= u1 && v + word_pairs <= v1;
      const uint64_t mask =
          whole ? ~uint64_t{0}
                : word_mask(std::max(u, u0) - u, std::max(v, v0) - v, std::min(u1 - u, word_pairs), std::min(v1 - v, word_pairs));
      if (!visit(mapped_place(view, u, v).byte, u, v, mask)) return;
    }
}

CcsCode Ccs::read_mapped(memory::View& view, uint32_t column, uint32_t row, uint32_t slice) const {
  return code_at(view, mapped_place(view, column + first_column_, row + first_row_ + slice * slice_rows_));
}

// Words and bytes may have codes of pairs of other tiles of the screen, which another thread draws to.
void Ccs::fill_mapped(memory::View& view, const CcsRect& rect, uint32_t slice, CcsCode code) const {
  const uint64_t codes = bits_of(code) * each_code;
  each_word(view, rect, slice, [&](uint64_t word, uint32_t, uint32_t, uint64_t mask) {
    if (!word) return true;
    if (mask == ~uint64_t{0}) view.store(word, codes);
    else view.atomic_update<uint64_t>(word, [&](uint64_t old) { return (old & ~mask) | (codes & mask); });
    return true;
  });
}

bool Ccs::all_mapped(memory::View& view, const CcsRect& rect, uint32_t slice) const {
  bool all = true;
  each_word(view, rect, slice, [&](uint64_t word, uint32_t, uint32_t, uint64_t) { return all = word != 0; });
  return all;
}

void Ccs::each_clear_mapped(memory::View& view, const CcsRect& rect, uint32_t slice,
                            const std::function<void(const CcsRect&)>& visit) const {
  const uint32_t shift_v = first_row_ + slice * slice_rows_;
  const auto report = [&](uint32_t u, uint32_t v, uint32_t pairs) {
    const uint32_t x = (u - first_column_) * width_, y = (v - shift_v) * pair_rows;
    visit({x, y, x + pairs * width_, y + pairs * pair_rows});
  };
  each_word(view, rect, slice, [&](uint64_t word, uint32_t u, uint32_t v, uint64_t mask) {
    if (!word) return true;
    uint64_t clear = view.load<uint64_t>(word) & mask;
    clear &= clear >> 2;
    clear &= clear >> 1 & each_code;
    if (clear == each_code) return report(u, v, word_pairs), true;
    for (; clear; clear &= clear - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(clear)) / code_bits;
      report(u + ((index & 1) | (index >> 1 & 2)), v + ((index >> 1 & 1) | (index >> 2 & 2)), 1);
    }
    return true;
  });
}

void Ccs::update_mapped(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, uint32_t pairs, uint32_t compressed) const {
  const uint32_t first_u = column + first_column_, first_v = row + first_row_ + slice * slice_rows_;
  if (!((first_u | first_v) & 1)) {
    // The usual case: one word of 16 bits has the four.
    const uint64_t at = mapped_place(view, first_u, first_v).byte;
    if (!at) return;
    uint32_t mask = 0, codes = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (pairs >> i & 1) mask |= 0xfu << i * code_bits, codes |= (compressed >> i & 1u) << i * code_bits;
    if (mask == 0xffff) return view.store(at, static_cast<uint16_t>(codes));
    view.atomic_update<uint16_t>(at, [&](uint16_t old) { return static_cast<uint16_t>((old & ~mask) | codes); });
    return;
  }
  for (uint32_t i = 0; i < 4; ++i) {
    if (!(pairs >> i & 1)) continue;
    store_code(view, mapped_place(view, first_u + (i & 1), first_v + i / 2),
               compressed >> i & 1 ? CcsCode::compressed : CcsCode::pass_through);
  }
}

}  // namespace softgen::surface

// SPDX-License-Identifier: GPL-2.0-or-later
// Binarizations and context increments of H.264 9.3.2 and 9.3.3.1.
#include "hw/media/avc_encode/cabac_writer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/avc/cabac_contexts.h"

namespace softgen::media::avc {

CabacWriter::CabacWriter(const Context& context, GolombWriter& to) : c_(context), encoder_(to) {
  const SliceParams& slice = context.slice;
  const auto& initial = cabac_initial[slice.type == SliceType::i ? 0 : 1 + std::min<unsigned>(slice.cabac_init, 2)];
  for (unsigned i = 0; i < cabac_contexts; ++i) states_[i] = cabac_state((initial[i][0] * slice.qp >> 4) + initial[i][1]);
}

void CabacWriter::skip(bool skipped) { encode(11 + unsigned{c_.a() && !c_.a()->skip} + unsigned{c_.b() && !c_.b()->skip}, skipped); }

void CabacWriter::intra_type(unsigned base, bool is_intra_slice, unsigned type) {
  if (!is_intra_slice) encode(base, type != 0);
  if (!type) return;
  encoder_.terminate(false);
  const unsigned chroma = (type - 1) / 4 % 3, mode = (type - 1) % 4;
  encode(base + 1, type >= 13);
  encode(base + 2, chroma != 0);
  if (chroma) encode(base + 2 + is_intra_slice, chroma == 2);
  encode(base + 3 + is_intra_slice, mode >> 1);
  encode(base + 3 + 2 * is_intra_slice, mode & 1);
}

void CabacWriter::mb_type(unsigned type) {
  if (c_.slice.type == SliceType::p) {
    encode(14, type >= 5);
    if (type >= 5) return intra_type(17, false, type - 5);
    const bool divided = type == 1 || type == 2;
    encode(15, divided);
    encode(divided ? 17 : 16, divided ? type == 1 : type == 3);
    return;
  }
  const auto counts = [](const Macroblock* mb) { return mb && mb->kind != Kind::intra4 && mb->kind != Kind::intra8; };
  encode(3 + counts(c_.a()) + counts(c_.b()), type != 0);
  intra_type(5, true, type);
}

void CabacWriter::sub_type(unsigned type) {
  encode(21, type == 0);
  if (!type) return;
  encode(22, type != 1);
  if (type != 1) encode(23, type == 2);
}

void CabacWriter::ref_idx(unsigned quarter, unsigned index) {
  const int x = static_cast<int>(quarter % 2 * 8), y = static_cast<int>(quarter / 2 * 8);
  const auto counts = [&](const Location& at) { return at.mb && !at.mb->intra() && at.mb->ref[0][at.quarter()] > 0; };
  unsigned context = unsigned{counts(c_.locate(x - 1, y))} + 2 * unsigned{counts(c_.locate(x, y - 1))};
  for (; index; --index) {
    encode(54 + context, true);
    context = (context >> 2) + 4;
  }
  encode(54 + context, false);
}

void CabacWriter::golomb(unsigned value, unsigned k) {
  for (; value >= 1u << k; ++k) {
    encoder_.bypass(true);
    value -= 1u << k;
  }
  encoder_.bypass(false);
  encoder_.bypass_bits(value, k);
}

void CabacWriter::mvd(unsigned block, unsigned component, int value) {
  const int x = static_cast<int>(block % 4 * 4), y = static_cast<int>(block / 4 * 4);
  const auto size = [&](const Location& at) { return at.mb ? int{at.mb->mvd[0][at.block()][component]} : 0; };
  const int sum = size(c_.locate(x - 1, y)) + size(c_.locate(x, y - 1));
  const unsigned base = component ? 47 : 40, magnitude = static_cast<unsigned>(std::abs(value));
  encode(base + (sum > 2) + (sum > 32), magnitude != 0);
  if (!magnitude) return;
  unsigned context = 3;
  for (unsigned i = 1; i < 9; ++i) {
    encode(base + context, magnitude > i);
    if (magnitude == i) break;
    context += context < 6;
  }
  if (magnitude >= 9) golomb(magnitude - 9, 3);
  encoder_.bypass(value < 0);
}

void CabacWriter::transform8(bool flag) { encode(399 + (c_.a() && c_.a()->transform8) + (c_.b() && c_.b()->transform8), flag); }

void CabacWriter::cbp(unsigned pattern, bool /*intra*/) {
  for (unsigned i = 0; i < 4; ++i) {
    const int x = static_cast<int>(i % 2 * 8), y = static_cast<int>(i / 2 * 8);
    const auto zero = [&](const Location& at) { return at.mb && !((at.mb == c_.mb ? pattern : at.mb->cbp) >> at.quarter() & 1); };
    encode(73 + zero(c_.locate(x - 1, y)) + 2 * zero(c_.locate(x, y - 1)), pattern >> i & 1);
  }
  if (c_.picture.params.monochrome) return;
  const unsigned left = c_.a() ? c_.a()->cbp >> 4 : 0, above = c_.b() ? c_.b()->cbp >> 4 : 0;
  encode(77 + (left != 0) + 2 * (above != 0), pattern >> 4);
  if (pattern >> 4) encode(81 + (left == 2) + 2 * (above == 2), pattern >> 4 == 2);
}

void CabacWriter::qp_delta(int delta) {
  unsigned code = static_cast<unsigned>(delta > 0 ? 2 * delta - 1 : -2 * delta), context = 60 + (c_.last_delta != 0);
  for (unsigned next = 62; code; --code, context = next, next = 63) encode(context, true);
  encode(context, false);
}

void CabacWriter::chroma_mode(unsigned mode) {
  const auto counts = [](const Macroblock* mb) { return mb && mb->chroma_mode != 0; };
  encode(64 + counts(c_.a()) + counts(c_.b()), mode != 0);
  if (!mode) return;
  encode(67, mode != 1);
  if (mode != 1) encode(67, mode == 3);
}

void CabacWriter::intra_mode(int rest) {
  encode(68, rest < 0);
  for (unsigned i = 0; i < 3 && rest >= 0; ++i) encode(69, rest >> i & 1);
}

void CabacWriter::residual(Cat cat, unsigned plane, unsigned block, std::span<const int16_t> levels) {
  const auto kind = static_cast<size_t>(cat);
  const bool is_dc = cat == Cat::luma_dc16 || cat == Cat::chroma_dc, is_chroma = cat == Cat::chroma_ac;
  const auto size = static_cast<unsigned>(levels.size());
  unsigned end = size;
  while (end && !levels[end - 1]) --end;
  if (cat != Cat::luma8) {
    const auto flag = [&](const Location& at) {
      if (!at.mb) return c_.mb->intra();
      if (is_dc) return (at.mb->dc_coded >> plane & 1) != 0;
      return at.mb->coefficients[plane][is_chroma ? at.quarter() : at.block()] != 0;
    };
    if (is_dc) block = 0;
    const unsigned columns = is_chroma ? 2 : 4, scale = is_chroma ? 8 : 4;
    const int x = static_cast<int>(block % columns * scale), y = static_cast<int>(block / columns * scale);
    encode(coded_base[kind] + flag(c_.locate(x - 1, y)) + 2 * flag(c_.locate(x, y - 1)), end != 0);
    if (!end) return;
  }
  const unsigned significant = significant_base[0][kind], last = last_base[0][kind];
  for (unsigned i = 0; i + 1 < size && i < end; ++i) {
    encode(significant + (cat == Cat::luma8 ? significant8[0][i] : i), levels[i] != 0);
    if (levels[i]) encode(last + (cat == Cat::luma8 ? last8[i] : i), i + 1 == end);
  }
  const unsigned first = level_base[kind], most = cat == Cat::chroma_dc ? 3 : 4;
  unsigned ones = 0, larger = 0;
  for (unsigned i = end; i-- > 0;) {
    if (!levels[i]) continue;
    const auto magnitude = static_cast<unsigned>(std::abs(levels[i]));
    encode(first + (larger ? 0 : std::min(4u, 1 + ones)), magnitude > 1);
    if (magnitude > 1) {
      const unsigned rest = first + 5 + std::min(most, larger);
      for (unsigned value = 2; value < 15; ++value) {
        encode(rest, magnitude > value);
        if (magnitude == value) break;
      }
      if (magnitude >= 15) golomb(magnitude - 15, 0);
      ++larger;
    } else {
      ++ones;
    }
    encoder_.bypass(levels[i] < 0);
  }
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
// Binarizations and context increments of H.264 9.3.2 and 9.3.3.1.
#include "hw/media/avc_encode/cabac_writer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/avc/b_types.h"
#include "hw/media/avc/cabac_contexts.h"

namespace softgen::media::avc {

CabacWriter::CabacWriter(const Context& context, GolombWriter& to) : c_(context), encoder_(to) {
  set_initial_states(context.slice, states_);
}

void CabacWriter::skip(bool skipped) { encode((c_.slice.type == SliceType::b ? 24 : 11) + skip_increment(c_), skipped); }

void CabacWriter::intra_type(unsigned base, bool is_intra_slice, unsigned type) {
  if (!is_intra_slice) encode(base, type != 0);
  if (!type) return;
  encoder_.terminate(type == 25);
  if (type == 25) return;
  const unsigned chroma = (type - 1) / 4 % 3, mode = (type - 1) % 4;
  encode(base + 1, type >= 13);
  encode(base + 2, chroma != 0);
  if (chroma) encode(base + 2 + is_intra_slice, chroma == 2);
  encode(base + 3 + is_intra_slice, mode >> 1);
  encode(base + 3 + 2 * is_intra_slice, mode & 1);
}

// Table 9-37 (b).
void CabacWriter::b_type(unsigned type) {
  encode(27 + b_type_increment(c_), type != 0);
  if (!type) return;
  encode(30, type > 2);
  if (type <= 2) return encode(32, type == 2);
  const bool is_intra = type >= 23, is_long = type >= 12 && type < b_quarters;
  const unsigned bits = is_intra ? 13 : type == 11 ? 14 : type == b_quarters ? 15 : is_long ? type + 4 : type - 3;
  const unsigned size = is_long ? 5 : 4;
  for (unsigned i = size; i-- > 0;) encode(i + 1 == size ? 31 : 32, bits >> i & 1);
  if (is_intra) intra_type(32, false, type - 23);
}

void CabacWriter::mb_type(unsigned type) {
  if (c_.slice.type == SliceType::b) return b_type(type);
  if (c_.slice.type == SliceType::p) {
    encode(14, type >= 5);
    if (type >= 5) return intra_type(17, false, type - 5);
    const bool divided = type == 1 || type == 2;
    encode(15, divided);
    encode(divided ? 17 : 16, divided ? type == 1 : type == 3);
    return;
  }
  encode(3 + intra_type_increment(c_), type != 0);
  intra_type(5, true, type);
}

void CabacWriter::sub_type(unsigned type) {
  if (c_.slice.type == SliceType::b) {
    encode(36, type != 0);
    if (!type) return;
    encode(37, type > 2);
    if (type <= 2) return encode(39, type == 2);
    encode(38, type >= 7);
    if (type >= 7) encode(39, type >= 11);
    if (type < 11) encode(39, (type - 3) >> 1 & 1);
    return encode(39, (type - 3) & 1);
  }
  encode(21, type == 0);
  if (!type) return;
  encode(22, type != 1);
  if (type != 1) encode(23, type == 2);
}

void CabacWriter::ref_idx(unsigned list, unsigned quarter, unsigned index) {
  unsigned context = ref_idx_increment(c_, list, quarter);
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

void CabacWriter::mvd(unsigned list, unsigned block, unsigned component, int value) {
  const unsigned base = component ? 47 : 40, magnitude = static_cast<unsigned>(std::abs(value));
  encode(base + mvd_increment(c_, list, block, component), magnitude != 0);
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

void CabacWriter::transform8(bool flag) { encode(399 + transform8_increment(c_), flag); }

void CabacWriter::cbp(unsigned pattern, bool /*intra*/) {
  for (unsigned i = 0; i < 4; ++i) encode(73 + luma_pattern_increment(c_, pattern, i), pattern >> i & 1);
  if (c_.picture.params.monochrome) return;
  encode(77 + chroma_pattern_increment(c_, false), pattern >> 4);
  if (pattern >> 4) encode(81 + chroma_pattern_increment(c_, true), pattern >> 4 == 2);
}

void CabacWriter::qp_delta(int delta) {
  unsigned code = static_cast<unsigned>(delta > 0 ? 2 * delta - 1 : -2 * delta), context = 60 + (c_.last_delta != 0);
  for (unsigned next = 62; code; --code, context = next, next = 63) encode(context, true);
  encode(context, false);
}

void CabacWriter::chroma_mode(unsigned mode) {
  encode(64 + chroma_mode_increment(c_), mode != 0);
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
  const auto size = static_cast<unsigned>(levels.size());
  unsigned end = size;
  while (end && !levels[end - 1]) --end;
  if (cat != Cat::luma8) encode(coded_base[kind] + coded_increment(c_, cat, plane, block), end != 0);
  if (!end) return;
  const unsigned significant = significant_base[0][kind], last = last_base[0][kind];
  for (unsigned i = 0; i + 1 < size && i < end; ++i) {
    encode(significant + (cat == Cat::luma8 ? significant8[0][i] : i), levels[i] != 0);
    if (levels[i]) encode(last + (cat == Cat::luma8 ? last8[i] : i), i + 1 == end);
  }
  const unsigned first = level_base[kind], max_larger = cat == Cat::chroma_dc ? 3 : 4;
  unsigned ones = 0, larger = 0;
  for (unsigned i = end; i-- > 0;) {
    if (!levels[i]) continue;
    const auto magnitude = static_cast<unsigned>(std::abs(levels[i]));
    encode(first + (larger ? 0 : std::min(4u, 1 + ones)), magnitude > 1);
    if (magnitude > 1) {
      const unsigned rest = first + 5 + std::min(max_larger, larger);
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

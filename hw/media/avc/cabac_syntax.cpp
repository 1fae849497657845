// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts are numbers of table 9-34; their increments, 9.3.3.1.
#include "hw/media/avc/cabac_syntax.h"

#include <algorithm>
#include <cstring>

#include "hw/media/avc/cabac_contexts.h"

namespace softgen::media::avc {

CabacSyntax::CabacSyntax(Context& context, std::span<const uint8_t> bytes, unsigned /*bit_offset*/) : c_(context), decoder_(bytes) {
  set_initial_states(context.slice, states_);
}

bool CabacSyntax::skip() { return decode((c_.slice.type == SliceType::b ? 24 : 11) + skip_increment(c_)); }

unsigned CabacSyntax::intra_type(unsigned base, bool is_intra_slice) {
  if (!is_intra_slice && !decode(base)) return 0;
  if (decoder_.terminate()) return 25;
  unsigned type = 1 + 12 * unsigned{decode(base + 1)};
  if (decode(base + 2)) type += 4 + 4 * unsigned{decode(base + 2 + is_intra_slice)};
  type += 2 * unsigned{decode(base + 3 + is_intra_slice)};
  return type + decode(base + 3 + 2 * is_intra_slice);
}

unsigned CabacSyntax::b_type() {
  if (!decode(27 + b_type_increment(c_))) return 0;
  if (!decode(30)) return 1 + decode(32);
  unsigned bits = decode(31);
  for (unsigned i = 0; i < 3; ++i) bits = bits << 1 | decode(32);
  if (bits < 8) return bits + 3;
  if (bits == 13) return 23 + intra_type(32, false);
  if (bits == 14) return 11;
  if (bits == 15) return 22;
  return (bits << 1 | decode(32)) - 4;
}

unsigned CabacSyntax::mb_type() {
  if (c_.slice.type == SliceType::b) return b_type();
  if (c_.slice.type == SliceType::p) {
    if (decode(14)) return 5 + intra_type(17, false);
    if (!decode(15)) return decode(16) ? 3 : 0;
    return decode(17) ? 1 : 2;
  }
  return decode(3 + intra_type_increment(c_)) ? intra_type(5, true) : 0;
}

unsigned CabacSyntax::sub_type() {
  if (c_.slice.type == SliceType::p) {
    if (decode(21)) return 0;
    if (!decode(22)) return 1;
    return decode(23) ? 2 : 3;
  }
  if (!decode(36)) return 0;
  if (!decode(37)) return 1 + decode(39);
  unsigned type = 3;
  if (decode(38)) {
    if (decode(39)) return 11 + decode(39);
    type += 4;
  }
  type += 2 * unsigned{decode(39)};
  return type + decode(39);
}

unsigned CabacSyntax::ref_idx(unsigned list, unsigned quarter) {
  unsigned context = ref_idx_increment(c_, list, quarter), index = 0;
  while (index < 32 && decode(54 + context)) {
    ++index;
    context = (context >> 2) + 4;
  }
  return index;
}

int CabacSyntax::mvd(unsigned list, unsigned block, unsigned component) {
  const unsigned base = component ? 47 : 40;
  if (!decode(base + mvd_increment(c_, list, block, component))) return 0;
  int value = 1;
  for (unsigned context = 3; value < 9 && decode(base + context); ++value) context += context < 6;
  if (value >= 9) {
    unsigned k = 3;
    while (k < 16 && decoder_.bypass()) value += 1 << k++;
    value += static_cast<int>(decoder_.bypass_bits(k));
  }
  return decoder_.bypass() ? -value : value;
}

bool CabacSyntax::transform8() { return decode(399 + transform8_increment(c_)); }

unsigned CabacSyntax::cbp(bool /*intra*/) {
  unsigned pattern = 0;
  for (unsigned i = 0; i < 4; ++i) pattern |= unsigned{decode(73 + luma_pattern_increment(c_, pattern, i))} << i;
  if (c_.picture.params.monochrome) return pattern;
  if (decode(77 + chroma_pattern_increment(c_, false))) pattern |= decode(81 + chroma_pattern_increment(c_, true)) ? 32 : 16;
  return pattern;
}

int CabacSyntax::qp_delta() {
  if (!decode(60 + (c_.last_delta != 0))) return 0;
  int code = 1;
  for (unsigned context = 62; code < 128 && decode(context); context = 63) ++code;
  return code & 1 ? (code + 1) / 2 : -(code / 2);
}

unsigned CabacSyntax::chroma_mode() {
  if (!decode(64 + chroma_mode_increment(c_))) return 0;
  if (!decode(67)) return 1;
  return decode(67) ? 3 : 2;
}

int CabacSyntax::intra_mode() {
  if (decode(68)) return -1;
  unsigned mode = decode(69);
  mode |= unsigned{decode(69)} << 1;
  return static_cast<int>(mode | unsigned{decode(69)} << 2);
}

bool CabacSyntax::coded(Cat cat, unsigned plane, unsigned block) {
  const bool result = decode(coded_base[static_cast<unsigned>(cat)] + coded_increment(c_, cat, plane, block));
  if (is_dc(cat)) c_.mb->dc_coded |= static_cast<uint8_t>(unsigned{result} << plane);
  return result;
}

// significant_coeff_flag and last_significant_coeff_flag.
unsigned CabacSyntax::places(CabacDecoder& decoder, Cat cat, unsigned size, uint8_t* place) {
  const unsigned kind = static_cast<unsigned>(cat), is_field = c_.mb->field;
  CabacState *const significant = states_.data() + significant_base[is_field][kind], *const last =
                                                                                         states_.data() + last_base[is_field][kind];
  unsigned count = 0;
  if (cat == Cat::luma8) {
    for (unsigned i = 0; i < 63; ++i) {
      if (!decoder.decode(significant[significant8[is_field][i]])) continue;
      place[count++] = static_cast<uint8_t>(i);
      if (decoder.decode(last[last8[i]])) return count;
    }
  } else {
    for (unsigned i = 0; i + 1 < size; ++i) {
      if (!decoder.decode(significant[i])) continue;
      place[count++] = static_cast<uint8_t>(i);
      if (decoder.decode(last[i])) return count;
    }
  }
  place[count++] = static_cast<uint8_t>(size - 1);
  return count;
}

unsigned CabacSyntax::residual(Cat cat, unsigned plane, unsigned block, unsigned size, Levels& levels) {
  levels.count = 0;
  if (cat != Cat::luma8 && !coded(cat, plane, block)) return 0;
  // A copy is in registers, and a member is not.
  CabacDecoder decoder = decoder_;
  const unsigned count = places(decoder, cat, size, levels.place.data());
  CabacState* const first = states_.data() + level_base[static_cast<unsigned>(cat)];
  const unsigned most = cat == Cat::chroma_dc ? 3 : 4;
  unsigned ones = 0, larger = 0;
  for (unsigned i = count; i-- > 0;) {
    int value = 1;
    if (decoder.decode(first[larger ? 0 : std::min(4u, 1 + ones)])) {
      CabacState& rest = first[5 + std::min(most, larger)];
      for (value = 2; value < 15 && decoder.decode(rest);) ++value;
      if (value == 15) {
        unsigned k = 0;
        while (k < 18 && decoder.bypass()) value += 1 << k++;
        value += static_cast<int>(decoder.bypass_bits(k));
      }
      ++larger;
    } else {
      ++ones;
    }
    levels.level.data()[i] = decoder.bypass() ? -value : value;
  }
  decoder_ = decoder;
  return levels.count = count;
}

bool CabacSyntax::pcm(std::span<uint8_t> samples) {
  const std::span<const uint8_t> rest = decoder_.rest();
  if (rest.size() < samples.size()) return false;
  std::memcpy(samples.data(), rest.data(), samples.size());
  decoder_ = CabacDecoder(rest.subspan(samples.size()));
  return true;
}

}  // namespace softgen::media::avc

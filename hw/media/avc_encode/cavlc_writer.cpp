// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/cavlc_writer.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "hw/media/avc/cavlc_tables.h"
#include "hw/media/avc/neighbours.h"

namespace softgen::media::avc {
namespace {

struct CbpNumbers {
  std::array<std::array<uint8_t, 2>, 48> color{};
  std::array<std::array<uint8_t, 2>, 16> mono{};
};

constexpr CbpNumbers invert() {
  CbpNumbers numbers;
  for (unsigned kind = 0; kind < 2; ++kind) {
    for (unsigned i = 0; i < 48; ++i) numbers.color[cbp_codes[i][kind]][kind] = static_cast<uint8_t>(i);
    for (unsigned i = 0; i < 16; ++i) numbers.mono[cbp_codes_mono[i][kind]][kind] = static_cast<uint8_t>(i);
  }
  return numbers;
}
constexpr CbpNumbers cbp_numbers = invert();

}  // namespace

void CavlcWriter::cbp(unsigned pattern, bool intra) {
  to_.unsigned_golomb(c_.picture.params.monochrome ? cbp_numbers.mono[pattern & 15][!intra] : cbp_numbers.color[pattern][!intra]);
}

// 9.2.1.
void CavlcWriter::token(Cat cat, unsigned plane, unsigned block, unsigned count, unsigned trailing) {
  const auto put = [&](unsigned table) {
    const Code& code = coeff_token_codes[table][count * 4 + trailing];
    to_.put(code.bits, code.length);
  };
  if (cat == Cat::chroma_dc) return put(3);
  const unsigned expected = expected_coefficients(c_, cat, plane, block);
  if (expected < 8) put(token_table(expected));
  else to_.put(count ? (count - 1) * 4 + trailing : 3, 6);
}

// 9.2.2.1. `is_larger`: of the first one after fewer than three trailing ones, which is not 1. Levels have at most 12 bits, so that prefixes end at 15.
void CavlcWriter::level(int level, unsigned& suffix_length, bool is_larger) {
  unsigned code = static_cast<unsigned>(level > 0 ? 2 * level - 2 : -2 * level - 1);
  if (is_larger) code -= 2;
  const auto put = [&](unsigned prefix, unsigned suffix, unsigned size) {
    to_.put(1, prefix + 1);
    if (size) to_.put(suffix, size);
  };
  if (!suffix_length) {
    if (code < 14) put(code, 0, 0);
    else if (code < 30) put(14, code - 14, 4);
    else put(15, code - 30, 12);
    suffix_length = 1;
  } else if (code < 15u << suffix_length) {
    put(code >> suffix_length, code & ((1u << suffix_length) - 1), suffix_length);
  } else {
    put(15, code - (15u << suffix_length), 12);
  }
  if (std::abs(level) > 3 << (suffix_length - 1) && suffix_length < 6) ++suffix_length;
}

void CavlcWriter::residual(Cat cat, unsigned plane, unsigned block, std::span<const int16_t> levels) {
  std::array<uint8_t, 16> places;
  unsigned count = 0;
  for (unsigned i = 0; i < levels.size(); ++i)
    if (levels[i]) places[count++] = static_cast<uint8_t>(i);
  unsigned trailing = 0;
  while (trailing < std::min(count, 3u) && std::abs(levels[places[count - 1 - trailing]]) == 1) ++trailing;
  token(cat, plane, block, count, trailing);
  if (!count) return;
  unsigned suffix_length = count > 10 && trailing < 3;
  for (unsigned i = 0; i < count; ++i) {
    const int value = levels[places[count - 1 - i]];
    if (i < trailing) to_.flag(value < 0);
    else level(value, suffix_length, i == trailing && trailing < 3);
  }
  unsigned zeros = places[count - 1] + 1u - count;
  if (count < levels.size()) {
    const Code& code = cat == Cat::chroma_dc ? chroma_zeros_codes[count - 1][zeros] : total_zeros_codes[count - 1][zeros];
    to_.put(code.bits, code.length);
  }
  for (unsigned i = count; i-- > 1 && zeros;) {
    const unsigned run = places[i] - places[i - 1] - 1u;
    const Code& code = run_before_codes[std::min(zeros, 7u) - 1][run];
    to_.put(code.bits, code.length);
    zeros -= run;
  }
}

}  // namespace softgen::media::avc

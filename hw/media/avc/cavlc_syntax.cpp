// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/cavlc_syntax.h"

#include <algorithm>
#include <array>
#include <bit>

#include "hw/media/avc/cavlc_tables.h"
#include "hw/media/avc/neighbours.h"

namespace softgen::media::avc {
namespace {

struct Symbol {
  uint8_t value = 0, length = 0;  ///< length 0: no code
};

/// All codes of at most `bits` bits.
template <unsigned bits>
struct DirectTable {
  std::array<Symbol, 1u << bits> symbols;
  void add(unsigned value, const Code& code) {
    if (!code.length) return;
    const unsigned free = bits - code.length;
    for (unsigned i = 0; i < 1u << free; ++i) symbols[(unsigned{code.bits} << free) + i] = {static_cast<uint8_t>(value), code.length};
  }
  Symbol take(BitReader& reader) const {
    const Symbol symbol = symbols[reader.peek(bits)];
    reader.skip(symbol.length ? symbol.length : reader.left() + 1);
    return symbol;
  }
};

/// coeff_token's: by the number of leading zeros (at most 15) and the three bits that follow the first 1.
struct TokenTable {
  std::array<Symbol, 16 * 8> symbols;
  void add(unsigned value, const Code& code) {
    if (!code.length) return;
    const unsigned significant = static_cast<unsigned>(std::bit_width(code.bits));
    const unsigned zeros = code.length - significant, after = significant ? significant - 1 : 0;
    const unsigned first = (code.bits & ((1u << after) - 1)) << (3 - after);
    for (unsigned i = 0; i < 1u << (3 - after); ++i)
      symbols[std::min(zeros, 15u) * 8 + first + i] = {static_cast<uint8_t>(value), code.length};
  }
  Symbol take(BitReader& reader) const {
    const uint32_t word = reader.peek32();
    const unsigned zeros = std::min(static_cast<unsigned>(std::countl_zero(word)), 15u);
    const Symbol symbol = symbols[zeros * 8 + (word << (zeros + 1) >> 29)];
    reader.skip(symbol.length ? symbol.length : reader.left() + 1);
    return symbol;
  }
};

struct Tables {
  std::array<TokenTable, 3> tokens;
  DirectTable<8> chroma_token;
  std::array<DirectTable<9>, 15> zeros;
  std::array<DirectTable<3>, 3> chroma_zeros;
  std::array<DirectTable<11>, 7> runs;
  Tables() {
    for (unsigned i = 0; i < 68; ++i) {
      for (unsigned k = 0; k < 3; ++k) tokens[k].add(i, coeff_token_codes[k][i]);
      chroma_token.add(i, coeff_token_codes[3][i]);
    }
    for (unsigned i = 0; i < 15; ++i)
      for (unsigned k = 0; k < 16; ++k) zeros[i].add(k, total_zeros_codes[i][k]);
    for (unsigned i = 0; i < 3; ++i)
      for (unsigned k = 0; k < 4; ++k) chroma_zeros[i].add(k, chroma_zeros_codes[i][k]);
    for (unsigned i = 0; i < 7; ++i)
      for (unsigned k = 0; k < 16; ++k) runs[i].add(k, run_before_codes[i][k]);
  }
};
const Tables tables;

}  // namespace

CavlcSyntax::CavlcSyntax(Context& context, std::span<const uint8_t> bytes, unsigned bit_offset) : c_(context), reader_(bytes, bit_offset) {
  size_t size = bytes.size();
  while (size && !bytes[size - 1]) --size;
  end_ = size ? size * 8 - 1 - static_cast<unsigned>(std::countr_zero(bytes[size - 1])) : 0;
}

unsigned CavlcSyntax::ref_idx(unsigned list, unsigned) {
  return c_.active(list) == 2 ? !reader_.flag() : std::min(reader_.unsigned_golomb(), 255u);
}

unsigned CavlcSyntax::cbp(bool intra) {
  const unsigned code = reader_.unsigned_golomb();
  if (c_.picture.params.monochrome) return code < 16 ? cbp_codes_mono[code][!intra] : ~0u;
  return code < 48 ? cbp_codes[code][!intra] : ~0u;
}

// 9.2.1. Returns TotalCoeff * 4 + TrailingOnes.
unsigned CavlcSyntax::coeff_token(Cat cat, unsigned plane, unsigned block) {
  if (cat == Cat::chroma_dc) return tables.chroma_token.take(reader_).value;
  const unsigned expected = expected_coefficients(c_, cat, plane, block);
  if (expected >= 8) {
    const unsigned code = reader_.take(6);
    return code == 3 ? 0 : (code / 4 + 1) * 4 + code % 4;
  }
  return tables.tokens[token_table(expected)].take(reader_).value;
}

// 9.2.2.1; levels come from the last one in scanning order.
void CavlcSyntax::read_levels(unsigned count, unsigned trailing, Levels& levels) {
  unsigned suffix_length = count > 10 && trailing < 3 ? 1 : 0;
  for (unsigned i = 0; i < count; ++i) {
    if (i < trailing) {
      levels.level[i] = reader_.flag() ? -1 : 1;
      continue;
    }
    const unsigned prefix = static_cast<unsigned>(std::countl_zero(reader_.peek32()));
    if (prefix > 25) {
      reader_.skip(reader_.left() + 1);
      std::fill(levels.level.begin() + i, levels.level.begin() + count, 0);
      return;
    }
    reader_.skip(prefix + 1);
    unsigned size = suffix_length;
    if (prefix == 14 && !suffix_length) size = 4;
    if (prefix >= 15) size = prefix - 3;
    int code = static_cast<int>(std::min(prefix, 15u) << suffix_length) + static_cast<int>(reader_.take(size));
    if (prefix >= 15 && !suffix_length) code += 15;
    if (prefix >= 16) code += (1 << (prefix - 3)) - 4096;
    if (i == trailing && trailing < 3) code += 2;
    levels.level[i] = code & 1 ? (-code - 1) >> 1 : (code + 2) >> 1;
    if (!suffix_length) suffix_length = 1;
    if (std::abs(levels.level[i]) > 3 << (suffix_length - 1) && suffix_length < 6) ++suffix_length;
  }
}

unsigned CavlcSyntax::residual(Cat cat, unsigned plane, unsigned block, unsigned size, Levels& levels) {
  const unsigned token = coeff_token(cat, plane, block), count = std::min(token / 4, size);
  levels.count = count;
  if (!count) return 0;
  read_levels(count, std::min(token % 4, count), levels);
  unsigned zeros = 0;
  if (count < size) {
    zeros = cat == Cat::chroma_dc ? tables.chroma_zeros[count - 1].take(reader_).value : tables.zeros[count - 1].take(reader_).value;
    zeros = std::min(zeros, size - count);
  }
  unsigned place = count + zeros - 1;
  for (unsigned i = 0; i < count; ++i) {
    levels.place[i] = static_cast<uint8_t>(place);
    unsigned run = 0;
    if (zeros && i + 1 < count) {
      run = std::min<unsigned>(tables.runs[std::min(zeros, 7u) - 1].take(reader_).value, zeros);
      zeros -= run;
    }
    place -= 1 + run;
  }
  return count;
}

bool CavlcSyntax::pcm(std::span<uint8_t> samples) {
  reader_.align();
  if (reader_.left() < samples.size() * 8) return false;
  for (uint8_t& sample : samples) sample = static_cast<uint8_t>(reader_.take(8));
  return true;
}

}  // namespace softgen::media::avc

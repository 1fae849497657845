// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/vlc.h"

#include <algorithm>

namespace softgen::media::vc1 {
namespace {

template <size_t tables, size_t codes>
std::vector<Vlc> make(const Code (&from)[tables][codes]) {
  std::vector<Vlc> made;
  for (const auto& table : from) made.emplace_back(table);
  return made;
}

}  // namespace

Vlc::Vlc(std::span<const Code> codes) {
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code& code = codes[i];
    const auto value = static_cast<uint8_t>(i);
    if (code.length > short_bits) {
      long_.push_back({code.value << (32 - code.length), code.length, value});
      continue;
    }
    const unsigned free = short_bits - code.length;
    std::fill_n(short_.begin() + (code.value << free), 1u << free, Short{code.length, value});
  }
  std::ranges::sort(long_, {}, &Long::first);
}

int Vlc::take(BitReader& bits) const {
  const uint32_t word = bits.peek32();
  if (const Short& entry = short_[word >> (32 - short_bits)]; entry.length) {
    bits.skip(entry.length);
    return entry.value;
  }
  auto found = std::ranges::upper_bound(long_, word, {}, &Long::first);
  if (found == long_.begin()) return -1;
  --found;
  if ((word ^ found->first) >> (32 - found->length)) return -1;
  bits.skip(found->length);
  return found->value;
}

CoefficientTable::CoefficientTable(const CoefficientCodes& codes) : codes_(codes), vlc_(codes.codes) {
  for (const bool last : {false, true}) {
    const std::span<const uint8_t> levels = codes.levels[last];
    runs_[last].assign(*std::ranges::max_element(levels) + 1u, 0);
    for (size_t run = 0; run < levels.size(); ++run)
      for (unsigned level = 1; level <= levels[run]; ++level) {
        entries_.push_back({static_cast<uint8_t>(run), static_cast<uint8_t>(level), last});
        runs_[last][level] = static_cast<uint8_t>(run);
      }
  }
}

const Tables& tables() {
  static const Tables made = [] {
    std::vector<CoefficientTable> coefficients;
    for (const CoefficientCodes& codes : coefficient_codes) coefficients.emplace_back(codes);
    return Tables{Vlc(intra_patterns),
                  make(inter_patterns),
                  make(macroblock_transforms),
                  make(block_transforms),
                  make(subblock_patterns),
                  make(vectors),
                  make(dc_luma),
                  make(dc_chroma),
                  make(field_modes),
                  make(mixed_field_modes),
                  make(interlaced_patterns),
                  make(four_vector_patterns),
                  make(one_reference_vectors),
                  make(two_reference_vectors),
                  make(frame_modes),
                  make(four_vector_frame_modes),
                  make(two_vector_patterns),
                  std::move(coefficients)};
  }();
  return made;
}

}  // namespace softgen::media::vc1

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/tables.h"

#include <algorithm>

namespace softgen::media::jpeg {

// T.81 C.2: codes of a length are consecutive, and the first of the next length follows with a 0 behind it.
void HuffmanDecoder::build(std::span<const uint8_t> counts, std::span<const uint8_t> values) {
  short_ = {};
  end_ = {}, first_ = {}, index_ = {};
  values_ = {};
  const size_t known = std::min(values.size(), values_.size());
  std::copy_n(values.begin(), known, values_.begin());
  uint32_t code = 0, index = 0;
  for (unsigned length = 1; length <= max_bits; ++length) {
    code <<= 1;
    const uint32_t space = 1u << length, wanted = length <= counts.size() ? counts[length - 1] : 0;
    const uint32_t count = std::min({wanted, space - std::min(code, space), static_cast<uint32_t>(known) - index});
    first_[length] = code;
    end_[length] = code + count;
    index_[length] = static_cast<uint16_t>(index);
    for (uint32_t i = 0; length <= short_bits && i < count; ++i) {
      const unsigned free = short_bits - length;
      std::fill_n(short_.begin() + ((code + i) << free), 1u << free, Symbol{static_cast<uint8_t>(length), values_[index + i]});
    }
    code += count;
    index += count;
  }
}

HuffmanDecoder::Symbol HuffmanDecoder::find_long(uint32_t bits) const {
  for (unsigned length = short_bits + 1; length <= max_bits; ++length) {
    const uint32_t code = bits >> (32 - length);
    if (code >= first_[length] && code < end_[length])
      return {static_cast<uint8_t>(length), values_[index_[length] + code - first_[length]]};
  }
  return {0, 0};
}

}  // namespace softgen::media::jpeg

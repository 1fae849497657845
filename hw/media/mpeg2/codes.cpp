// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/codes.h"

#include <bit>

#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

/// Entries of a table that begin with a code are all equal: its bits are the upper ones of the index.
template <size_t size, size_t values>
void invert(const std::array<VlcEntry, size>& table, std::array<WrittenCode, values>& to) {
  constexpr unsigned bits = std::countr_zero(size);
  for (uint32_t i = 0; i < size; ++i)
    if (const VlcEntry entry = table[i]; entry.length)
      to[static_cast<size_t>(entry.value)] = {static_cast<uint16_t>(i >> (bits - entry.length)), entry.length};
}

void invert(const CoefficientTable& table, WrittenCodes::Coefficients& to) {
  constexpr unsigned bits = 16;
  for (uint32_t word = 0; word < 1u << bits; ++word) {
    const CoefficientEntry& entry = table.find(word);
    if (!entry.length) continue;
    const WrittenCode code{static_cast<uint16_t>(word >> (bits - entry.length)), entry.length};
    (entry.run == end_of_block ? to.end : entry.run == escape ? to.escape : to.by_run[entry.run][entry.level]) = code;
  }
}

WrittenCodes make_codes() {
  WrittenCodes codes{};
  invert(address_increments, codes.increments);
  for (size_t i = 0; i < 3; ++i) invert(mb_types[i], codes.mb_types[i]);
  invert(block_patterns, codes.block_patterns);
  invert(motion_codes, codes.motion_codes);
  for (size_t i = 0; i < 2; ++i) invert(dc_sizes[i], codes.dc_sizes[i]), invert(coefficients[i], codes.coefficients[i]);
  return codes;
}

}  // namespace

const WrittenCodes& written_codes() {
  static const WrittenCodes codes = make_codes();
  return codes;
}

}  // namespace softgen::media::mpeg2

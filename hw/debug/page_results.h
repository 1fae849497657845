// SPDX-License-Identifier: GPL-2.0-or-later
// What a submission left in memory, as our recordings say it: comments that begin with results_comment, then a line a page, its physical
// address and its hash in hexadecimal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace softgen::debug {

inline constexpr std::string_view results_comment = "softgen: memory after this\n";
inline constexpr size_t page_result_bytes = 4096;

/// Not cryptographic: a change that it misses would have to be made for it.
inline uint64_t hash_page(std::span<const std::byte, page_result_bytes> data) {
  std::array<uint64_t, 8> lanes = {1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t at = 0; at < data.size(); at += sizeof lanes) {
    std::array<uint64_t, 8> words;
    std::memcpy(words.data(), data.data() + at, sizeof words);
    for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = (lanes[i] ^ words[i]) * 0x9e37'79b9'7f4a'7c15ull + (lanes[i] >> 29);
  }
  uint64_t h = 0;
  for (uint64_t lane : lanes) h = (h ^ lane ^ (lane >> 31)) * 0xff51'afd7'ed55'8ccdull;
  return h;
}

}  // namespace softgen::debug

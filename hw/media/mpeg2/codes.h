// SPDX-License-Identifier: GPL-2.0-or-later
// The codes of vlc.h by what they stand for, to write them.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_writer.h"

namespace softgen::media::mpeg2 {

/// Length 0: there is none.
struct WrittenCode {
  uint16_t bits = 0;
  uint8_t length = 0;
};

struct WrittenCodes {
  static constexpr unsigned max_run = 32, max_level = 41;
  std::array<WrittenCode, 35> increments;               ///< 1 to 33, and the escape
  std::array<std::array<WrittenCode, 32>, 3> mb_types;  ///< of I, P and B pictures, by flags
  std::array<WrittenCode, 64> block_patterns;
  std::array<WrittenCode, 17> motion_codes;
  std::array<std::array<WrittenCode, 12>, 2> dc_sizes;  ///< luma, chroma
  struct Coefficients {
    std::array<std::array<WrittenCode, max_level>, max_run> by_run;  ///< and level, without signs
    WrittenCode end, escape;
  };
  std::array<Coefficients, 2> coefficients;  ///< tables B.14 and B.15
};
const WrittenCodes& written_codes();

inline void put(BitWriter& to, WrittenCode code) { to.put(code.bits, code.length); }

}  // namespace softgen::media::mpeg2

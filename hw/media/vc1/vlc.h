// SPDX-License-Identifier: GPL-2.0-or-later
// The variable length codes of VC-1 as tables by the next bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/vc1/vlc_tables.h"

namespace softgen::media::vc1 {

class Vlc {
 public:
  explicit Vlc(std::span<const Code> codes);
  /// The index of the code that the stream goes on with; -1: there is none, and nothing was taken.
  int take(BitReader& bits) const;

 private:
  static constexpr unsigned short_bits = 9;
  struct Short {
    uint8_t length = 0;
    uint8_t value = 0;
  };
  struct Long {
    uint32_t first;  ///< the code from the highest bit of a word on
    uint8_t length;
    uint8_t value;
  };
  std::array<Short, 1u << short_bits> short_{};
  std::vector<Long> long_;  ///< codes of more bits, in rising order
};

/// One set of AC codes.
class CoefficientTable {
 public:
  struct Entry {
    uint8_t run, level;
    bool last;
  };
  explicit CoefficientTable(const CoefficientCodes& codes);

  /// -1: there is no such code; the index of `entry`, or escape().
  int take(BitReader& bits) const { return vlc_.take(bits); }
  int escape() const { return static_cast<int>(entries_.size()); }
  const Entry& entry(int index) const { return entries_[static_cast<size_t>(index)]; }
  /// The highest level of a run, the longest run of a level, as the set's codes have them: what escapes count from.
  unsigned max_level(bool last, unsigned run) const { return codes_.levels[last][run]; }
  unsigned max_run(bool last, unsigned level) const { return runs_[last][level]; }

 private:
  CoefficientCodes codes_;
  Vlc vlc_;
  std::vector<Entry> entries_;
  std::array<std::vector<uint8_t>, 2> runs_;
};

struct Tables {
  Vlc intra_pattern;
  std::vector<Vlc> inter_pattern, macroblock_transform, block_transform, subblock_pattern, vector, dc_luma, dc_chroma;
  std::vector<Vlc> field_mode, mixed_field_mode, interlaced_pattern, four_vector_pattern, one_reference_vector, two_reference_vector;
  std::vector<Vlc> frame_mode, four_vector_frame_mode, two_vector_pattern;
  std::vector<CoefficientTable> coefficients;
};

/// Made on first use.
const Tables& tables();

}  // namespace softgen::media::vc1

// SPDX-License-Identifier: GPL-2.0-or-later
// From a unit's record to what the stream can say: references, transform sizes, and the modes that give the wanted motion vectors.
#pragma once

#include "hw/media/vp9/mode_coder.h"
#include "hw/media/vp9_encode/unit_record.h"

namespace softgen::media::vp9 {

class ModeWriter : public ModeCoder<BoolEncoder> {
 public:
  using ModeCoder::ModeCoder;
  /// Fills a block that has begun: that of part `which`.
  void choose(BlockInfo& block, const UnitRecord& unit, unsigned which);
  /// Inter blocks of skipped segments have 8x8 samples at least (libvpx refuses smaller ones).
  bool must_be_whole(uint32_t row, uint32_t column, const UnitRecord& unit);
  bool skips(const BlockInfo& block) const { return ModeContexts::skips(block); }

 private:
  uint8_t segment(const BlockInfo& block, const UnitPart& part) const;
  void choose_intra(BlockInfo& block, const UnitRecord& unit, unsigned which);
  void choose_inter(BlockInfo& block, const UnitRecord& unit, unsigned which);
  /// Returns which of the record's vectors each reference has.
  std::array<unsigned, 2> choose_references(BlockInfo& block, const UnitPart& part) const;
  void choose_motion(BlockInfo& block, const std::array<Mv, 2>& wanted) const;
  void choose_quarter(BlockInfo& block, unsigned quarter, const std::array<Mv, 2>& wanted, const Mv (&best)[2]) const;
  /// The mode, and the vectors that it gives.
  uint8_t mode_for(const std::array<Mv, 2>& wanted, const Mv (&best)[2], const Mv (&nearest)[2], const Mv (&near)[2], unsigned count,
                   std::array<Mv, 2>& vectors) const;
  Mv codable(Mv wanted, Mv best) const;
};

}  // namespace softgen::media::vp9

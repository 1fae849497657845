// SPDX-License-Identifier: GPL-2.0-or-later
// What direct prediction in a later picture needs of a macroblock: 64 bytes of the direct MV buffer. The layout is chosen (only the engine reads it): 16 motion
// vectors of 14 + 12 bits, of list 0 if it is used, else of list 1; from byte 52 on a byte for each 8x8 block, and from 56 on
// the lower 16 bits of its reference's POC. Two views' pictures of an access unit (Annex H) have one POC, which is enough: a
// picture's lists have both for its own access unit alone, and what temporal direct prediction looks for is in list 0 and of another one (H.7.4.3, 8.4.1.2.3).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

/// Of a reference picture: frame store * 4 + part. -1: none.
enum Part : int8_t { whole = 0, top_field = 1, bottom_field = 2 };

/// A record in a direct MV buffer.
class MotionRecord {
 public:
  static constexpr size_t bytes = 64, blocks_at = 52, pocs_at = 56;
  enum class Coding : uint8_t { none, frame, field_mb, field_picture };
  struct Block {
    bool used = false;       ///< false: intra
    bool first_ref = false;  ///< the reference index was 0
    uint8_t part = 0;
    uint16_t poc = 0;  ///< the reference's, its lower bits: iHD gives frame stores other numbers from picture to picture
  };
  /// Null: there is none.
  explicit MotionRecord(const uint8_t* at = nullptr) : at_(at) {}
  Coding coding() const { return at_ ? static_cast<Coding>(at_[blocks_at] >> 2 & 3) : Coding::none; }
  Block block(unsigned quarter) const;
  Mv mv(unsigned block) const;

 private:
  const uint8_t* at_;
};

/// `to`: a record.
void write_record(const Macroblock& mb, MotionRecord::Coding coding, const PictureParams& params, uint8_t* to);
/// Changes the coding in a record, and leaves what is known of its blocks. `byte`: the record's at MotionRecord::blocks_at.
uint8_t with_coding(uint8_t byte, MotionRecord::Coding coding);
/// Of a picture of a list: Macroblock::picture.
int32_t poc_of(const PictureParams& params, int8_t picture);

/// The direct MV buffers of a picture's frame stores, as bytes; empty: there is none. The bottom field's records of a field picture are behind the top's.
using MotionBuffers = std::array<std::span<const uint8_t>, max_frames>;

}  // namespace softgen::media::avc

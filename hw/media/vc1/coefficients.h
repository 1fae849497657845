// SPDX-License-Identifier: GPL-2.0-or-later
// The coefficients of blocks (SMPTE 421M 8.1.3, 8.3.6): codes, escapes, scans, dequantisation.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/vc1/picture.h"
#include "hw/media/vc1/vlc.h"

namespace softgen::media::vc1 {

/// Scans of 8x8 blocks (figures of 11.9): inter, of progressive and interlaced pictures, and intra of I pictures without and with AC prediction from above, from the left.
enum class Scan : uint8_t { inter, intra, from_above, from_left, interlaced };

/// The types of an inter block's transform, as the stream has them.
struct BlockTransform {
  TransformCode code = TransformCode::whole;
  bool is_first = true;    ///< the macroblock's first block with coefficients
  bool is_read = false;    ///< by TTBLK of the block
  bool is_shared = false;  ///< of the picture, or of the macroblock: later blocks read which halves have coefficients
};

class CoefficientReader {
 public:
  /// Of one slice: the sizes of escapes are those of its first one.
  CoefficientReader(BitReader& bits, const PictureParams& picture);

  /// DCDIFF.  False: there is no such code.
  bool read_dc(bool is_chroma, unsigned step, int& differential);
  /// AC coefficients of an intra block, from place 1 on, not dequantised.
  bool read_intra(bool is_chroma, Scan scan, int16_t* block);
  /// Coefficients of an inter block, dequantised and transformed into differences. Gives the kind of transform, and the subblocks that have any.
  bool read_inter(Quantizer quantizer, BlockTransform& transform, int16_t* block, TransformCode& kind, uint8_t& subblocks);
  int16_t dequantise(int level, Quantizer quantizer) const;

 private:
  struct RunLevel {
    unsigned run;
    int level;
    bool last;
  };
  bool read(const CoefficientTable& table, RunLevel& next);
  bool read_escape(const CoefficientTable& table, RunLevel& next);
  bool read_part(Quantizer quantizer, const uint8_t* scan, unsigned places, int16_t* block);
  /// Bits of the halves or quarters without coefficients.
  bool read_skipped(BlockTransform& transform, TransformCode& kind, unsigned& skipped);

  BitReader& bits_;
  const PictureParams& picture_;
  const CoefficientTable& luma_;
  const CoefficientTable& other_;
  const unsigned rate_;  ///< which of the tables that depend on the quantizer
  unsigned level_bits_ = 0, run_bits_ = 0;
};

/// "0", "10", "11": 0, 1, 2.
unsigned read_three(BitReader& bits);

}  // namespace softgen::media::vc1

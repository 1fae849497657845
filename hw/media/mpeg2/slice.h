// SPDX-License-Identifier: GPL-2.0-or-later
// One slice: macroblocks from the first one's macroblock_address_increment on (ISO/IEC 13818-2, 6.2.5), decoded into the picture.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/iface/engine.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/media/mpeg2/motion.h"
#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

enum class SliceResult : uint8_t { whole, broken, aborted };

class SliceDecoder {
 public:
  /// `done`: a byte for each macroblock of the picture; set to 1 for each that is decoded.
  SliceDecoder(const PictureParams& picture, const References& references, Frame<uint8_t>& frame, std::span<uint8_t> done)
      : picture_(picture), references_(references), frame_(frame), done_(done) {}

  SliceResult decode(BitReader bits, const SliceParams& slice, const StopFlag& stop);

 private:
  /// -1: broken.
  int read_increment();
  void skip(uint32_t address);
  bool macroblock(uint32_t address);
  bool read_modes();
  bool read_motion();
  bool read_blocks();
  bool read_one_block(unsigned index);
  void reset_dc();
  void predict_block(uint32_t address);
  void reconstruct(uint32_t address);

  const PictureParams& picture_;
  const References& references_;
  Frame<uint8_t>& frame_;
  std::span<uint8_t> done_;
  BitReader bits_;
  unsigned scale_ = 0;
  VectorPredictors predictors_;
  std::array<int, 3> dc_{};
  // Of the macroblock; the motion's directions are those of a skipped one that follows.
  int type_ = 0, pattern_ = 0;
  bool field_dct_ = false;
  Motion motion_;
  alignas(32) std::array<std::array<int16_t, 64>, 6> blocks_;
};

}  // namespace softgen::media::mpeg2

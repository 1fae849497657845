// SPDX-License-Identifier: GPL-2.0-or-later
// One VP8 frame that is encoded macroblock by macroblock: prediction, coefficients and reconstruction, headers and tokens.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp8/picture.h"
#include "hw/media/vp8/tokens.h"
#include "hw/media/vp8_encode/header_writer.h"
#include "hw/media/vp8_encode/token_writer.h"
#include "hw/media/vp8_encode/vp8_encode_packets.h"

namespace softgen::media::vp8 {

/// Macroblocks come in raster order. Samples and references are the decoder's, so that nothing drifts.
class FrameEncoder {
 public:
  /// `header`: the frame header's bytes.
  void begin(const FrameParams& frame, unsigned partitions, const TokenProbabilities& probs, const HeaderBits& bits,
             std::span<const uint8_t> header);
  bool is_whole() const { return next_ == frame_.width * frame_.height; }
  uint32_t next_x() const { return next_ % frame_.width; }
  uint32_t next_y() const { return next_ / frame_.width; }

  /// The next one. Modes and vectors that its frame cannot have are replaced by legal ones.
  void macroblock(const PakObject& object, const References& references, const PictureMap& source);
  /// The loop filter, once all macroblocks are coded. False: it was stopped.
  bool filter(const StopFlag& stop);

  const Frame<uint8_t>& picture() const { return picture_; }
  /// Once, at the end. They are as long as a frame can have them, and cut where they would be longer.
  std::span<const uint8_t> first_partition() { return headers_.finish(); }
  std::span<const uint8_t> token_partition(unsigned i) { return tokens_[i].finish(); }
  bool is_cut() const;
  const TokenCounts& counts() const { return counts_; }
  uint32_t skipped() const { return skipped_; }

 private:
  /// The samples of a macroblock: 16 rows of luma, then 8 of pairs of chroma, 16 bytes each.
  using Samples = std::array<uint8_t, 16 * 24>;
  struct Place {
    size_t source;  ///< index in Samples
    size_t step, stride;
    uint8_t* at;  ///< in the picture
  };
  Place place_of(unsigned block, uint32_t x, uint32_t y);
  /// Source less prediction, transformed.
  void transform(unsigned block, const Samples& samples, uint32_t x, uint32_t y, std::array<int16_t, 16>& out);
  void reconstruct(unsigned block, uint32_t x, uint32_t y);
  void luma_by_block(const Macroblock& block, const Quantizer& by, const Samples& samples, bool drops);
  void luma_as_one(const Quantizer& by, const Samples& samples);
  void chroma(const Quantizer& by, const Samples& samples);

  FrameParams frame_;
  unsigned partitions_ = 1;
  TokenProbabilities probs_{};
  BoolEncoder headers_;
  std::array<BoolEncoder, max_partitions> tokens_;
  Frame<uint8_t> picture_;
  MacroblockMap blocks_;
  std::vector<Nonzero> above_;
  Nonzero left_{};
  MacroblockLevels levels_;
  Residual residual_;
  TokenCounts counts_{};
  uint32_t next_ = 0, skipped_ = 0;
};

}  // namespace softgen::media::vp8

// SPDX-License-Identifier: GPL-2.0-or-later
// One VP8 frame: headers and tokens of its macroblocks, reconstruction, loop filter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/bits/bool_decoder.h"
#include "hw/media/vp8/picture.h"
#include "hw/media/vp8/tokens.h"

namespace softgen::media::vp8 {

class FrameDecoder {
 public:
  /// `tokens`: 1, 2, 4 or 8 partitions. `segments`: a segment for each macroblock, in and out. False: it was stopped.
  bool decode(const FrameParams& params, const TokenProbabilities& probs, const References& references, BoolDecoder headers,
              std::span<BoolDecoder> tokens, std::span<uint8_t> segments, const StopFlag& stop);
  const Frame<uint8_t>& frame() const { return frame_; }
  /// A partition ended before its macroblocks did.
  bool broken() const { return broken_; }

 private:
  void reconstruct(const FrameParams& params, const References& references, const Macroblock& block, uint32_t x, uint32_t y, bool coded);

  Frame<uint8_t> frame_;
  MacroblockMap blocks_;
  std::vector<Nonzero> above_;
  Residual residual_;
  bool broken_ = false;
};

}  // namespace softgen::media::vp8

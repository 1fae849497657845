// SPDX-License-Identifier: GPL-2.0-or-later
// A transform block's levels into CABAC: the counterpart of read_residual().
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/avc_encode/cabac_encoder.h"
#include "hw/media/hevc/residual_syntax.h"

namespace softgen::media::hevc {

class ResidualWriter {
 public:
  ResidualWriter(avc::CabacEncoder& cabac, Contexts& contexts, const PictureParameters& picture)
      : cabac_(cabac), contexts_(contexts), picture_(picture) {}
  /// `levels`: rows of 1 << block.log2; at least one is not 0.
  void write(const TransformBlock& block, bool skip_transform, std::span<const int16_t> levels);

 private:
  struct SubBlock;
  void last_place(unsigned first_context, const TransformBlock& block, unsigned value);
  void last_suffix(unsigned value);
  void significant(const TransformBlock& block, const SubBlock& sub);
  void magnitudes(const TransformBlock& block, const SubBlock& sub);
  void remaining(uint32_t value, unsigned rice);

  avc::CabacEncoder& cabac_;
  Contexts& contexts_;
  const PictureParameters& picture_;
  unsigned greater1_ = 1;  ///< greater1Ctx of the sub-block before
};

}  // namespace softgen::media::hevc

// SPDX-License-Identifier: GPL-2.0-or-later
// macroblock_layer (H.264 7.3.5) and what it means: reads one macroblock and reconstructs it. A template over the two entropy coders.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/inter.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc/transform.h"

namespace softgen::media::avc {

template <class Syntax>
class MacroblockReader {
 public:
  MacroblockReader(Context& context, Syntax& syntax, Motion& motion, InterPredictor& inter, const LevelScale& scale)
      : c_(context), syntax_(syntax), motion_(motion), inter_(inter), scale_(scale) {}

  /// The current macroblock, which Context::enter has made so. False: it is broken.
  bool read();
  void skip();

 private:
  void reset(Kind kind);
  void identify();
  bool intra(unsigned type);
  bool intra_modes(bool by8);
  bool pcm();
  bool inter(unsigned type, bool is_b);
  bool partitions(unsigned type, bool is_b);
  bool quarters(bool is_b, bool has_zero_refs, bool& small);
  bool refs(unsigned list, unsigned used, const Partition* parts, unsigned count);
  void vector(unsigned list, const Partition& part);
  bool residual_header(unsigned& qp_changed);
  bool quantizer();
  bool residual();
  void luma_residual();
  void luma16_residual();
  void chroma_residual();
  void luma_block4(Cat cat, unsigned block, unsigned size);
  void predict_intra();
  void reconstruct();
  unsigned predicted_mode(unsigned block) const;
  bool usable(int x, int y, unsigned rows) const;

  Context& c_;
  Syntax& syntax_;
  Motion& motion_;
  InterPredictor& inter_;
  const LevelScale& scale_;
  Levels levels_;
  unsigned mode16_ = 0;
  /// Scaled, in raster order within a block; luma by block, or by 8x8 block; chroma by plane and block. All 0 between macroblocks.
  alignas(32) std::array<int32_t, 256> luma_{};
  alignas(32) std::array<std::array<int32_t, 64>, 2> chroma_{};
  uint32_t coded_ = 0;  ///< blocks with coefficients: luma 15:0, chroma 23:16
};

}  // namespace softgen::media::avc

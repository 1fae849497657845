// SPDX-License-Identifier: GPL-2.0-or-later
// macroblock_layer (H.264 7.3.5) and what it means, up to the scaled coefficients. A template over the two entropy coders.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc/reconstruct.h"
#include "hw/media/avc/transform.h"

namespace softgen::media::avc {

template <class Syntax>
class MacroblockReader {
 public:
  MacroblockReader(Context& context, Syntax& syntax, const Motion& motion, const LevelScale& scale)
      : c_(context), syntax_(syntax), motion_(motion), scale_(scale) {}

  /// The current macroblock, which Context::enter has made so, and its residual, which has no coefficients yet. False: it is broken.
  bool read(Residual& residual);
  void skip(Residual& residual);

 private:
  void reset(Kind kind);
  void identify();
  /// All of the macroblock.
  void direct();
  bool intra(unsigned type);
  bool intra_modes(bool by8);
  bool pcm();
  bool inter(unsigned type, bool is_b);
  bool partitions(unsigned type, bool is_b);
  bool quarters(bool is_b, bool has_zero_refs, bool& small);
  bool refs(unsigned list, unsigned used, const Partition* parts, unsigned count);
  void vector(unsigned list, const Partition& part);
  bool residual();
  void luma_residual();
  void luma16_residual();
  void chroma_residual();
  void luma_block4(Cat cat, unsigned block, unsigned size);

  Context& c_;
  Syntax& syntax_;
  const Motion& motion_;
  const LevelScale& scale_;
  Levels levels_;
  Residual* residual_ = nullptr;
};

}  // namespace softgen::media::avc

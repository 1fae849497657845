// SPDX-License-Identifier: GPL-2.0-or-later
// From a macroblock and its residual to samples: after all of its syntax is read, so that another thread may read on.
#pragma once

#include "hw/media/avc/context.h"
#include "hw/media/avc/inter.h"

namespace softgen::media::avc {

class Reconstructor {
 public:
  Reconstructor(Context& context, InterPredictor& inter) : c_(context), inter_(inter) {}
  /// The context's macroblock; takes the coefficients away.
  void run(Residual& residual);

 private:
  void pcm(Residual& residual);
  void predict_intra(Residual& residual);

  Context& c_;
  InterPredictor& inter_;
};

}  // namespace softgen::media::avc

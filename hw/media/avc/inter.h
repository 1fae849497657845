// SPDX-License-Identifier: GPL-2.0-or-later
// Inter prediction (H.264 8.4.2): fractional samples and weights.
#pragma once

#include <array>

#include "hw/media/avc/context.h"
#include "hw/media/avc/motion.h"
#include "hw/media/frame/frame.h"

namespace softgen::media::avc {

/// By Macroblock::picture; null: there is none.
using References = std::array<const PictureMap*, 64>;

class InterPredictor {
 public:
  InterPredictor(Context& context, const Motion& motion, const References& references)
      : c_(context), motion_(motion), references_(references) {}
  /// The current macroblock's samples, of its motion.
  void predict();

 private:
  struct Weights {
    bool plain = true;
    int shift = 0, w0 = 0, w1 = 0, offset = 0;
  };
  /// Samples of a block, luma, or pairs of chroma, before weights.
  struct Block {
    alignas(32) std::array<uint8_t, 256> luma;
    alignas(32) std::array<uint8_t, 128> chroma;
  };
  void block(unsigned x, unsigned y, unsigned width, unsigned height);
  bool uniform() const;
  bool same(unsigned a, unsigned b) const;
  void fetch(unsigned list, unsigned at, unsigned x, unsigned y, unsigned width, unsigned height, Block& to);
  void fetch_luma(const PlaneMap& map, int x, int y, unsigned width, unsigned height, uint8_t* to);
  void fetch_chroma(const PlaneMap& map, int x, int y, unsigned width, unsigned height, uint8_t* to);
  Weights weights(unsigned plane, int ref0, int ref1) const;
  void store(const Samples& to, unsigned width, unsigned height, const uint8_t* p0, const uint8_t* p1, const Weights& even,
             const Weights& odd) const;

  Context& c_;
  const Motion& motion_;
  const References& references_;
  // What kernels read beyond a block's width is in here, and is dropped.
  std::array<Block, 2> blocks_{};
  alignas(32) std::array<uint8_t, 22 * 32> source_{};
  alignas(32) std::array<uint8_t, 256> other_{};
};

}  // namespace softgen::media::avc

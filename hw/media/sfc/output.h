// SPDX-License-Identifier: GPL-2.0-or-later
// The output frame: the colour around the picture, and parts of the picture, rotated and packed.
#pragma once

#include "hw/media/sfc/job.h"
#include "hw/media/vebox/band.h"

namespace softgen::media::sfc {

class Output {
 public:
  /// Finds the pages of the frame.
  Output(const Job& job, memory::View& view, const StopFlag& stop);

  /// Rows of the whole frame in the fill colour. The first one is even.
  void fill(int first, int count, vebox::Band& band, vebox::Bytes& bytes);
  /// Rows of the picture before rotation; their content is lost. `a`, `b`: scratch memory.
  void put(vebox::Band& rows, vebox::Band& a, vebox::Band& b, vebox::Bytes& bytes);

 private:
  void store(const vebox::Band& band, uint32_t x, uint16_t alpha, vebox::SurfaceMap& to, vebox::Bytes& bytes) const;

  const Job& job_;
  vebox::SurfaceMap frame_;    ///< where it is filled
  vebox::SurfaceMap picture_;  ///< ends where the picture does
};

}  // namespace softgen::media::sfc

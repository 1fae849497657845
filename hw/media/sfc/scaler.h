// SPDX-License-Identifier: GPL-2.0-or-later
// Executes a Job: chunks of rows of the scaled picture, each through all stages (scaling, sharpening, colour matrix, rotation, packing). Chunks do not depend on
// each other.
#pragma once

#include "hw/base/worker_pool.h"
#include "hw/media/sfc/filter.h"
#include "hw/media/sfc/output.h"
#include "hw/media/sfc/picture.h"

namespace softgen::media::sfc {

class Scaler {
 public:
  Scaler(const Job& job, const Picture& picture, memory::View& view, const StopFlag& stop);
  /// No pool (null): all in order. When the work is to be dropped, the rest of the frame is not written.
  void run(WorkerPool* pool);

 private:
  struct Scratch;
  /// Luma, or chroma: where its source region is, and the filters of both directions.
  struct Component {
    int left = 0, top = 0, width = 1, height = 1;
    Windows columns, rows;
    Windows smooth_columns, smooth_rows;  ///< bilinear, where the result is between both
  };
  Component component(bool chroma) const;
  void filter_plane(const Component& component, const vebox::SamplePlane& from, vebox::SamplePlane& to, Scratch& scratch) const;
  void scale(int first, int count, Scratch& scratch);

  const Job& job_;
  const vebox::Band& source_;
  const StopFlag& stop_;
  const vebox::Sampling sampling_;  ///< of the scaled picture
  const Component luma_, chroma_;
  Output output_;
};

}  // namespace softgen::media::sfc

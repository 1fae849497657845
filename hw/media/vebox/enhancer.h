// SPDX-License-Identifier: GPL-2.0-or-later
// Executes an Enhancement: bands of rows, first those of the denoise filter, then those of the outputs, which read what it wrote. Bands of one kind do not
// depend on each other. All results are in graphics memory, so it can go on after any of them.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/base/worker_pool.h"
#include "hw/media/vebox/band.h"
#include "hw/media/vebox/enhancement.h"

namespace softgen::media::vebox {

class Enhancer {
 public:
  /// Takes finished bands. Bands of different calls may come from several threads at a time.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void take(const Band& rows) = 0;
  };
  /// Finds the pages of all surfaces. After a stop request some may be missing. `sink`: takes the output in the sampling that Enhancement::sink_sampling says,
  /// without stops before the last band; null: the output goes to memory alone.
  Enhancer(const Enhancement& what, memory::View& view, const StopFlag& stop, Sink* sink = nullptr);

  uint32_t bands() const { return filtered_ + stored_; }
  /// From a band on to the last, or until there is a reason to stop. Returns the first that is not done; at least one is, unless the work is dropped.
  uint32_t run(uint32_t first, WorkerPool* pool);

 private:
  struct Scratch;
  struct Range {
    int first, count;
  };
  Range rows_of(uint32_t band) const;
  void filter(Range rows, Scratch& scratch);
  void output(Range rows, Scratch& scratch);
  void deinterlace(const Deinterlace& di, Range rows, Scratch& scratch);
  void finish(Band& band, SurfaceMap& to, bool to_sink, Scratch& scratch);

  const Enhancement& what_;
  const StopFlag& stop_;
  Sink* const sink_;
  const uint32_t rows_;                 ///< of a band: wide ones have less, since a stop request waits for them
  uint32_t filtered_ = 0, stored_ = 0;  ///< bands
  SurfaceMap current_, previous_, denoised_, output_current_, output_previous_;
  PlaneMap motion_in_, motion_out_;
};

}  // namespace softgen::media::vebox

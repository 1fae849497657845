// SPDX-License-Identifier: GPL-2.0-or-later
// A picture from its first slice to its surface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "hw/base/worker_pool.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/picture_samples.h"
#include "hw/media/hevc/sample_queue.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

class PictureDecoder {
 public:
  /// By the surface's sample size: 1 or 2 bytes.
  explicit PictureDecoder(unsigned sample_bytes) : samples_(make_picture_samples(sample_bytes)) {}
  /// As PictureSamples::begin().
  void begin(const PictureParameters& parameters, const std::array<PictureMap, max_frames>& references);
  SliceResult decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                     WorkerPool* pool, const StopFlag& stop);
  std::optional<uint32_t> finish(PictureMap* to, bool keeps, WorkerPool* pool, const StopFlag& stop) {
    return samples_->finish(to, keeps, pool, stop);
  }
  HostPicture finished() const { return samples_->finished(); }
  const PictureInfo& info() const { return info_; }

 private:
  PictureInfo info_;
  const std::unique_ptr<PictureSamples> samples_;
  SliceDecoder slices_{info_};
  SampleQueue queue_;
};

}  // namespace softgen::media::hevc

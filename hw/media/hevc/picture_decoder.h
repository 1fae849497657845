// SPDX-License-Identifier: GPL-2.0-or-later
// A picture from its first slice to its surface. The sample type is uint8_t for NV12 and uint16_t for P010.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/frame/frame.h"
#include "hw/media/hevc/inter.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

class PictureDecoder {
 public:
  virtual ~PictureDecoder() = default;
  /// `references`, by frame, may be opened later on; they and their memory outlive the picture.
  virtual void begin(const PictureParameters& parameters, const std::array<PictureMap, max_frames>& references) = 0;
  virtual SliceResult decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                             WorkerPool* pool, const StopFlag& stop) = 0;
  /// Loop filters and the store. CTBs that are not whole become mid-grey: their number. None: aborted. `pool` null: this thread alone; the bits are the
  /// same.
  virtual std::optional<uint32_t> finish(PictureMap& to, WorkerPool* pool, const StopFlag& stop) = 0;
  virtual const PictureInfo& info() const = 0;
};

/// By the surface's sample size: 1 or 2 bytes.
std::unique_ptr<PictureDecoder> make_picture_decoder(unsigned sample_bytes);

}  // namespace softgen::media::hevc

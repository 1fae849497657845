// SPDX-License-Identifier: GPL-2.0-or-later
// A picture's samples, from its first block to its surface. The sample type is uint8_t for NV12 and uint16_t for P010.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/frame/frame.h"
#include "hw/media/hevc/inter.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

class PictureSamples : public Reconstructor {
 public:
  /// `references`, by frame, may be opened later on; they, their memory and `info` outlive the picture.
  virtual void begin(PictureInfo& info, const std::array<PictureMap, max_frames>& references) = 0;
  /// Loop filters and the store; `to` null: to no surface. `keeps`: finished() has the samples. CTBs that are not whole become mid-grey: their number. None:
  /// aborted. `pool` null: this thread alone; the bits are the same.
  virtual std::optional<uint32_t> finish(PictureMap* to, bool keeps, WorkerPool* pool, const StopFlag& stop) = 0;
  /// The last picture that was kept, until the next one begins.
  virtual HostPicture finished() const = 0;
  /// A block as it is so far, in rows of 1 << `log2`.
  virtual void read(unsigned component, int x, int y, unsigned log2, int16_t* to) = 0;
};

/// By the surface's sample size: 1 or 2 bytes.
std::unique_ptr<PictureSamples> make_picture_samples(unsigned sample_bytes);

}  // namespace softgen::media::hevc

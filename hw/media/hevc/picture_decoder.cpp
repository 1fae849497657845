// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/picture_decoder.h"

namespace softgen::media::hevc {

void PictureDecoder::begin(const PictureParameters& parameters, const std::array<PictureMap, max_frames>& references) {
  info_.begin(parameters);
  samples_->begin(info_, references);
}

// One thread parses, another one makes the samples. Where the pool has no free thread, the second begins when the first has ended.
SliceResult PictureDecoder::decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                                   WorkerPool* pool, const StopFlag& stop) {
  if (!pool || !pool->workers()) return slices_.decode(slice, data, collocated, *samples_, stop);
  SliceResult result = SliceResult::broken;
  queue_.begin(*samples_);
  pool->for_each(2, [&](size_t part, unsigned) {
    if (part) queue_.replay();
    else result = slices_.decode(slice, data, collocated, queue_, stop), queue_.end();
  });
  return result;
}

}  // namespace softgen::media::hevc

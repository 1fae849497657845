// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/motion_store.h"

#include "hw/base/worker_pool.h"
#include "hw/memory/view.h"

namespace softgen::media::avc {

void MotionStore::begin(const MotionAddresses& addresses) {
  addresses_ = addresses;
  buffers_.fill({});
}

void MotionStore::read(unsigned frame, const PictureParams& params, EngineEnv& env) {
  const MotionAddress& from = addresses_.read[frame];
  if (!buffers_[frame].empty() || !from.top) return;
  std::vector<uint8_t>& bytes = bytes_[frame];
  bytes.resize(size_t{params.width_mbs} * params.frame_height_mbs * MotionRecord::bytes);
  const size_t first = from.divided() ? bytes.size() / 2 : bytes.size();
  env.view.read(from.top, bytes.data(), first);
  if (first < bytes.size()) env.view.read(from.bottom, bytes.data() + first, bytes.size() - first);
  buffers_[frame] = bytes;
}

void MotionStore::write(const Picture& picture, uint32_t first, WorkerPool* pool, EngineEnv& env) {
  const PictureParams& params = picture.params;
  const MotionAddress& to = addresses_.write;
  if (!params.reference || !to.top) return;
  using Coding = MotionRecord::Coding;
  records_.resize(picture.mbs.size() * MotionRecord::bytes);
  const uint64_t bottom = to.divided() ? to.bottom : to.top + records_.size(), at = params.bottom() ? bottom : to.top;
  if (first) env.view.read(at, records_.data(), records_.size());
  for_each(pool, picture.height, [&](size_t row, unsigned) {
    const auto y = static_cast<uint32_t>(row);
    for (uint32_t x = 0; x < picture.width; ++x) {
      if (picture.order(x, y) < first) continue;
      const Macroblock& mb = picture.mb(x, y);
      write_record(mb,
                   params.field() ? Coding::field_picture
                   : mb.field     ? Coding::field_mb
                                  : Coding::frame,
                   params, records_.data() + (row * picture.width + x) * MotionRecord::bytes);
    }
  });
  env.view.write(at, records_.data(), records_.size());
  // The frame's first record says how all of it is coded, also when the bottom field is the first. Else it has the top field's first block.
  if (!params.bottom()) return;
  const uint64_t byte = to.top + MotionRecord::blocks_at;
  env.view.store(byte, with_coding(env.view.load<uint8_t>(byte), Coding::field_picture));
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/picture_memory.h"

#include <algorithm>
#include <cstring>

#include "hw/media/frame/row_order.h"
#include "hw/media/vp9/sample_kernels.h"
#include "hw/memory/view.h"

namespace softgen::media::vp9 {
namespace {

/// The layout of motion buffers is ours: drivers allocate 576 bytes per 64x64 samples (media-map 1.0.3). Two vectors, and a byte of references + 1.
constexpr size_t motion_bytes = 9;

void pack(const StoredMotion& motion, uint8_t* to) {
  std::memcpy(to, motion.mv.data(), 8);
  to[8] = static_cast<uint8_t>((motion.reference[0] + 1) | (motion.reference[1] + 1) << 4);
}

StoredMotion unpack(const uint8_t* from) {
  StoredMotion motion;
  std::memcpy(motion.mv.data(), from, 8);
  // The guest may have written anything.
  const auto reference = [](unsigned coded) { return static_cast<int8_t>(coded <= 4 ? static_cast<int>(coded) - 1 : no_reference); };
  motion.reference = {reference(from[8] & 15u), reference(from[8] >> 4u)};
  return motion;
}

}  // namespace

void PictureMemory::open(Vp9Job& job, EngineEnv& env) {
  for (size_t i = 0; i < references_.size(); ++i) {
    if (!job.references[i]) continue;
    references_[i].luma.open(env.view, env.stop, job.references[i]->luma, Access::read);
    references_[i].chroma.open(env.view, env.stop, job.references[i]->chroma, Access::read);
    job.picture.references[i].map = &references_[i];
  }
}

void PictureMemory::read(const Vp9Job& job, EngineEnv& env) {
  const size_t blocks = size_t{job.picture.rows8()} * job.picture.columns8();
  probabilities_ = {};
  if (job.probabilities) env.view.read(job.probabilities, probabilities_.data(), probabilities_.size());
  motion_.assign(blocks, {});
  segment_ids_.assign(blocks, 0);
  if (job.segment_ids && job.picture.segmentation.enabled) {
    env.view.read(job.segment_ids, segment_ids_.data(), blocks);
    for (uint8_t& id : segment_ids_) id &= 7;
  }
  previous_.clear();
  if (!job.picture.use_previous_mvs || !job.previous_motion) return;
  bytes_.resize(blocks * motion_bytes);
  env.view.read(job.previous_motion, bytes_.data(), bytes_.size());
  previous_.resize(blocks);
  for (size_t i = 0; i < blocks; ++i) previous_[i] = unpack(bytes_.data() + i * motion_bytes);
}

void PictureMemory::write(const Vp9Job& job, EngineEnv& env, bool probabilities) {
  if (probabilities && job.probabilities) env.view.write(job.probabilities, probabilities_.data(), probabilities_.size());
  if (job.segment_ids && job.picture.segmentation.enabled && job.picture.segmentation.update_map)
    env.view.write(job.segment_ids, segment_ids_.data(), segment_ids_.size());
  if (!job.motion) return;
  bytes_.resize(motion_.size() * motion_bytes);
  for (size_t i = 0; i < motion_.size(); ++i) pack(motion_[i], bytes_.data() + i * motion_bytes);
  env.view.write(job.motion, bytes_.data(), bytes_.size());
}

template <typename T>
void PictureMemory::store(const Vp9Job& job, Planes<T>& planes, WorkerPool* pool, EngineEnv& env) {
  constexpr unsigned shift = sizeof(T) == 2 ? 6 : 0;  // P010: the upper bits
  target_.luma.open(env.view, env.stop, job.target.luma, Access::write);
  target_.chroma.open(env.view, env.stop, job.target.chroma, Access::write);
  const SampleKernels<T>& kernels = vp9::kernels().template samples<T>();
  const uint32_t width = job.picture.width, strips = (job.picture.height + 15) / 16;
  for_each(pool_for_rows(target_, pool), strips, [&](size_t index, unsigned) {
    std::vector<T> lines(size_t{width} * 16);
    const uint32_t top = static_cast<uint32_t>(index) * 16, bottom = std::min(top + 16, job.picture.height);
    const Plane<T>* const plane = planes.plane;
    if constexpr (shift != 0) {
      for (uint32_t y = top; y < bottom; ++y) kernels.shift_up(plane[0].row(y), width, shift, lines.data() + (y - top) * width);
      target_.luma.store(0, top, width, bottom - top, reinterpret_cast<const std::byte*>(lines.data()), width * sizeof(T));
    } else {
      target_.luma.store(0, top, width, bottom - top, reinterpret_cast<const std::byte*>(plane[0].row(top)), plane[0].stride() * sizeof(T));
    }
    for (uint32_t y = top / 2; y < bottom / 2; ++y)
      kernels.join(plane[1].row(y), plane[2].row(y), width / 2, shift, lines.data() + (y - top / 2) * width);
    target_.chroma.store(0, top / 2, width / 2, (bottom - top) / 2, reinterpret_cast<const std::byte*>(lines.data()), width * sizeof(T));
  });
}

template void PictureMemory::store<uint8_t>(const Vp9Job&, Planes<uint8_t>&, WorkerPool*, EngineEnv&);
template void PictureMemory::store<uint16_t>(const Vp9Job&, Planes<uint16_t>&, WorkerPool*, EngineEnv&);

}  // namespace softgen::media::vp9

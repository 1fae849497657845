// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/stored_pictures.h"

#include "hw/memory/view.h"

namespace softgen::media::avc {

void StoredPictures::begin(const PictureState& state) {
  state_ = state;
  for (PictureMap& map : maps_) map.close();
  references_.fill(nullptr);
  motion_.fill({});
  first_ = nullptr;
}

void StoredPictures::open_map(PictureMap& map, uint64_t base, unsigned part, Access access, EngineEnv& env) const {
  map.open(env.view, env.stop, part == whole ? state_.layout : state_.layout.field(part == bottom_field), base, access);
}

const PictureMap* StoredPictures::reference(unsigned frame, unsigned part, EngineEnv& env) {
  const unsigned at = frame * 4 + part;
  if (!references_[at] && state_.references[frame]) {
    open_map(maps_[at], state_.references[frame], part, Access::read, env);
    references_[at] = &maps_[at];
  }
  return references_[at];
}

void StoredPictures::open(const SliceParams& slice, EngineEnv& env) {
  for (const PictureMap*& map : references_)
    if (map) maps_[static_cast<size_t>(&map - references_.data())].refresh(env.view, env.stop);
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < slice.active[list]; ++i) {
      const RefEntry& entry = slice.list[list][i];
      if (!entry.present) continue;
      const bool is_field = state_.params.field();
      const PictureMap* const map = reference(entry.frame, is_field ? (entry.bottom ? bottom_field : top_field) : whole, env);
      if (!first_) first_ = map;
      if (state_.params.mbaff) reference(entry.frame, top_field, env), reference(entry.frame, bottom_field, env);
    }
  if (slice.type == SliceType::b && slice.list[1][0].present) read_motion(slice.list[1][0].frame, env);
}

void StoredPictures::refresh(EngineEnv& env) {
  for (PictureMap& map : maps_) map.refresh(env.view, env.stop);
}

void StoredPictures::read_motion(unsigned frame, EngineEnv& env) {
  if (!motion_[frame].empty() || !state_.motion[frame]) return;
  const PictureParams& params = state_.params;
  std::vector<uint8_t>& bytes = motion_bytes_[frame];
  bytes.resize(size_t{params.width_mbs} * params.frame_height_mbs * MotionRecord::bytes);
  env.view.read(state_.motion[frame], bytes.data(), bytes.size());
  motion_[frame] = bytes;
}

void StoredPictures::write_motion(const Picture& picture, WorkerPool* pool, EngineEnv& env) {
  const PictureParams& params = state_.params;
  if (!params.reference || !state_.motion_write) return;
  using Coding = MotionRecord::Coding;
  records_.resize(picture.mbs.size() * MotionRecord::bytes);
  for_each(pool, picture.height, [&](size_t row, unsigned) {
    for (size_t i = row * picture.width; i < (row + 1) * picture.width; ++i) {
      const Macroblock& mb = picture.mbs[i];
      write_record(mb,
                   params.field() ? Coding::field_picture
                   : mb.field     ? Coding::field_mb
                                  : Coding::frame,
                   params, records_.data() + i * MotionRecord::bytes);
    }
  });
  env.view.write(state_.motion_write + (params.bottom() ? records_.size() : 0), records_.data(), records_.size());
  // The frame's first record says how all of it is coded, also when the bottom field is the first. Else it has the top field's first block.
  if (!params.bottom()) return;
  const uint64_t first = state_.motion_write + MotionRecord::blocks_at;
  env.view.store(first, with_coding(env.view.load<uint8_t>(first), Coding::field_picture));
}

void StoredPictures::store(const Picture& picture, WorkerPool* pool, EngineEnv& env) {
  const PictureParams& params = state_.params;
  PictureMap map;
  open_map(map, state_.destination, !params.field() ? whole : params.bottom() ? bottom_field : top_field, Access::write, env);
  store_frame(map, picture.frame, pool, !params.monochrome);
}

}  // namespace softgen::media::avc

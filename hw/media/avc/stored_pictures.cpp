// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/stored_pictures.h"

#include "hw/memory/view.h"

namespace softgen::media::avc {

void StoredPictures::begin(const PictureState& state) {
  state_ = state;
  for (PictureMap& map : maps_) map.close();
  references_.fill(nullptr);
  motion_.begin(state.motion);
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
  if (slice.type == SliceType::b && slice.list[1][0].present) motion_.read(slice.list[1][0].frame, state_.params, env);
}

void StoredPictures::refresh(EngineEnv& env) {
  for (PictureMap& map : maps_) map.refresh(env.view, env.stop);
}

void StoredPictures::store(const Picture& picture, WorkerPool* pool, EngineEnv& env) {
  const PictureParams& params = state_.params;
  PictureMap map;
  open_map(map, state_.destination, !params.field() ? whole : params.bottom() ? bottom_field : top_field, Access::write, env);
  store_frame(map, picture.frame, pool, !params.monochrome);
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/reference_pictures.h"

#include "hw/memory/view.h"

namespace softgen::media::hevc {

void ReferencePictures::begin() {
  collocated_frame_ = -1;
  for (PictureMap& map : maps_) map.close();
}

void ReferencePictures::refresh(EngineEnv& env) {
  for (PictureMap& map : maps_) map.refresh(env.view, env.stop);
}

void ReferencePictures::open(const HevcPicture& picture, const SliceParameters& slice, EngineEnv& env) {
  refresh(env);
  if (slice.type == SliceType::i) return;
  for (unsigned list = 0; list < (slice.type == SliceType::b ? 2 : 1); ++list) {
    for (unsigned i = 0; i < slice.active[list]; ++i) {
      const unsigned frame = slice.lists[list][i].frame;
      if (picture.references[frame] && !maps_[frame].luma.is_open())
        maps_[frame].open(env.view, env.stop, {picture.luma, picture.chroma}, picture.references[frame], Access::read);
    }
  }
}

std::span<const StoredMotion> ReferencePictures::collocated(const HevcPicture& picture, const SliceParameters& slice, size_t count,
                                                            EngineEnv& env) {
  if (slice.type == SliceType::i || !slice.temporal_mvp || !picture.collocated[slice.collocated_frame]) return {};
  if (collocated_frame_ != slice.collocated_frame) {
    collocated_.resize(count);
    env.view.read(picture.collocated[slice.collocated_frame], collocated_.data(), collocated_.size() * sizeof(StoredMotion));
    collocated_frame_ = slice.collocated_frame;
  }
  return collocated_;
}

}  // namespace softgen::media::hevc

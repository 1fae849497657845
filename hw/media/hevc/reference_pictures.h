// SPDX-License-Identifier: GPL-2.0-or-later
// The pictures in graphics memory that a picture refers to: their samples and their motion.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hw/media/frame/frame.h"
#include "hw/media/hevc/hevc_packets.h"
#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

class ReferencePictures {
 public:
  /// Of a picture that begins: nothing is open.
  void begin();
  /// To be called for each slice, and when the engine takes up the picture again.
  void open(const HevcPicture& picture, const SliceParameters& slice, EngineEnv& env);
  void refresh(EngineEnv& env);
  /// The motion of the slice's collocated picture; empty: there is none.
  std::span<const StoredMotion> collocated(const HevcPicture& picture, const SliceParameters& slice, size_t count, EngineEnv& env);
  const std::array<PictureMap, max_frames>& maps() const { return maps_; }

 private:
  std::array<PictureMap, max_frames> maps_;
  std::vector<StoredMotion> collocated_;
  int collocated_frame_ = -1;  ///< whose motion is in collocated_; negative: none
};

}  // namespace softgen::media::hevc

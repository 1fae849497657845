// SPDX-License-Identifier: GPL-2.0-or-later
// The pictures in graphics memory that a picture is coded with: its references, what direct prediction needs of them, and the picture itself.
#pragma once

#include <array>

#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc/inter.h"
#include "hw/media/avc/motion_store.h"
#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

class StoredPictures {
 public:
  void begin(const PictureState& state);
  /// The references of a slice, and the motion of what a B slice takes for colocated.
  void open(const SliceParams& slice, EngineEnv& env);
  void refresh(EngineEnv& env);
  const References& references() const { return references_; }
  const MotionBuffers& motion() const { return motion_.buffers(); }
  /// The reference that was opened first, or null.
  const PictureMap* first() const { return first_; }

  void store(const Picture& picture, WorkerPool* pool, EngineEnv& env);
  void write_motion(const Picture& picture, WorkerPool* pool, EngineEnv& env) { motion_.write(picture, 0, pool, env); }

 private:
  const PictureMap* reference(unsigned frame, unsigned part, EngineEnv& env);
  /// Of a picture at `base`: the frame, or a field.
  void open_map(PictureMap& map, uint64_t base, unsigned part, Access access, EngineEnv& env) const;

  PictureState state_;
  std::array<PictureMap, 64> maps_;  ///< by Macroblock::picture
  References references_{};
  MotionStore motion_;
  const PictureMap* first_ = nullptr;
};

}  // namespace softgen::media::avc

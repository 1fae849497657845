// SPDX-License-Identifier: GPL-2.0-or-later
// What a picture reads and writes in graphics memory beside its stream: references, motion, segment ids, probabilities, and its samples.
#pragma once

#include <array>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/vp9/planes.h"
#include "hw/media/vp9/probabilities.h"
#include "hw/media/vp9/vp9_packets.h"

namespace softgen::media::vp9 {

class PictureMemory {
 public:
  /// Gives the job's picture its references.
  void open(Vp9Job& job, EngineEnv& env);
  void refresh(EngineEnv& env) {
    for (PictureMap& map : references_) map.refresh(env.view, env.stop);
  }
  void read(const Vp9Job& job, EngineEnv& env);
  SideData side_data(std::span<const uint8_t> stream) {
    return {.stream = stream, .probabilities = &probabilities_, .previous = previous_, .motion = motion_, .segment_ids = segment_ids_};
  }
  void write(const Vp9Job& job, EngineEnv& env, bool probabilities);
  /// `pool` null: this thread alone.
  template <typename T>
  void store(const Vp9Job& job, Planes<T>& planes, WorkerPool* pool, EngineEnv& env);

 private:
  std::array<PictureMap, 3> references_;
  PictureMap target_;
  std::vector<uint8_t> bytes_, segment_ids_;
  std::vector<StoredMotion> motion_, previous_;
  ProbabilityBuffer probabilities_{};
};

}  // namespace softgen::media::vp9

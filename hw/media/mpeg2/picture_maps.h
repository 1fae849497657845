// SPDX-License-Identifier: GPL-2.0-or-later
// The surfaces of a picture, opened: where it goes, and what it is predicted from.
#pragma once

#include "hw/base/worker_pool.h"
#include "hw/media/mpeg2/mpeg2_packets.h"

namespace softgen::media::mpeg2 {

struct PictureMaps {
  PictureMap destination;
  References references;

  void open(EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture);
  /// To be called with each packet.
  void refresh(EngineEnv& env);
  /// All of `frame` to the destination.
  void store(const Frame<uint8_t>& frame, const PictureParams& picture, WorkerPool* pool);
};

/// `parity` negative: the frame, else one of its fields.
void open_picture(PictureMap& map, EngineEnv& env, const SurfaceSet& surfaces, uint64_t address, int parity, Access access);

}  // namespace softgen::media::mpeg2

// SPDX-License-Identifier: GPL-2.0-or-later
// The surfaces of a picture, opened: where it goes, and what it is predicted from.
#pragma once

#include "hw/media/mpeg2/mpeg2_packets.h"

namespace softgen::media::mpeg2 {

struct PictureMaps {
  PictureMap destination;
  References references;

  void open(EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture);
  /// To be called with each packet.
  void refresh(EngineEnv& env);
};

}  // namespace softgen::media::mpeg2

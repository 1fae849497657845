// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/picture_maps.h"

namespace softgen::media::mpeg2 {
namespace {

void open_references(References& references, EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture) {
  for (unsigned direction = 0; direction < 2; ++direction) {
    const bool used = picture.type == CodingType::b || (picture.type == CodingType::p && direction == 0);
    const auto& addresses = surfaces.reference[direction];
    PictureMap& frame = references.frame[direction];
    if (used && picture.is_frame() && addresses[0]) frame.open(env.view, env.stop, surfaces, addresses[0], Access::read);
    else frame.close();
    for (unsigned parity = 0; parity < 2; ++parity) {
      PictureMap& field = references.field[direction][parity];
      const uint64_t address = addresses[picture.is_frame() ? 0 : parity];
      if (used && address && !(picture.is_frame() && picture.frame_pred_frame_dct))
        field.open(env.view, env.stop, surfaces.field(parity), address, Access::read);
      else field.close();
    }
  }
}

}  // namespace

void PictureMaps::open(EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture) {
  const PictureLayout layout = picture.is_frame() ? PictureLayout(surfaces) : surfaces.field(picture.parity());
  destination.open(env.view, env.stop, layout, surfaces.destination, Access::write);
  open_references(references, env, surfaces, picture);
}

void PictureMaps::refresh(EngineEnv& env) {
  destination.refresh(env.view, env.stop);
  for (unsigned direction = 0; direction < 2; ++direction) {
    references.frame[direction].refresh(env.view, env.stop);
    for (PictureMap& field : references.field[direction]) field.refresh(env.view, env.stop);
  }
}

}  // namespace softgen::media::mpeg2

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/picture_maps.h"

namespace softgen::media::mpeg2 {
namespace {

void close_map(PictureMap& map) { map.luma.close(), map.chroma.close(); }

void open_references(References& references, EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture) {
  for (unsigned direction = 0; direction < 2; ++direction) {
    const bool used = picture.type == CodingType::b || (picture.type == CodingType::p && direction == 0);
    const auto& addresses = surfaces.reference[direction];
    PictureMap& frame = references.frame[direction];
    if (used && picture.is_frame() && addresses[0]) open_picture(frame, env, surfaces, addresses[0], -1, Access::read);
    else close_map(frame);
    for (unsigned parity = 0; parity < 2; ++parity) {
      PictureMap& field = references.field[direction][parity];
      const uint64_t address = addresses[picture.is_frame() ? 0 : parity];
      if (used && address && !(picture.is_frame() && picture.frame_pred_frame_dct))
        open_picture(field, env, surfaces, address, static_cast<int>(parity), Access::read);
      else close_map(field);
    }
  }
}

}  // namespace

void open_picture(PictureMap& map, EngineEnv& env, const SurfaceSet& surfaces, uint64_t address, int parity, Access access) {
  for (const bool is_chroma : {false, true}) {
    PlaneLayout layout = is_chroma ? surfaces.chroma : surfaces.luma;
    layout.base = address;
    if (parity >= 0) {
      layout.first_row += static_cast<uint32_t>(parity);
      layout.row_step = 2;
      layout.height /= 2;
    }
    (is_chroma ? map.chroma : map.luma).open(env.view, env.stop, layout, access);
  }
}

void PictureMaps::open(EngineEnv& env, const SurfaceSet& surfaces, const PictureParams& picture) {
  open_picture(destination, env, surfaces, surfaces.destination, picture.is_frame() ? -1 : static_cast<int>(picture.parity()),
               Access::write);
  open_references(references, env, surfaces, picture);
}

void PictureMaps::refresh(EngineEnv& env) {
  destination.refresh(env.view, env.stop);
  for (unsigned direction = 0; direction < 2; ++direction) {
    references.frame[direction].refresh(env.view, env.stop);
    for (PictureMap& field : references.field[direction]) field.refresh(env.view, env.stop);
  }
}

void PictureMaps::store(const Frame<uint8_t>& frame, const PictureParams& picture, WorkerPool* pool) {
  for_each(pool, picture.height, [&](size_t block_row, unsigned) {
    const uint32_t y = static_cast<uint32_t>(block_row);
    const auto bytes_of = [](const uint8_t* samples) { return reinterpret_cast<const std::byte*>(samples); };
    const Plane<uint8_t>&luma = frame.luma, &chroma = frame.chroma;
    destination.luma.store(0, y * 16, luma.width(), luma_rows, bytes_of(luma.row(y * 16)), luma.stride());
    destination.chroma.store(0, y * 8, chroma.width() / 2, chroma_rows, bytes_of(chroma.row(y * 8)), chroma.stride());
  });
}

}  // namespace softgen::media::mpeg2

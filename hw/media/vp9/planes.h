// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that is decoded, as three planes: prediction and filters treat them alike. Whole superblocks: blocks may reach beyond the picture.
#pragma once

#include "hw/media/frame/frame.h"

namespace softgen::media::vp9 {

template <typename T>
struct Planes {
  Plane<T> plane[3];
  void resize(uint32_t width, uint32_t height) {
    const uint32_t w = (width + 63) / 64 * 64, h = (height + 63) / 64 * 64;
    plane[0].resize(w, h), plane[1].resize(w / 2, h / 2), plane[2].resize(w / 2, h / 2);
  }
};

/// For what takes pictures over: whole superblocks. It refers to the planes.
template <typename T>
HostPicture host_picture(const Planes<T>& planes, unsigned bits) {
  HostPicture picture{.width = planes.plane[0].width(), .height = planes.plane[0].height(), .planes = {}};
  for (size_t c = 0; c < 3; ++c) {
    const Plane<T>& plane = planes.plane[c];
    picture.planes[c] = {reinterpret_cast<const uint8_t*>(plane.row(0)), plane.stride() * sizeof(T), sizeof(T), sizeof(T), bits};
  }
  return picture;
}

}  // namespace softgen::media::vp9

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

}  // namespace softgen::media::vp9

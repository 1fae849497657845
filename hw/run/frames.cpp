// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/frames.h"

#include <drm_fourcc.h>

#include <vector>

#include "hw/debug/png_file.h"
#include "hw/surface/tiling.h"

namespace softgen::run {
namespace {

/// One pixel of a KMS format as R, G, B, 255.
void to_rgb(uint32_t format, const std::byte* in, uint8_t* out) {
  const auto* b = reinterpret_cast<const uint8_t*>(in);
  if (format == DRM_FORMAT_RGB565) {
    const unsigned v = b[0] | b[1] << 8;
    out[0] = static_cast<uint8_t>((v >> 11) * 255 / 31);
    out[1] = static_cast<uint8_t>((v >> 5 & 63) * 255 / 63);
    out[2] = static_cast<uint8_t>((v & 31) * 255 / 31);
  } else {
    const bool swapped = format == DRM_FORMAT_XBGR8888;
    out[0] = b[swapped ? 0 : 2];
    out[1] = b[1];
    out[2] = b[swapped ? 2 : 0];
  }
  out[3] = 255;
}

surface::Tiling tiling_of(uint64_t modifier) {
  switch (modifier) {
    case I915_FORMAT_MOD_X_TILED: return surface::Tiling::x;
    case I915_FORMAT_MOD_Y_TILED: return surface::Tiling::y;
    default: return surface::Tiling::linear;
  }
}

}  // namespace

std::string save_frame(const Framebuffer& fb, const std::string& path) {
  const uint32_t bytes = fb.format == DRM_FORMAT_RGB565 ? 2 : 4;
  const surface::Tiling tiling = tiling_of(fb.modifier);
  std::vector<uint8_t> rgba(size_t{4} * fb.width * fb.height);
  for (uint32_t y = 0; y < fb.height; ++y)
    for (uint32_t x = 0; x < fb.width; ++x)
      to_rgb(fb.format, fb.bo->host() + fb.offset + surface::offset(tiling, bytes, x * bytes, y, fb.pitch), &rgba[4 * (size_t{y} * fb.width + x)]);
  return debug::write_png(path, fb.width, fb.height, rgba);
}

}  // namespace softgen::run

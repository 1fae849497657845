// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/png_file.h"

#include <fmt/format.h>
#include <png.h>

#include <cassert>

namespace softgen::debug {

std::string write_png(const std::string& path, uint32_t width, uint32_t height, std::span<const uint8_t> rgba) {
  assert(rgba.size() >= size_t{4} * width * height);
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgba.data(), 0, nullptr)) return "";
  return fmt::format("{}: {}", path, image.message);
}

}  // namespace softgen::debug

// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures that the tests of H.264's encoders code.
#pragma once

#include <algorithm>
#include <random>

#include "hw/media/frame/frame.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::media::avc::test {

constexpr uint32_t columns = 4, rows = 3, width = columns * 16, height = rows * 16, pitch = 128;
constexpr uint64_t base = 0x1'0000;

/// A reference picture in memory, linear.
struct Reference : memory::test::Mapped {
  Reference() : Mapped(base, base + 0x1'0000) {}
  void set(const Frame<uint8_t>& frame) {
    PlaneLayout luma{.base = base, .pitch = pitch, .width = width, .height = height};
    PlaneLayout chroma = luma;
    chroma.first_row = height, chroma.element = 2, chroma.width /= 2, chroma.height /= 2;
    for (uint32_t y = 0; y < height; ++y) view.write(base + y * pitch, frame.luma.row(y), width);
    for (uint32_t y = 0; y < height / 2; ++y) view.write(base + (height + y) * pitch, frame.chroma.row(y), width);
    map.luma.open(view, stop, luma, Access::read);
    map.chroma.open(view, stop, chroma, Access::read);
  }
  StopFlag stop;
  PictureMap map;
};

/// A moving gradient with as much noise as `noise`.
inline Frame<uint8_t> source(std::mt19937& random, unsigned noise, unsigned shift) {
  Frame<uint8_t> frame;
  frame.resize(width, height);
  for (Plane<uint8_t>* plane : {&frame.luma, &frame.chroma})
    for (uint32_t y = 0; y < plane->height(); ++y)
      for (uint32_t x = 0; x < width; ++x) {
        const uint32_t wave = (x + shift) * 5 % 97 + y * 3 + ((x + shift) / 12 + y / 9) % 2 * 60,
                       rest = noise ? static_cast<uint32_t>(random() % noise) : 0;
        *plane->at(x, y) = static_cast<uint8_t>(std::min(wave + rest, 255u));
      }
  return frame;
}

inline bool equal(const Plane<uint8_t>& a, const Plane<uint8_t>& b) {
  for (uint32_t y = 0; y < a.height(); ++y)
    if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
  return true;
}

inline uint64_t distance(const Plane<uint8_t>& a, const Plane<uint8_t>& b) {
  uint64_t sum = 0;
  for (uint32_t y = 0; y < a.height(); ++y)
    for (uint32_t x = 0; x < a.width(); ++x) sum += static_cast<uint64_t>((*a.at(x, y) - *b.at(x, y)) * (*a.at(x, y) - *b.at(x, y)));
  return sum;
}

}  // namespace softgen::media::avc::test

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/mode_neighbours.h"

#include <algorithm>

namespace softgen::media::vp8 {
namespace {

constexpr uint8_t mode_contexts[6][4] = {{7, 1, 1, 143},    {14, 18, 14, 107},   {135, 64, 57, 68},
                                         {60, 56, 128, 65}, {159, 134, 128, 34}, {234, 188, 128, 28}};

/// Section 18.3's bounds: a macroblock may leave the frame by 16 samples beyond its edge.
Vector clamp_vector(Vector vector, const FrameParams& frame, uint32_t x, uint32_t y) {
  const auto limit = [](int value, uint32_t at, uint32_t count) {
    return static_cast<int16_t>(std::clamp(value, -static_cast<int>(at * 128 + 128), static_cast<int>((count - 1 - at) * 128 + 128)));
  };
  return {limit(vector.x, x, frame.width), limit(vector.y, y, frame.height)};
}

}  // namespace

BlockMode implied(Mode mode) {
  switch (mode) {
    case Mode::vertical: return BlockMode::vertical;
    case Mode::horizontal: return BlockMode::horizontal;
    case Mode::true_motion: return BlockMode::true_motion;
    default: return BlockMode::dc;
  }
}

Candidates find_near(const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride) {
  const Macroblock* const around[3] = {block - stride, block - 1, block - stride - 1};
  Vector found[4] = {};
  unsigned count[4] = {}, last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const Macroblock& other = *around[i];
    if (other.reference == Reference::intra) continue;
    const unsigned weight = i == 2 ? 1 : 2;
    Vector vector = other.vector[15];
    if (vector == Vector{}) {
      count[0] += weight;
      continue;
    }
    if (frame.sign_bias[static_cast<size_t>(other.reference)] != frame.sign_bias[static_cast<size_t>(block->reference)])
      vector = {static_cast<int16_t>(-vector.x), static_cast<int16_t>(-vector.y)};
    if (!last || vector != found[last]) found[++last] = vector;
    count[last] += weight;
  }
  // Three different ones: the third that equals the first counts for it.
  if (count[3] && found[last] == found[1]) ++count[1];
  const auto is_split = [&](unsigned i) { return around[i]->mode == Mode::split; };
  count[3] = (is_split(0) + is_split(1)) * 2u + is_split(2);
  if (count[2] > count[1]) std::swap(count[1], count[2]), std::swap(found[1], found[2]);
  if (count[1] >= count[0]) found[0] = found[1];
  Candidates all{clamp_vector(found[0], frame, x, y), clamp_vector(found[1], frame, x, y), clamp_vector(found[2], frame, x, y), {}};
  for (unsigned i = 0; i < 4; ++i) all.probs[i] = &mode_contexts[std::min(count[i], 5u)][i];
  return all;
}

unsigned sub_vector_context(Vector left, Vector above) {
  if (left == above) return above == Vector{} ? 4 : 3;
  if (above == Vector{}) return 2;
  return left == Vector{} ? 1 : 0;
}

}  // namespace softgen::media::vp8

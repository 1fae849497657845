// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/loop_filter.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::vp8 {
namespace {

struct Limits {
  int edge, interior, high_variance;
};

int narrow(int value) { return std::clamp(value, -128, 127); }
int signed_of(uint8_t sample) { return sample - 128; }
uint8_t sample_of(int value) { return static_cast<uint8_t>(narrow(value) + 128); }

/// Samples across an edge: at[0] is the first behind it, `step` bytes apart.
struct Across {
  uint8_t* at;
  ptrdiff_t step;
  uint8_t& operator[](int i) const { return at[i * step]; }
  int distance(int a, int b) const { return std::abs((*this)[a] - (*this)[b]); }
};

bool small_step(Across p, int edge) { return p.distance(-1, 0) * 2 + p.distance(-2, 1) / 2 <= edge; }

bool to_filter(Across p, const Limits& limits) {
  const int i = limits.interior;
  return small_step(p, limits.edge) && p.distance(-4, -3) <= i && p.distance(-3, -2) <= i && p.distance(-2, -1) <= i &&
         p.distance(3, 2) <= i && p.distance(2, 1) <= i && p.distance(1, 0) <= i;
}

bool varies(Across p, int threshold) { return p.distance(-2, -1) > threshold || p.distance(1, 0) > threshold; }

/// Moves both sides of the edge; returns the step of the far side. `outer`: the outer samples' difference counts.
int common_adjust(Across p, bool outer) {
  const int p1 = signed_of(p[-2]), p0 = signed_of(p[-1]), q0 = signed_of(p[0]), q1 = signed_of(p[1]);
  const int a = narrow((outer ? narrow(p1 - q1) : 0) + 3 * (q0 - p0));
  const int far = narrow(a + 4) >> 3, near = narrow(a + 3) >> 3;
  p[0] = sample_of(q0 - far), p[-1] = sample_of(p0 + near);
  return far;
}

void filter_simple(Across p, const Limits& limits) {
  if (small_step(p, limits.edge)) common_adjust(p, true);
}

void filter_inner(Across p, const Limits& limits) {
  if (!to_filter(p, limits)) return;
  const bool high = varies(p, limits.high_variance);
  const int a = (common_adjust(p, high) + 1) >> 1;
  if (high) return;
  p[1] = sample_of(signed_of(p[1]) - a), p[-2] = sample_of(signed_of(p[-2]) + a);
}

void filter_outer(Across p, const Limits& limits) {
  if (!to_filter(p, limits)) return;
  if (varies(p, limits.high_variance)) {
    common_adjust(p, true);
    return;
  }
  const int w = narrow(narrow(signed_of(p[-2]) - signed_of(p[1])) + 3 * (signed_of(p[0]) - signed_of(p[-1])));
  for (int i = 0; i < 3; ++i) {
    const int a = narrow(((27 - 9 * i) * w + 63) >> 7);
    p[i] = sample_of(signed_of(p[i]) - a), p[-1 - i] = sample_of(signed_of(p[-1 - i]) + a);
  }
}

/// An edge of `count` samples, `along` bytes apart.
template <void (*filter)(Across, const Limits&)>
void edge(uint8_t* at, size_t across, size_t along, unsigned count, const Limits& limits) {
  for (unsigned i = 0; i < count; ++i) filter({at + i * along, static_cast<ptrdiff_t>(across)}, limits);
}

int level_of(const FrameParams& params, const Macroblock& block) {
  int level = params.filter.level[block.segment];
  if (!params.filter.deltas) return level;
  level += params.filter.reference_delta[static_cast<size_t>(block.reference)];
  switch (block.mode) {
    case Mode::by_block: level += params.filter.mode_delta[0]; break;
    case Mode::zero: level += params.filter.mode_delta[1]; break;
    case Mode::nearest:
    case Mode::near:
    case Mode::fresh: level += params.filter.mode_delta[2]; break;
    case Mode::split: level += params.filter.mode_delta[3]; break;
    default: break;
  }
  return std::clamp(level, 0, 63);
}

Limits limits_of(const FrameParams& params, int level) {
  Limits limits;
  limits.interior = level >> ((params.filter.sharpness > 0) + (params.filter.sharpness > 4));
  if (params.filter.sharpness) limits.interior = std::min(limits.interior, 9 - params.filter.sharpness);
  limits.interior = std::max(limits.interior, 1);
  limits.edge = level * 2 + limits.interior;
  limits.high_variance = params.is_key ? (level >= 40) + (level >= 15) : (level >= 40) + (level >= 20) + (level >= 15);
  return limits;
}

/// Edges in one direction: of the macroblock (`outer`), and within it. `across`, `along`: bytes between samples.
void filter_normal(Frame<uint8_t>& frame, uint32_t x, uint32_t y, bool vertical, bool outer, bool inner, const Limits& limits) {
  const Limits strong{limits.edge + 4, limits.interior, limits.high_variance};
  uint8_t* const luma = frame.luma.at(x * 16, y * 16);
  const size_t across = vertical ? 1 : frame.luma.stride(), along = vertical ? frame.luma.stride() : 1;
  if (outer) edge<filter_outer>(luma, across, along, 16, strong);
  for (unsigned i = 4; inner && i < 16; i += 4) edge<filter_inner>(luma + i * across, across, along, 16, limits);
  const size_t chroma_across = vertical ? 2 : frame.chroma.stride(), chroma_along = vertical ? frame.chroma.stride() : 2;
  for (unsigned component = 0; component < 2; ++component) {
    uint8_t* const chroma = frame.chroma.at(x * 16 + component, y * 8);
    if (outer) edge<filter_outer>(chroma, chroma_across, chroma_along, 8, strong);
    if (inner) edge<filter_inner>(chroma + 4 * chroma_across, chroma_across, chroma_along, 8, limits);
  }
}

void filter_luma_simply(Frame<uint8_t>& frame, uint32_t x, uint32_t y, bool vertical, bool outer, bool inner, const Limits& limits) {
  const Limits strong{limits.edge + 4, limits.interior, limits.high_variance};
  uint8_t* const luma = frame.luma.at(x * 16, y * 16);
  const size_t across = vertical ? 1 : frame.luma.stride(), along = vertical ? frame.luma.stride() : 1;
  if (outer) edge<filter_simple>(luma, across, along, 16, strong);
  for (unsigned i = 4; inner && i < 16; i += 4) edge<filter_simple>(luma + i * across, across, along, 16, limits);
}

}  // namespace

void filter_row(const FrameParams& params, const MacroblockMap& blocks, uint32_t y, Frame<uint8_t>& frame) {
  const auto filter = params.filter.simple ? filter_luma_simply : filter_normal;
  for (uint32_t x = 0; x < params.width; ++x) {
    const Macroblock& block = *blocks.at(x, y);
    const int level = level_of(params, block);
    if (!level) continue;
    const Limits limits = limits_of(params, level);
    const bool inner = !block.has_y2() || !block.skip;
    filter(frame, x, y, true, x > 0, inner, limits);
    filter(frame, x, y, false, y > 0, inner, limits);
  }
}

}  // namespace softgen::media::vp8

// SPDX-License-Identifier: GPL-2.0-or-later
// The CLIP unit's tests of vertices, in normalized device coordinates.
#pragma once

#include <cstdint>
#include <span>

#include "hw/render/geometry.h"
#include "hw/render/ilk/state.h"

namespace softgen::render::ilk {

/// Bit n is plane n as clip kernels number them (Mesa brw_clip_util.c, brw_clip_init_planes): far, near, top, bottom, right, left.
struct Outcodes {
  uint8_t outside = 0;  ///< of the view: if all vertices of an object have one in common, it is rejected
  uint8_t clip = 0;     ///< to be clipped by a thread: with a guard band less of x and y
  uint8_t user = 0;     ///< user planes
  bool negative_w = false;
};
Outcodes outcodes(const Vue& vertex, const ClipUnitState& state);

enum class ClipFate : uint8_t { rejected, accepted, thread };
struct ClipDecision {
  ClipFate fate{};
  uint8_t clip = 0, user = 0;  ///< planes that some vertex is beyond
};
ClipDecision clip_decision(std::span<const Vue> vertices, const ClipUnitState& state);

}  // namespace softgen::render::ilk

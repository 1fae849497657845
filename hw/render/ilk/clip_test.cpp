// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/clip_test.h"

#include <cmath>

namespace softgen::render::ilk {
namespace {

enum Plane : uint8_t { far_plane, near_plane, top, bottom, right, left };
constexpr uint8_t z_planes = 1 << far_plane | 1 << near_plane, xy_planes = 1 << top | 1 << bottom | 1 << right | 1 << left;

/// Beyond the bound, which dividing by a negative W turns round. Of no number: it is not.
bool beyond(float value, float bound, bool upper, bool negative) { return upper != negative ? value > bound : value < bound; }

uint8_t xy_outside(const Vue& v, const ClipBounds& bounds, bool negative) {
  const float x = v.position(0), y = v.position(1);
  return static_cast<uint8_t>(beyond(y, bounds.y1, true, negative) << top | beyond(y, bounds.y0, false, negative) << bottom |
                              beyond(x, bounds.x1, true, negative) << right | beyond(x, bounds.x0, false, negative) << left);
}

}  // namespace

Outcodes outcodes(const Vue& v, const ClipUnitState& state) {
  Outcodes out;
  out.user = static_cast<uint8_t>(v.dword(3) & state.user_flags);
  const float one_over_w = v.position(3);
  const uint8_t tested = static_cast<uint8_t>((state.z ? z_planes : 0) | (state.xy ? xy_planes : 0));
  bool numbers = std::isfinite(one_over_w) && one_over_w != 0;
  for (unsigned c = 0; c < 3; ++c) numbers = numbers && !std::isnan(v.position(c));
  if (!numbers) {
    // W is zero, or nothing is known of the vertex: a thread looks at its clip coordinates.
    out.clip = tested;
    return out;
  }
  const bool negative = out.negative_w = one_over_w < 0;
  const float z = v.position(2);
  const auto depth =
      static_cast<uint8_t>(beyond(z, 1, true, negative) << far_plane | beyond(z, state.d3d ? 0.0f : -1.0f, false, negative) << near_plane);
  out.outside = static_cast<uint8_t>((depth | xy_outside(v, state.view, negative)) & tested);
  out.clip = static_cast<uint8_t>((depth | xy_outside(v, state.guardband ? state.guard : state.view, negative)) & tested);
  return out;
}

ClipDecision clip_decision(std::span<const Vue> vertices, const ClipUnitState& state) {
  if (state.mode == ClipMode::reject_all || vertices.empty()) return {ClipFate::rejected};
  if (state.mode == ClipMode::accept_all) return {ClipFate::accepted};
  uint8_t all_outside = 0xff, all_user = 0xff;
  ClipDecision decision{ClipFate::accepted};
  bool negative = false;
  for (const Vue& v : vertices) {
    const Outcodes codes = outcodes(v, state);
    all_outside &= codes.outside, all_user &= codes.user;
    decision.clip |= codes.clip, decision.user |= codes.user;
    negative = negative || codes.negative_w;
  }
  if (state.mode != ClipMode::all && (all_outside || all_user)) return {ClipFate::rejected};
  const bool must_clip = decision.clip || (state.user_must_clip && decision.user) || (state.negative_w && negative);
  if (must_clip || state.mode != ClipMode::normal) decision.fate = ClipFate::thread;
  return decision;
}

}  // namespace softgen::render::ilk

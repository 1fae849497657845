// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/slices.h"

#include <bit>

#include "hw/sampler/cube.h"
#include "hw/sampler/lod.h"

namespace softgen::sampler {
namespace {

template <typename F>
bool all_lanes(uint32_t mask, F&& f) {
  for (uint32_t left = mask; left; left &= left - 1)
    if (!f(static_cast<unsigned>(std::countr_zero(left)))) return false;
  return true;
}

/// The one layer of all channels in `mask`. False: there are several.
bool one_layer(const Texture& texture, const float* layers, uint32_t mask, unsigned& layer) {
  layer = layers ? texture.layer_of(layers[std::countr_zero(mask)]) : 0;
  return !layers || all_lanes(mask, [&](unsigned lane) { return texture.layer_of(layers[lane]) == layer; });
}

}  // namespace

SliceSamplers::SliceSamplers(const Texture& texture, const State& state) : surface_(texture.surface()), state_(state) {
  using Mode = AddressMode;
  if (!texture.has_texels() || surface_.samples != 1) return;
  const bool layers = surface_.type == surface::SurfaceType::two_d && texture.layers() > 1;
  const bool nearest = state.mag_filter == TexelFilter::nearest && state.min_filter == TexelFilter::nearest;
  if (!layers && !(texture.is_cube() && nearest)) return;
  if (texture.is_cube() && Filter::is_seamless(state)) state_.mode_u = state_.mode_v = Mode::clamp;
  surface_.type = surface::SurfaceType::two_d;
  surface_.array = false;
  surface_.depth = 1;
  if (LaneSampler(Texture(surface_), state_).possible()) entries_.resize(remembered);
}

LaneSampler& SliceSamplers::sampler_of(unsigned slice) {
  Entry& entry = entries_[slice % remembered];
  if (entry.slice != slice) {
    surface::Surface one = surface_;
    one.min_array_element += slice;
    entry = {slice, std::make_unique<LaneSampler>(Texture(one), state_)};
  }
  return *entry.lanes;
}

bool SliceSamplers::sample(memory::View& view, const Texture& texture, SliceRequest& request) {
  if (!request.lanes.tap.mask) return true;
  if (texture.is_cube()) return sample_cube(view, texture, request);
  unsigned layer = 0;
  if (!one_layer(texture, request.r, request.lanes.tap.mask, layer)) return false;
  LaneSampler& lanes = sampler_of(layer);
  request.lanes.tap.u = request.u, request.lanes.tap.v = request.v;
  // Slices far from the base may be beyond the reach of its offsets.
  return lanes.possible() && lanes.sample(view, request.lanes);
}

bool SliceSamplers::sample_cube(memory::View& view, const Texture& texture, SliceRequest& request) {
  LaneRequest& lanes = request.lanes;
  const auto direction = [&](unsigned lane) { return Direction{request.u[lane], request.v[lane], request.r ? request.r[lane] : 0}; };
  unsigned layer = 0;
  if (!one_layer(texture, request.a, lanes.tap.mask, layer)) return false;
  alignas(64) float u[LaneRequest::max_channels] = {}, v[LaneRequest::max_channels] = {};
  const unsigned face = face_of(direction(static_cast<unsigned>(std::countr_zero(lanes.tap.mask)))).face;
  const bool one_face = all_lanes(lanes.tap.mask, [&](unsigned lane) {
    const FacePoint p = face_of(direction(lane));
    u[lane] = p.u, v[lane] = p.v;
    return p.face == face;
  });
  LaneSampler& slice = sampler_of(layer * 6 + face);
  if (!one_face || !slice.possible()) return false;
  if (slice.needs_lod() && !lanes.has_lod && !lanes.level_zero) {
    const auto width = static_cast<float>(state_.non_normalized ? 1 : texture.extent(0).width);
    for (unsigned first = 0; first < lanes.tap.channels; first += 4) {
      const uint32_t enabled = lanes.tap.mask >> first & 15;
      const Direction at = direction(first), right = direction(first + 1), below = direction(first + 2);
      const float lod =
          enabled ? cube_lod(width, direction(first + static_cast<unsigned>(std::countr_zero(enabled))), at, right, below) : 0;
      for (unsigned i = 0; i < 4; ++i) lanes.lod[first + i] = lod;
    }
    lanes.has_lod = true;
  }
  lanes.tap.u = u, lanes.tap.v = v;
  return slice.sample(view, lanes);
}

}  // namespace softgen::sampler

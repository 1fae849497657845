// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of a draw's state: each is renewed from a few packets when one of them has changed.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/render/draw_state.h"
#include "hw/render/state_store.h"

namespace softgen::render::decode {

struct Part {
  using Renew = void(const StateStore& store, DrawState& state);
  Renew* renew;
  std::array<defs::CommandId, 6> packets;
  unsigned count;
};

/// `renew` reads only these packets.
template <typename... Packets>
constexpr Part part(Part::Renew* renew) {
  return {renew, {Packets::id...}, sizeof...(Packets)};
}

/// `parts`, and behind them `more`: those of packets that not all generations have.
template <size_t N, size_t M>
constexpr std::array<Part, N + M> joined(const std::array<Part, N>& parts, const std::array<Part, M>& more) {
  std::array<Part, N + M> all{};
  std::ranges::copy(more, std::ranges::copy(parts, all.begin()).out);
  return all;
}

/// As last written; zeros when the context never set it.
template <typename Packet>
Packet packet(const StateStore& store) {
  return Packet::unpack(store.packet(Packet::id));
}
template <typename Packet>
typename Packet::View view_of(const StateStore& store) {
  return typename Packet::View(store.packet(Packet::id));
}

/// A field as a neutral enumeration with the same numbers.
template <typename To, typename Field>
constexpr To same(Field field) {
  return static_cast<To>(field);
}
template <typename To, typename From>
constexpr bool agree(To to, From from) {
  return static_cast<unsigned>(to) == static_cast<unsigned>(from);
}

// One for each file of this folder that has parts; G is the traits of a generation's packets (hw/defs, struct Gen9).
template <class G>
struct VertexParts {
  static std::span<const Part> parts();
};
template <class G>
struct StageParts {
  static std::span<const Part> parts();
};
template <class G>
struct StreamOutParts {
  static std::span<const Part> parts();
};
template <class G>
struct RasterParts {
  static std::span<const Part> parts();
};
template <class G>
struct SetupParts {
  static std::span<const Part> parts();
};
template <class G>
struct PixelParts {
  static std::span<const Part> parts();
};

/// Memory that packets point to (structures.cpp).
template <class G>
struct Structures {
  static void read(const StateStore& store, memory::View& view, DrawState& state);
  static void read_places(const StateStore& store, memory::View& view, DrawState& state);
  static TargetBlend target_blend(memory::View& view, const DrawState& state, unsigned target);
};

/// Of 3DSTATE_CPS or CPS_STATE (Mesa's genxml/gen110.xml, gen120.xml).
template <typename Packet>
CoarseSizes coarse_sizes(const Packet& p) {
  using Mode = decltype(p.coarse_pixel_shading_mode);
  static_assert(agree(CoarseMode::none, Mode::CPS_MODE_NONE) && agree(CoarseMode::constant, Mode::CPS_MODE_CONSTANT) &&
                agree(CoarseMode::radial, Mode::CPS_MODE_RADIAL));
  const bool known = p.coarse_pixel_shading_mode <= Mode::CPS_MODE_RADIAL;
  return {.mode = known ? same<CoarseMode>(p.coarse_pixel_shading_mode) : CoarseMode::none,
          .statistics = p.statistics_enable,
          .min = {p.min_cp_size_x, p.min_cp_size_y},
          .max = {p.max_cp_size_x, p.max_cp_size_y},
          .focal = {static_cast<float>(p.x_focal), static_cast<float>(p.y_focal)},
          .slope = {p.m_x, p.m_y},
          .min_radius = p.r_min,
          .aspect = p.aspect,
          .scales_y = p.scale_axis == decltype(p.scale_axis)::Y_AXIS};
}

/// The depth and stencil buffers that are bound, with this many samples.
template <class G>
DepthBuffers depth_buffers(const StateStore& store, unsigned samples);

}  // namespace softgen::render::decode

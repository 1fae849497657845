// SPDX-License-Identifier: GPL-2.0-or-later
// What a message has bound: surface and sampler, decoded once.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hw/defs/messages/headers.h"
#include "hw/iface/message_target.h"
#include "hw/sampler/lane_loads.h"
#include "hw/sampler/lanes.h"
#include "hw/sampler/slices.h"
#include "hw/surface/binding.h"
#include "hw/surface/ccs.h"
#include "hw/surface/hiz_clear.h"
#include "hw/surface/mcs.h"

namespace softgen::sampler {

/// A platform's decoders of the two states.
struct Decoders {
  surface::DecodeSurface surface = nullptr;
  DecodeState sampler = nullptr;
  bool operator==(const Decoders&) const = default;
};

/// A surface and a sampler as a message names them, decoded.
struct Bound {
  Decoders decoders;  ///< of the device that the states belong to
  StateDwords sampler_dwords{};
  surface::SurfaceDwords surface_dwords{};
  Texture texture;
  State state{};
  LaneSampler lanes;
  SliceSamplers slices;
  LaneLoads loads;
  surface::Mcs mcs{surface::Surface{}};
  std::vector<surface::Ccs> controls;  ///< by level; those at the end, or all, may have none
  std::vector<surface::HizClear> hiz;  ///< the same for HiZ
  uint64_t expanded = 0;               ///< the round of ClearColors in which clear colours were last written
};

/// Those of this host thread, found by the addresses of their states and checked against their bytes and decoders: what is found is never stale.
class BoundCache {
 public:
  static constexpr uint64_t nothing = ~uint64_t{0};  ///< no sampler, for messages without filtering
  const std::shared_ptr<Bound>& get(const Decoders& decoders, memory::View& view, uint64_t surface, uint64_t sampler);

 private:
  static constexpr size_t remembered = 64;

  static std::shared_ptr<Bound> made(const Decoders& decoders, const std::byte* surface_state, const std::byte* sampler_state);

  std::vector<std::shared_ptr<Bound>> entries_{remembered};
};

/// Where a message's states are.
inline uint64_t bound_surface(ThreadEnv& env, const MessageOp& op) {
  return surface::surface_state_address(env.view, env.bases, op.binding);
}

/// A header moves the table: samplers from 16 on, and bindless ones, which may count from a base of their own.
inline uint64_t bound_sampler(ThreadEnv& env, const MessageOp& op, const Grf* header) {
  const ShaderBases& bases = env.bases;
  const uint32_t table = header ? message_header::Sampler{header->dw}.sampler_state_pointer() : bases.sampler_state;
  const uint64_t offset = table + 16ull * op.sampler;
  const bool bindless = header && bases.bindless_sampler && message_header::Sampler{header->dw}.bindless_sampler();
  if (bindless && bases.bindless_samplers && offset >= bases.bindless_samplers) return BoundCache::nothing;
  return strip_canonical((bindless ? *bases.bindless_sampler : bases.dynamic_state) + offset) & ~uint64_t{15};
}

}  // namespace softgen::sampler

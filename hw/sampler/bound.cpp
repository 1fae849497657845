// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/bound.h"

#include <cstring>

namespace softgen::sampler {

const std::shared_ptr<Bound>& BoundCache::get(const Decoders& decoders, memory::View& view, uint64_t surface, uint64_t sampler) {
  static constexpr surface::SurfaceDwords null_surface{7u << 29};
  const auto* surface_state = reinterpret_cast<const std::byte*>(null_surface.data());
  // Both lie within their pages where surfaces are aligned to 64 bytes and samplers to 16; Ironlake's surfaces are aligned to 32.
  constexpr uint64_t page = memory::View::page_size;
  surface::SurfaceDwords copied;
  if (surface != surface::no_surface && surface % page > page - sizeof copied) {
    view.read(surface, copied.data(), sizeof copied);
    surface_state = reinterpret_cast<const std::byte*>(copied.data());
  } else if (surface != surface::no_surface) {
    surface_state = view.at(surface);
  }
  static constexpr StateDwords no_sampler{};
  const auto* sampler_state = sampler == nothing ? reinterpret_cast<const std::byte*>(no_sampler.data()) : view.at(sampler);
  std::shared_ptr<Bound>& entry = entries_[(surface >> 6 ^ surface >> 12 ^ sampler >> 4 ^ sampler >> 10) % remembered];
  if (!entry || !(entry->decoders == decoders) ||
      std::memcmp(entry->surface_dwords.data(), surface_state, sizeof entry->surface_dwords) != 0 ||
      std::memcmp(entry->sampler_dwords.data(), sampler_state, sizeof entry->sampler_dwords) != 0)
    entry = made(decoders, surface_state, sampler_state);
  return entry;
}

std::shared_ptr<Bound> BoundCache::made(const Decoders& decoders, const std::byte* surface_state, const std::byte* sampler_state) {
  auto bound = std::make_shared<Bound>();
  bound->decoders = decoders;
  std::memcpy(bound->surface_dwords.data(), surface_state, sizeof bound->surface_dwords);
  std::memcpy(bound->sampler_dwords.data(), sampler_state, sizeof bound->sampler_dwords);
  bound->state = decoders.sampler(bound->sampler_dwords);
  surface::Surface surface = decoders.surface(bound->surface_dwords);
  if (bound->state.skips_srgb && surface.format) surface.format = &surface::without_srgb(*surface.format);
  bound->texture = Texture(surface);
  bound->lanes = LaneSampler(bound->texture, bound->state);
  bound->slices = SliceSamplers(bound->texture, bound->state);
  bound->loads = LaneLoads(bound->texture);
  const surface::Surface& decoded = bound->texture.surface();
  bound->mcs = surface::Mcs(decoded);
  for (unsigned level = 0; bound->texture.has_texels() && level < bound->texture.levels(); ++level) {
    if (const surface::Ccs ccs(decoded, decoded.min_lod + level); ccs) {
      bound->controls.resize(level);
      bound->controls.push_back(ccs);
    }
    if (const auto hiz = surface::HizClear::of_texture(decoded, decoded.min_lod + level)) bound->hiz.push_back(*hiz);
  }
  return bound;
}

}  // namespace softgen::sampler

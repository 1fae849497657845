// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/binding.h"

#include <array>

#include "hw/base/bits.h"
#include "hw/base/per_thread.h"
#include "hw/surface/ccs.h"

namespace softgen::surface {

uint64_t surface_state_address(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding) {
  if (binding.index == bindless_index) {
    const uint64_t offset = binding.bindless * uint64_t{sizeof(SurfaceDwords)};
    if (bases.bindless_surfaces && offset >= bases.bindless_surfaces) return no_surface;
    return strip_canonical(bases.bindless_surface + offset);
  }
  if (binding.index > last_table_index) return no_surface;
  const uint32_t entry = view.load<uint32_t>(strip_canonical(bases.binding_tables + bases.binding_table + 4ull * binding.index));
  return strip_canonical(bases.surface_state + (entry & ~(bases.surface_state_bytes - 1)));
}

Surface load_surface(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding) {
  const uint64_t address = surface_state_address(view, bases, binding);
  if (address == no_surface) return {};
  SurfaceDwords dwords;
  view.read(address, dwords.data(), sizeof dwords);
  Surface surface = bases.decode_surface(dwords);
  if (surface.clear_address) read_clear_color(view, surface);
  return surface;
}

namespace {

/// A decoder's result depends on the bytes alone: an entry of the same decoder whose bytes are equal holds for any address space, at any time.
struct Decoded {
  DecodeSurface decode = nullptr;
  SurfaceDwords dwords{};
  Surface surface;
};
constexpr size_t remembered = 64;

}  // namespace

const Surface& cached_surface(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding) {
  static const Surface none;
  auto& cache = per_thread<std::array<Decoded, remembered>>();
  const uint64_t address = surface_state_address(view, bases, binding);
  if (address == no_surface) return none;
  SurfaceDwords dwords;
  view.read(address, dwords.data(), sizeof dwords);
  // Address, base and size distinguish the surfaces of a binding table, and of similar tables.
  const uint64_t hash = (address >> 6) ^ (dwords[8] >> 12) ^ dwords[2];
  Decoded& slot = cache[(hash ^ hash >> 6) % remembered];
  if (slot.decode != bases.decode_surface || slot.dwords != dwords) slot = {bases.decode_surface, dwords, bases.decode_surface(dwords)};
  if (slot.surface.clear_address) read_clear_color(view, slot.surface);
  return slot.surface;
}

}  // namespace softgen::surface

// SPDX-License-Identifier: GPL-2.0-or-later
// Surface and sampler states: plausible ones with a few fields out of order, so that more than the first check sees them.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {

namespace gen9 = defs::gen9;

using SurfaceState = std::array<uint32_t, 16>;
using SamplerState = std::array<uint32_t, 4>;

inline const defs::Structure& structure(const char* name) {
  const defs::Structure* found = defs::gen9::commands.find_structure(name);
  if (!found) std::abort();
  return *found;
}

/// Sizes of a few pixels or tiles, rarely large.
inline uint32_t small_size(StateSource& in) {
  static constexpr uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 256};
  return in.one_in(16) ? 1 + (in.take<uint16_t>() & 0x3fff) : in.one_of(sizes);
}

/// Those that drivers bound in the golden captures (extract_states.cpp).
inline const std::vector<SurfaceState>& captured_surface_states() {
  static const std::vector<SurfaceState> states = [] {
    std::vector<SurfaceState> read;
    std::FILE* const file = std::fopen(FUZZ_SURFACE_STATES, "rb");
    if (!file) std::perror(FUZZ_SURFACE_STATES), std::abort();
    for (SurfaceState state; std::fread(state.data(), sizeof state, 1, file) == 1;) read.push_back(state);
    std::fclose(file);
    return read;
  }();
  return states;
}

inline SurfaceState surface_state(StateSource& in) {
  using S = gen9::RENDER_SURFACE_STATE;
  static const defs::Structure& layout = structure("RENDER_SURFACE_STATE");
  if (in.one_in(4)) {
    SurfaceState state = in.one_of(captured_surface_states());
    // Surface Base Address and Auxiliary Surface Base Address.
    for (const unsigned dword : {8u, 10u}) {
      const uint64_t at = in.address();
      state[dword] = (static_cast<uint32_t>(at) & ~0xfffu) | (state[dword] & 0xfff), state[dword + 1] = static_cast<uint32_t>(at >> 32);
    }
    in.change_some(layout, state);
    return state;
  }
  static constexpr S::SurfaceType types[] = {S::SurfaceType::SURFTYPE_2D,     S::SurfaceType::SURFTYPE_2D,    S::SurfaceType::SURFTYPE_2D,
                                             S::SurfaceType::SURFTYPE_1D,     S::SurfaceType::SURFTYPE_3D,    S::SurfaceType::SURFTYPE_CUBE,
                                             S::SurfaceType::SURFTYPE_BUFFER, S::SurfaceType::SURFTYPE_STRBUF};
  static constexpr uint32_t tile_pitches[] = {128, 512, 64, 256, 1024};
  S s;
  s.surface_type = in.one_of(types);
  const auto formats = defs::gen9::commands.surface_formats.values;
  // Half of them of the formats that everything takes.
  static constexpr uint32_t common[] = {0xc0, 0xc7, 0x00, 0x02,  0xe4,  0xd6,  0xd7,  0x88,
                                        0xd8, 0x40, 0x41, 0x10a, 0x108, 0x140, 0x143, 0x106};
  s.surface_format = static_cast<gen9::SurfaceFormat>(in.one_in(2) ? in.one_of(common) : in.one_of(formats).value);
  s.tile_mode = static_cast<S::TileMode>(in.take<uint8_t>() & 3);
  if (in.one_in(8)) s.tiled_resource_mode = static_cast<S::TiledResourceMode>(in.take<uint8_t>() & 3);
  s.surface_horizontal_alignment = static_cast<S::SurfaceHorizontalAlignment>(1 + in.below(3));
  s.surface_vertical_alignment = static_cast<S::SurfaceVerticalAlignment>(1 + in.below(3));
  s.cube_face_enable_negative_x = s.cube_face_enable_positive_x = s.cube_face_enable_negative_y = s.cube_face_enable_positive_y = true;
  s.cube_face_enable_negative_z = s.cube_face_enable_positive_z = true;
  s.width = small_size(in) - 1;
  s.height = small_size(in) - 1;
  if (in.one_in(4))
    s.depth = s.render_target_view_extent = in.below(8), s.surface_array = in.one_in(2),
    s.minimum_array_element = in.below(4) & in.below(4);
  // Whole tiles, or anything near.
  s.surface_pitch = in.one_of(tile_pitches) * (1 + in.below(8)) - 1;
  if (in.one_in(4)) s.surface_pitch += in.below(129) - 64u;
  if (in.one_in(16)) s.surface_pitch = static_cast<uint32_t>(in.number(18));
  s.surface_qpitch = in.one_in(4) ? static_cast<uint32_t>(in.number(15)) : small_size(in) / 4 + 1;
  if (in.one_in(4)) s.mip_count_lod = in.below(8);
  if (in.one_in(8)) {
    s.number_of_multisamples = static_cast<S::NumberOfMultisamples>(in.below(5));
    s.multisampled_surface_storage_format = static_cast<S::MultisampledSurfaceStorageFormat>(in.below(2));
  }
  s.surface_base_address = in.one_in(4) ? in.address() : in.address() & ~uint64_t{0xfff};
  if (in.one_in(3)) {
    s.auxiliary_surface_mode = static_cast<S::AuxiliarySurfaceMode>(in.below(6));
    s.auxiliary_surface_base_address = in.address() & ~uint64_t{0xfff};
    s.auxiliary_surface_pitch = in.one_in(8) ? static_cast<uint32_t>(in.number(9)) : in.below(8);
    s.auxiliary_surface_qpitch = small_size(in) / 4 + 1;
  }
  s.shader_channel_select_red = gen9::ShaderChannelSelect::SCS_RED, s.shader_channel_select_green = gen9::ShaderChannelSelect::SCS_GREEN;
  s.shader_channel_select_blue = gen9::ShaderChannelSelect::SCS_BLUE, s.shader_channel_select_alpha = gen9::ShaderChannelSelect::SCS_ALPHA;
  SurfaceState dwords = s.pack();
  in.change_some(layout, dwords);
  return dwords;
}

inline SamplerState sampler_state(StateSource& in) {
  static const defs::Structure& layout = structure("SAMPLER_STATE");
  SamplerState dwords{};
  if (in.one_in(4)) {
    in.fill(layout, dwords);
  } else {
    // Filters, mip filter and address modes that exist.
    dwords[0] = in.below(4) << 20 | in.below(3) << 17 | in.below(3) << 14;
    dwords[1] = 14u << 8;
    dwords[3] = in.below(7) | in.below(7) << 3 | in.below(7) << 6 | in.below(8) << 19;
  }
  in.change_some(layout, dwords);
  return dwords;
}

}  // namespace softgen::fuzz

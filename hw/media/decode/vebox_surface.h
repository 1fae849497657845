// SPDX-License-Identifier: GPL-2.0-or-later
// What decoders of VEBOX's packets share: VEBOX_SURFACE_STATE.
#pragma once

#include "hw/media/decode/mfx_surface.h"
#include "hw/media/vebox_decoder.h"

namespace softgen::media {

template <class State>
surface::Tiling tiling_of(const State& s) {
  return mfx_tiling(s.tiled_surface, s.tile_walk);
}

/// Offsets and pitches of planes that no decoder here reads.
template <class State>
bool is_moved(const State& s) {
  return s.x_offset_for_frame || s.y_offset_for_frame || s.x_offset_for_u || s.half_pitch_for_chroma;
}

/// VeboxDecoder::conversion() of generations whose layout of the packet is public (defs::Gen12).
template <class G>
std::optional<Conversion> tiling_conversion(std::span<const uint32_t> packet, const VeboxDecoder::SurfaceStates& states);

}  // namespace softgen::media

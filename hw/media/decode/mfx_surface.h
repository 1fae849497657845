// SPDX-License-Identifier: GPL-2.0-or-later
// What the codecs of MFX read alike: the picture's surface, where it goes, and where an object's bytes are.
#pragma once

#include "hw/defs/ids.h"
#include "hw/media/codec.h"
#include "hw/media/frame/frame.h"
#include "hw/surface/tiling.h"

namespace softgen::media {

/// `walk`: Tile Walk of MFX_SURFACE_STATE or VEBOX_SURFACE_STATE, which counts for tiled surfaces only.
template <class Walk>
surface::Tiling mfx_tiling(bool tiled, Walk walk) {
  if (!tiled) return surface::Tiling::linear;
  return walk == Walk::TW_YMAJOR ? surface::Tiling::y : surface::Tiling::x;
}

/// MFX_SURFACE_STATE as NV12, for so many samples of luma.
template <class G>
PictureLayout mfx_layout(const PacketStore& store, uint32_t width, uint32_t height, unsigned surface = 0) {
  const typename G::MFX_SURFACE_STATE::View v(store.get(defs::CommandId::MFX_SURFACE_STATE, surface));
  return nv12_layout(v.surface_pitch() + 1, mfx_tiling(v.tiled_surface(), v.tile_walk()), width, height, v.y_offset_for_u_cb());
}

/// Which MFX_SURFACE_STATE is that of the picture to encode: 4, or 0 where i965-va-driver sends one surface for all pictures.
template <class G>
unsigned mfx_source_surface(const PacketStore& store) {
  using Surface = typename G::MFX_SURFACE_STATE;
  constexpr auto source = static_cast<unsigned>(Surface::SurfaceID::MFX_SOURCE_INPUT_PICTURE);
  return store.has(Surface::id, source) ? source : 0;
}

/// The output of the loop filter where that is enabled, else what comes before it.
template <class G>
uint64_t mfx_destination(const PacketStore& store) {
  const typename G::MFX_PIPE_BUF_ADDR_STATE::View addresses(store.get(defs::CommandId::MFX_PIPE_BUF_ADDR_STATE));
  const typename G::MFX_PIPE_MODE_SELECT::View mode(store.get(defs::CommandId::MFX_PIPE_MODE_SELECT));
  return mode.post_deblocking_output_enable() ? addresses.post_deblocking_destination_address()
                                              : addresses.pre_deblocking_destination_address();
}

/// Bytes from `offset` on of the bitstream.
template <class G>
Indirect mfx_indirect(const PacketStore& store, uint32_t offset, uint32_t bytes) {
  const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(store.get(defs::CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
  return {.address = base.mfx_indirect_bitstream_object_address() + offset,
          .bound = base.mfx_indirect_bitstream_object_upper_bound(),
          .bytes = bytes};
}

}  // namespace softgen::media

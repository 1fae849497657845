// SPDX-License-Identifier: GPL-2.0-or-later
// MEDIA_SURFACE_STATE.
#include "hw/vme/surface.h"

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/surface/decode/media_surface.h"

namespace softgen::vme {

Surface decode_surface(const SurfaceDwords& dwords) {
  using Media = defs::gen9::MEDIA_SURFACE_STATE;
  using Format = Media::SurfaceFormat;
  static_assert(Media::dwords == std::tuple_size_v<SurfaceDwords>);
  const Media s = Media::unpack(dwords);
  const Format format = s.surface_format;
  if (format != Format::PLANAR_420_8 && format != Format::PLANAR_422_8 && format != Format::Y8_UNORM && format != Format::R8_UNORM) {
    unimplemented("VME of a surface format", "{}", static_cast<unsigned>(format));
    return {};
  }
  Surface out{.width = s.width + 1, .height = s.height + 1, .pitch = s.surface_pitch + 1};
  if (s.picture_structure != Media::PictureStructure::FRAME_PICTURE || s.vertical_line_stride) unimplemented("VME of a field");
  if (s.memory_compression_enable || s.tiled_resource_mode) unimplemented("VME of a compressed surface, or with Yf or Ys");
  const std::optional<surface::Tiling> tiling = surface::media_tiling(s.tile_mode);
  if (!tiling) {
    unimplemented("VME with W tiles");
    return {};
  }
  out.tiling = *tiling;
  out.base = strip_canonical(s.surface_base_address);
  if (format == Format::PLANAR_420_8 && s.interleave_chroma) out.chroma_row = s.y_offset_for_u_cb;
  if (out.tiling != surface::Tiling::linear) {
    out.base = align_down(out.base, surface::tile_bytes(out.tiling, 1));
    out.pitch = surface::legal_pitch(surface::tile_pitch(out.tiling, 1), out.pitch);
  }
  return out;
}

}  // namespace softgen::vme

// SPDX-License-Identifier: GPL-2.0-or-later
// JPEG's packets: SKL PRM vol 2a, MFX_JPEG_* and MFD_JPEG_BSD_OBJECT; values of the fields that it leaves open: iHD media driver
// (mhw_vdbox_mfx_interface.cpp, GetJpegDecodeFormat) and i965-va-driver (gen7_mfd.h, gen8_mfd.c).
#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/jpeg/jpeg_codec.h"

namespace softgen::media {
namespace jpeg {
namespace {

template <size_t N>
void narrow(std::span<const uint32_t> from, std::array<uint8_t, N>& to, size_t first = 0) {
  for (size_t i = 0; i < from.size() && first + i < N; ++i) to[first + i] = static_cast<uint8_t>(from[i]);
}

/// MFX_JPEG_PIC_STATE, input format: blocks of luma and chroma in an MCU.
constexpr std::array<std::array<Sampling, 2>, 8> input_formats{{{{{1, 1}, {1, 1}}},
                                                                {{{2, 2}, {1, 1}}},
                                                                {{{2, 1}, {1, 1}}},
                                                                {{{1, 1}, {1, 1}}},
                                                                {{{4, 1}, {1, 1}}},
                                                                {{{1, 2}, {1, 1}}},
                                                                {{{2, 2}, {1, 2}}},
                                                                {{{2, 2}, {2, 1}}}}};
constexpr uint32_t input_gray = 0;

template <class G>
class PacketDecoder final : public DecodePackets {
  using Picture = typename G::MFX_JPEG_PIC_STATE;
  using Surface = typename G::MFX_SURFACE_STATE;

 public:
  std::optional<Structure> structure(const PacketStore& state) const override {
    const typename Picture::View picture(state.get(Picture::id));
    const typename Surface::View surface(state.get(Surface::id));
    const uint32_t format = picture.input_format_yuv();
    Structure out;
    out.components = format == input_gray ? 1 : 3;
    out.samplings = {input_formats[format][0], input_formats[format][1], input_formats[format][1]};
    const Sampling largest = out.of(0);
    out.columns = (picture.frame_width_in_blocks() + largest.horizontal) / largest.horizontal;
    out.rows = (picture.frame_height_in_blocks() + largest.vertical) / largest.vertical;
    if (!out.is_possible()) {
      guest_error("MFX_JPEG_PIC_STATE", "{} x {} MCUs", out.columns, out.rows);
      return std::nullopt;
    }
    const bool turned = rotation_of(picture) == Rotation::right || rotation_of(picture) == Rotation::left;
    const uint32_t width = surface.width() + 1, height = surface.height() + 1;
    out.pixels_wide = within(turned ? height : width, out.width(0), largest.horizontal * 8u);
    out.pixels_high = within(turned ? width : height, out.height(0), largest.vertical * 8u);
    return out;
  }

  Target target(const PacketStore& state, const Structure& structure) const override {
    const typename Picture::View picture(state.get(Picture::id));
    const Surface surface = Surface::unpack(state.get(Surface::id));
    Target out;
    out.rotation = rotation_of(picture);
    out.average = picture.average_down_sampling();
    switch (picture.output_format_yuv()) {
      case 0: out.layout = Layout::planar; break;
      case 1: out.layout = Layout::nv12; break;
      case 2: out.layout = Layout::uyvy; break;
      case 3: out.layout = Layout::yuy2; break;
      default: guest_error("MFX_JPEG_PIC_STATE", "output format {}", picture.output_format_yuv());
    }
    const bool turned = out.rotation == Rotation::right || out.rotation == Rotation::left;
    out.width = turned ? structure.pixels_high : structure.pixels_wide;
    out.height = turned ? structure.pixels_wide : structure.pixels_high;
    PlaneLayout plane{
        .base = destination(state), .pitch = surface.surface_pitch + 1, .tiling = mfx_tiling(surface.tiled_surface, surface.tile_walk)};
    out.planes = {plane, plane, plane};
    out.planes[1].first_row = surface.y_offset_for_u_cb, out.planes[1].first_byte = surface.x_offset_for_u_cb;
    out.planes[2].first_row = surface.y_offset_for_v_cr, out.planes[2].first_byte = surface.x_offset_for_v_cr;
    return out;
  }

  Scan scan(const Packet& packet, const PacketStore& state, const Structure& structure) const override {
    const typename G::MFD_JPEG_BSD_OBJECT::View object(packet.dwords);
    Scan out;
    out.components = static_cast<uint8_t>(object.scan_components());
    out.interleaved = object.interleaved();
    out.units = object.mcu_count();
    out.interval = object.restart_interval();
    const Sampling largest = out.interleaved ? structure.of(0) : Sampling{};
    out.first_column = object.scan_horizontal_position() / largest.horizontal;
    out.first_row = object.scan_vertical_position() / largest.vertical;
    for (unsigned i = 0; i < 2; ++i) {
      // A stream with one table for all components.
      const unsigned index = i && !state.has(defs::CommandId::MFX_JPEG_HUFF_TABLE_STATE, i) ? 0 : i;
      const auto table = G::MFX_JPEG_HUFF_TABLE_STATE::unpack(state.get(defs::CommandId::MFX_JPEG_HUFF_TABLE_STATE, index));
      narrow(table.dc_bits, out.tables[i].dc_counts);
      narrow(table.dc_huffval, out.tables[i].dc_values);
      narrow(table.ac_bits, out.tables[i].ac_counts);
      narrow(table.ac_huffval, out.tables[i].ac_values);
      narrow(table.ac_huffval2, out.tables[i].ac_values, table.ac_huffval.size());
    }
    for (unsigned i = 0; i < structure.components; ++i)
      narrow(G::MFX_QM_STATE::unpack(state.get(defs::CommandId::MFX_QM_STATE, i)).forward_quantizer_matrix, out.matrices[i]);
    return out;
  }

  Indirect data(const Packet& packet, const PacketStore& state) const override {
    const typename G::MFD_JPEG_BSD_OBJECT::View object(packet.dwords);
    const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(state.get(defs::CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
    return {.address = strip_canonical(base.mfx_indirect_bitstream_object_address()) + object.indirect_data_start_address(),
            .bound = strip_canonical(base.mfx_indirect_bitstream_object_upper_bound()),
            .bytes = object.indirect_data_length()};
  }

 private:
  static Rotation rotation_of(const typename Picture::View& picture) { return static_cast<Rotation>(picture.rotation()); }

  /// The size that a surface says, when it leaves less than one MCU of padding; else the whole MCUs.
  static uint32_t within(uint32_t pixels, uint32_t padded, uint32_t unit) {
    return pixels <= padded && pixels + unit > padded ? pixels : padded;
  }

  static uint64_t destination(const PacketStore& state) {
    const typename G::MFX_PIPE_MODE_SELECT::View mode(state.get(defs::CommandId::MFX_PIPE_MODE_SELECT));
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View buffers(state.get(defs::CommandId::MFX_PIPE_BUF_ADDR_STATE));
    return strip_canonical(mode.post_deblocking_output_enable() ? buffers.post_deblocking_destination_address()
                                                                : buffers.pre_deblocking_destination_address());
  }
};

}  // namespace
}  // namespace jpeg

template <class G>
std::unique_ptr<Codec> make_jpeg_decoder(WorkerPool* pool) {
  return std::make_unique<jpeg::JpegDecoder>(std::make_unique<jpeg::PacketDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_jpeg_decoder<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_jpeg_decoder<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_jpeg_decoder<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// JPEG's encoder packets: SKL PRM vol 2a, MFX_JPEG_PIC_STATE and MFC_JPEG_*; what they hold: i965-va-driver (gen8_mfc.c, gen8_mfc_jpeg_*).
#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/pak.h"
#include "hw/media/jpeg/jpeg_encode_codec.h"

namespace softgen::media {
namespace jpeg {
namespace {

using defs::CommandId;

/// Length in the lowest byte, the code above.
Code code_of(uint32_t entry) { return {static_cast<uint16_t>(entry >> 8), static_cast<uint8_t>(std::min(entry & 0xff, 16u))}; }

/// 65536 / q, rounded down, column by column.
std::array<uint16_t, 64> divisors(std::span<const uint32_t> reciprocals) {
  std::array<uint16_t, 64> out;
  for (unsigned i = 0; i < 64; ++i) {
    const uint32_t reciprocal = std::max(reciprocals[i], 1u);
    out[i % 8 * 8 + i / 8] = static_cast<uint16_t>(std::clamp((65536 + reciprocal / 2) / reciprocal, 1u, 255u));
  }
  return out;
}

template <class G>
class PacketDecoder final : public EncodePackets {
  using Picture = typename G::MFX_JPEG_PIC_STATE;
  using Surface = typename G::MFX_SURFACE_STATE;
  using Object = typename G::MFC_JPEG_SCAN_OBJECT;

 public:
  bool is_insertion(const Packet& object) const override { return object.command->id == CommandId::MFX_PAK_INSERT_OBJECT; }

  Insertion insertion(const Packet& packet) const override { return pak_insertion<G>(packet); }

  ScanStart start(const Packet& packet) const override {
    const typename Object::View object(packet.dwords);
    return {.after_header = object.head_present(), .last = object.last_scan()};
  }

  std::optional<EncodedScan> scan(const Packet& packet, const PacketStore& state) const override {
    const Picture picture = Picture::unpack(state.get(Picture::id));
    EncodedScan out;
    if (!set_structure(picture, out)) return std::nullopt;
    set_surface(state, out);
    const typename Object::View object(packet.dwords);
    out.units = object.mcu_count();
    out.interval = object.restart_interval();
    for (unsigned i = 0; i < out.structure.components; ++i) {
      out.matrices[i] = divisors(G::MFX_FQM_STATE::unpack(state.get(CommandId::MFX_FQM_STATE, i)).reciprocal);
      out.dc_table[i] = object.huffman_dc_table() >> i & 1;
      out.ac_table[i] = object.huffman_ac_table() >> i & 1;
    }
    for (unsigned i = 0; i < 2; ++i) {
      const auto table = G::MFC_JPEG_HUFF_TABLE_STATE::unpack(state.get(CommandId::MFC_JPEG_HUFF_TABLE_STATE, i));
      for (size_t n = 0; n < out.tables[i].dc.size(); ++n) out.tables[i].dc[n] = code_of(table.dc_table[n]);
      for (size_t n = 0; n < out.tables[i].ac.size(); ++n) out.tables[i].ac[n] = code_of(table.ac_table[n]);
    }
    return out;
  }

  PakTarget target(const PacketStore& state) const override { return pak_target<G>(state); }

  void report(EngineEnv& env, uint32_t bytes, uint32_t coefficient_bits, bool lacks_code, bool is_cut) const override {
    report_coded<G>(env, bytes, coefficient_bits, is_cut, lacks_code);
  }

 private:
  static bool set_structure(const Picture& picture, EncodedScan& out) {
    using Mcu = typename Picture::OutputMCUStructure;
    using Input = typename Picture::InputSurfaceFormatYUV;
    switch (picture.input_surface_format_yuv) {
      case Input::IS_NV12: out.layout = SourceLayout::nv12; break;
      case Input::IS_UYVY: out.layout = SourceLayout::uyvy; break;
      case Input::IS_YUY2: out.layout = SourceLayout::yuy2; break;
      case Input::IS_Y8: out.layout = SourceLayout::luma; break;
      case Input::IS_RGB: out.layout = SourceLayout::rgb; break;
      default: return refuse(picture);
    }
    Structure& structure = out.structure;
    structure.components = picture.output_mcu_structure == Mcu::MCU_YUV400 ? 1 : 3;
    SourceLayout wanted = SourceLayout::luma;
    switch (picture.output_mcu_structure) {
      case Mcu::MCU_YUV400: break;
      case Mcu::MCU_YUV420: structure.samplings[0] = {2, 2}, wanted = SourceLayout::nv12; break;
      case Mcu::MCU_YUV422H_2Y:
        structure.samplings[0] = {2, 1}, wanted = out.layout == SourceLayout::uyvy ? SourceLayout::uyvy : SourceLayout::yuy2;
        break;
      case Mcu::MCU_RGB: wanted = SourceLayout::rgb; break;
      default: return refuse(picture);
    }
    if (out.layout != wanted) return refuse(picture);
    const Sampling largest = structure.of(0);
    structure.columns = (picture.frame_width_in_blocks + largest.horizontal) / largest.horizontal;
    structure.rows = (picture.frame_height_in_blocks + largest.vertical) / largest.vertical;
    if (!structure.is_possible()) return refuse(picture);
    structure.pixels_wide = within(structure.width(0), largest.horizontal * 8u, picture.pixels_in_horizontal_last_mcu);
    structure.pixels_high = within(structure.height(0), largest.vertical * 8u, picture.pixels_in_vertical_last_mcu);
    return true;
  }

  /// `last`: pixels of the last MCU, 0: all.
  static uint32_t within(uint32_t padded, uint32_t unit, uint32_t last) { return last && last < unit ? padded - unit + last : padded; }

  static bool refuse(const Picture& picture) {
    unimplemented("MFX_JPEG_PIC_STATE", "encode: surface format {}, MCU structure {}, {} x {} blocks",
                  static_cast<unsigned>(picture.input_surface_format_yuv), static_cast<unsigned>(picture.output_mcu_structure),
                  picture.frame_width_in_blocks + 1, picture.frame_height_in_blocks + 1);
    return false;
  }

  static void set_surface(const PacketStore& state, EncodedScan& out) {
    const Surface surface = Surface::unpack(state.get(Surface::id, mfx_source_surface<G>(state)));
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View buffers(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    out.luma = {.base = strip_canonical(buffers.original_uncompressed_picture_source_address()), .pitch = surface.surface_pitch + 1};
    out.luma.tiling = mfx_tiling(surface.tiled_surface, surface.tile_walk);
    out.chroma = out.luma;
    out.chroma.first_row = surface.y_offset_for_u_cb, out.chroma.first_byte = surface.x_offset_for_u_cb;
  }
};

}  // namespace
}  // namespace jpeg

template <class G>
std::unique_ptr<Codec> make_jpeg_encoder() {
  return std::make_unique<jpeg::JpegEncoder>(std::make_unique<jpeg::PacketDecoder<G>>());
}

template std::unique_ptr<Codec> make_jpeg_encoder<defs::Gen9>();
template std::unique_ptr<Codec> make_jpeg_encoder<defs::Gen11>();
template std::unique_ptr<Codec> make_jpeg_encoder<defs::Gen12>();

}  // namespace softgen::media

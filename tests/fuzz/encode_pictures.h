// SPDX-License-Identifier: GPL-2.0-or-later
// What MFX's encoders share in memory: a source of at most 6 x 4 macroblocks and three pictures, each as encoded and as decoded, in NV12.
#pragma once

#include <random>

#include "hw/surface/tiling.h"
#include "tests/fuzz/encode_rig.h"

namespace softgen::fuzz {

class MfxPictures {
 public:
  explicit MfxPictures(EncodeRig& rig) : rig_(rig) {}

 protected:
  using G = defs::Gen9;
  static constexpr uint32_t max_columns = 6, max_rows = 4, pitch = 128;
  static constexpr uint64_t source = 0x1'0000, first_picture = 0x2'0000, picture_bytes = 0x4000, first_motion = 0x4'0000,
                            motion_bytes = 0x1000, scaled = 0x5'0000, vectors = 0x6'0000, vectors_end = 0x6'4000, coded = 0x8'0000,
                            coded_end = 0xa'0000;
  static uint64_t picture_at(unsigned index, bool decoded) { return first_picture + (index + (decoded ? 4 : 0)) * picture_bytes; }
  static uint64_t motion_at(unsigned index, bool decoded) { return first_motion + (index + (decoded ? 4 : 0)) * motion_bytes; }
  static EncodeRig::Range picture_range(unsigned index, bool decoded) {
    return {picture_at(index, decoded), picture_at(index, decoded) + picture_bytes};
  }
  static EncodeRig::Range motion_range(unsigned index, bool decoded) {
    return {motion_at(index, decoded), motion_at(index, decoded) + motion_bytes};
  }
  uint32_t count() const { return columns_ * rows_; }

  void choose_size() {
    columns_ = 1 + rig_.in().small_below(max_columns), rows_ = 1 + rig_.in().small_below(max_rows);
    tiled_ = rig_.in().one_in(3);
    random_.seed(rig_.in().take<uint16_t>());
  }
  /// Flat, with edges and more or less noise, or of the extremes.
  void fill_source(unsigned shift) {
    StateSource& in = rig_.in();
    const unsigned kind = in.below(5), noise = kind < 3 ? 1 + kind * 20 : 256;
    const auto tiling = tiled_ ? surface::Tiling::y : surface::Tiling::linear;
    std::vector<uint8_t> bytes(picture_bytes);
    for (uint32_t y = 0; y < rows_ * 24; ++y)
      for (uint32_t x = 0; x < columns_ * 16; ++x) {
        const unsigned wave = ((x + shift) * 5 + y * 3) % 150 + ((x + shift) / 12 + y / 9) % 2 * 60,
                       rest = static_cast<unsigned>(random_() % noise);
        bytes[surface::offset_of_bytes(tiling, x, y, pitch)] =
            static_cast<uint8_t>(kind == 4 ? 255 * (rest & 1) : std::min(wave + rest, 255u));
      }
    rig_.view.write(source, bytes.data(), bytes.size());
  }

  void send_select(G::MFX_PIPE_MODE_SELECT::StandardSelect standard, bool encodes, bool vdenc = false, bool filtered = true,
                   bool scales = false) {
    using Select = G::MFX_PIPE_MODE_SELECT;
    Select select{};
    select.standard_select = standard;
    select.codec_select = encodes ? Select::CodecSelect::ENCODE : Select::CodecSelect::DECODE;
    select.decoder_short_format_mode = Select::DecoderShortFormatMode::LONG_FORMAT_DRIVER_INTERFACE;
    select.vdenc_mode = vdenc ? Select::VDEncMode::VM_VDENC_MODE : Select::VDEncMode{};
    select.post_deblocking_output_enable = filtered, select.pre_deblocking_output_enable = !filtered;
    select.scaled_surface_enable = scales;
    rig_.send(select);
  }
  void send_surfaces() {
    using Surface = G::MFX_SURFACE_STATE;
    for (const auto id : {Surface::SurfaceID{}, Surface::SurfaceID::MFX_SOURCE_INPUT_PICTURE,
                          Surface::SurfaceID::MFX_RECONSTRUCTED_SCALED_REFERENCE_PICTURE}) {
      Surface surface{};
      surface.surface_id = id;
      surface.width = columns_ * 16 - 1, surface.height = rows_ * 16 - 1;
      surface.surface_format = Surface::SurfaceFormat::MFX_PLANAR_420_8;
      surface.interleave_chroma = true;
      surface.surface_pitch = pitch - 1;
      surface.tiled_surface = tiled_, surface.tile_walk = Surface::TileWalk::TW_YMAJOR;
      surface.y_offset_for_u_cb = rows_ * 16;
      rig_.send(surface);
    }
  }
  /// Picture `index`, whose references are those before.
  void send_buffers(unsigned index, bool decodes) {
    G::MFX_PIPE_BUF_ADDR_STATE buffers{};
    buffers.pre_deblocking_destination_address = buffers.post_deblocking_destination_address = picture_at(index, decodes);
    buffers.original_uncompressed_picture_source_address = source;
    buffers.scaled_reference_surface_address = scaled;
    for (unsigned i = 0; i < index; ++i) buffers.reference_picture_address[i] = picture_at(i, decodes);
    rig_.send(buffers);
    G::MFX_IND_OBJ_BASE_ADDR_STATE base{};
    base.mfx_indirect_bitstream_object_address = coded, base.mfx_indirect_bitstream_object_upper_bound = coded_end;
    base.mfx_indirect_mv_object_address = vectors, base.mfx_indirect_mv_object_upper_bound = vectors_end;
    base.mfc_indirect_pak_bse_object_address = coded, base.mfc_indirect_pak_bse_object_upper_bound = coded_end;
    rig_.send(base);
  }
  std::vector<uint8_t> stream() {
    const uint32_t size = rig_.peek(reg::gen9::MFC_BITSTREAM_BYTECOUNT_FRAME);
    require(size <= coded_end - coded, "the size is within the bound");
    require(!reg::gen9::field::MFC_IMAGE_STATUS_CONTROL_FRAME_BIT_COUNT_VIOLATED.of(rig_.peek(reg::gen9::MFC_IMAGE_STATUS_CONTROL)),
            "a small picture fits");
    return rig_.bytes_at(coded, size);
  }
  /// Where the bytes behind each start code begin, and the end of all.
  static std::vector<uint32_t> units(std::span<const uint8_t> bytes) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i + 2 < bytes.size(); ++i)
      if (!bytes[i] && !bytes[i + 1] && bytes[i + 2] == 1) found.push_back(i + 3);
    found.push_back(static_cast<uint32_t>(bytes.size()) + 3);
    return found;
  }

  EncodeRig& rig_;
  std::minstd_rand random_;  ///< seeded once for each input: the larger generators took a tenth of the time
  uint32_t columns_ = 1, rows_ = 1;
  bool tiled_ = false;
};

}  // namespace softgen::fuzz

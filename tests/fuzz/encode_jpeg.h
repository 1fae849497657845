// SPDX-License-Identifier: GPL-2.0-or-later
// JPEG pictures of all sources, sampled as they are, with restarts. The stream decodes to samples that are as near as the divisors allow.
#pragma once

#include <cstdlib>

#include "tests/fuzz/encode_pictures.h"
#include "tests/unit/media/jpeg_tables.h"

namespace softgen::fuzz {

class JpegPictures : MfxPictures {
  using Picture = G::MFX_JPEG_PIC_STATE;
  using Input = Picture::InputSurfaceFormatYUV;
  using Mcu = Picture::OutputMCUStructure;
  static constexpr uint32_t pitch = 512, source_bytes = 0xc000, chroma_row = 64, image_header = 0xd8ff;

 public:
  explicit JpegPictures(EncodeRig& rig) : MfxPictures(rig) {}

  void run() {
    for (unsigned pictures = 1 + rig_.in().below(2); pictures && !rig_.is_aborted(); --pictures) {
      choose();
      rig_.watch({{coded, coded_end}});
      encode();
      if (rig_.is_legal()) decode();
    }
  }

 private:
  void choose() {
    StateSource& in = rig_.in();
    choose_size();
    static constexpr std::pair<Input, Mcu> layouts[] = {{Input::IS_NV12, Mcu::MCU_YUV420},
                                                        {Input::IS_UYVY, Mcu::MCU_YUV422H_2Y},
                                                        {Input::IS_YUY2, Mcu::MCU_YUV422H_2Y},
                                                        {Input::IS_Y8, Mcu::MCU_YUV400},
                                                        {Input::IS_RGB, Mcu::MCU_RGB}};
    const auto& [input, mcu] = in.one_of(layouts);
    picture_ = {};
    picture_.input_surface_format_yuv = input, picture_.output_mcu_structure = mcu;
    picture_.frame_width_in_blocks = in.small_below(2 * max_columns), picture_.frame_height_in_blocks = in.small_below(2 * max_rows);
    structure_ = {};
    structure_.components = mcu == Mcu::MCU_YUV400 ? 1 : 3;
    if (mcu == Mcu::MCU_YUV420) structure_.samplings[0] = {2, 2};
    if (mcu == Mcu::MCU_YUV422H_2Y) structure_.samplings[0] = {2, 1};
    const media::jpeg::Sampling largest = structure_.of(0);
    picture_.pixels_in_horizontal_last_mcu = in.below(8 * largest.horizontal);
    picture_.pixels_in_vertical_last_mcu = in.below(8 * largest.vertical);
    structure_.columns = picture_.frame_width_in_blocks / largest.horizontal + 1,
    structure_.rows = picture_.frame_height_in_blocks / largest.vertical + 1;
    const auto size = [](uint32_t padded, uint32_t unit, uint32_t last) { return last ? padded - unit + last : padded; };
    structure_.pixels_wide = size(structure_.width(0), 8u * largest.horizontal, picture_.pixels_in_horizontal_last_mcu);
    structure_.pixels_high = size(structure_.height(0), 8u * largest.vertical, picture_.pixels_in_vertical_last_mcu);
    interval_ = in.one_in(2) ? 0 : in.below(12);
    const unsigned most = in.one_in(2) ? 4 : 255;
    for (auto& matrix : matrices_)
      for (uint8_t& divisor : matrix) divisor = static_cast<uint8_t>(1 + in.below(most));
    std::vector<uint8_t> bytes(source_bytes);
    const bool is_extreme = in.one_in(4);
    in.fill_bytes(bytes);
    if (is_extreme)
      for (uint8_t& byte : bytes) byte = byte & 1 ? 255 : 0;
    rig_.view.write(source, bytes.data(), bytes.size());
  }

  void encode() {
    StateSource& in = rig_.in();
    send_select(G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_JPEG, true);
    G::MFX_SURFACE_STATE surface{};
    surface.surface_pitch = pitch - 1;
    surface.tiled_surface = tiled_, surface.tile_walk = G::MFX_SURFACE_STATE::TileWalk::TW_YMAJOR;
    surface.y_offset_for_u_cb = chroma_row;
    rig_.send(surface);
    send_buffers(0, false);
    rig_.send(picture_);
    for (unsigned i = 0; i < 3; ++i) {
      G::MFX_FQM_STATE reciprocal{};
      reciprocal.avc = static_cast<decltype(reciprocal.avc)>(i);
      for (unsigned n = 0; n < 64; ++n) reciprocal.reciprocal[n % 8 * 8 + n / 8] = std::min(65536u / matrices_[i][n], 65535u);
      rig_.send(reciprocal);
    }
    const auto tables = media::jpeg::test::flat_tables();
    for (uint32_t i = 0; i < 2; ++i) {
      G::MFC_JPEG_HUFF_TABLE_STATE table{};
      table.huff_table_id = i;
      const auto entry = [](const media::jpeg::Code& code) { return uint32_t{code.bits} << 8 | code.length; };
      std::ranges::transform(tables.encoder.dc, table.dc_table.begin(), entry);
      std::ranges::transform(tables.encoder.ac, table.ac_table.begin(), entry);
      rig_.send(table);
    }
    const bool waits = in.one_in(2);
    if (!waits) insert_header();
    G::MFC_JPEG_SCAN_OBJECT scan{};
    scan.mcu_count = structure_.columns * structure_.rows;
    scan.huffman_ac_table = scan.huffman_dc_table = in.below(8);
    scan.head_present = waits, scan.last_scan = true;
    scan.restart_interval = interval_;
    rig_.send(scan);
    if (waits) insert_header();
    rig_.flush();
  }
  void insert_header() {
    constexpr uint32_t last_header = 1 << 2, bits = header_bytes * 8 << 8;
    rig_.insert(G::MFX_PAK_INSERT_OBJECT::match, last_header | bits, {image_header});
  }

  void decode() {
    std::vector<uint8_t> bytes = stream();
    require(bytes.size() > header_bytes && bytes[0] == 0xff && bytes[1] == 0xd8, "JPEG: the header comes first");
    media::jpeg::Scan scan{.components = static_cast<uint8_t>((1u << structure_.components) - 1),
                           .interleaved = structure_.components > 1,
                           .units = structure_.columns * structure_.rows,
                           .interval = interval_};
    scan.tables.fill(media::jpeg::test::flat_tables().decoder);
    // What the encoder makes of 65536 / q, which is exact for these.
    scan.matrices = matrices_;
    decoder_.begin(structure_);
    if (!decoder_.decode(scan, std::span(bytes).subspan(header_bytes), rig_.stop())) return;
    require(decoder_.lost() == 0, "JPEG: the stream decodes");
    check_samples();
  }
  /// The first component. Each of 64 coefficients is off by half a divisor, whose cosines have at most a quarter of it (T.81 A.3.3).
  void check_samples() {
    unsigned sum = 0;
    for (const uint8_t divisor : matrices_[0]) sum += divisor;
    const int most = static_cast<int>(sum / 8 + 4);
    const std::vector<uint8_t> bytes = rig_.bytes_at(source, source_bytes);
    const auto tiling = tiled_ ? surface::Tiling::y : surface::Tiling::linear;
    const Input input = picture_.input_surface_format_yuv;
    const uint32_t step = input == Input::IS_RGB ? 4 : input == Input::IS_UYVY || input == Input::IS_YUY2 ? 2 : 1;
    for (uint32_t y = 0; y < structure_.pixels_high; ++y)
      for (uint32_t x = 0; x < structure_.pixels_wide; ++x) {
        const uint8_t from = bytes[surface::offset_of_bytes(tiling, x * step + (input == Input::IS_UYVY), y, pitch)];
        require(std::abs(*decoder_.plane(0).at(x, y) - from) <= most, "JPEG: samples are as near as the divisors allow");
      }
  }

  static constexpr uint32_t header_bytes = 2;
  Picture picture_{};
  media::jpeg::Structure structure_;
  uint32_t interval_ = 0;
  std::array<std::array<uint8_t, 64>, 3> matrices_{};
  media::jpeg::ScanDecoder decoder_;
};

}  // namespace softgen::fuzz

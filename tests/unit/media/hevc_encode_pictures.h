// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC pictures encoded by PAK objects that the test makes, and decoded by our own decoder from what was written.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/surface/tiling.h"
#include "tests/unit/media/source_samples.h"

namespace softgen::media::test {

using G = defs::Gen9;
using CuRecord = G::HCP_CU_RECORD;

/// Of the pictures, and where they are in memory.
struct HevcRigLayout {
  static constexpr uint32_t width = 88, height = 72, chroma_row = 96;
  static constexpr uint64_t source = 0x1'0000, first_picture = 0x2'0000, picture_bytes = 0x1'0000, first_motion = 0xa'0000,
                            motion_bytes = 0x2000, records = 0xc'0000, coded = 0xd'0000, coded_end = 0xf'0000;
  static constexpr uint32_t header_bytes = 6, bytes_register = 0x1e9a0, plain_bytes_register = 0x1e9a4;
};

/// `Rig`: a video engine and its memory (VideoRig, or a fuzz target's).
template <class Rig>
struct HevcEncodePictures : HevcRigLayout, Rig {
  using Rig::send, Rig::send_dwords, Rig::view;

  template <class... Arguments>
  explicit HevcEncodePictures(Arguments&&... arguments) : Rig(std::forward<Arguments>(arguments)...) {
    using Picture = G::HCP_PIC_STATE;
    picture.frame_width_in_minimum_coding_block_size = width / 8 - 1, picture.frame_height_in_minimum_coding_block_size = height / 8 - 1;
    picture.lcu_size = Picture::LCUSize::LCU_32X32;
    picture.min_cu_size = Picture::MinCUSize::LCU_8X8;
    picture.max_tu_size = Picture::MaxTUSize::TU_32X32, picture.min_tu_size = Picture::MinTUSize::TU_4X4;
    picture.intra_max_transform_hierarchy_depth = picture.inter_max_transform_hierarchy_depth = 2;
    slice.slice_qp = 30;
    slice.max_merge_index = 4;
    slice.slice_loop_filter_enable = true;
    slice.round_intra = G::HCP_SLICE_STATE::RoundIntra{10}, slice.round_inter = G::HCP_SLICE_STATE::RoundInter{5};
    slice.emulation_byte_slice_insert_enable = true;
  }

  uint32_t picture_width() const { return (picture.frame_width_in_minimum_coding_block_size + 1) * 8; }
  uint32_t picture_height() const { return (picture.frame_height_in_minimum_coding_block_size + 1) * 8; }
  unsigned log2_ctb() const { return 3 + static_cast<unsigned>(picture.lcu_size); }
  bool is_wide() const { return picture.luma_bit_depth != G::HCP_PIC_STATE::LumaBitDepth{}; }
  uint32_t pitch() const { return is_wide() ? 256 : 128; }
  static uint64_t picture_at(unsigned index, bool decoded) { return first_picture + (index + (decoded ? 4 : 0)) * picture_bytes; }
  static uint64_t motion_at(unsigned index, bool decoded) { return first_motion + (index + (decoded ? 4 : 0)) * motion_bytes; }

  /// Shapes with edges, and noise.
  void fill_source(unsigned noise, unsigned shift) {
    for (uint32_t y = 0; y < chroma_row + picture_height() / 2; ++y) {
      for (uint32_t x = 0; x < picture_width(); ++x) {
        const unsigned value = sample_of_shapes(x + shift, y) + static_cast<unsigned>(random() % (noise + 1));
        const uint32_t bytes = is_wide() ? 2 : 1;
        const uint64_t at = source + surface::offset_of_bytes(surface::Tiling::y, x * bytes, y, pitch());
        if (is_wide()) view.store(at, static_cast<uint16_t>((value << 2 | random() % 4) << 6));
        else view.store(at, static_cast<uint8_t>(value));
      }
    }
  }

  /// The state of picture `index`, whose references are frames 0 to index - 1.
  void begin(unsigned index, bool decodes) {
    G::HCP_PIPE_MODE_SELECT select{};
    if (!decodes) select.codec_select = G::HCP_PIPE_MODE_SELECT::CodecSelect::ENCODE;
    send(select);
    using Surface = G::HCP_SURFACE_STATE;
    for (const auto id : {Surface::SurfaceID::HCP_CURRENT_DECODED_PICTURE, Surface::SurfaceID::HCP_SOURCE_INPUT_PICTURE}) {
      Surface surface{};
      surface.surface_id = id;
      surface.surface_pitch = pitch() - 1;
      surface.surface_format = is_wide() ? Surface::SurfaceFormat::P010 : Surface::SurfaceFormat::PLANAR_420_8;
      surface.y_offset_for_u_cb = chroma_row;
      send(surface);
    }
    G::HCP_PIPE_BUF_ADDR_STATE buffers{};
    buffers.decoded_picture_address = picture_at(index, decodes);
    buffers.current_mv_temporal_buffer_address = motion_at(index, decodes);
    buffers.original_uncompressed_picture_source_address = source;
    for (unsigned i = 0; i < index; ++i) {
      buffers.reference_picture_address[i] = picture_at(i, decodes);
      buffers.collocated_mv_temporal_buffer_address[i] = motion_at(i, decodes);
    }
    send(buffers);
    G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
    base.hcp_indirect_bitstream_object_base_address = coded;
    base.hcp_indirect_cu_object_base_address = records;
    base.hcp_pak_bse_object_base_address = coded, base.hcp_pak_bse_object_access_upper_bound = coded_end;
    send(base);
    send(picture);
  }
  /// Both lists have all frames before, from the last one or from the first one on.
  void send_slice(unsigned index, uint32_t first_ctb, bool is_last) {
    const uint32_t columns = ctb_columns();
    G::HCP_SLICE_STATE state = slice;
    state.slice_horizontal_position = first_ctb % columns, state.slice_vertical_position = first_ctb / columns;
    state.last_slice = is_last;
    if (decoding) state.slice_header_length = header_bytes;
    state.collocated_mv_temporal_buffer_index = index ? index - 1 : 0;
    send(state);
    for (unsigned list = 0; list < 2 && index; ++list) {
      G::HCP_REF_IDX_STATE references{};
      references.reference_picture_list_select = list;
      references.number_of_reference_indexes_active = index - 1;
      for (unsigned i = 0; i < index; ++i) {
        const unsigned frame = list ? i : index - 1 - i;
        references.reference_list_entry[i].list_entry = frame;
        references.reference_list_entry[i].reference_picture_tb_value = index - frame;
      }
      send(references);
    }
  }
  uint32_t ctb_columns() const { return ((picture_width() - 1) >> log2_ctb()) + 1; }
  uint32_t ctb_rows() const { return ((picture_height() - 1) >> log2_ctb()) + 1; }

  /// A start code and as many bytes as a decoder leaves out.
  void insert_header() {
    const uint32_t dwords[] = {G::HCP_PAK_INSERT_OBJECT::match | 3, 8 << 8 | 1 << 2, 0x0201'0000, 0x9922'1101, 0x55};
    send_dwords(dwords);
  }

  G::HCP_PIC_STATE picture{};
  G::HCP_SLICE_STATE slice{};
  bool decoding = false;
  std::mt19937 random{21};
};

}  // namespace softgen::media::test

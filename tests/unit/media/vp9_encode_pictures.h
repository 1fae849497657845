// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 pictures encoded by PAK objects that the test makes, and decoded by our own decoder from what was written.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/defs/registers/registers.h"
#include "hw/media/vp9/picture.h"
#include "hw/media/vp9_encode/quantizer_tables.h"
#include "hw/surface/tiling.h"
#include "tests/unit/media/source_samples.h"

namespace softgen::media::test {

/// Of the pictures, and where they are in memory.
struct Vp9RigLayout {
  using G = defs::Gen9;
  static constexpr uint32_t pitch = 256, chroma_row = 160;
  static constexpr uint64_t source = 0x1'0000, first_picture = 0x2'0000, picture_bytes = 0x1'0000, first_motion = 0xa'0000,
                            motion_bytes = 0x2000, first_probabilities = 0xb'0000, first_segments = 0xb'4000, bins = 0xb'8000,
                            records = 0xc'0000, coded = 0xd'0000, coded_end = 0xf'0000;
  static constexpr uint32_t header_bytes = 18, size_bit = 64, bytes_register = reg::gen9::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME,
                            tile_bytes_register = reg::gen9::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER;
  static uint64_t picture_at(unsigned index, bool decoded) { return first_picture + (index + (decoded ? 4 : 0)) * picture_bytes; }
  static uint64_t motion_at(unsigned index, bool decoded) { return first_motion + (index + (decoded ? 4 : 0)) * motion_bytes; }
  static uint64_t probabilities_at(bool decoded) { return first_probabilities + (decoded ? vp9::probability_bytes : 0); }
  static uint64_t segments_at(bool decoded) { return first_segments + (decoded ? 0x1000 : 0); }
};

/// `Rig`: a video engine and its memory (VideoRig, or a fuzz target's).
template <class Rig>
struct Vp9EncodePictures : Vp9RigLayout, Rig {
  using Rig::send, Rig::send_dwords, Rig::view;
  using Picture = G::HCP_VP9_PIC_STATE;
  using Record = G::HCP_VP9_CU_RECORD;

  template <class... Arguments>
  explicit Vp9EncodePictures(Arguments&&... arguments) : Rig(std::forward<Arguments>(arguments)...) {
    set_size(88, 72);
    picture.luma_ac_q_index_delta = 60;
    picture.filter_level = 20;
    picture.bit_offset_for_first_partition_size = size_bit;
  }

  void set_size(uint32_t width, uint32_t height) {
    picture.frame_width = width - 1, picture.frame_height = height - 1;
    for (auto* w : {&picture.last_frame_width, &picture.golden_frame_width, &picture.altref_frame_width}) *w = width - 1;
    for (auto* h : {&picture.last_frame_height, &picture.golden_frame_height, &picture.altref_frame_height}) *h = height - 1;
    for (auto* scale : {&picture.horizontal_scale_factor_for_last, &picture.vertical_scale_factor_for_last,
                        &picture.horizontal_scale_factor_for_golden, &picture.vertical_scale_factor_for_golden,
                        &picture.horizontal_scale_factor_for_altref, &picture.vertical_scale_factor_for_altref})
      *scale = 1;
  }
  uint32_t width() const { return picture.frame_width + 1; }
  uint32_t height() const { return picture.frame_height + 1; }
  uint32_t columns() const { return (width() + 63) / 64; }
  uint32_t rows() const { return (height() + 63) / 64; }
  /// Calls body(x, y) for each one, in superblocks, tile by tile.
  template <class Body>
  void each_superblock(Body&& body) const {
    const auto log2_rows = static_cast<unsigned>(picture.log2_tile_row), log2_columns = static_cast<unsigned>(picture.log2_tile_column);
    const auto begin_of = [](unsigned tile, uint32_t superblocks, unsigned log2) { return tile * superblocks >> log2; };
    for (unsigned j = 0; j < 1u << log2_rows; ++j)
      for (unsigned i = 0; i < 1u << log2_columns; ++i)
        for (uint32_t y = begin_of(j, rows(), log2_rows); y < begin_of(j + 1, rows(), log2_rows); ++y)
          for (uint32_t x = begin_of(i, columns(), log2_columns); x < begin_of(i + 1, columns(), log2_columns); ++x) body(x, y);
  }
  bool is_key() const { return picture.frame_type == Picture::FrameType::VP9_KEY_FRAME; }

  /// Shapes with edges, and noise.
  void fill_source(unsigned noise, unsigned shift) {
    for (uint32_t y = 0; y < chroma_row + height() / 2; ++y) {
      for (uint32_t x = 0; x < width(); ++x) {
        const unsigned value = sample_of_shapes(x + shift, y) + static_cast<unsigned>(random() % (noise + 1));
        view.store(source + surface::offset_of_bytes(surface::Tiling::y, x, y, pitch), static_cast<uint8_t>(value));
      }
    }
  }

  /// Any probabilities but 0, the same for both.
  void fill_probabilities() {
    std::array<uint8_t, vp9::probability_bytes> bytes;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(1 + random() % 255);
    for (const bool decoded : {false, true}) view.write(probabilities_at(decoded), bytes.data(), bytes.size());
  }

  /// The syntax of the compressed header, as i965-va-driver writes it.
  void write_bins() {
    std::array<uint8_t, 2048> bytes{};
    const auto put = [&](unsigned i, bool bin) {
      bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | (3u | (bin ? 8u : 0u)) << (i % 2 * 4));
    };
    const unsigned mode = std::min(tx_mode, 3u);
    put(0, mode & 2), put(1, mode & 1), put(2, tx_mode == 4);
    put(3271, reference_mode != 0), put(3272, reference_mode == 2);
    view.write(bins, bytes.data(), bytes.size());
  }

  /// The state of picture `index`, whose references are the last ones.
  void begin(unsigned index, bool decodes) {
    G::HCP_PIPE_MODE_SELECT select{};
    select.codec_standard_select = G::HCP_PIPE_MODE_SELECT::CodecStandardSelect::VP9;
    if (!decodes) select.codec_select = G::HCP_PIPE_MODE_SELECT::CodecSelect::ENCODE;
    send(select);
    using Surface = G::HCP_SURFACE_STATE;
    for (unsigned id = 0; id < 5; ++id) {
      Surface surface{};
      surface.surface_id = static_cast<Surface::SurfaceID>(id);
      surface.surface_pitch = pitch - 1;
      surface.surface_format = Surface::SurfaceFormat::PLANAR_420_8;
      surface.y_offset_for_u_cb = chroma_row;
      send(surface);
    }
    G::HCP_PIPE_BUF_ADDR_STATE buffers{};
    buffers.decoded_picture_address = picture_at(index, decodes);
    buffers.current_mv_temporal_buffer_address = motion_at(index, decodes);
    buffers.original_uncompressed_picture_source_address = source;
    for (unsigned i = 0; i < 3 && index; ++i)
      buffers.reference_picture_address[i] = picture_at(index - 1 - std::min(i, index - 1), decodes);
    if (index) buffers.collocated_mv_temporal_buffer_address[0] = motion_at(index - 1, decodes);
    if (has_probabilities) buffers.vp9_probability_buffer_address = probabilities_at(decodes);
    buffers.vp9_segment_id_buffer_address = segments_at(decodes);
    send(buffers);
    G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
    base.hcp_indirect_bitstream_object_base_address = coded;
    base.hcp_indirect_cu_object_base_address = records;
    base.hcp_pak_bse_object_base_address = coded, base.hcp_pak_bse_object_access_upper_bound = coded_end;
    base.hcp_vp9_pak_compressed_header_syntax_stream_in_base_address = bins;
    send(base);
    for (unsigned i = 0; i < 8; ++i) send(segment(i, decodes));
    Picture state = picture;
    if (decodes) state.first_partition_size = first_partition_size();
    send(state);
  }

  uint32_t first_partition_size() {
    std::array<uint8_t, 2> bytes;
    view.read(coded + size_bit / 8, bytes.data(), bytes.size());
    return uint32_t{bytes[0]} << 8 | bytes[1];
  }

  /// A decoder is given what an encoder's engine derives: VP9 specification, 8.6.1 and 8.8.1.
  G::HCP_VP9_SEGMENT_STATE segment(unsigned id, bool decodes) const {
    G::HCP_VP9_SEGMENT_STATE state = segments[id];
    state.segment_id = id;
    if (!decodes) return state;
    const auto delta = [](uint32_t coded, unsigned bits) {
      const int magnitude = static_cast<int>(coded & ((1u << (bits - 1)) - 1));
      return coded >> (bits - 1) ? -magnitude : magnitude;
    };
    const int q = std::clamp(static_cast<int>(picture.luma_ac_q_index_delta) + delta(state.segment_qindex_delta, 9), 0, 255);
    const auto index = [&](uint32_t coded) { return std::clamp(q + delta(coded, 5), 0, 255); };
    state.luma_dc_quant_scale = vp9::dc_quantizers[index(picture.luma_dc_q_index_delta)];
    state.luma_ac_quant_scale = vp9::ac_quantizers[q];
    state.chroma_dc_quant_scale = vp9::dc_quantizers[index(picture.chroma_dc_q_index_delta)];
    state.chroma_ac_quant_scale = vp9::ac_quantizers[index(picture.chroma_ac_q_index_delta)];
    const int level = std::clamp(static_cast<int>(picture.filter_level) + delta(state.segment_lf_level_delta, 7), 0, 63);
    const auto filter = [&](uint32_t reference, uint32_t mode) {
      return static_cast<uint32_t>(std::clamp(level + (delta(reference, 7) + delta(mode, 7)) * (1 << (level >> 5)), 0, 63));
    };
    state.filter_level_ref0_mode_0 = state.filter_level_ref0_mode_1 = filter(picture.lf_ref_delta_0, 0);
    state.filter_level_ref1_mode_0 = filter(picture.lf_ref_delta_1, picture.lf_mode_delta_0);
    state.filter_level_ref1_mode_1 = filter(picture.lf_ref_delta_1, picture.lf_mode_delta_1);
    state.filter_level_ref2_mode_0 = filter(picture.lf_ref_delta_2, picture.lf_mode_delta_0);
    state.filter_level_ref2_mode_1 = filter(picture.lf_ref_delta_2, picture.lf_mode_delta_1);
    state.filter_level_ref3_mode_0 = filter(picture.lf_ref_delta_3, picture.lf_mode_delta_0);
    state.filter_level_ref3_mode_1 = filter(picture.lf_ref_delta_3, picture.lf_mode_delta_1);
    return state;
  }

  /// Bytes that stand for the uncompressed header.
  void insert_header() {
    const uint32_t dwords[] = {
        G::HCP_PAK_INSERT_OBJECT::match | 5, 16 << 8 | 1 << 2, 0xffff'ffff, 0xffff'ffff, 0xffff'ffff, 0xffff'ffff, 0xffff};
    send_dwords(dwords);
  }

  Picture picture{};
  std::array<G::HCP_VP9_SEGMENT_STATE, 8> segments{};
  unsigned tx_mode = 4, reference_mode = 0;  ///< vp9::TxMode, vp9::ReferenceMode
  bool has_probabilities = true;
  std::mt19937 random{21};
};

}  // namespace softgen::media::test

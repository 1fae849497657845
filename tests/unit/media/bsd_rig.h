// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's bit stream decoder with a small memory, sent packets as intel-vaapi-driver sends them (src/i965_avc_bsd.c).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "hw/defs/gen5/all.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/params.h"
#include "hw/media/bsd/bsd.h"
#include "tests/unit/media/bsd_kernels.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::bsd::test {

constexpr uint64_t stream_at = 0x1'0000, commands_at = 0x2'0000, data_at = 0x3'0000, edges_at = 0x6'0000, motion_at = 0x7'0000,
                   motion_write_at = 0x9'0000, references_at = 0xa'0000, memory_end = 0x12'0000;
constexpr uint64_t motion_stride = 0x2000, reference_stride = 0x8000;
constexpr unsigned residual_offset = 48, slot_dwords = 0x800 / 4;
constexpr uint32_t object_header = 0x7101'000a;
constexpr uint8_t untouched = 0xcc;

struct Rig : media::test::EngineRig {
  Rig() : EngineRig(stream_at, memory_end, EngineId::vcs0, defs::gen5::commands, defs::gen5::registers) {
    for (uint64_t at = commands_at; at < motion_at; at += 8) view.store(at, uint64_t{0x0101'0101'0101'0101} * untouched);
  }

  ExecResult try_dwords(std::span<const uint32_t> dwords) { return execute(*engine, dwords); }
  void send_dwords(std::span<const uint32_t> dwords) { REQUIRE(try_dwords(dwords) == ExecResult::done); }
  template <class P>
  void send(const P& packet) {
    send_dwords(packet.pack());
  }

  /// `special`, `special_data`: the scan orders of commands and of data.
  void image(const avc::PictureParams& p, bool special = true, bool edges = true, bool special_data = false) {
    using Image = defs::gen5::AVC_BSD_IMG_STATE;
    Image v{};
    v.frame_width_in_macroblocks = p.width_mbs, v.frame_height_in_macroblocks = p.frame_height_mbs;
    v.macroblocks_in_frame = p.width_mbs * p.frame_height_mbs;
    v.chroma_qp_offset = p.chroma_qp_offset[0], v.second_chroma_qp_offset = p.chroma_qp_offset[1];
    v.it_command_scan_order = special, v.it_data_scan_order = special_data, v.reserved_must_be_1 = 1, v.qm_present = true, v.fixed_16 = 16;
    v.image_structure = !p.field()   ? Image::ImageStructure::FRAME
                        : p.bottom() ? Image::ImageStructure::BOTTOM_FIELD
                                     : Image::ImageStructure::TOP_FIELD;
    v.residual_data_offset = residual_offset, v.chroma_format_idc = !p.monochrome, v.ildb_write_enable = edges;
    v.entropy_coding_mode = p.cabac ? Image::EntropyCodingMode::CABAC : Image::EntropyCodingMode::CAVLC;
    v.not_reference = !p.reference, v.constrained_intra_prediction = p.constrained_intra, v.direct_8x8_inference = p.direct_8x8_inference;
    v.transform_8x8 = p.transform_8x8, v.mbaff = p.mbaff, v.field_picture = p.field();
    v.frame_mbs_only = !p.mbaff && !p.field();
    v.generated_command_header = object_header;
    send(v);
    std::vector<uint32_t> matrices{0x7401'0038, 0xff};
    const auto add = [&](const auto& list) {
      for (size_t i = 0; i < list.size(); i += 4)
        matrices.push_back(list[i] | uint32_t{list[i + 1]} << 8 | uint32_t{list[i + 2]} << 16 | uint32_t{list[i + 3]} << 24);
    };
    for (const auto& list : p.scaling4) add(list);
    for (const auto& list : p.scaling8) add(list);
    send_dwords(matrices);
  }

  void buffers(const avc::PictureParams& p) {
    defs::gen5::AVC_BSD_BUF_BASE_STATE v{};
    v.it_command_buffer = commands_at, v.it_data_buffer = data_at, v.ildb_data_buffer = edges_at;
    for (uint32_t i = 0; i < 32; ++i) {
      v.direct_mv_read_buffer[i] = static_cast<uint32_t>(motion_at + i / 2 * motion_stride);
      v.picture_order_count[i] = p.poc[i / 2][i % 2];
    }
    v.direct_mv_write_buffer = {static_cast<uint32_t>(motion_write_at), static_cast<uint32_t>(motion_write_bottom)};
    v.current_picture_order_count = {p.current_poc[0], p.current_poc[1]};
    send(v);
  }

  void slice_state(const avc::PictureParams& p, const avc::SliceParams& s) {
    if (s.type == avc::SliceType::i) return;
    const unsigned lists = s.type == avc::SliceType::b ? 2 : 1;
    const bool weights = is_weighted(p, s) == 1;
    std::vector<uint8_t> bytes;
    for (unsigned list = 0; list < lists; ++list)
      for (unsigned i = 0; i < 32; ++i) {
        const avc::RefEntry& entry = s.list[list][i];
        bytes.push_back(
            static_cast<uint8_t>(!entry.present << 7 | entry.long_term << 6 | !p.field() << 5 | entry.frame << 1 | entry.bottom));
      }
    for (unsigned list = 0; list < lists && weights; ++list)
      for (const auto& planes : s.weights[list])
        for (const avc::Weight& w : planes)
          bytes.push_back(static_cast<uint8_t>(w.offset)), bytes.push_back(static_cast<uint8_t>(w.weight));
    std::vector<uint32_t> dwords{0x7402'0000 | static_cast<uint32_t>(bytes.size() / 4), (weights ? 5u : 1u) * (lists == 2 ? 3 : 1)};
    for (size_t i = 0; i < bytes.size(); i += 4)
      dwords.push_back(bytes[i] | uint32_t{bytes[i + 1]} << 8 | uint32_t{bytes[i + 2]} << 16 | uint32_t{bytes[i + 3]} << 24);
    send_dwords(dwords);
  }

  static unsigned is_weighted(const avc::PictureParams& p, const avc::SliceParams& s) {
    return s.type == avc::SliceType::p ? p.weighted_pred : s.type == avc::SliceType::b ? p.weighted_bipred : 0;
  }

  defs::gen5::AVC_BSD_OBJECT object(const avc::PictureParams& p, const avc::SliceParams& s, size_t bytes) {
    using Object = defs::gen5::AVC_BSD_OBJECT;
    Object v{};
    v.indirect_data_length = static_cast<uint32_t>(bytes), v.indirect_data_start_address = 0x40;
    v.slice_type = s.type == avc::SliceType::p   ? Object::SliceType::P
                   : s.type == avc::SliceType::b ? Object::SliceType::B
                                                 : Object::SliceType::I;
    v.number_of_references_l0 = s.active[0], v.number_of_references_l1 = s.active[1];
    v.luma_log2_weight_denominator = s.luma_denominator, v.chroma_log2_weight_denominator = s.chroma_denominator;
    v.weighted_prediction = is_weighted(p, s), v.spatial_direct = s.direct_spatial, v.deblocking_filter_idc = s.disable_deblocking;
    v.cabac_init_idc = s.cabac_init, v.slice_qp = s.qp, v.alpha_offset = s.alpha_offset / 2, v.beta_offset = s.beta_offset / 2;
    v.first_macroblock = s.first_mb, v.horizontal_position = s.first_mb % p.width_mbs, v.vertical_position = s.first_mb / p.width_mbs;
    v.reserved_must_be_1 = 1, v.first_bit = 7 - s.bit_offset;
    for (unsigned list = 0; list < 2; ++list)
      for (unsigned i = 0; i < 32; ++i) {
        v.weight_is_128[list] |= uint32_t{s.weights[list][i][0].weight == 128} << i;
        v.weight_is_128[2 + list] |= uint32_t{s.weights[list][i][1].weight == 128} << i;
      }
    return v;
  }
  void slice(const avc::PictureParams& p, const avc::SliceParams& s, std::span<const uint8_t> stream, bool inter_concealment = false) {
    defs::gen5::BSD_IND_OBJ_BASE_ADDR base{};
    base.indirect_object_base_address = static_cast<uint32_t>(stream_at);
    send(base);
    slice_state(p, s);
    buffers(p);
    view.write(stream_at + 0x40, stream.data(), stream.size());
    auto packet = object(p, s, stream.size());
    packet.concealment_method = inter_concealment;
    send(packet);
  }
  void phantom(uint32_t mbs) {
    defs::gen5::AVC_BSD_OBJECT v{};
    v.first_macroblock = mbs;
    send(v);
  }

  Command command(uint32_t slot) { return load<Command>(commands_at + slot * sizeof(Command)); }
  Ildb edges(uint32_t slot) { return Ildb::unpack(load<Command>(edges_at + slot * sizeof(Command))); }
  /// Of a command.
  std::vector<uint32_t> data(const Command& command) {
    const defs::gen5::MEDIA_OBJECT_EX::View v(command);
    REQUIRE(v.indirect_data_length() <= 0x800);
    std::vector<uint32_t> dwords(v.indirect_data_length() / 4);
    view.read(data_at + v.indirect_data_start_address(), dwords.data(), dwords.size() * 4);
    return dwords;
  }
  template <class T>
  T load(uint64_t at) {
    T value;
    view.read(at, &value, sizeof value);
    return value;
  }

  uint64_t motion_write_bottom = motion_write_at;
  std::unique_ptr<Engine> engine = make_bsd<defs::Gen5>();
};

}  // namespace softgen::media::bsd::test

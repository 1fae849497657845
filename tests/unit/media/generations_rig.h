// SPDX-License-Identifier: GPL-2.0-or-later
// VCS of any generation with a small memory, and pictures of HCP by its packets.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/video.h"
#include "hw/surface/tiling.h"
#include "tests/unit/media/video_rig.h"

namespace softgen::media::test::generations {

constexpr uint64_t stream = 0x1'0000, target = 0x2'0000, scratch = 0x4'0000, end = 0x8'0000;
constexpr uint32_t size = 32, pitch = 128, untouched = 7, unset = 0xffff'ffff;

/// Offsets of the first box, as the iHD media driver has them (mhw_mmio_g9.h, _g11.h, _g12.h), and of another.
struct Offsets {
  uint32_t mfd_error, mfx_mb_count, hcp_status, hcp_cabac_status, next_box;
};

template <class G>
struct Chip;
template <>
struct Chip<defs::Gen9> {
  static constexpr Offsets offsets{0x12800, 0x12868, 0x1e900, 0x1e904, 0};
};
template <>
struct Chip<defs::Gen11> {
  static constexpr Offsets offsets{0x1c'0800, 0x1c'0868, 0x1c'2800, 0x1c'2804, 0x1'0000};
};
template <>
struct Chip<defs::Gen12> {
  static constexpr Offsets offsets = Chip<defs::Gen11>::offsets;
};

template <class G>
struct Rig : EngineRig {
  explicit Rig(EngineId engine = EngineId::vcs0) : EngineRig(stream, end, engine, G::commands, defs::registers_of<G>()) {
    for (uint64_t at = target; at < end; ++at) view.store<uint8_t>(at, untouched);
    for (const uint32_t offset : {at.mfd_error, at.mfx_mb_count, at.hcp_status, at.hcp_cabac_status})
      registers.poke(offset, unset), registers.poke(offset + at.next_box, unset);
  }

  template <class Packet>
  ExecResult send(const Packet& packet) {
    const auto dwords = packet.pack();
    const defs::Command* command = commands.find(defs::EngineClass::video, dwords[0]);
    REQUIRE(command);
    REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
    return execute(video, dwords);
  }
  /// Of the engine's box.
  uint32_t status(uint32_t offset) const { return registers.peek(offset + (env.engine == EngineId::vcs1 ? at.next_box : 0)); }
  /// Whether all of luma and chroma are `value`.
  bool is_flat(uint8_t value) {
    for (uint32_t y = 0; y < size + size / 2; ++y)
      for (uint32_t x = 0; x < size; ++x)
        if (view.load<uint8_t>(target + surface::offset(surface::Tiling::y, 1, x, y, pitch)) != value) return false;
    return true;
  }

  void hcp_picture(uint32_t working_mode = 0, unsigned standard = 0) {
    typename G::HCP_PIPE_MODE_SELECT select{};
    select.codec_standard_select = static_cast<decltype(select.codec_standard_select)>(standard);
    if constexpr (requires { select.pipe_working_mode; })
      select.pipe_working_mode = static_cast<decltype(select.pipe_working_mode)>(working_mode);
    send(select);
    typename G::HCP_SURFACE_STATE surface{};
    surface.surface_pitch = pitch - 1;
    surface.surface_format = G::HCP_SURFACE_STATE::SurfaceFormat::PLANAR_420_8;
    surface.y_offset_for_u_cb = size;
    send(surface);
    typename G::HCP_PIPE_BUF_ADDR_STATE buffers{};
    buffers.decoded_picture_address = target;
    buffers.current_mv_temporal_buffer_address = scratch;
    buffers.vp9_probability_buffer_address = scratch + 0x1000, buffers.vp9_segment_id_buffer_address = scratch + 0x2000;
    send(buffers);
    typename G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
    base.hcp_indirect_bitstream_object_base_address = stream;
    send(base);
  }
  typename G::HCP_PIC_STATE hevc_picture() {
    typename G::HCP_PIC_STATE picture{};
    picture.frame_width_in_minimum_coding_block_size = picture.frame_height_in_minimum_coding_block_size = size / 8 - 1;
    picture.lcu_size = G::HCP_PIC_STATE::LCUSize::LCU_16X16;
    if constexpr (requires { picture.chroma_subsampling; })
      picture.chroma_subsampling = static_cast<decltype(picture.chroma_subsampling)>(1);
    return picture;
  }
  void hevc_slice(std::span<const uint8_t> data = {}) {
    typename G::HCP_SLICE_STATE slice{};
    slice.slice_type = G::HCP_SLICE_STATE::SliceType::HCP_ST_I_SLICE;
    slice.last_slice = true;
    send(slice);
    for (size_t i = 0; i < data.size(); ++i) view.store<uint8_t>(stream + i, data[i]);
    typename G::HCP_BSD_OBJECT object{};
    object.indirect_bsd_data_length = static_cast<uint32_t>(data.size());
    send(object);
  }
  /// Four coding units of PCM samples, which have the upper four bits that `nibbles` has for each.
  void hevc_pcm_picture(typename G::HCP_PIC_STATE picture, const std::array<uint8_t, 4>& nibbles) {
    picture.frame_width_in_minimum_coding_block_size = picture.frame_height_in_minimum_coding_block_size = size / 16 - 1;
    picture.min_cu_size = static_cast<decltype(picture.min_cu_size)>(1);
    picture.min_pcm_size = static_cast<decltype(picture.min_pcm_size)>(1);
    picture.max_pcm_size = static_cast<decltype(picture.max_pcm_size)>(1);
    picture.pcm_enable = true;
    picture.luma_pcm_sample_bit_depth = picture.chroma_pcm_sample_bit_depth = 3;
    send(picture);
    // Of each of the four coding units: end_of_slice_segment_flag of the one before, part_mode, pcm_flag, and samples of 4 bits. The arithmetic codes are from
    // scripts/lib/syntax_bits.py.
    std::vector<uint8_t> data{0xfe, 0xe0};
    for (unsigned unit = 0; unit < 4; ++unit) {
      if (unit) data.insert(data.end(), {0xfd, 0xc0});
      data.insert(data.end(), 16 * 16 * 3 / 2 / 2, static_cast<uint8_t>(nibbles[unit] * 0x11));
    }
    data.insert(data.end(), {0xfe, 0x80});
    hevc_slice(data);
  }

  static constexpr Offsets at = Chip<G>::offsets;
  Video video{make_huc_decoder<G>(), make_video_packets<G>(), nullptr};
};

}  // namespace softgen::media::test::generations

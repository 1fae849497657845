// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures by the packets of each generation: that they reach the codecs, and that the status is in the registers of the engine's box.
#include <algorithm>
#include <span>
#include <vector>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/vc1/vlc_tables.h"
#include "hw/media/video.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/tiling.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/bit_writer.h"
#include "tests/unit/media/video_rig.h"
#include "tests/unit/memory/aux_tables.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint64_t stream = 0x1'0000, target = 0x2'0000, scratch = 0x4'0000, end = 0x8'0000;
constexpr uint32_t size = 32, pitch = 128, untouched = 7, unset = 0xffff'ffff;

/// Offsets of the first box, as the iHD media driver has them (mhw_mmio_g9.h, _g11.h, _g12.h), and of another.
struct Offsets {
  uint32_t mfd_error, mfx_mb_count, hcp_status, hcp_cabac_status, next_box;
};

template <class G>
struct Chip;
template <>
struct Chip<defs::Gen9> : test::SetsOf<defs::Gen9> {
  static constexpr Offsets offsets{0x12800, 0x12868, 0x1e900, 0x1e904, 0};
};
template <>
struct Chip<defs::Gen11> : test::SetsOf<defs::Gen11> {
  static constexpr Offsets offsets{0x1c'0800, 0x1c'0868, 0x1c'2800, 0x1c'2804, 0x1'0000};
};
template <>
struct Chip<defs::Gen12> : test::SetsOf<defs::Gen12> {
  static constexpr Offsets offsets = Chip<defs::Gen11>::offsets;
};

template <class G>
struct Rig : memory::test::Mapped {
  explicit Rig(EngineId engine = EngineId::vcs0) : Mapped(stream, end), env{engine, view, view, registers, stop} {
    quiet_log();
    for (uint64_t at = target; at < end; ++at) view.store<uint8_t>(at, untouched);
    for (const uint32_t offset : {at.mfd_error, at.mfx_mb_count, at.hcp_status, at.hcp_cabac_status})
      registers.poke(offset, unset), registers.poke(offset + at.next_box, unset);
  }

  template <class Packet>
  ExecResult send(const Packet& packet) {
    const auto dwords = packet.pack();
    const defs::Command* command = Chip<G>::commands.find(defs::EngineClass::video, dwords[0]);
    REQUIRE(command);
    REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
    return video.execute({0x1000, command, dwords}, env);
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

  static constexpr Offsets at = Chip<G>::offsets;
  mmio::RegisterFile registers{Chip<G>::registers};
  StopFlag stop;
  EngineEnv env;
  Video video{make_huc_decoder<G>(), make_video_packets<G>(), nullptr};
};

/// An intra picture of macroblocks whose blocks have the DC that is predicted.
template <class G>
void decode_mpeg2(Rig<G>& rig, unsigned macroblocks, bool compressed = false) {
  test::BitWriter bits;
  for (unsigned i = 0; i < macroblocks; ++i) bits.put("1 1 100 10 100 10 100 10 100 10 00 10 00 10");
  for (size_t i = 0; i < bits.bytes().size(); ++i) rig.view.template store<uint8_t>(stream + i, bits.bytes()[i]);
  typename G::MFX_PIPE_MODE_SELECT select{};
  select.pre_deblocking_output_enable = true;
  rig.send(select);
  typename G::MFX_SURFACE_STATE surface{};
  surface.surface_pitch = pitch - 1;
  surface.y_offset_for_u_cb = size;
  surface.tiled_surface = true, surface.tile_walk = G::MFX_SURFACE_STATE::TileWalk::TW_YMAJOR;
  rig.send(surface);
  typename G::MFX_PIPE_BUF_ADDR_STATE buffers{};
  buffers.pre_deblocking_destination_address = target;
  buffers.pre_deblocking_destination_attributes.memory_compression_enable = compressed;
  rig.send(buffers);
  typename G::MFX_IND_OBJ_BASE_ADDR_STATE base{};
  base.mfx_indirect_bitstream_object_address = stream;
  rig.send(base);
  typename G::MFX_MPEG2_PIC_STATE picture{};
  picture.frame_width_in_mbs = picture.frame_height_in_mbs = size / 16 - 1;
  picture.picture_structure = G::MFX_MPEG2_PIC_STATE::PictureStructure::MPEG_FRAME;
  picture.picture_coding_type = G::MFX_MPEG2_PIC_STATE::PictureCodingType::MPEG_I_PICTURE;
  picture.frame_prediction_frame_dct = 1;
  rig.send(picture);
  typename G::MFD_MPEG2_BSD_OBJECT object{};
  object.indirect_bsd_data_length = static_cast<uint32_t>(bits.bytes().size());
  object.inline_data.quantizer_scale_code = 1;
  rig.send(object);
  rig.video.flush({}, rig.env);
}

/// State of a VC-1 picture in Advanced profile, and a slice of `bits`. The forward reference is what the destination has.
template <class G>
void decode_vc1(Rig<G>& rig, typename G::MFD_VC1_LONG_PIC_STATE picture, const test::BitWriter& bits, uint64_t bitplane = 0,
                bool compensates = false) {
  for (size_t i = 0; i < bits.bytes().size(); ++i) rig.view.template store<uint8_t>(stream + i, bits.bytes()[i]);
  typename G::MFX_PIPE_MODE_SELECT select{};
  select.standard_select = G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_VC1;
  select.pre_deblocking_output_enable = true;
  rig.send(select);
  typename G::MFX_SURFACE_STATE surface{};
  surface.surface_pitch = pitch - 1;
  surface.width = surface.height = size - 1;
  surface.y_offset_for_u_cb = size;
  surface.tiled_surface = true, surface.tile_walk = G::MFX_SURFACE_STATE::TileWalk::TW_YMAJOR;
  rig.send(surface);
  typename G::MFX_PIPE_BUF_ADDR_STATE buffers{};
  buffers.pre_deblocking_destination_address = target;
  buffers.reference_picture_address[0] = target;
  rig.send(buffers);
  typename G::MFX_BSP_BUF_BASE_ADDR_STATE planes{};
  planes.bitplane_read_buffer_address = bitplane;
  rig.send(planes);
  typename G::MFX_IND_OBJ_BASE_ADDR_STATE base{};
  base.mfx_indirect_bitstream_object_address = stream;
  rig.send(base);
  typename G::MFX_VC1_PRED_PIPE_STATE pipe{};
  pipe.vin_intensitycomp_single_fwden = compensates, pipe.lumscale1_single_fwd = 32, pipe.lumshift1_single_fwd = 10;
  rig.send(pipe);
  typename G::MFX_VC1_DIRECTMODE_STATE direct{};
  direct.direct_mv_write_buffer_address = scratch;
  rig.send(direct);
  using Mode = typename G::MFD_VC1_LONG_PIC_STATE::FrameCodingMode;
  const uint32_t rows = picture.frame_coding_mode >= Mode::FIELD_PICTURE_WITH_TOP_FIELD_FIRST ? size / 32 : size / 16;
  picture.picture_width_in_mbs = size / 16 - 1, picture.picture_height_in_mbs = rows - 1;
  picture.vc1_profile = G::MFD_VC1_LONG_PIC_STATE::VC1Profile::ADVANCED_PROFILE;
  picture.pq_value = 4, picture.pq_uniform = true;
  picture.bitplane_buffer_present = bitplane != 0;
  rig.send(picture);
  typename G::MFD_VC1_BSD_OBJECT object{};
  object.indirect_bsd_data_length = static_cast<uint32_t>(bits.bytes().size());
  object.next_slice_vertical_position = rows;
  rig.send(object);
  rig.video.flush({}, rig.env);
}

}  // namespace

TEMPLATE_TEST_CASE("video: VC-1 pictures", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  using State = typename TestType::MFD_VC1_LONG_PIC_STATE;
  Rig<TestType> rig;
  test::BitWriter bits;
  // CBPCY of no coefficients; DCDIFF of 0 in four blocks of luma, two of chroma.
  for (unsigned i = 0; i < 4; ++i) bits.put("1 1 1 1 1 00 00");
  decode_vc1(rig, State{}, bits);
  CHECK(rig.is_flat(128));
  CHECK(rig.status(rig.at.mfd_error) == 0);
  CHECK(rig.status(rig.at.mfx_mb_count) == 0);
  // All macroblocks are skipped: by the bitplane, a nibble each.
  rig.view.template store<uint16_t>(scratch + 0x1000, 0x2222);
  State predicted{};
  predicted.picture_type = 1;
  decode_vc1(rig, predicted, {}, scratch + 0x1000, true);
  CHECK(rig.view.template load<uint8_t>(target) == 138);
  CHECK(rig.view.template load<uint32_t>(scratch) == 0);  // the vector for direct prediction
  CHECK(rig.status(rig.at.mfd_error) == 0);
  // Without data an I picture is grey.
  decode_vc1(rig, State{}, {});
  CHECK(rig.is_flat(128));
  CHECK(rig.status(rig.at.mfd_error) == 1);
  CHECK(rig.status(rig.at.mfx_mb_count) == 4);
}

TEMPLATE_TEST_CASE("video: a VC-1 field is every other row, and the second one refers to the first", "", defs::Gen9, defs::Gen11,
                   defs::Gen12) {
  using State = typename TestType::MFD_VC1_LONG_PIC_STATE;
  Rig<TestType> rig;
  constexpr uint64_t next_row = target + 16;  // of a tile in Y
  test::BitWriter intra;
  for (unsigned i = 0; i < 2; ++i) intra.put("1 1 1 1 1 00 00");
  State field{};
  field.frame_coding_mode = State::FrameCodingMode::FIELD_PICTURE_WITH_TOP_FIELD_FIRST;
  field.picture_type = 1;  // FPTYPE: I, then P
  decode_vc1(rig, field, intra);
  CHECK(rig.view.template load<uint8_t>(target) == 128);
  CHECK(rig.view.template load<uint8_t>(next_row) == untouched);
  // Macroblocks of one vector without a differential, from the top field with its compensation.
  test::BitWriter predicted;
  const vc1::Code& code = vc1::mixed_field_modes[0][2];
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned bit = code.length; bit--;) predicted.put(code.value >> bit & 1 ? "1" : "0");
  field.second_field = true;
  decode_vc1(rig, field, predicted, 0, true);
  CHECK(rig.view.template load<uint8_t>(target) == 128);
  CHECK(rig.view.template load<uint8_t>(next_row) == 138);
  CHECK(rig.status(rig.at.mfd_error) == 0);
  // What is kept for direct prediction: two vectors, and that they lead to the opposite field.
  CHECK(rig.view.template load<uint64_t>(scratch) == 0);
  CHECK(rig.view.template load<uint8_t>(scratch + 8) == 1);
}

TEMPLATE_TEST_CASE("video: an MPEG-2 picture", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  decode_mpeg2(rig, 4);
  CHECK(rig.is_flat(128));
  CHECK(rig.status(rig.at.mfd_error) == 0);
  CHECK(rig.status(rig.at.mfx_mb_count) == 0);
}

TEST_CASE("video: lines of a compressed picture are coded as they are stored") {
  constexpr uint64_t level3 = 0x5'0000, level2 = 0x5'8000, level1 = 0x6'0000, control = 0x7'0000;
  constexpr unsigned codes = 16, tiles = 2;  // 48 rows of one tile's width; 16 bytes a tile
  for (const bool compressed : {false, true}) {
    Rig<defs::Gen12> rig;
    memory::test::use_aux_tables(rig.view, level3, level2, level1);
    memory::test::set_control(rig.view, level1, target, control);
    for (unsigned i = 0; i < 4 * codes; ++i) rig.view.store<uint8_t>(control + i, 0xff);
    decode_mpeg2(rig, 4, compressed);
    for (unsigned i = 0; i < 4 * codes; ++i) {
      INFO(i);
      CHECK(rig.view.load<uint8_t>(control + i) == (compressed && i < tiles * codes ? 0 : 0xff));
    }
  }
}

TEMPLATE_TEST_CASE("video: the second engine reports in its own box", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig(EngineId::vcs1);
  decode_mpeg2(rig, 3);
  CHECK(rig.status(rig.at.mfx_mb_count) == 1);
  CHECK(rig.registers.peek(rig.at.mfx_mb_count) == unset);
  rig.hcp_picture();
  rig.send(rig.hevc_picture());
  rig.hevc_slice();
  CHECK(rig.status(rig.at.hcp_status) != unset);
  CHECK(rig.registers.peek(rig.at.hcp_status) == unset);
}

TEMPLATE_TEST_CASE("video: an HEVC picture without data is grey, and the status says so", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  rig.hcp_picture();
  rig.send(rig.hevc_picture());
  rig.hevc_slice();
  CHECK(rig.is_flat(128));
  CHECK(rig.status(rig.at.hcp_status) >> 18 != 0);
  CHECK((rig.status(rig.at.hcp_cabac_status) & 0x879) != 0);
}

TEMPLATE_TEST_CASE("video: HEVC's PCM samples have one bit more than the packet says", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  rig.hcp_picture();
  auto picture = rig.hevc_picture();
  picture.frame_width_in_minimum_coding_block_size = picture.frame_height_in_minimum_coding_block_size = size / 16 - 1;
  picture.min_cu_size = static_cast<decltype(picture.min_cu_size)>(1);
  picture.min_pcm_size = static_cast<decltype(picture.min_pcm_size)>(1);
  picture.max_pcm_size = static_cast<decltype(picture.max_pcm_size)>(1);
  picture.pcm_enable = true;
  picture.luma_pcm_sample_bit_depth = picture.chroma_pcm_sample_bit_depth = 3;
  rig.send(picture);
  // Of each of the four coding units: end_of_slice_segment_flag of the one before, part_mode, pcm_flag, and samples of 4 bits. The arithmetic codes are from
  // scripts/lib/syntax_bits.py.
  std::vector<uint8_t> data{0xfe, 0xe0};
  for (unsigned unit = 0; unit < 4; ++unit) {
    if (unit) data.insert(data.end(), {0xfd, 0xc0});
    data.insert(data.end(), 16 * 16 * 3 / 2 / 2, 0xaa);
  }
  data.insert(data.end(), {0xfe, 0x80});
  rig.hevc_slice(data);
  CHECK(rig.is_flat(0xa0));
  CHECK(rig.status(rig.at.hcp_cabac_status) == 0);
}

TEMPLATE_TEST_CASE("video: a VP9 picture without data reaches its surface", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  constexpr unsigned vp9 = 1;
  rig.hcp_picture(0, vp9);
  typename TestType::HCP_VP9_PIC_STATE picture{};
  picture.frame_width = picture.frame_height = size - 1;
  rig.send(picture);
  rig.send(typename TestType::HCP_BSD_OBJECT{});
  rig.video.flush({}, rig.env);
  CHECK_FALSE(rig.is_flat(untouched));
  CHECK(rig.status(rig.at.hcp_status) >> 18 != 0);
}

TEMPLATE_TEST_CASE("video: what several engines decode together is counted, without effect", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  rig.hcp_picture(1);
  rig.send(rig.hevc_picture());
  rig.hevc_slice();
  CHECK(rig.is_flat(untouched));
}

TEMPLATE_TEST_CASE("video: chroma formats and extensions that no codec has are counted", "", defs::Gen11, defs::Gen12) {
  for (const unsigned what : {0, 1}) {
    Rig<TestType> rig;
    rig.hcp_picture();
    auto picture = rig.hevc_picture();
    if (what) picture.sps_range_extension_enable = true;
    else picture.chroma_subsampling = static_cast<decltype(picture.chroma_subsampling)>(2);
    rig.send(picture);
    rig.hevc_slice();
    CHECK(rig.is_flat(untouched));
  }
}

TEST_CASE("video: Gen12's control of the pipeline ends a picture when it flushes") {
  Rig<defs::Gen12> rig;
  rig.hcp_picture();
  rig.send(rig.hevc_picture());
  defs::Gen12::HCP_SLICE_STATE slice{};
  slice.slice_type = defs::Gen12::HCP_SLICE_STATE::SliceType::HCP_ST_I_SLICE;
  rig.send(slice);
  rig.send(defs::Gen12::HCP_BSD_OBJECT{});
  defs::Gen12::VD_CONTROL_STATE control{};
  control.pipeline_initialization = true;
  rig.send(control);
  CHECK(rig.is_flat(untouched));
  control = {};
  control.memory_implicit_flush = true;
  rig.send(control);
  CHECK(rig.is_flat(128));
}

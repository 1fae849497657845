// SPDX-License-Identifier: GPL-2.0-or-later
// Fields of video packets where the iHD media driver's structs (mhw_vdbox_{mfx,hcp,huc,vdenc}_hwcmd_g9_kbl.h), which reach the chip, differ from
// Mesa's genxml or have more.
#include <array>

#include "tests/unit/defs/foreign.h"

using namespace softgen::defs;
using namespace softgen::defs::gen9;

namespace {

/// A packet of T that is zero but for one dword.
template <typename T>
T with(unsigned dword, uint32_t value) {
  std::array<uint32_t, T::dwords> packet{};
  packet[dword] = value;
  return T::unpack(packet);
}

}  // namespace

TEST_CASE("AVC: positions of the next slice have nine bits") {
  const auto slice = with<MFX_AVC_SLICE_STATE>(5, 0x0123'0145);
  CHECK(slice.next_slice_vertical_position == 0x123);
  CHECK(slice.next_slice_horizontal_position == 0x145);
}

TEST_CASE("AVC: entropy coding, signed chroma offsets and the fields of the encoder") {
  using Img = MFX_AVC_IMG_STATE;
  CHECK(with<Img>(4, 1u << 7).entropy_coding_mode == Img::EntropyCodingMode::CABAC);
  CHECK(with<Img>(4, ~(1u << 7)).entropy_coding_mode == Img::EntropyCodingMode::CAVLC);
  CHECK(with<Img>(3, 0x1f << 16).first_chroma_qp_offset == -1);
  CHECK(with<Img>(3, 0x14 << 24).second_chroma_qp_offset == -12);
  CHECK(with<Img>(7, 1).vsl_top_mb_transform_8x8);
  CHECK(with<Img>(7, 1u << 16).bsp_encoder_eco_enable);
  CHECK(with<Img>(17, 1u << 8).extended_rho_domain_statistics_enable);
  CHECK(with<Img>(17, 0x2a << 16).rho_domain_average_mb_qp == 42);
}

TEST_CASE("VP8: the decoder's quantizer values of four segments, three dwords each") {
  const auto values = [](unsigned dword) { return with<MFX_VP8_PIC_STATE>(dword, 0x0175'0123); };
  CHECK(values(4).quantizer_value_0_y1dc == 0x123);
  CHECK(values(4).quantizer_value_0_y1ac == 0x175);
  CHECK(values(5).quantizer_value_0_uvdc == 0x123);
  CHECK(values(5).quantizer_value_0_uvac == 0x175);
  CHECK(values(6).quantizer_value_0_y2dc == 0x123);
  CHECK(values(6).quantizer_value_0_y2ac == 0x175);
  CHECK(values(7).quantizer_value_1_y1dc == 0x123);
  CHECK(values(7).quantizer_value_1_y1ac == 0x175);
  CHECK(values(15).quantizer_value_3_y2ac == 0x175);
  // The encoder's meaning of the same bits.
  CHECK(values(4).segment0_qindex == 0x23);
  std::array<uint32_t, 38> addresses{};
  addresses[16] = 0x1234'5640, addresses[17] = 0x7fff, addresses[35] = 0x2345'6000, addresses[36] = 1;
  CHECK(MFX_VP8_PIC_STATE::unpack(addresses).coeffprobability_stream_in_address == 0x7fff'1234'5640);
  CHECK(MFX_VP8_PIC_STATE::unpack(addresses).segmentation_id_stream_address == 0x1'2345'6000);
}

TEST_CASE("attributes of an address") {
  const uint32_t dword[] = {1u << 10};
  CHECK(MEMORYADDRESSATTRIBUTES::unpack(dword).memory_compression_mode == MEMORYADDRESSATTRIBUTES::MemoryCompressionMode::VERTICAL);
}

TEST_CASE("MFX_PIPE_MODE_SELECT, MFX_MPEG2_PIC_STATE: bits that genxml has not") {
  using Mode = MFX_PIPE_MODE_SELECT;
  CHECK(with<Mode>(2, 1u << 3).vds_ildb_calculation);
  CHECK(with<Mode>(2, 1u << 6).clock_gate_enable_at_slice_level);
  CHECK(with<Mode>(2, 1u << 10).mpc_pref08x8_disable);
  CHECK(with<Mode>(2, 1u << 14).vlf_720i_odd_height_in_vc1_mode);
  CHECK(with<Mode>(2, 1u << 27).vmb_svc_tlb_dummy_fetch_disable);
  CHECK(with<Mode>(2, 1u << 28).vmb_svc_mv_replication_for_8x8_enable);
  CHECK(with<MFX_MPEG2_PIC_STATE>(4, 1u << 15).mb_status_enable);
  CHECK(with<MFX_MPEG2_PIC_STATE>(7, 1).vsl_top_mb_transform_8x8);
}

TEST_CASE("HEVC and VP9") {
  CHECK(with<HCP_PIC_STATE>(4, 1u << 15).loop_filter_across_tiles_enable);
  // The driver writes 0 for a bottom field.
  CHECK(with<HCP_PIC_STATE>(4, 1u << 21).top_field);
  const auto luma = with<HCP_VP9_SEGMENT_STATE>(5, 0x8123'9456);
  CHECK(luma.luma_ac_quant_scale == 0x8123);
  CHECK(luma.luma_dc_quant_scale == 0x9456);
  const auto chroma = with<HCP_VP9_SEGMENT_STATE>(6, 0x8123'9456);
  CHECK(chroma.chroma_ac_quant_scale == 0x8123);
  CHECK(chroma.chroma_dc_quant_scale == 0x9456);
}

TEST_CASE("the header of VP9's PAK object that a kernel of i965's writes") {
  const Command* command = gen9::commands.find(EngineClass::video, 0x73b5'0001);
  REQUIRE(command);
  CHECK(command_length(*command, 0x73b5'0001) == 3);
  CHECK(with<HCP_VP9_PAK_OBJECT>(2, 0x0003'0002).current_sb_y_address == 3);
}

TEST_CASE("HuC, VDEnc and the flush of the pipelines") {
  CHECK(with<HUC_PIPE_MODE_SELECT>(1, 1u << 10).huc_stream_object_enable);
  CHECK(with<VD_PIPELINE_FLUSH>(1, 1u << 2).mfl_pipeline_done);
  CHECK(with<VD_PIPELINE_FLUSH>(1, 1u << 18).mfl_pipeline_command_flush);
  using Img = VDENC_IMG_STATE;
  CHECK(with<Img>(1, 1u << 3).vdenc_performance_mode);
  CHECK(with<Img>(1, 1u << 4).time_budget_overflow_check);
  CHECK(with<Img>(2, 0x20 << 16).bidirectional_weight == 32);
  CHECK(with<Img>(3, 120u << 16).picture_width == 120);
  CHECK(with<Img>(4, 1u << 18).bme_disable_for_fbr_message);
  CHECK(with<Img>(5, 67).picture_height_minus_one == 67);
  const auto offsets = with<Img>(7, 0x0102'80ff);
  CHECK(offsets.hme0_x_offset == -1);
  CHECK(offsets.hme0_y_offset == -128);
  CHECK(offsets.hme1_x_offset == 2);
  CHECK(offsets.hme1_y_offset == 1);
  CHECK(with<Img>(33, 0x0a33).max_qp == 0x33);
  CHECK(with<Img>(33, 0x0a33).min_qp == 0x0a);
  CHECK(with<Img>(34, 1u << 14).image_state_qp_override);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// CU records of Gen11 (iHD media driver, mhw_vdbox_hcp_g11_X.h, EncodeHevcCuDataG11), as the reconstructed picture shows their fields.
#include <random>

#include "hw/base/log.h"
#include "hw/surface/tiling.h"
#include "tests/unit/media/video_rig.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint32_t size = 64, pitch = 128, chroma_row = 64, rows = chroma_row + size / 2, ctb = 16, ctbs = size / ctb;
constexpr uint64_t source = 0x1'0000, reference = 0x2'0000, picture = 0x3'0000, motion = 0x4'0000, records = 0x5'0000, coded = 0x6'0000,
                   end = 0x8'0000;
constexpr int vector_x = 3, vector_y = -2;
/// Of the first box (mhw_mmio_g11.h, _g12.h).
constexpr uint32_t bytes_register = 0x1c'28a0, qp_register = 0x1c'28c0;

template <class G>
struct Rig : media::test::VideoRigOf<G> {
  using Base = media::test::VideoRigOf<G>;
  using Base::env, Base::registers, Base::send, Base::send_dwords, Base::video, Base::view;
  using Record = typename G::HCP_CU_RECORD;
  using Slice = typename G::HCP_SLICE_STATE;

  Rig() : Base(source, end) { clear_failure_counts(); }

  uint64_t at(uint64_t base, uint32_t x, uint32_t y) const {
    return base + surface::offset_of_bytes(surface::Tiling::y, wide ? 2 * x : x, y, pitch);
  }
  uint32_t sample(uint64_t base, uint32_t x, uint32_t y) {
    return wide ? view.template load<uint16_t>(at(base, x, y)) : view.template load<uint8_t>(at(base, x, y));
  }
  void set(uint64_t base, uint32_t x, uint32_t y, uint32_t value) {
    if (wide) view.store(at(base, x, y), static_cast<uint16_t>(value << 6));
    else view.store(at(base, x, y), static_cast<uint8_t>(value));
  }

  void begin() {
    typename G::HCP_PIPE_MODE_SELECT select{};
    select.codec_select = G::HCP_PIPE_MODE_SELECT::CodecSelect::ENCODE;
    send(select);
    using Surface = typename G::HCP_SURFACE_STATE;
    for (const auto id : {Surface::SurfaceID::HCP_CURRENT_DECODED_PICTURE, Surface::SurfaceID::HCP_SOURCE_INPUT_PICTURE}) {
      Surface surface{};
      surface.surface_id = id;
      surface.surface_pitch = pitch - 1;
      using Format = typename Surface::SurfaceFormat;
      surface.surface_format = !wide                                                ? Format::PLANAR_420_8
                               : id == Surface::SurfaceID::HCP_SOURCE_INPUT_PICTURE ? Format::P010
                                                                                    : Format::P010VARIANT;
      surface.y_offset_for_u_cb = chroma_row;
      send(surface);
    }
    typename G::HCP_PIPE_BUF_ADDR_STATE buffers{};
    buffers.decoded_picture_address = picture;
    buffers.current_mv_temporal_buffer_address = motion;
    buffers.original_uncompressed_picture_source_address = source;
    buffers.reference_picture_address[0] = reference;
    send(buffers);
    typename G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
    base.hcp_indirect_cu_object_base_address = records;
    base.hcp_pak_bse_object_base_address = coded, base.hcp_pak_bse_object_access_upper_bound = end;
    send(base);
    using State = typename G::HCP_PIC_STATE;
    State state{};
    state.frame_width_in_minimum_coding_block_size = state.frame_height_in_minimum_coding_block_size = size / 8 - 1;
    state.lcu_size = State::LCUSize::LCU_16X16, state.max_tu_size = State::MaxTUSize::TU_16X16;
    state.chroma_subsampling = static_cast<decltype(state.chroma_subsampling)>(1);
    state.luma_bit_depth = typename State::LumaBitDepth{wide ? 2u : 0u},
    state.chroma_bit_depth = typename State::ChromaBitDepth{wide ? 2u : 0u};
    state.cu_qp_delta_enable = true;
    state.transquant_bypass_enable = true;
    send(state);
  }
  /// A slice of coding units of a CTB each, all alike.
  void encode(const Record& record, bool is_inter) {
    begin();
    Slice slice{};
    slice.slice_type = is_inter ? Slice::SliceType::HCP_ST_P_SLICE : Slice::SliceType::HCP_ST_I_SLICE;
    slice.slice_qp = 30;
    slice.last_slice = true;
    slice.max_merge_index = 4;
    slice.slice_header_disable_deblocking_filter = true;
    slice.emulation_byte_slice_insert_enable = true;
    send(slice);
    typename G::HCP_REF_IDX_STATE references{};
    references.reference_list_entry[0].reference_picture_tb_value = 1;
    send(references);
    const auto dwords = record.pack();
    constexpr uint32_t room = (ctb / 8) * (ctb / 8) * Record::dwords * 4;  // of a CTB's records
    for (uint32_t i = 0; i < ctbs * ctbs; ++i) {
      view.write(records + i * room, dwords.data(), sizeof dwords);
      typename G::HCP_PAK_OBJECT object{};
      object.last_lcu_of_slice = i + 1 == ctbs * ctbs;
      object.current_lcu_x_address = i % ctbs, object.current_lcu_y_address = i / ctbs;
      object.dword_length = G::HCP_PAK_OBJECT::dwords - 2;
      send(object);
    }
    REQUIRE(video.flush({}, env) == ExecResult::done);
    CHECK(registers.peek(bytes_register) > 0);
  }
  /// Luma, of blocks whose references are in the picture.
  bool equals_source() {
    for (uint32_t y = ctb; y < size - ctb; ++y)
      for (uint32_t x = ctb; x < size - ctb; ++x)
        if (sample(picture, x, y) != sample(source, x, y)) return false;
    return true;
  }
  bool wide = false;  ///< 10 bits

  static Record record() {
    Record out{};
    out.cu_size = 1;
    out.intra_mode = 1;
    out.tu_size[0] = 2;
    out.cu_qp = 51;
    return out;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("hevc records: a block that bypasses transform and quantization is the source's", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  rig.wide = GENERATE(false, true);
  std::mt19937 random(5);
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < size; ++x) rig.set(source, x, y, static_cast<uint32_t>(random()) & 0x3ff);
  auto record = rig.record();
  rig.encode(record, false);
  CHECK_FALSE(rig.equals_source());
  CHECK(rig.registers.peek(qp_register) == 51 * ctbs * ctbs);
  record.cu_transquant_bypass = true;
  rig.encode(record, false);
  CHECK(rig.equals_source());
}

TEMPLATE_TEST_CASE("hevc records: a prediction block has its vector and list", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  std::mt19937 random(6);
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < size; ++x) rig.set(reference, x, y, static_cast<uint32_t>(random()));
  const auto inside = [](uint32_t at, int by) {
    return static_cast<uint32_t>(std::clamp(static_cast<int>(at) + by, 0, static_cast<int>(size) - 1));
  };
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) rig.set(source, x, y, rig.sample(reference, inside(x, vector_x), inside(y, vector_y)));
  auto record = rig.record();
  record.cu_pred_mode = decltype(record)::CUPredMode::INTER;
  for (unsigned i = 0; i < 2; ++i) record.mvx_l0[i] = vector_x * 4, record.mvy_l0[i] = vector_y * 4;
  rig.encode(record, true);
  CHECK(rig.equals_source());
  const unsigned half = GENERATE(0u, 1u);
  record.cu_part_mode = 1;  // two halves, one above the other
  record.mvx_l0[half] = 0;
  rig.encode(record, true);
  CHECK_FALSE(rig.equals_source());
}

TEMPLATE_TEST_CASE("hevc records: transform skip is counted", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  auto record = rig.record();
  record.tu_transform_skip = 1;
  rig.encode(record, false);
  CHECK(failure_count(Failure::unimplemented, "HCP_CU_RECORD") > 0);
}

TEMPLATE_TEST_CASE("hevc records: VDEnc of HCP is counted, and its objects have no effect", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  using Select = typename TestType::HCP_PIPE_MODE_SELECT;
  Select select{};
  select.codec_select = Select::CodecSelect::ENCODE;
  select.vdenc_mode = Select::VDEncMode::VM_VDENC_MODE;
  rig.send(select);
  CHECK(failure_count(Failure::unimplemented, "HCP_PIPE_MODE_SELECT") == 1);
  rig.send(typename TestType::VDENC_WALKER_STATE{});
  CHECK(failure_count(Failure::unimplemented, "VDENC_WALKER_STATE") == 1);
  CHECK_FALSE(rig.video.in_picture());
}

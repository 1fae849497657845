// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC encoding by PAK objects: what our decoder makes of the stream is the reconstructed picture, and its motion.
#include "hw/base/log.h"
#include "tests/unit/media/hevc_encode_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::test;

namespace {

constexpr uint32_t both_lists = 2;

/// Random coding trees.
struct Encoding : HevcEncodeRig {
  bool is_inter_slice() const { return slice.slice_type != G::HCP_SLICE_STATE::SliceType::HCP_ST_I_SLICE; }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random()) % limit; }

  /// Transform units of a coding block, in the order of decoding, at most 16 of them.
  void add_transforms(CuRecord& record, unsigned log2, unsigned depth) {
    const bool fits = record.tu_count + 4 <= 12;
    if (log2 > 5 || (log2 > 2 && depth && fits && below(2))) {
      for (unsigned i = 0; i < 4; ++i) add_transforms(record, log2 - 1, depth - (depth > 0));
      return;
    }
    record.tu_size[record.tu_count++] = log2 - 2;
  }

  CuRecord record_of(unsigned log2) {
    CuRecord record{};
    record.cu_size = log2 - 3;
    record.cu_qp = 22 + below(16);
    record.cu_transquant_bypass = below(8) == 0;
    record.intra_chroma_mode = below(2) ? 0 : 2 + below(4);
    record.tu_transform_skip_y = random() & 0xffff, record.tu_transform_skip_u = random() & 0xffff;
    if (is_inter_slice() && below(4)) record.cu_pred_mode = CuRecord::CUPredMode::INTER;
    // Halves of any block, quarters of the smallest, and uneven parts of the others.
    record.cu_part_mode = below(3) ? 0 : below(8);
    for (unsigned i = 0; i < 4; ++i) {
      record.intra_mode[i] = below(35);
      record.interpred_idc |= below(both_lists + 1) << 2 * i;
      const int range = below(8) ? 20 : 600;
      const auto component = [&] { return static_cast<int>(below(2 * static_cast<unsigned>(range))) - range; };
      record.mvx_l0[i] = component(), record.mvy_l0[i] = component(), record.mvx_l1[i] = component(), record.mvy_l1[i] = component();
      record.ref_idx_l0[i] = below(3), record.ref_idx_l1[i] = below(3);
    }
    add_transforms(record, log2, 2);
    record.tu_count -= 1;
    // Like the one before: a merge candidate often.
    if (record.cu_pred_mode == CuRecord::CUPredMode::INTER && below(2)) {
      record.mvx_l0 = kept.mvx_l0, record.mvy_l0 = kept.mvy_l0, record.mvx_l1 = kept.mvx_l1, record.mvy_l1 = kept.mvy_l1;
      record.ref_idx_l0 = kept.ref_idx_l0, record.ref_idx_l1 = kept.ref_idx_l1, record.interpred_idc = kept.interpred_idc;
    }
    kept = record;
    return record;
  }

  void add_units(uint32_t x, uint32_t y, unsigned log2, unsigned depth, unsigned path, uint32_t& splits, std::vector<CuRecord>& to) {
    if (x >= width || y >= height) return;
    const bool fits = x + (1u << log2) <= width && y + (1u << log2) <= height;
    if (log2 == 3 || (fits && below(3) == 0)) {
      to.push_back(record_of(log2));
      return;
    }
    static constexpr unsigned first_bit[] = {20, 16, 0};
    splits |= 1u << (first_bit[depth] + path);
    const uint32_t half = 1u << (log2 - 1);
    for (unsigned i = 0; i < 4; ++i) add_units(x + (i & 1) * half, y + (i >> 1) * half, log2 - 1, depth + 1, path * 4 + i, splits, to);
  }

  void encode_ctb(uint32_t ctb, bool is_last) {
    const uint32_t x = ctb % ctb_columns(), y = ctb / ctb_columns();
    std::vector<CuRecord> units;
    uint32_t splits = 0;
    add_units(x << log2_ctb(), y << log2_ctb(), log2_ctb(), 0, 0, splits, units);
    const uint32_t room = 1u << 2 * (log2_ctb() - 3);
    for (size_t i = 0; i < units.size(); ++i) {
      const auto dwords = units[i].pack();
      view.write(records + (ctb * room + i) * sizeof dwords, dwords.data(), sizeof dwords);
    }
    const auto count = static_cast<uint32_t>(units.size() - 1);
    const uint32_t dwords[] = {G::HCP_PAK_OBJECT::match | 3, uint32_t{is_last} << 31 | count << 24 | splits, y << 16 | x, 0, 0};
    send_dwords(dwords);
  }

  /// Picture `index` in two slices.
  void encode(unsigned index) {
    decoding = false;
    begin(index, false);
    const uint32_t count = ctb_columns() * ctb_rows(), half = count / 2;
    for (const uint32_t first : {0u, half}) {
      const uint32_t end = first ? count : half;
      if (first == end) continue;
      send_slice(index, first, end == count);
      insert_header();
      for (uint32_t ctb = first; ctb < end; ++ctb) encode_ctb(ctb, ctb + 1 == end);
    }
    REQUIRE(video.flush({}, env) == ExecResult::done);
  }

  void decode(unsigned index) {
    decoding = true;
    begin(index, true);
    const std::vector<uint8_t> bytes = bytes_at(coded, registers.peek(bytes_register));
    std::vector<uint32_t> starts;
    for (uint32_t i = 0; i + 2 < bytes.size(); ++i)
      if (!bytes[i] && !bytes[i + 1] && bytes[i + 2] == 1) starts.push_back(i);
    const uint32_t count = ctb_columns() * ctb_rows();
    REQUIRE(starts.size() == (count > 1 ? 2u : 1u));
    for (size_t i = 0; i < starts.size(); ++i) {
      const auto end = static_cast<uint32_t>(i + 1 < starts.size() ? starts[i + 1] : bytes.size());
      send_slice(index, i ? count / 2 : 0, i + 1 == starts.size());
      G::HCP_BSD_OBJECT object{};
      object.indirect_bsd_data_start_address = starts[i] + 3, object.indirect_bsd_data_length = end - starts[i] - 3;
      send(object);
    }
    REQUIRE(video.flush({}, env) == ExecResult::done);
    CHECK(registers.peek(reg::gen9::HCP_CABAC_STATUS) == 0);
  }

  void check(unsigned index) {
    encode(index);
    decode(index);
    CHECK(bytes_at(picture_at(index, false), picture_bytes) == bytes_at(picture_at(index, true), picture_bytes));
    CHECK(bytes_at(motion_at(index, false), motion_bytes) == bytes_at(motion_at(index, true), motion_bytes));
  }

  /// Mean of squared differences from the source, of luma of 8 bits.
  double error(unsigned index) {
    double sum = 0;
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        const uint64_t at = surface::offset_of_bytes(surface::Tiling::y, x, y, pitch());
        const double difference = view.load<uint8_t>(source + at) - view.load<uint8_t>(picture_at(index, false) + at);
        sum += difference * difference;
      }
    }
    return sum / (width * height);
  }

  /// Tools and sizes by the bits of `form`.
  void choose(unsigned form) {
    using Picture = G::HCP_PIC_STATE;
    random.seed(form);
    picture.lcu_size = static_cast<Picture::LCUSize>(1 + form % 3);
    if (picture.lcu_size == Picture::LCUSize::LCU_16X16) picture.max_tu_size = Picture::MaxTUSize::TU_16X16;
    picture.cu_qp_delta_enable = form & 1, picture.max_dqp_depth = form / 2 % 3;
    picture.sign_data_hiding = form & 2;
    picture.transform_skip_enable = form & 4;
    picture.amp_enable = form & 8;
    picture.transquant_bypass_enable = form & 16;
    picture.strong_intra_smoothing_enable = form & 4;
    picture.constrained_intra_prediction = (form & 12) == 12;
    picture.log2_parallel_merge_level = form / 4 % 3;
    picture.intra_max_transform_hierarchy_depth = form % 4, picture.inter_max_transform_hierarchy_depth = form / 2 % 4;
    picture.picture_cb_qp_offset = static_cast<int>(form % 5) - 2;
    slice.max_merge_index = form % 5;
    slice.cabac_init = form & 2;
    slice.mvd_l1_zero = form & 8;
    slice.slice_temporal_mvp_enable = form & 1;
    slice.slice_header_disable_deblocking_filter = form % 7 == 6;
    slice.collocated_from_l0 = true;
  }

  CuRecord kept{};
};

using SliceType = G::HCP_SLICE_STATE::SliceType;

}  // namespace

TEST_CASE("hevc encode: intra coding units of all sizes and modes") {
  for (unsigned form = 0; form < 48; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form);
    rig.slice.slice_type = SliceType::HCP_ST_I_SLICE;
    rig.slice.slice_qp = 24;
    rig.fill_source(form % 2 ? 60 : 2, 0);
    rig.check(0);
  }
}

TEST_CASE("hevc encode: P and B pictures with any partitions, vectors and references") {
  for (unsigned form = 0; form < 48; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form);
    for (unsigned index = 0; index < 4; ++index) {
      rig.slice.slice_type = index == 0 ? SliceType::HCP_ST_I_SLICE : index % 2 ? SliceType::HCP_ST_P_SLICE : SliceType::HCP_ST_B_SLICE;
      rig.fill_source(4, index * 3);
      rig.check(index);
    }
  }
}

TEST_CASE("hevc encode: 10 bits") {
  for (unsigned form = 0; form < 8; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form * 5);
    rig.picture.luma_bit_depth = G::HCP_PIC_STATE::LumaBitDepth{2}, rig.picture.chroma_bit_depth = G::HCP_PIC_STATE::ChromaBitDepth{2};
    for (unsigned index = 0; index < 2; ++index) {
      rig.slice.slice_type = index ? SliceType::HCP_ST_B_SLICE : SliceType::HCP_ST_I_SLICE;
      rig.fill_source(4, index * 3);
      rig.check(index);
    }
  }
}

TEST_CASE("hevc encode: the reconstruction is as near to the source as the QP says") {
  for (const auto& [qp, most] : {std::pair{4u, 0.5}, {22u, 12.0}, {37u, 300.0}}) {
    Encoding rig;
    rig.slice.slice_type = SliceType::HCP_ST_I_SLICE;
    rig.slice.slice_qp = qp;
    rig.fill_source(2, 0);
    rig.check(0);
    INFO("QP " << qp);
    CHECK(rig.error(0) < most);
  }
}

TEST_CASE("hevc encode: what did not move is skipped") {
  Encoding rig;
  rig.slice.slice_type = SliceType::HCP_ST_I_SLICE;
  rig.slice.slice_qp = 4;
  rig.fill_source(0, 0);
  rig.check(0);
  rig.slice.slice_type = SliceType::HCP_ST_P_SLICE;
  rig.slice.slice_qp = 40;
  rig.slice.slice_header_disable_deblocking_filter = true;
  rig.begin(1, false);
  rig.send_slice(1, 0, true);
  rig.insert_header();
  for (uint32_t ctb = 0; ctb < rig.ctb_columns() * rig.ctb_rows(); ++ctb) {
    CuRecord record{};
    record.cu_size = 2, record.cu_pred_mode = CuRecord::CUPredMode::INTER;
    const auto packed = record.pack();
    for (unsigned i = 0; i < 16; ++i) rig.view.write(HevcEncodeRig::records + (ctb * 16 + i) * sizeof packed, packed.data(), sizeof packed);
    const uint32_t dwords[] = {G::HCP_PAK_OBJECT::match | 3, 15u << 24, ctb / rig.ctb_columns() << 16 | ctb % rig.ctb_columns(), 0, 0};
    rig.send_dwords(dwords);
  }
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  CHECK(rig.registers.peek(HevcEncodeRig::bytes_register) < 3 + HevcEncodeRig::header_bytes + 8);
  CHECK(rig.registers.peek(HevcEncodeRig::plain_bytes_register) ==
        rig.registers.peek(HevcEncodeRig::bytes_register) - 3 - HevcEncodeRig::header_bytes);
  CHECK(rig.bytes_at(rig.picture_at(0, false), HevcEncodeRig::picture_bytes) ==
        rig.bytes_at(rig.picture_at(1, false), HevcEncodeRig::picture_bytes));
}

TEST_CASE("hevc encode: any records and objects make a stream that a decoder takes") {
  for (unsigned form = 0; form < 64; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form);
    rig.fill_source(4, 0);
    for (uint64_t at = HevcEncodeRig::records; at < HevcEncodeRig::records + 0x8000; at += 4)
      rig.view.store(at, static_cast<uint32_t>(rig.random()) & (form % 4 ? ~0u : 0x3f3f'3f3f));
    for (unsigned index = 0; index < 3; ++index) {
      rig.slice.slice_type = index == 0 ? SliceType::HCP_ST_I_SLICE : index % 2 ? SliceType::HCP_ST_P_SLICE : SliceType::HCP_ST_B_SLICE;
      rig.decoding = false;
      rig.begin(index, false);
      const uint32_t count = rig.ctb_columns() * rig.ctb_rows();
      for (const uint32_t first : {0u, count / 2}) {
        if (first == count) continue;
        rig.send_slice(index, first, first != 0);
        rig.insert_header();
        for (uint32_t ctb = first; ctb < (first || count == 1 ? count : count / 2); ++ctb) {
          const uint32_t wrong[] = {G::HCP_PAK_OBJECT::match | 3, static_cast<uint32_t>(rig.random()) & 0x7fff'ffff,
                                    static_cast<uint32_t>(rig.random()) | 0x100, 0, 0};
          const uint32_t right[] = {wrong[0], wrong[1], ctb / rig.ctb_columns() << 16 | ctb % rig.ctb_columns(), 0, 0};
          rig.send_dwords(wrong);
          rig.send_dwords(right);
        }
        if (count == 1) break;
      }
      REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
      rig.decode(index);
      CHECK(rig.bytes_at(rig.picture_at(index, false), HevcEncodeRig::picture_bytes) ==
            rig.bytes_at(rig.picture_at(index, true), HevcEncodeRig::picture_bytes));
    }
  }
}

TEST_CASE("hevc encode: a picture without all of its slices, a slice out of place, and a bound end it") {
  Encoding rig;
  rig.slice.slice_type = SliceType::HCP_ST_I_SLICE;
  rig.fill_source(60, 0);
  rig.begin(0, false);
  rig.send_slice(0, 5'000, true);
  rig.encode_ctb(0, false);
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
  base.hcp_indirect_cu_object_base_address = HevcEncodeRig::records;
  base.hcp_pak_bse_object_base_address = HevcEncodeRig::coded, base.hcp_pak_bse_object_access_upper_bound = HevcEncodeRig::coded + 16;
  rig.begin(0, false);
  rig.send(base);
  rig.send_slice(0, 0, true);
  rig.insert_header();
  for (uint32_t ctb = 0; ctb < 2; ++ctb) rig.encode_ctb(ctb, false);
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  CHECK(rig.registers.peek(HevcEncodeRig::bytes_register) == 16);
  CHECK(rig.view.load<uint32_t>(HevcEncodeRig::coded + 16) == 0);
}

TEST_CASE("hevc encode: a stop request ends a picture") {
  Encoding rig;
  rig.slice.slice_type = SliceType::HCP_ST_I_SLICE;
  rig.begin(0, false);
  rig.send_slice(0, 0, true);
  rig.stop.request(StopFlag::reset);
  const uint32_t dwords[] = {G::HCP_PAK_OBJECT::match | 3, 0, 0, 0, 0};
  const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::video, dwords[0]);
  CHECK(rig.video.execute({0x1000, command, dwords}, rig.env) == ExecResult::aborted);
  CHECK_FALSE(rig.video.in_picture());
}

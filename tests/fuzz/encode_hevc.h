// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC pictures by PAK objects: coding trees of any split and any records, in one to three slices.
#pragma once

#include "tests/fuzz/encode_rig.h"
#include "tests/unit/media/hevc_encode_pictures.h"

namespace softgen::fuzz {

class HevcPictures : media::test::HevcEncodePictures<UnitTestRig> {
  using Type = media::test::G::HCP_SLICE_STATE::SliceType;
  using Picture = media::test::G::HCP_PIC_STATE;
  using Record = media::test::CuRecord;

 public:
  explicit HevcPictures(EncodeRig& rig) : HevcEncodePictures(rig) {}

  void run() {
    StateSource& in = rig.in();
    random.seed(in.take<uint16_t>());
    choose();
    for (unsigned index = 0, count = in.one_in(6) ? 3 : 1 + in.below(2); index < count && !rig.is_aborted(); ++index) {
      slice.slice_type = !index ? Type::HCP_ST_I_SLICE : in.one_in(2) ? Type::HCP_ST_P_SLICE : Type::HCP_ST_B_SLICE;
      decoding = false;
      fill_source(in.one_in(3) ? 160 : in.below(16), index * 3);
      encode(index);
      if (rig.is_legal()) decode(index);
    }
  }

 private:
  /// Tools and sizes.
  void choose() {
    StateSource& in = rig.in();
    const auto flag = [&] { return in.one_in(2); };
    // Most pictures are small: the time goes into the number of different ones.
    if (!in.one_in(8)) {
      picture.frame_width_in_minimum_coding_block_size = in.below(5);
      picture.frame_height_in_minimum_coding_block_size = in.below(5);
    }
    const unsigned ctb = 1 + in.below(3);
    picture.lcu_size = static_cast<Picture::LCUSize>(ctb);
    picture.max_tu_size = static_cast<Picture::MaxTUSize>(std::min(1 + in.below(3), ctb + 1));
    picture.min_tu_size = Picture::MinTUSize::TU_4X4;
    if (in.one_in(6)) picture.luma_bit_depth = Picture::LumaBitDepth{2}, picture.chroma_bit_depth = Picture::ChromaBitDepth{2};
    picture.cu_qp_delta_enable = flag(), picture.max_dqp_depth = in.below(3);
    picture.sign_data_hiding = flag(), picture.transform_skip_enable = flag(), picture.amp_enable = flag();
    picture.transquant_bypass_enable = flag(), picture.strong_intra_smoothing_enable = flag();
    picture.constrained_intra_prediction = in.one_in(4);
    picture.sample_adaptive_offset_enable = in.one_in(4);
    picture.log2_parallel_merge_level = in.below(3);
    picture.intra_max_transform_hierarchy_depth = in.below(4), picture.inter_max_transform_hierarchy_depth = in.below(4);
    picture.picture_cb_qp_offset = static_cast<int>(in.below(25)) - 12, picture.picture_cr_qp_offset = static_cast<int>(in.below(25)) - 12;
    picture.weighted_predication_enable = in.one_in(4), picture.weighted_bipredication_enable = in.one_in(4);
    slice.slice_qp = in.below(52);
    slice.max_merge_index = in.below(5);
    slice.cabac_init = flag(), slice.mvd_l1_zero = flag(), slice.slice_temporal_mvp_enable = flag();
    slice.slice_header_disable_deblocking_filter = in.one_in(4), slice.slice_loop_filter_enable = flag();
    slice.slice_beta_offset_div2 = static_cast<int>(in.below(13)) - 6, slice.slice_tc_offset_div2 = static_cast<int>(in.below(13)) - 6;
    slice.slice_sao_luma = flag(), slice.slice_sao_chroma = flag();
    slice.log2_weight_denominator_luma = in.below(8), slice.log2_weight_denominator_chroma = in.below(8);
    slice.collocated_from_l0 = true;
  }

  void choose_weights() {
    for (uint32_t list = 0; list < 2; ++list) {
      weights_[list] = rig.in().packet(*defs::gen9::commands.find("HCP_WEIGHTOFFSET_STATE"));
      weights_[list][1] = list;
    }
  }
  void send_weights(unsigned index) {
    if (!index) return;
    for (const auto& packet : weights_) send_dwords(packet);
  }

  void write_records(uint32_t ctb) {
    StateSource& in = rig.in();
    const uint32_t room = 1u << 2 * (log2_ctb() - 3);
    for (uint32_t i = 0; i < room; ++i) {
      if (i && in.one_in(2)) record_.cu_pred_mode = static_cast<Record::CUPredMode>(in.below(2));  // like the one before: merging
      else fill_record();
      const auto dwords = record_.pack();
      view.write(records + (ctb * room + i) * sizeof dwords, dwords.data(), sizeof dwords);
    }
  }
  void fill_record() {
    StateSource& in = rig.in();
    std::array<uint32_t, Record::dwords> dwords{};
    in.fill(*defs::gen9::commands.find_structure("HCP_CU_RECORD"), dwords);
    record_ = Record::unpack(dwords);
    if (in.one_in(8)) return;
    // Modes that exist, and vectors that meet the picture.
    record_.cu_qp = in.below(52);
    for (unsigned i = 0; i < 4; ++i) {
      record_.intra_mode[i] = in.below(35);
      record_.ref_idx_l0[i] = in.below(3), record_.ref_idx_l1[i] = in.below(3);
      for (auto* list : {&record_.mvx_l0, &record_.mvy_l0, &record_.mvx_l1, &record_.mvy_l1})
        (*list)[i] = in.one_in(6) ? (*list)[i] : in.take<int8_t>() / 4;
    }
  }

  void encode(unsigned index) {
    StateSource& in = rig.in();
    const uint32_t count = ctb_columns() * ctb_rows();
    starts_ = {0};
    for (unsigned i = in.below(3); i; --i)
      if (const uint32_t at = in.below(count); at > starts_.back()) starts_.push_back(at);
    choose_weights();
    for (uint32_t ctb = 0; ctb < count; ++ctb) write_records(ctb);
    rig.watch({{picture_at(index, false), picture_at(index, false) + picture_bytes},
               {motion_at(index, false), motion_at(index, false) + motion_bytes},
               {coded, coded_end}});
    begin(index, false);
    for (size_t i = 0; i < starts_.size(); ++i) {
      const uint32_t end = i + 1 < starts_.size() ? starts_[i + 1] : count;
      send_slice(index, starts_[i], end == count);
      send_weights(index);
      insert_header();
      for (uint32_t ctb = starts_[i]; ctb < end; ++ctb) {
        const uint32_t match = media::test::G::HCP_PAK_OBJECT::match | 3, tree = in.take<uint32_t>() & 0x3fff'ffff;
        const uint32_t place = ctb / ctb_columns() << 16 | ctb % ctb_columns();
        const bool is_last = ctb + 1 == end;
        if (in.one_in(16)) send_object({match, tree, static_cast<uint32_t>(in.number(32)) | 0x100, 0, 0});
        send_object({match, uint32_t{is_last} << 31 | tree, place, 0, 0});
      }
    }
    rig.flush();
  }
  void send_object(const std::array<uint32_t, 5>& dwords) { send_dwords(dwords); }

  void decode(unsigned index) {
    decoding = true;
    rig.watch({{picture_at(index, true), picture_at(index, true) + picture_bytes},
               {motion_at(index, true), motion_at(index, true) + motion_bytes}});
    const std::vector<uint8_t> bytes = rig.bytes_at(coded, rig.peek(bytes_register));
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i + 2 < bytes.size(); ++i)
      if (!bytes[i] && !bytes[i + 1] && bytes[i + 2] == 1) found.push_back(i);
    require(found.size() == starts_.size(), "each slice has a start code");
    begin(index, true);
    for (size_t i = 0; i < found.size(); ++i) {
      const auto end = static_cast<uint32_t>(i + 1 < found.size() ? found[i + 1] : bytes.size());
      send_slice(index, starts_[i], i + 1 == found.size());
      send_weights(index);
      media::test::G::HCP_BSD_OBJECT object{};
      object.indirect_bsd_data_start_address = found[i] + 3, object.indirect_bsd_data_length = end - found[i] - 3;
      send(object);
    }
    rig.flush();
    if (rig.is_aborted()) return;
    require(rig.peek(reg::gen9::HCP_CABAC_STATUS) == 0, "HEVC: the stream decodes");
    rig.require_equal(picture_at(index, false), picture_at(index, true), picture_bytes, "HEVC: the decoder has the reconstruction");
    rig.require_equal(motion_at(index, false), motion_at(index, true), motion_bytes, "HEVC: the decoder has the same motion");
  }

  std::vector<uint32_t> starts_;  ///< CTBs that begin slices
  std::array<EncodeRig::Packet, 2> weights_;
  Record record_{};
};

}  // namespace softgen::fuzz

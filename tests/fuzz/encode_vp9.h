// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 pictures by PAK objects: superblocks of any split and any records, key and inter pictures, segments and tiles.
#pragma once

#include "tests/fuzz/encode_rig.h"
#include "tests/unit/media/vp9_encode_pictures.h"

namespace softgen::fuzz {

class Vp9Pictures : media::test::Vp9EncodePictures<UnitTestRig> {
 public:
  explicit Vp9Pictures(EncodeRig& rig) : Vp9EncodePictures(rig) {}

  void run() {
    StateSource& in = rig.in();
    random.seed(in.take<uint16_t>());
    choose();
    fill_probabilities();
    clear_segments();
    for (unsigned index = 0, count = in.one_in(6) ? 3 : 1 + in.below(2); index < count && !rig.is_aborted(); ++index) {
      choose_picture(index);
      fill_source(in.one_in(3) ? 160 : in.below(16), index * 3);
      encode(index);
      // The largest picture of noise may be beyond the bound: no stream to decode.
      if (rig.peek(bytes_register) >= coded_end - coded) return;
      if (rig.is_legal()) decode(index);
    }
  }

 private:
  void clear_segments() {
    const std::array<uint8_t, 0x2000> zeros{};
    view.write(segments_at(false), zeros.data(), zeros.size());
  }

  void choose() {
    StateSource& in = rig.in();
    const auto flag = [&] { return in.one_in(2); };
    // Most pictures are small: the time goes into the number of different ones.
    if (in.one_in(16)) set_size(200, 136);
    else set_size(8 * (1 + in.below(10)), 8 * (1 + in.below(9)));
    tx_mode = in.below(5);
    picture.luma_ac_q_index_delta = in.take<uint8_t>();
    picture.luma_dc_q_index_delta = in.below(32), picture.chroma_dc_q_index_delta = in.below(32),
    picture.chroma_ac_q_index_delta = in.below(32);
    picture.filter_level = in.one_in(4) ? 0 : in.below(64), picture.sharpness_level = in.below(8);
    for (uint32_t* delta : {&picture.lf_ref_delta_0, &picture.lf_ref_delta_1, &picture.lf_ref_delta_2, &picture.lf_ref_delta_3,
                            &picture.lf_mode_delta_0, &picture.lf_mode_delta_1})
      *delta = in.below(128);
    picture.lossless_mode = in.one_in(8);
    picture.refresh_frame_context_enable = flag(), picture.adapt_probabilities = flag();
    picture.allow_hi_precision_mv = flag();
    picture.motion_compensation_filter_type = static_cast<Picture::MotionCompensationFilterType>(in.below(5));
    picture.segmentation_enable = in.one_in(3);
    picture.log2_tile_column = static_cast<Picture::Log2TileColumn>(in.one_in(8) ? in.below(2) : 0);
    picture.log2_tile_row = static_cast<Picture::Log2TileRow>(in.one_in(4) ? in.below(3) : 0);
    for (auto& segment : segments) {
      segment.segment_qindex_delta = in.below(512), segment.segment_lf_level_delta = in.below(128);
      segment.segment_reference_enable = in.one_in(6), segment.segment_reference = in.below(4);
      segment.segment_skipped = in.one_in(8);
    }
  }

  void choose_picture(unsigned index) {
    StateSource& in = rig.in();
    picture.frame_type = index ? Picture::FrameType::VP9_INTER_FRAME : Picture::FrameType::VP9_KEY_FRAME;
    picture.intra_only = index && in.one_in(6);
    picture.last_frame_type = static_cast<Picture::LastFrameType>(in.below(2));
    picture.use_prev_in_find_mv_references = index && in.one_in(2);
    picture.reference_frame_sign_bias = in.below(8);
    reference_mode = in.below(3);
    picture.segmentation_update_map = picture.segmentation_enable && in.one_in(2);
    picture.segmentation_temporal_update = picture.segmentation_update_map && in.one_in(2);
  }

  void write_records(uint32_t superblock) {
    StateSource& in = rig.in();
    std::array<std::array<uint32_t, Record::dwords>, 64> all;
    for (auto& dwords : all) {
      if (in.one_in(2)) fill_record();
      dwords = record_.pack();
    }
    view.write(records + superblock * sizeof all, all.data(), sizeof all);
  }
  void fill_record() {
    StateSource& in = rig.in();
    std::array<uint32_t, Record::dwords> dwords{};
    in.fill(*defs::gen9::commands.find_structure("HCP_VP9_CU_RECORD"), dwords);
    record_ = Record::unpack(dwords);
    if (in.one_in(8)) return;
    for (unsigned i = 0; i < 4; ++i) {
      record_.intra_mode[i] = in.below(10);
      for (auto* list : {&record_.mvx_l0, &record_.mvy_l0, &record_.mvx_l1, &record_.mvy_l1})
        (*list)[i] = in.one_in(6) ? (*list)[i] : in.take<int8_t>() / 4;
    }
  }

  void encode(unsigned index) {
    for (uint32_t i = 0; i < columns() * rows(); ++i) write_records(i);
    write_bins();
    watch(index, false);
    begin(index, false);
    insert_header();
    each_superblock([&](uint32_t x, uint32_t y) { send_superblock(x, y); });
    rig.flush();
  }
  void send_superblock(uint32_t x, uint32_t y) {
    StateSource& in = rig.in();
    const uint32_t match = G::HCP_VP9_PAK_OBJECT::match | 1, tree = in.take<uint32_t>() & 0x3f1f'ffff;
    const uint32_t wrong[] = {match, tree, static_cast<uint32_t>(in.number(32)) | 0x100}, right[] = {match, tree, y << 16 | x};
    if (in.one_in(16)) send_dwords(wrong);
    // One that is missing gets other blocks.
    if (!in.one_in(32)) send_dwords(right);
  }

  void watch(unsigned index, bool decoded) {
    std::vector<EncodeRig::Range> ranges = {{picture_at(index, decoded), picture_at(index, decoded) + picture_bytes},
                                            {motion_at(index, decoded), motion_at(index, decoded) + motion_bytes},
                                            {probabilities_at(decoded), probabilities_at(decoded) + media::vp9::probability_bytes},
                                            {segments_at(decoded), segments_at(decoded) + 0x1000}};
    if (!decoded) ranges.emplace_back(coded, coded_end);
    rig.watch(std::move(ranges));
  }

  void decode(unsigned index) {
    watch(index, true);
    begin(index, true);
    G::HCP_BSD_OBJECT object{};
    object.indirect_bsd_data_start_address = header_bytes;
    object.indirect_bsd_data_length = rig.peek(bytes_register) - header_bytes;
    send(object);
    rig.flush();
    if (rig.is_aborted()) return;
    require(rig.peek(reg::gen9::HCP_CABAC_STATUS) == 0, "VP9: the stream decodes");
    rig.require_equal(picture_at(index, false), picture_at(index, true), picture_bytes, "VP9: the decoder has the reconstruction");
    rig.require_equal(motion_at(index, false), motion_at(index, true), motion_bytes, "VP9: the decoder has the same motion");
    rig.require_equal(probabilities_at(false), probabilities_at(true), media::vp9::probability_bytes,
                      "VP9: the decoder has the same probabilities");
    rig.require_equal(segments_at(false), segments_at(true), 0x1000, "VP9: the decoder has the same segments");
  }

  Record record_{};
};

}  // namespace softgen::fuzz

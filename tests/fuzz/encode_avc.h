// SPDX-License-Identifier: GPL-2.0-or-later
// H.264 pictures by PAK objects or by VDEnc, in slices, from the packets that iHD sends.
#pragma once

#include <bit>

#include "tests/fuzz/encode_pictures.h"

namespace softgen::fuzz {

class AvcPictures : MfxPictures {
  using Image = G::MFX_AVC_IMG_STATE;
  using Slice = G::MFX_AVC_SLICE_STATE;
  using Object = G::MFC_AVC_PAK_OBJECT;
  using Type = Slice::SliceType;
  static constexpr uint32_t start_code = 0x6501'0000;  ///< and the NAL unit's first byte

 public:
  AvcPictures(EncodeRig& rig, bool vdenc) : MfxPictures(rig), vdenc_(vdenc) {}

  void run() {
    StateSource& in = rig_.in();
    choose_size();
    choose();
    for (unsigned index = 0, pictures = 1 + in.below(3); index < pictures && !rig_.is_aborted(); ++index) {
      type_ = !index ? Type::AVC_ST_I_SLICE : vdenc_ || in.one_in(2) ? Type::AVC_ST_P_SLICE : Type::AVC_ST_B_SLICE;
      fill_source(index * 3);
      choose_slices(index);
      encode(index);
      if (rig_.is_legal()) decode(index);
    }
  }

 private:
  void choose() {
    StateSource& in = rig_.in();
    const auto flag = [&] { return in.one_in(2); };
    image_.frame_size = count();
    image_.frame_width = columns_ - 1, image_.frame_height = rows_ - 1;
    image_.chroma_format_idc = Image::ChromaFormatIDC::_4_2_0_PICTURE;
    image_.frame_mb_only = true;
    image_.entropy_coding_mode = flag() ? Image::EntropyCodingMode::CABAC : Image::EntropyCodingMode::CAVLC;
    image_._8x8_idct_transform_mode = flag(), image_.direct_8x8_inference = flag(), image_.constrained_intra_prediction = in.one_in(4);
    image_.weighted_prediction_enable = flag();
    image_.weighted_biprediction_idc = static_cast<Image::WeightedBiPredictionIDC>(in.below(3));
    image_.first_chroma_qp_offset = static_cast<int>(in.below(25)) - 12,
    image_.second_chroma_qp_offset = static_cast<int>(in.below(25)) - 12;
    filtered_ = !in.one_in(8), scales_ = in.one_in(4), has_motion_ = !in.one_in(4);
    is_flat_ = flag();
    for (auto& matrix : matrices_)
      for (uint32_t& value : matrix) value = is_flat_ ? 16 : 1 + in.below(255);
    first_poc_ = in.one_in(4) ? in.take<uint32_t>() : 0;
    for (uint32_t& weight : weights_.weight_offset)
      weight = in.one_in(4) ? static_cast<uint32_t>(in.take<int8_t>()) & 0xffff : 32;  // offset 0
    for (unsigned i = in.below(8); i; --i) in.one_of(weights_.weight_offset) += static_cast<uint32_t>(in.take<int8_t>()) << 16;
  }

  /// One to three slices of one picture: their first macroblocks, and what each is like.
  void choose_slices(unsigned index) {
    StateSource& in = rig_.in();
    slices_.clear();
    starts_ = {0};
    const uint32_t unit = vdenc_ ? columns_ : 1;  // VDEnc's slices are rows
    for (unsigned i = in.below(3); i; --i)
      if (const uint32_t at = in.below(count() / unit) * unit; at > starts_.back()) starts_.push_back(at);
    // Drivers take what comes before the filter where no slice is filtered.
    const uint32_t deblocking = !filtered_ ? 1 : in.one_in(2) ? 0 : in.below(3);
    for (const uint32_t at : starts_) {
      Slice slice{};
      slice.slice_type = type_;
      if (type_ != Type::AVC_ST_I_SLICE) slice.number_of_reference_pictures_in_inter_prediction_list_0 = 1 + in.below(index);
      if (type_ == Type::AVC_ST_B_SLICE) slice.number_of_reference_pictures_in_inter_prediction_list_1 = 1 + in.below(index);
      slice.log2_weight_denominator_luma = slice.log2_weight_denominator_chroma = in.one_in(2) ? 5 : in.below(8);
      slice.direct_prediction_type = static_cast<Slice::DirectPredictionType>(in.below(2));
      slice.disable_deblocking_filter_indicator = deblocking;
      slice.cabac_init_idc = in.below(3);
      slice.slice_quantization_parameter = in.below(52);
      slice.slice_alpha_c0_offset_div2 = static_cast<int>(in.below(13)) - 6,
      slice.slice_beta_offset_div2 = static_cast<int>(in.below(13)) - 6;
      slice.slice_vertical_position = at / columns_, slice.slice_horizontal_position = at % columns_;
      slice.mb_type_direct_conversion_disable = in.one_in(8), slice.mb_type_skip_conversion_disable = in.one_in(8);
      slice.last_slice_group = at == starts_.back();
      slice.emulation_byte_slice_insert_enable = true;
      slices_.push_back(slice);
    }
  }

  void send_state(unsigned index, bool decodes) {
    send_select(G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_AVC, !decodes, vdenc_ && !decodes, filtered_, scales_ && !decodes);
    send_surfaces();
    send_buffers(index, decodes);
    rig_.send(image_);
    for (unsigned kind = 0; kind < 4; ++kind) {
      G::MFX_QM_STATE matrix{};
      matrix.avc = static_cast<decltype(matrix.avc)>(kind);
      std::ranges::copy(matrices_[kind], matrix.forward_quantizer_matrix.begin());
      rig_.send(matrix);
    }
    G::MFX_AVC_DIRECTMODE_STATE direct{};
    for (unsigned i = 0; i < index && has_motion_; ++i) direct.direct_mv_buffer_address[i] = motion_at(i, decodes);
    direct.direct_mv_buffer_write_address = has_motion_ ? motion_at(index, decodes) : 0;
    for (unsigned i = 0; i < 32; ++i) direct.poc_list[i] = first_poc_ + i / 2 * 8;
    direct.poc_list[32] = direct.poc_list[33] = first_poc_ + (index ? index * 8 - 4 : 0);
    rig_.send(direct);
    if (vdenc_ && !decodes) {
      G::VDENC_IMG_STATE vdenc{};
      vdenc.max_horizontal_mv_range = rig_.in().one_in(2) ? 0 : rig_.in().take<uint16_t>(), vdenc.max_vertical_mv_range = 512;
      rig_.send(vdenc);
    }
  }
  /// All before it, from the last one on in list 0, from the first one on in list 1.
  void send_slice(unsigned index, const Slice& slice) {
    rig_.send(slice);
    for (uint32_t list = 0; list < 2; ++list) {
      G::MFX_AVC_REF_IDX_STATE references{};
      references.reference_picture_list_select = list;
      references.reference_list_entry.fill(0x80);
      for (uint32_t i = 0; i < index; ++i) references.reference_list_entry[i] = (list ? i : index - 1 - i) << 1;
      rig_.send(references);
      weights_.weight_and_offset_select = static_cast<decltype(weights_.weight_and_offset_select)>(list);
      rig_.send(weights_);
    }
  }

  void write_vectors() {
    StateSource& in = rig_.in();
    std::vector<uint32_t> words(count() * 32);
    const unsigned range = in.one_in(6) ? 0x1'0000 : 1 + in.below(120);
    uint32_t kept = 0;
    for (uint32_t& word : words) {
      const auto component = [&] { return static_cast<uint32_t>(random_() % (2 * range)) - range; };
      if (random_() % 4 == 0) kept = (component() & 0xffff) | component() << 16;
      word = random_() % 8 ? kept : 0;
    }
    rig_.view.write(vectors, words.data(), words.size() * 4);
  }

  void encode(unsigned index) {
    StateSource& in = rig_.in();
    if (!vdenc_) write_vectors();
    std::vector<EncodeRig::Range> ranges{picture_range(index, false), {coded, coded_end}};
    if (has_motion_) ranges.push_back(motion_range(index, false));
    if (scales_) ranges.push_back({scaled, scaled + picture_bytes});
    rig_.watch(std::move(ranges));
    send_state(index, false);
    using Insert = G::MFX_PAK_INSERT_OBJECT;
    constexpr uint32_t protects = 4 << 4 | 1 << 3, is_slice = 1 << 14, one_bit = 1 << 8;
    for (size_t i = 0; i < slices_.size(); ++i) {
      send_slice(index, slices_[i]);
      const uint32_t end = i + 1 < starts_.size() ? starts_[i + 1] : count();
      if (!vdenc_) {
        rig_.insert(Insert::match, protects, {start_code});
        for (uint32_t at = starts_[i]; at < end; ++at) {
          if (in.one_in(24)) send_object(at + 1 + in.below(count()), false);  // not the next: left out
          send_object(at, at + 1 == end);
        }
        continue;
      }
      // One bit stands where first_mb_in_slice goes.
      rig_.insert(Insert::match, is_slice | protects | one_bit, {start_code, 0});
      G::VDENC_WALKER_STATE walker{};
      walker.mb_lcu_start_y_position = starts_[i] / columns_, walker.next_slice_mb_lcu_start_y_position = end / columns_;
      rig_.send(walker);
      if (in.one_in(2) && i + 1 < slices_.size()) rig_.send_dwords(std::array<uint32_t, 2>{G::VD_PIPELINE_FLUSH::match, 0});
    }
    rig_.flush();
  }
  void send_object(uint32_t at, bool is_last) {
    StateSource& in = rig_.in();
    std::array<uint32_t, Object::dwords> dwords{};
    in.fill(*defs::gen9::commands.find("MFC_AVC_PAK_OBJECT"), dwords);
    Object object = Object::unpack(dwords);
    object.mb_x = at % columns_, object.mb_y = at / columns_;
    object.last_mb = is_last;
    object.field_mb = false;
    object.indirect_pak_mv_data_start_address_offset = in.one_in(12) ? in.below(0x4100) : at % count() * 128;
    object.mv_format = in.one_in(16) ? in.below(8) : in.one_in(2) ? 6 : 4;
    if (!in.one_in(8)) object.qp_prime_y = in.one_in(2) ? 30 : in.below(52);
    if (object.intra_mb_mode == Object::IntraMBMode::MODE_PCM && !in.one_in(4)) object.intra_mb_mode = Object::IntraMBMode::MODE_4X4;
    object.intra_mb = in.one_in(3);
    if (!in.one_in(4)) object.cbp_y = 0xffff, object.cbp_u = object.cbp_v = 0xf, object.cbp_dc_y = object.cbp_dc_u = object.cbp_dc_v = true;
    if (!in.one_in(4)) object.skip_8x8_pattern = 15;
    object.skip_mb = in.one_in(6);
    if (!in.one_in(6))
      for (unsigned i = 0; i < 4; ++i) object.reference_l0[i] = in.below(2), object.reference_l1[i] = in.below(2);
    // B_L0_16x16 and on (H.264, table 7-14); quarters by their own prediction modes.
    if (!in.one_in(8)) {
      object.mb_type = object.inter_mb_mode == Object::InterMBMode::INTER_16X16 ? 1 + in.below(3) : 4 + in.below(18);
      object.sub_mb_prediction_mode = 0;
      for (unsigned i = 0; i < 4; ++i) object.sub_mb_prediction_mode |= in.below(3) << 2 * i;
    }
    rig_.send(object);
  }

  void decode(unsigned index) {
    const std::vector<uint8_t> bytes = stream();
    const std::vector<uint32_t> found = units(bytes);
    require(found.size() == slices_.size() + 1, "each slice has a start code");
    std::vector<EncodeRig::Range> ranges{picture_range(index, true)};
    if (has_motion_) ranges.push_back(motion_range(index, true));
    rig_.watch(std::move(ranges));
    send_state(index, true);
    for (size_t i = 0; i < slices_.size(); ++i) {
      send_slice(index, slices_[i]);
      G::MFD_AVC_BSD_OBJECT object{};
      object.indirect_bsd_data_start_address = found[i], object.indirect_bsd_data_length = found[i + 1] - 3 - found[i];
      // Behind ue(first_mb_in_slice), where VDEnc wrote it; CABAC begins at a byte.
      const auto bits = vdenc_ ? 2 * static_cast<uint32_t>(std::bit_width(starts_[i] + 1)) - 1 : 0;
      const bool is_cabac = image_.entropy_coding_mode == Image::EntropyCodingMode::CABAC;
      object.inline_data.first_mb_byte_offset_of_slice_data_or_slice_header = 1 + (is_cabac ? (bits + 7) / 8 : bits / 8);
      object.inline_data.first_mb_bit_offset = is_cabac ? 0 : bits % 8;
      rig_.send(object);
    }
    rig_.flush();
    if (rig_.is_aborted()) return;
    require(rig_.peek(reg::gen9::MFD_ERROR_STATUS) == 0, "H.264: the stream decodes");
    rig_.require_equal(picture_at(index, false), picture_at(index, true), picture_bytes, "H.264: the decoder has the reconstruction");
    if (has_motion_)
      rig_.require_equal(motion_at(index, false), motion_at(index, true), motion_bytes, "H.264: the decoder has the same motion");
  }

  const bool vdenc_;
  Image image_{};
  std::array<std::array<uint32_t, 64>, 4> matrices_{};
  G::MFX_AVC_WEIGHTOFFSET_STATE weights_{};
  bool filtered_ = true, scales_ = false, has_motion_ = true, is_flat_ = true;
  uint32_t first_poc_ = 0;
  Type type_{};
  std::vector<uint32_t> starts_;  ///< macroblocks that begin slices
  std::vector<Slice> slices_;
};

}  // namespace softgen::fuzz

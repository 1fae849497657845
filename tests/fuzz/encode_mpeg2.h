// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2 pictures by PAK objects, as i965-va-driver sends them.
#pragma once

#include "tests/fuzz/encode_pictures.h"

namespace softgen::fuzz {

class Mpeg2Pictures : MfxPictures {
  using Picture = G::MFX_MPEG2_PIC_STATE;
  using Object = G::MFC_MPEG2_PAK_OBJECT;
  using Type = Picture::PictureCodingType;

  struct Slice {
    uint32_t x, y, scale;
  };

 public:
  explicit Mpeg2Pictures(EncodeRig& rig) : MfxPictures(rig) {}

  void run() {
    StateSource& in = rig_.in();
    choose_size();
    for (unsigned index = 0, pictures = 1 + in.below(3); index < pictures && !rig_.is_aborted(); ++index) {
      choose(!index ? Type::MPEG_I_PICTURE : in.one_in(2) ? Type::MPEG_P_PICTURE : Type::MPEG_B_PICTURE);
      fill_source(index * 3);
      encode(index);
      if (rig_.is_legal()) decode(index);
    }
  }

 private:
  void choose(Type type) {
    StateSource& in = rig_.in();
    picture_ = {};
    picture_.picture_coding_type = type;
    picture_.picture_structure = Picture::PictureStructure::MPEG_FRAME;
    picture_.frame_width_in_mbs = columns_ - 1, picture_.frame_height_in_mbs = rows_ - 1;
    picture_.f_code_0_0 = 1 + in.below(9), picture_.f_code_0_1 = 1 + in.below(9);
    picture_.f_code_1_0 = 1 + in.below(9), picture_.f_code_1_1 = 1 + in.below(9);
    picture_.frame_prediction_frame_dct = in.below(2), picture_.concealment_mv = in.one_in(4);
    picture_.intra_vlc_format = in.below(2), picture_.intra_dc_precision = in.below(4);
    picture_.scan_order = static_cast<Picture::ScanOrder>(in.below(2));
    picture_.quantizer_scale_type = static_cast<Picture::QuantizerScaleType>(in.below(2));
    picture_.round_intra_dc = in.below(4), picture_.round_intra_ac = in.below(8), picture_.round_inter_dc = in.below(8),
    picture_.round_inter_ac = in.below(8);
    has_flag_ = in.one_in(2);
    for (auto& matrix : matrices_)
      for (uint32_t& weight : matrix) weight = in.one_in(4) ? 1 + in.below(255) : 16;
    matrices_[0][0] = 8;
  }

  void send_state(unsigned index, bool decodes) {
    send_select(G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_MPEG2, !decodes, false, false);
    send_surfaces();
    send_buffers(index, decodes);
    rig_.send(picture_);
    for (unsigned i = 0; i < 2; ++i) {
      G::MFX_QM_STATE matrix{};
      G::MFX_FQM_STATE reciprocal{};
      matrix.avc = static_cast<decltype(matrix.avc)>(i), reciprocal.avc = static_cast<decltype(reciprocal.avc)>(i);
      for (unsigned n = 0; n < 64; ++n) {
        matrix.forward_quantizer_matrix[n] = matrices_[i][n];
        reciprocal.reciprocal[n % 8 * 8 + n / 8] = std::min(65536 / matrices_[i][n], 65535u);
      }
      rig_.send(matrix);
      if (!decodes) rig_.send(reciprocal);
    }
  }

  void encode(unsigned index) {
    StateSource& in = rig_.in();
    rig_.watch({picture_range(index, false), {coded, coded_end}});
    send_state(index, false);
    slices_.clear();
    Object kept{};
    for (uint32_t y = 0; y < rows_; ++y) {
      G::MFC_MPEG2_SLICEGROUP_STATE group{};
      group.intra_slice_flag = has_flag_, group.intra_slice = has_flag_ && in.one_in(2);
      rig_.send(group);
      bool begins = true;
      for (uint32_t x = 0; x < columns_; ++x) {
        Object object = any_object(kept);
        object.mb_x = x, object.mb_y = y;
        if (object.first_mb_in_slice) begins = true;
        if (begins) slices_.push_back({x, y, std::max(object.quantizer_scale_code, 1u)});
        begins = object.last_mb_in_slice;
        rig_.send(object);
        kept = object;
      }
    }
    rig_.flush();
  }
  Object any_object(const Object& kept) {
    StateSource& in = rig_.in();
    std::array<uint32_t, Object::dwords> dwords{};
    in.fill(*defs::gen9::commands.find("MFC_MPEG2_PAK_OBJECT"), dwords);
    Object object = Object::unpack(dwords);
    object.field_dct = object.field_mb = false, object.mv_field_select = 0;
    object.first_mb_in_slice = in.one_in(8), object.last_mb_in_slice = in.one_in(8), object.first_mb_in_slice_group = false;
    object.intra_mb = in.one_in(6);
    object.mb_skip_conversion_disable = in.one_in(6), object.skip_mb = in.one_in(3);
    if (!in.one_in(6)) object.mb_type = 1 + in.below(3);
    if (!in.one_in(4)) object.coded_block_pattern = 0x3f;
    for (unsigned i = 0; i < 2; ++i)
      if (!in.one_in(6)) object.mv_x[i] = in.take<int8_t>() / 2, object.mv_y[i] = in.take<int8_t>() / 2;
    if (in.one_in(2)) object.mb_type = kept.mb_type, object.mv_x = kept.mv_x, object.mv_y = kept.mv_y;
    return object;
  }

  void decode(unsigned index) {
    const std::vector<uint8_t> bytes = stream();
    const std::vector<uint32_t> found = units(bytes);
    require(found.size() == slices_.size() + 1, "each slice has a start code");
    rig_.watch({picture_range(index, true)});
    send_state(index, true);
    for (size_t i = 0; i < slices_.size(); ++i) {
      const Slice& slice = slices_[i];
      require(bytes[found[i]] == slice.y + 1, "a start code has the row");
      // Behind the row: the scale, and the flag with what follows it (13818-2, 6.2.4).
      const uint32_t bits = 5 + (has_flag_ ? 10 : 1), at = found[i] + 1 + bits / 8;
      G::MFD_MPEG2_BSD_OBJECT object{};
      object.indirect_bsd_data_start_address = at, object.indirect_bsd_data_length = found[i + 1] - 3 - at;
      object.inline_data.slice_horizontal_position = slice.x, object.inline_data.slice_vertical_position = slice.y;
      object.inline_data.first_mb_bit_offset = bits % 8;
      object.inline_data.quantizer_scale_code = slice.scale;
      const bool is_last = i + 1 == slices_.size();
      object.inline_data.next_slice_horizontal_position = is_last ? 0 : slices_[i + 1].x;
      object.inline_data.next_slice_vertical_position = is_last ? rows_ : slices_[i + 1].y;
      rig_.send(object);
    }
    rig_.flush();
    if (rig_.is_aborted()) return;
    require(rig_.peek(reg::gen9::MFD_ERROR_STATUS) == 0, "MPEG-2: the stream decodes");
    rig_.require_equal(picture_at(index, false), picture_at(index, true), picture_bytes, "MPEG-2: the decoder has the reconstruction");
  }

  Picture picture_{};
  bool has_flag_ = false;
  std::array<std::array<uint32_t, 64>, 2> matrices_{};
  std::vector<Slice> slices_;
};

}  // namespace softgen::fuzz

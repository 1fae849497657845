// SPDX-License-Identifier: GPL-2.0-or-later
// VP8 pictures by PAK objects, as iHD and i965-va-driver send them, but for the frame header: it is empty, so that the decoder begins with the partition.
#pragma once

#include "hw/media/vp8_encode/quantizer.h"
#include "hw/media/vp8_encode/token_counts.h"
#include "tests/fuzz/encode_pictures.h"

namespace softgen::fuzz {

class Vp8Pictures : MfxPictures {
  using Picture = G::MFX_VP8_PIC_STATE;
  using Object = G::MFX_VP8_PAK_OBJECT;
  static constexpr uint64_t header = 0xa'0000, probabilities = 0xa'1000, statistics = 0xa'2000;
  static constexpr uint32_t object_vectors = 64, key_header_bytes = 10, header_bytes = 3;

 public:
  explicit Vp8Pictures(EncodeRig& rig) : MfxPictures(rig) {}

  void run() {
    StateSource& in = rig_.in();
    choose_size();
    std::array<uint8_t, 4 * 8 * 3 * 11> any;
    for (uint8_t& one : any) one = static_cast<uint8_t>(random_());
    rig_.view.write(probabilities, any.data(), any.size());
    for (unsigned index = 0, pictures = 1 + in.below(3); index < pictures && !rig_.is_aborted(); ++index) {
      choose(!index || in.one_in(4));
      fill_source(index * 3);
      encode(index);
      if (rig_.is_legal()) decode(index);
    }
  }

 private:
  void choose(bool is_key) {
    StateSource& in = rig_.in();
    std::array<uint32_t, Picture::dwords> dwords{};
    in.fill(*defs::gen9::commands.find("MFX_VP8_PIC_STATE"), dwords);
    // The quantizers are indexes here; the decoder gets them as factors.
    for (unsigned i = 8; i < 19; ++i) dwords[i] = 0;
    for (const unsigned i : {4u, 5u, 6u, 7u, 35u, 36u, 37u}) dwords[i] = 0;
    picture_ = Picture::unpack(dwords);
    picture_.frame_width = columns_ - 1, picture_.frame_height = rows_ - 1;
    picture_.key_frame = is_key;
    picture_.segmentation_id_stream_in_enable = picture_.segmentation_id_stream_out_enable = false;
    if (!picture_.update_mb_segment_map) picture_.segment_enable = false;
    picture_.segment0_qindex = in.small_below(128), picture_.segment1_qindex = in.small_below(128);
    picture_.segment2_qindex = in.small_below(128), picture_.segment3_qindex = in.small_below(128);
    picture_.y2dc_qindex_delta = in.small_below(16), picture_.uvac_qindex_delta = in.small_below(16);
    filtered_ = !in.one_in(4);
  }

  void send_state(unsigned index, bool decodes) {
    send_select(G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_VP8, !decodes, false, filtered_);
    send_surfaces();
    send_buffers(index, decodes);
    if (decodes) return rig_.send(with_factors());
    rig_.send(picture_);
    G::MFX_VP8_BSP_BUF_BASE_ADDR_STATE buffers{};
    buffers.frame_header_address = header, buffers.final_frame_address = coded;
    buffers.coeff_probs_stream_in_surface_address = probabilities, buffers.token_statistics_surface_address = statistics;
    rig_.send(buffers);
    G::MFX_VP8_ENCODER_CFG config{};
    config.token_statistics_output_enable = rig_.in().one_in(2), config.bitstream_statistics_output_enable = rig_.in().one_in(2);
    config.horizontal_size_code = columns_ * 16, config.vertical_size_code = rows_ * 16;
    rig_.send(config);
  }
  Picture with_factors() const {
    const media::vp8::IndexDeltas deltas{.y2_dc = static_cast<int>(picture_.y2dc_qindex_delta),
                                         .uv_ac = static_cast<int>(picture_.uvac_qindex_delta)};
    const uint32_t index[] = {picture_.segment0_qindex, picture_.segment1_qindex, picture_.segment2_qindex, picture_.segment3_qindex};
    auto dwords = picture_.pack();
    for (unsigned i = 0; i < 4; ++i) {
      const media::vp8::Quantizer by = media::vp8::quantizer_of(static_cast<int>(index[i]), deltas);
      const auto pair = [](const std::array<int16_t, 2>& factor) { return static_cast<uint32_t>(factor[0] | factor[1] << 16); };
      dwords[4 + 3 * i] = pair(by.y1), dwords[5 + 3 * i] = pair(by.uv), dwords[6 + 3 * i] = pair(by.y2);
    }
    dwords[16] = static_cast<uint32_t>(probabilities);
    return Picture::unpack(dwords);
  }

  void encode(unsigned index) {
    std::vector<Object> objects;
    for (uint32_t i = 0; i < count(); ++i) objects.push_back(any_object(i));
    rig_.watch({picture_range(index, false), {coded, coded_end}, {statistics, statistics + 4 * media::vp8::statistics_dwords}});
    send_state(index, false);
    for (const Object& object : objects) rig_.send(object);
    rig_.flush();
  }
  Object any_object(uint32_t i) {
    StateSource& in = rig_.in();
    std::array<uint32_t, Object::dwords> dwords{};
    in.fill(*defs::gen9::commands.find("MFX_VP8_PAK_OBJECT"), dwords);
    Object object = Object::unpack(dwords);
    object.mb_x = i % columns_, object.mb_y = i / columns_;
    object.intra_mb = in.one_in(5), object.skip_mb = in.one_in(4), object.enable_inline_mv_data = false;
    if (!in.one_in(6)) object.mb_type = in.below(5);
    object.indirect_pak_mv_data_start_address_offset = i * object_vectors, object.indirect_pak_mv_data_length = object_vectors;
    const int range = in.one_in(4) ? 4000 : 20;
    int16_t pairs[16][2];
    for (auto& pair : pairs)
      for (int16_t& one : pair) one = static_cast<int16_t>(static_cast<int>(random_() % static_cast<unsigned>(2 * range)) - range);
    if (in.one_in(2)) std::fill_n(&pairs[0][0], 32, static_cast<int16_t>(random_() % 3 * 8));
    rig_.view.write(vectors + i * object_vectors, pairs, sizeof pairs);
    return object;
  }

  void decode(unsigned index) {
    const uint32_t size = rig_.peek(reg::gen9::MFC_VP8_BITSTREAM_BYTECOUNT_FRAME);
    require(size <= coded_end - coded && !rig_.peek(reg::gen9::MFC_VP8_IMAGE_STATUS_CONTROL), "VP8: a small picture fits");
    const std::vector<uint8_t> bytes = rig_.bytes_at(coded, size);
    const auto number = [&](size_t at) {
      require(at + 3 <= bytes.size(), "VP8: the sizes are there");
      return static_cast<uint32_t>(bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16);
    };
    rig_.watch({picture_range(index, true)});
    send_state(index, true);
    uint32_t at = picture_.key_frame ? key_header_bytes : header_bytes;
    const uint32_t first = number(0) >> 5, partitions = 1u << static_cast<unsigned>(picture_.log2_num_of_partition);
    require(first > 1, "VP8: the first partition is there");
    G::MFD_VP8_BSD_OBJECT object{};
    object.coded_num_of_coeff_token_partitions = static_cast<uint32_t>(picture_.log2_num_of_partition);
    object.partition0_cpbac_entropy_range = 255, object.partition0_cpbac_entropy_value = bytes[at];
    auto dwords = object.pack();
    // The first byte is in the value already. Lengths and places of partitions 0 to 8 are in dwords 3 to 20.
    dwords[3] = first - 1, dwords[4] = at + 1;
    uint32_t sizes = at + first, next = sizes + (partitions - 1) * 3;
    for (uint32_t i = 0; i < partitions; ++i, sizes += 3) {
      const uint32_t length = i + 1 < partitions ? number(sizes) : size - next;
      dwords[5 + 2 * i] = length, dwords[6 + 2 * i] = next;
      next += length;
    }
    require(next == size, "VP8: the partitions are all there is");
    rig_.send_dwords(dwords);
    rig_.flush();
    if (rig_.is_aborted()) return;
    require(rig_.peek(reg::gen9::MFD_ERROR_STATUS) == 0, "VP8: the stream decodes");
    rig_.require_equal(picture_at(index, false), picture_at(index, true), picture_bytes, "VP8: the decoder has the reconstruction");
  }

  Picture picture_{};
  bool filtered_ = true;
};

}  // namespace softgen::fuzz

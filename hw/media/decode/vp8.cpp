// SPDX-License-Identifier: GPL-2.0-or-later
// VP8's packets: SKL PRM vol 2a, MFX_VP8_PIC_STATE, MFD_VP8_BSD_OBJECT; quantisers, key frame bit and partitions as i965-va-driver (gen8_mfd.c) and iHD write
// them.
#include <algorithm>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/vp8/vp8_codec.h"

namespace softgen::media {
namespace {

using namespace vp8;
using defs::CommandId;

constexpr uint8_t byte(uint32_t value) { return static_cast<uint8_t>(value); }
constexpr std::array<int16_t, 2> factors(uint32_t dc, uint32_t ac) { return {static_cast<int16_t>(dc), static_cast<int16_t>(ac)}; }

template <class G>
class PacketDecoder final : public Vp8Packets {
 public:
  FrameParams frame(const PacketStore& state) const override {
    const auto p = G::MFX_VP8_PIC_STATE::unpack(state.get(CommandId::MFX_VP8_PIC_STATE));
    FrameParams frame;
    frame.width = std::min(p.frame_width + 1, max_blocks), frame.height = std::min(p.frame_height + 1, max_blocks);
    frame.is_key = p.key_frame;
    frame.mb_no_coeff_skip = p.mb_nocoeff_skip;
    frame.segmentation = p.segment_enable;
    frame.update_segment_map = p.segment_enable && p.update_mb_segment_map;
    frame.load_segments = p.segment_enable && p.segmentation_id_stream_in_enable;
    frame.store_segments = p.segment_enable && p.segmentation_id_stream_out_enable;
    frame.bilinear = p.mc_filter_select, frame.full_pixel_chroma = p.chroma_full_pixel_mc_filter_mode;
    frame.sign_bias = {false, false, p.golden_ref_picture_mv_sign_bias, p.alternate_ref_pic_mv_sign_bias};
    quantizers(p, frame);
    probabilities(p, frame);
    frame.filter.enabled =
        typename G::MFX_PIPE_MODE_SELECT::View(state.get(CommandId::MFX_PIPE_MODE_SELECT)).post_deblocking_output_enable();
    frame.filter.simple = p.dblk_filter_type, frame.filter.deltas = p.mode_reference_loop_filter_delta_enable;
    frame.filter.sharpness = byte(p.deblock_sharpness_level);
    frame.filter.level = {byte(p.dblk_filter_level_for_segment0), byte(p.dblk_filter_level_for_segment1),
                          byte(p.dblk_filter_level_for_segment2), byte(p.dblk_filter_level_for_segment3)};
    const auto delta = [](int32_t value) { return static_cast<int8_t>(value); };
    frame.filter.reference_delta = {delta(p.reflfdelta0), delta(p.reflfdelta1), delta(p.reflfdelta2), delta(p.reflfdelta3)};
    frame.filter.mode_delta = {delta(p.modelfdelta0), delta(p.modelfdelta1), delta(p.modelfdelta2), delta(p.modelfdelta3)};
    return frame;
  }

  FrameSurfaces surfaces(const PacketStore& state) const override {
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View addresses(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    const auto picture = G::MFX_VP8_PIC_STATE::unpack(state.get(CommandId::MFX_VP8_PIC_STATE));
    FrameSurfaces set{
        mfx_layout<G>(state, std::min(picture.frame_width + 1, max_blocks) * 16, std::min(picture.frame_height + 1, max_blocks) * 16)};
    set.destination = mfx_destination<G>(state);
    for (size_t i = 0; i < set.reference.size(); ++i) set.reference[i] = addresses.reference_picture_address(i);
    set.token_probabilities = picture.coeffprobability_stream_in_address;
    set.segments = picture.segmentation_id_stream_address;
    return set;
  }

  FrameObject object(const Packet& packet, const PacketStore& state) const override {
    const auto p = G::MFD_VP8_BSD_OBJECT::unpack(packet.dwords);
    const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
    FrameObject object;
    object.bound = base.mfx_indirect_bitstream_object_upper_bound();
    object.partitions = 1u << p.coded_num_of_coeff_token_partitions;
    object.range = byte(p.partition0_cpbac_entropy_range), object.value = byte(p.partition0_cpbac_entropy_value);
    object.first_bit = byte(std::min(p.partition0_cpbac_entropy_count, 7u));
    const uint64_t from = base.mfx_indirect_bitstream_object_address();
    object.part = {{{from + p.indirect_partition0_data_start_offset, p.indirect_partition0_data_length},
                    {from + p.indirect_partition1_data_start_offset, p.indirect_partition1_data_length},
                    {from + p.indirect_partition2_data_start_offset, p.indirect_partition2_data_length},
                    {from + p.indirect_partition3_data_start_offset, p.indirect_partition3_data_length},
                    {from + p.indirect_partition4_data_start_offset, p.indirect_partition4_data_length},
                    {from + p.indirect_partition5_data_start_offset, p.indirect_partition5_data_length},
                    {from + p.indirect_partition6_data_start_offset, p.indirect_partition6_data_length},
                    {from + p.indirect_partition7_data_start_offset, p.indirect_partition7_data_length},
                    {from + p.indirect_partition8_data_start_offset, p.indirect_partition8_data_length}}};
    return object;
  }

 private:
  static void quantizers(const typename G::MFX_VP8_PIC_STATE& p, FrameParams& frame) {
    frame.quantizer[0] = {factors(p.quantizer_value_0_y1dc, p.quantizer_value_0_y1ac),
                          factors(p.quantizer_value_0_y2dc, p.quantizer_value_0_y2ac),
                          factors(p.quantizer_value_0_uvdc, p.quantizer_value_0_uvac)};
    frame.quantizer[1] = {factors(p.quantizer_value_1_y1dc, p.quantizer_value_1_y1ac),
                          factors(p.quantizer_value_1_y2dc, p.quantizer_value_1_y2ac),
                          factors(p.quantizer_value_1_uvdc, p.quantizer_value_1_uvac)};
    frame.quantizer[2] = {factors(p.quantizer_value_2_y1dc, p.quantizer_value_2_y1ac),
                          factors(p.quantizer_value_2_y2dc, p.quantizer_value_2_y2ac),
                          factors(p.quantizer_value_2_uvdc, p.quantizer_value_2_uvac)};
    frame.quantizer[3] = {factors(p.quantizer_value_3_y1dc, p.quantizer_value_3_y1ac),
                          factors(p.quantizer_value_3_y2dc, p.quantizer_value_3_y2ac),
                          factors(p.quantizer_value_3_uvdc, p.quantizer_value_3_uvac)};
  }

  static void probabilities(const typename G::MFX_VP8_PIC_STATE& p, FrameParams& frame) {
    frame.segment_probs = {byte(p.mbsegmentidtreeprobs_0), byte(p.mbsegmentidtreeprobs_1), byte(p.mbsegmentidtreeprobs_2)};
    frame.skip_prob = byte(p.mbnocoeffskipfalseprob);
    frame.reference_probs = {byte(p.intrambprob), byte(p.interpredfromlastrefprob), byte(p.interpredfromgrefrefprob)};
    frame.y_mode_probs = {byte(p.ymodeprob_0), byte(p.ymodeprob_1), byte(p.ymodeprob_2), byte(p.ymodeprob_3)};
    frame.uv_mode_probs = {byte(p.uvmodeprob_0), byte(p.uvmodeprob_1), byte(p.uvmodeprob_2)};
    frame.vector_probs = {{{byte(p.mvupdateprobs_0_0), byte(p.mvupdateprobs_0_1), byte(p.mvupdateprobs_0_2), byte(p.mvupdateprobs_0_3),
                            byte(p.mvupdateprobs_0_4), byte(p.mvupdateprobs_0_5), byte(p.mvupdateprobs_0_6), byte(p.mvupdateprobs_0_7),
                            byte(p.mvupdateprobs_0_8), byte(p.mvupdateprobs_0_9), byte(p.mvupdateprobs_0_10), byte(p.mvupdateprobs_0_11),
                            byte(p.mvupdateprobs_0_12), byte(p.mvupdateprobs_0_13), byte(p.mvupdateprobs_0_14), byte(p.mvupdateprobs_0_15),
                            byte(p.mvupdateprobs_0_16), byte(p.mvupdateprobs_0_17), byte(p.mvupdateprobs_0_18)},
                           {byte(p.mvupdateprobs_1_0), byte(p.mvupdateprobs_1_1), byte(p.mvupdateprobs_1_2), byte(p.mvupdateprobs_1_3),
                            byte(p.mvupdateprobs_1_4), byte(p.mvupdateprobs_1_5), byte(p.mvupdateprobs_1_6), byte(p.mvupdateprobs_1_7),
                            byte(p.mvupdateprobs_1_8), byte(p.mvupdateprobs_1_9), byte(p.mvupdateprobs_1_10), byte(p.mvupdateprobs_1_11),
                            byte(p.mvupdateprobs_1_12), byte(p.mvupdateprobs_1_13), byte(p.mvupdateprobs_1_14), byte(p.mvupdateprobs_1_15),
                            byte(p.mvupdateprobs_1_16), byte(p.mvupdateprobs_1_17), byte(p.mvupdateprobs_1_18)}}};
  }
};

}  // namespace

template <class G>
std::unique_ptr<const Vp8Packets> vp8::make_vp8_packets() {
  return std::make_unique<PacketDecoder<G>>();
}

template std::unique_ptr<const Vp8Packets> vp8::make_vp8_packets<defs::Gen9>();
template std::unique_ptr<const Vp8Packets> vp8::make_vp8_packets<defs::Gen11>();
template std::unique_ptr<const Vp8Packets> vp8::make_vp8_packets<defs::Gen12>();

template <class G>
std::unique_ptr<Codec> make_vp8_codec(WorkerPool* pool) {
  return std::make_unique<Vp8Codec>(make_vp8_packets<G>(), pool);
}

template std::unique_ptr<Codec> make_vp8_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp8_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp8_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

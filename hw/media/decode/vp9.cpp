// SPDX-License-Identifier: GPL-2.0-or-later
// VP9's packets of decoding.
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/vp9_picture.h"
#include "hw/media/vp9/vp9_codec.h"

namespace softgen::media {
namespace {

using defs::CommandId;

template <class G>
class PacketDecoder final : public Vp9Packets {
 public:
  std::optional<Vp9Job> job(const Packet& packet, const PacketStore& state) const override {
    std::optional<Vp9Job> job = Vp9PictureState<G>::job(state);
    if (!job) return std::nullopt;
    for (unsigned i = 0; i < job->picture.segmentation.segments.size(); ++i) job->picture.segmentation.segments[i] = segment(state, i);
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    const typename G::HCP_BSD_OBJECT::View object(packet.dwords);
    job->stream = strip_canonical(base.hcp_indirect_bitstream_object_base_address()) + object.indirect_bsd_data_start_address();
    job->stream_bound = strip_canonical(base.hcp_indirect_bitstream_object_access_upper_bound());
    job->stream_bytes = object.indirect_bsd_data_length();
    return job;
  }

 private:
  static vp9::Segment segment(const PacketStore& state, unsigned index) {
    const typename G::HCP_VP9_SEGMENT_STATE::View s(state.get(CommandId::HCP_VP9_SEGMENT_STATE, index));
    vp9::Segment out;
    out.has_reference = s.segment_reference_enable(), out.skip = s.segment_skipped();
    out.reference = static_cast<int8_t>(s.segment_reference());
    const auto pair = [](auto first, auto second) {
      return std::array<uint8_t, 2>{static_cast<uint8_t>(first), static_cast<uint8_t>(second)};
    };
    out.levels = {
        pair(s.filter_level_ref0_mode_0(), s.filter_level_ref0_mode_1()), pair(s.filter_level_ref1_mode_0(), s.filter_level_ref1_mode_1()),
        pair(s.filter_level_ref2_mode_0(), s.filter_level_ref2_mode_1()), pair(s.filter_level_ref3_mode_0(), s.filter_level_ref3_mode_1())};
    const auto wide = [](auto dc, auto ac) { return std::array<uint16_t, 2>{static_cast<uint16_t>(dc), static_cast<uint16_t>(ac)}; };
    out.quantizers = {wide(s.luma_dc_quant_scale(), s.luma_ac_quant_scale()), wide(s.chroma_dc_quant_scale(), s.chroma_ac_quant_scale())};
    return out;
  }
};

}  // namespace

template <class G>
std::unique_ptr<Codec> make_vp9_codec(WorkerPool* pool) {
  return std::make_unique<Vp9Codec>(std::make_unique<PacketDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_vp9_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp9_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp9_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

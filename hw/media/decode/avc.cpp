// SPDX-License-Identifier: GPL-2.0-or-later
// AVC's packets: SKL PRM vol 2a, MFX_AVC_* and MFD_AVC_*; what drivers write into them: the iHD media driver and i965-va-driver (gen8_mfd.c).
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/avc/avc_codec.h"
#include "hw/media/avc/avc_packets.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/ref_entry.h"

namespace softgen::media {
namespace {

using namespace avc;
using defs::CommandId;

template <class G>
class Decoder final : public AvcPackets {
 public:
  PictureState picture(const PacketStore& store) const override {
    PictureState state;
    image(store, state.params);
    matrices(store, state.params);
    surface(store, state);
    addresses(store, state);
    motion(store, state);
    return state;
  }

  SliceState slice(const Packet& packet, const PacketStore& store, const PictureParams& picture) const override {
    const auto object = G::MFD_AVC_BSD_OBJECT::unpack(packet.dwords);
    SliceState state{mfx_indirect<G>(store, object.indirect_bsd_data_start_address, object.indirect_bsd_data_length)};
    state.params = slice_params(store, picture);
    state.data_offset = object.inline_data.first_mb_byte_offset_of_slice_data_or_slice_header;
    state.params.bit_offset = object.inline_data.first_mb_bit_offset;
    return state;
  }

  SliceParams slice_params(const PacketStore& store, const PictureParams& picture) const override {
    SliceParams params;
    header(store, picture, params);
    lists(store, params);
    weights(store, params);
    return params;
  }

 private:
  static void image(const PacketStore& store, PictureParams& p) {
    using Image = typename G::MFX_AVC_IMG_STATE;
    const typename Image::View v(store.get(CommandId::MFX_AVC_IMG_STATE));
    p.width_mbs = v.frame_width() + 1;
    p.frame_height_mbs = v.frame_height() + 1;
    switch (v.image_structure()) {
      case Image::ImageStructure::TOP_FIELD_PICTURE: p.structure = Structure::top; break;
      case Image::ImageStructure::BOTTOM_FIELD_PICTURE: p.structure = Structure::bottom; break;
      default: break;
    }
    p.mbaff = v.mbaff_mode() && !p.field();
    if (p.mbaff || p.field()) p.frame_height_mbs = (p.frame_height_mbs + 1) / 2 * 2;
    p.direct_8x8_inference = v.direct_8x8_inference();
    p.transform_8x8 = v._8x8_idct_transform_mode();
    p.constrained_intra = v.constrained_intra_prediction();
    p.cabac = v.entropy_coding_mode() == Image::EntropyCodingMode::CABAC;
    p.monochrome = static_cast<unsigned>(v.chroma_format_idc()) == 0;
    if (static_cast<unsigned>(v.chroma_format_idc()) > 1)
      unimplemented("MFX_AVC_IMG_STATE", "chroma format {}", static_cast<unsigned>(v.chroma_format_idc()));
    p.reference = !v.non_reference_picture();
    p.weighted_pred = v.weighted_prediction_enable();
    p.weighted_bipred = static_cast<uint8_t>(v.weighted_biprediction_idc());
    p.chroma_qp_offset = {static_cast<int8_t>(std::clamp(v.first_chroma_qp_offset(), -12, 12)),
                          static_cast<int8_t>(std::clamp(v.second_chroma_qp_offset(), -12, 12))};
  }

  static void matrices(const PacketStore& store, PictureParams& p) {
    for (unsigned kind = 0; kind < 2; ++kind) {
      const auto small = G::MFX_QM_STATE::unpack(store.get(CommandId::MFX_QM_STATE, kind)).forward_quantizer_matrix;
      for (unsigned i = 0; i < 48; ++i) p.scaling4[kind * 3 + i / 16][i % 16] = static_cast<uint8_t>(small[i]);
      const auto large = G::MFX_QM_STATE::unpack(store.get(CommandId::MFX_QM_STATE, 2 + kind)).forward_quantizer_matrix;
      for (unsigned i = 0; i < 64; ++i) p.scaling8[kind][i] = static_cast<uint8_t>(large[i]);
    }
  }

  static void surface(const PacketStore& store, PictureState& state) {
    using Surface = typename G::MFX_SURFACE_STATE;
    const typename Surface::View v(store.get(CommandId::MFX_SURFACE_STATE));
    state.layout = mfx_layout<G>(store, state.params.width_mbs * 16, state.params.frame_height_mbs * 16);
    // Monochrome pictures of i965-va-driver have no chroma plane; iHD's do, and it fills them itself.
    const bool planar = v.surface_format() == Surface::SurfaceFormat::MFX_PLANAR_420_8 && v.interleave_chroma();
    const bool luma_alone = state.params.monochrome && v.surface_format() == Surface::SurfaceFormat::MFX_Y8_UNORM;
    if (!planar && !luma_alone) unimplemented("MFX_SURFACE_STATE", "AVC to format {}", static_cast<unsigned>(v.surface_format()));
  }

  static void addresses(const PacketStore& store, PictureState& state) {
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View v(store.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    state.destination = mfx_destination<G>(store);
    for (unsigned i = 0; i < max_frames; ++i) state.references[i] = v.reference_picture_address(i);
  }

  static void motion(const PacketStore& store, PictureState& state) {
    const auto direct = G::MFX_AVC_DIRECTMODE_STATE::unpack(store.get(CommandId::MFX_AVC_DIRECTMODE_STATE));
    for (unsigned i = 0; i < max_frames; ++i) {
      state.motion.read[i].top = direct.direct_mv_buffer_address[i];
      state.params.poc[i] = {static_cast<int32_t>(direct.poc_list[i * 2]), static_cast<int32_t>(direct.poc_list[i * 2 + 1])};
    }
    state.motion.write.top = direct.direct_mv_buffer_write_address;
    state.params.current_poc = {static_cast<int32_t>(direct.poc_list[32]), static_cast<int32_t>(direct.poc_list[33])};
  }

  static void header(const PacketStore& store, const PictureParams& picture, SliceParams& s) {
    using Slice = typename G::MFX_AVC_SLICE_STATE;
    const typename Slice::View v(store.get(CommandId::MFX_AVC_SLICE_STATE));
    s.type = v.slice_type() == Slice::SliceType::AVC_ST_P_SLICE   ? SliceType::p
             : v.slice_type() == Slice::SliceType::AVC_ST_B_SLICE ? SliceType::b
                                                                  : SliceType::i;
    const auto active = [](uint32_t count) { return static_cast<uint8_t>(std::min<uint32_t>(count, max_list)); };
    if (s.type != SliceType::i) s.active[0] = active(v.number_of_reference_pictures_in_inter_prediction_list_0());
    if (s.type == SliceType::b) s.active[1] = active(v.number_of_reference_pictures_in_inter_prediction_list_1());
    s.luma_denominator = static_cast<uint8_t>(v.log2_weight_denominator_luma());
    s.chroma_denominator = static_cast<uint8_t>(v.log2_weight_denominator_chroma());
    s.direct_spatial = v.direct_prediction_type() == Slice::DirectPredictionType::SPATIAL;
    s.disable_deblocking = static_cast<uint8_t>(v.disable_deblocking_filter_indicator());
    s.cabac_init = static_cast<uint8_t>(v.cabac_init_idc());
    s.qp = static_cast<uint8_t>(std::min<uint32_t>(v.slice_quantization_parameter(), 51));
    s.alpha_offset = static_cast<int8_t>(std::clamp(v.slice_alpha_c0_offset_div2() * 2, -12, 12));
    s.beta_offset = static_cast<int8_t>(std::clamp(v.slice_beta_offset_div2() * 2, -12, 12));
    s.first_mb = v.slice_vertical_position() * picture.width_mbs + v.slice_horizontal_position() * (picture.mbaff ? 2 : 1);
  }

  static void lists(const PacketStore& store, SliceParams& s) {
    for (unsigned list = 0; list < 2; ++list) {
      const auto entries = G::MFX_AVC_REF_IDX_STATE::unpack(store.get(CommandId::MFX_AVC_REF_IDX_STATE, list)).reference_list_entry;
      for (unsigned i = 0; i < s.active[list]; ++i) { s.list[list][i] = ref_entry(entries[i]); }
    }
  }

  static void weights(const PacketStore& store, SliceParams& s) {
    for (unsigned list = 0; list < 2; ++list) {
      const typename G::MFX_AVC_WEIGHTOFFSET_STATE::View v(store.get(CommandId::MFX_AVC_WEIGHTOFFSET_STATE, list));
      for (unsigned i = 0; i < max_list; ++i)
        for (unsigned plane = 0; plane < 3; ++plane) {
          const uint32_t both = v.weight_offset(i * 3 + plane);
          s.weights[list][i][plane] = {static_cast<int16_t>(both), static_cast<int16_t>(both >> 16)};
        }
    }
  }
};

}  // namespace

template <class G>
std::unique_ptr<const AvcPackets> make_avc_packets() {
  return std::make_unique<Decoder<G>>();
}

template std::unique_ptr<const AvcPackets> make_avc_packets<defs::Gen9>();
template std::unique_ptr<const AvcPackets> make_avc_packets<defs::Gen11>();
template std::unique_ptr<const AvcPackets> make_avc_packets<defs::Gen12>();

template <class G>
std::unique_ptr<Codec> make_avc_codec(WorkerPool* pool) {
  return std::make_unique<AvcCodec>(std::make_unique<Decoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_avc_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_avc_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_avc_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// The bit stream decoder's packets and records: intel-vaapi-driver i965_avc_bsd.c, i965_decoder_utils.c (gen5_fill_avc_ref_idx_state), shaders/h264.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/ids.h"
#include "hw/media/avc/tables.h"
#include "hw/media/bsd/bsd.h"
#include "hw/media/bsd/bsd_packets.h"
#include "hw/media/decode/it_coefficient.h"
#include "hw/media/decode/ref_entry.h"

namespace softgen::media {
namespace {

using namespace avc;
using namespace bsd;
using defs::CommandId;

/// H.264 tables 7-3 and 7-4, in scanning order: of intra and inter macroblocks.
constexpr uint8_t default4[2][16] = {{6, 13, 13, 20, 20, 20, 28, 28, 28, 28, 32, 32, 32, 37, 37, 42},
                                     {10, 14, 14, 20, 20, 20, 24, 24, 24, 24, 27, 27, 27, 30, 30, 34}};
constexpr uint8_t default8[2][64] = {
    {6,  10, 10, 13, 11, 13, 16, 16, 16, 16, 18, 18, 18, 18, 18, 23, 23, 23, 23, 23, 23, 25, 25, 25, 25, 25, 25, 25, 27, 27, 27, 27,
     27, 27, 27, 27, 29, 29, 29, 29, 29, 29, 29, 31, 31, 31, 31, 31, 31, 33, 33, 33, 33, 33, 36, 36, 36, 36, 38, 38, 38, 40, 40, 42},
    {9,  13, 13, 15, 13, 15, 17, 17, 17, 17, 19, 19, 19, 19, 19, 21, 21, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 24, 24, 24, 24,
     24, 24, 24, 24, 25, 25, 25, 25, 25, 25, 25, 27, 27, 27, 27, 27, 27, 28, 28, 28, 28, 28, 30, 30, 30, 30, 32, 32, 32, 33, 33, 35}};

/// Macroblocks In Frame has 15 bits.
constexpr uint32_t max_picture_mbs = 0x7fff;

/// The dwords that follow a packet's flags, as bytes that are taken one part after the other; what is not there is 0.
template <class View>
class Bytes {
 public:
  Bytes(const View& view, uint32_t (View::*dword)(size_t) const) : view_(view), dword_(dword) {}
  uint8_t next() {
    const size_t at = at_++;
    return at / 4 < view_.elements() ? static_cast<uint8_t>((view_.*dword_)(at / 4) >> at % 4 * 8) : 0;
  }

 private:
  const View& view_;
  uint32_t (View::* const dword_)(size_t) const;
  size_t at_ = 0;
};

template <class G>
class Packets final : public BsdPackets {
 public:
  PictureState picture(const PacketStore& store) const override {
    PictureState state;
    image(store, state);
    matrices(store, state.params);
    buffers(store, state);
    return state;
  }

  SliceState slice(const Packet& packet, const PacketStore& store) const override {
    using Object = typename G::AVC_BSD_OBJECT;
    const typename Object::View v(packet.dwords);
    const typename G::BSD_IND_OBJ_BASE_ADDR::View base(store.get(CommandId::BSD_IND_OBJ_BASE_ADDR));
    SliceState state{Indirect{uint64_t{base.indirect_object_base_address()} + v.indirect_data_start_address(),
                              base.indirect_object_access_upper_bound(), v.indirect_data_length()}};
    if (v.encrypted() || v.packet_type()) unimplemented("AVC_BSD_OBJECT", "encrypted or packet based streams");
    state.phantom = !state.bytes;
    state.inter_concealment = v.concealment_method() != 0;
    header(v, state.params);
    state.weighted = state.params.type == SliceType::p && v.weighted_prediction() == 1;
    if (state.params.type == SliceType::b) state.weighted_bipred = static_cast<uint8_t>(v.weighted_prediction());
    lists(v, store, state.params);
    return state;
  }

  Record command(const ItMacroblock& mb, const PictureState& picture, uint32_t bytes, uint32_t offset) const override {
    typename G::MEDIA_OBJECT_EX command{};
    command.indirect_data_length = bytes;
    command.indirect_data_start_address = bytes ? offset : 0;
    const auto fixed = command.pack();
    const auto inline_data = inline_of(mb, picture.chroma_format).pack();
    Record record{};
    std::ranges::copy(fixed, record.begin());
    record[0] = picture.command_header;
    std::ranges::copy(inline_data, record.begin() + fixed.size());
    return record;
  }

  Record edges(const IldbMacroblock& mb) const override {
    typename G::AVC_ILDB_DATA data{};
    data.horizontal_origin = mb.x, data.vertical_origin = mb.y;
    data.mbaff_picture = mb.mbaff;
    data.disable = mb.disabled;
    if (!mb.disabled) {
      data.field_macroblock = mb.field, data.left_field_macroblock = mb.left_field, data.above_field_macroblock = mb.above_field;
      data.filter_internal_8x8_edges = true, data.filter_internal_4x4_edges = !mb.transform8;
      data.filter_left_edge = mb.filter_left, data.filter_top_edge = mb.filter_top;
      for (unsigned i = 0; i < 24; ++i) data.internal_strength[i] = mb.internal[i / 4][i % 4];
      for (unsigned i = 0; i < 16; ++i) data.external_strength[i] = (i < 8 ? mb.left : mb.top)[i / 4 % 2][i % 4];
      for (unsigned i = 0; i < 15; ++i) {
        const ThresholdIndexes& indexes = mb.indexes[i / edge_kinds][i % edge_kinds];
        data.threshold_index[i * 2] = indexes.a, data.threshold_index[i * 2 + 1] = indexes.b;
      }
    }
    Record record{};
    std::ranges::copy(data.pack(), record.begin());
    return record;
  }

  uint32_t pack(const Coefficient& coefficient) const override { return coefficients_.pack(coefficient); }
  Coefficient unpack(uint32_t dword) const override { return coefficients_.unpack(dword); }

 private:
  const ItCoefficients<G> coefficients_{};

  static void image(const PacketStore& store, PictureState& state) {
    using Image = typename G::AVC_BSD_IMG_STATE;
    const typename Image::View v(store.get(CommandId::AVC_BSD_IMG_STATE));
    PictureParams& p = state.params;
    p.width_mbs = v.frame_width_in_macroblocks(), p.frame_height_mbs = v.frame_height_in_macroblocks();
    if (v.field_picture()) p.structure = v.image_structure() == Image::ImageStructure::BOTTOM_FIELD ? Structure::bottom : Structure::top;
    p.mbaff = v.mbaff() && !p.field();
    const uint32_t mbs = p.width_mbs * p.frame_height_mbs;
    state.valid = mbs && mbs <= max_picture_mbs && (p.frame_height_mbs % 2 == 0 || !(p.mbaff || p.field()));
    if (v.macroblocks_in_frame() != mbs) guest_error("AVC_BSD_IMG_STATE", "{} macroblocks of {}", v.macroblocks_in_frame(), mbs);
    p.direct_8x8_inference = v.direct_8x8_inference();
    p.transform_8x8 = v.transform_8x8();
    p.constrained_intra = v.constrained_intra_prediction();
    p.cabac = v.entropy_coding_mode() == Image::EntropyCodingMode::CABAC;
    p.reference = !v.not_reference();
    const auto offset = [](int32_t value) { return static_cast<int8_t>(std::clamp(value, -12, 12)); };
    p.chroma_qp_offset = {offset(v.chroma_qp_offset()), offset(v.second_chroma_qp_offset())};
    state.chroma_format = static_cast<uint8_t>(v.chroma_format_idc());
    p.monochrome = state.chroma_format == 0;
    if (state.chroma_format > 1) unimplemented("AVC_BSD_IMG_STATE", "chroma format {}", state.chroma_format);
    if (v.un_srt() || v.overwrite_srt()) unimplemented("AVC_BSD_IMG_STATE", "synchronization of root threads");
    state.command_header = v.generated_command_header();
    state.commands_in_decoding_order = v.it_command_scan_order() != 0, state.data_in_decoding_order = v.it_data_scan_order() != 0;
    state.writes_edges = v.ildb_write_enable();
    state.residual_offset = std::min<uint32_t>(v.residual_data_offset(), max_residual_offset);
    if (v.residual_data_offset() > max_residual_offset)
      guest_error("AVC_BSD_IMG_STATE", "residual data at dword {}", v.residual_data_offset());
  }

  // Lists that are not present are flat, or H.264's defaults where their flag says so.
  static void matrices(const PacketStore& store, PictureParams& p) {
    using Matrices = typename G::AVC_BSD_QM_STATE;
    const typename Matrices::View v(store.get(CommandId::AVC_BSD_QM_STATE));
    const typename G::AVC_BSD_IMG_STATE::View image(store.get(CommandId::AVC_BSD_IMG_STATE));
    const uint32_t present = image.qm_present() ? v.present_flags() : 0, defaults = image.qm_present() ? v.default_matrix_flags() : 0;
    Bytes bytes(v, &Matrices::View::matrix_entries);
    const auto set = [&](unsigned list, std::span<uint8_t> to, const uint8_t* standard, const uint8_t* scan) {
      for (size_t i = 0; i < to.size(); ++i) to[i] = present >> list & 1 ? bytes.next() : 16;
      for (size_t i = 0; i < to.size() && defaults >> list & 1; ++i) to[scan[i]] = standard[i];
    };
    for (unsigned i = 0; i < 6; ++i) set(i, p.scaling4[i], default4[i / 3], scan4[0]);
    for (unsigned i = 0; i < 2; ++i) set(6 + i, p.scaling8[i], default8[i], scan8[0]);
  }

  static void buffers(const PacketStore& store, PictureState& state) {
    const typename G::AVC_BSD_BUF_BASE_STATE::View v(store.get(CommandId::AVC_BSD_BUF_BASE_STATE));
    state.commands = v.it_command_buffer(), state.data = v.it_data_buffer(), state.edges = v.ildb_data_buffer();
    for (unsigned i = 0; i < max_frames; ++i) {
      state.motion.read[i] = {v.direct_mv_read_buffer(i * 2), v.direct_mv_read_buffer(i * 2 + 1)};
      state.params.poc[i] = {v.picture_order_count(i * 2), v.picture_order_count(i * 2 + 1)};
    }
    state.motion.write = {v.direct_mv_write_buffer(0), v.direct_mv_write_buffer(1)};
    state.params.current_poc = {v.current_picture_order_count(0), v.current_picture_order_count(1)};
  }

  static void header(const typename G::AVC_BSD_OBJECT::View& v, SliceParams& s) {
    using Object = typename G::AVC_BSD_OBJECT;
    s.type = v.slice_type() == Object::SliceType::P ? SliceType::p : v.slice_type() == Object::SliceType::B ? SliceType::b : SliceType::i;
    const auto active = [](uint32_t count) { return static_cast<uint8_t>(std::min<uint32_t>(count, max_list)); };
    if (s.type != SliceType::i) s.active[0] = active(v.number_of_references_l0());
    if (s.type == SliceType::b) s.active[1] = active(v.number_of_references_l1());
    s.luma_denominator = static_cast<uint8_t>(v.luma_log2_weight_denominator());
    s.chroma_denominator = static_cast<uint8_t>(v.chroma_log2_weight_denominator());
    s.direct_spatial = v.spatial_direct();
    s.disable_deblocking = static_cast<uint8_t>(v.deblocking_filter_idc());
    s.cabac_init = static_cast<uint8_t>(v.cabac_init_idc());
    s.qp = static_cast<uint8_t>(std::min<uint32_t>(v.slice_qp(), 51));
    s.alpha_offset = static_cast<int8_t>(std::clamp(v.alpha_offset() * 2, -12, 12));
    s.beta_offset = static_cast<int8_t>(std::clamp(v.beta_offset() * 2, -12, 12));
    s.first_mb = v.first_macroblock();
    s.bit_offset = 7 - v.first_bit();
  }

  static void lists(const typename G::AVC_BSD_OBJECT::View& v, const PacketStore& store, SliceParams& s) {
    using State = typename G::AVC_BSD_SLICE_STATE;
    const typename State::View state(store.get(CommandId::AVC_BSD_SLICE_STATE));
    Bytes bytes(state, &State::View::references_and_weights);
    const std::array<bool, 2> references{state.list_0_references_present(), state.list_1_references_present()},
        weights{state.list_0_weights_present(), state.list_1_weights_present()};
    for (unsigned list = 0; list < 2; ++list)
      for (unsigned i = 0; i < max_list && references[list]; ++i) {
        const RefEntry entry = ref_entry(bytes.next());
        if (i < s.active[list]) s.list[list][i] = entry;
      }
    for (unsigned list = 0; list < 2; ++list)
      for (unsigned i = 0; i < max_list && weights[list]; ++i)
        for (unsigned plane = 0; plane < 3; ++plane) {
          Weight& weight = s.weights[list][i][plane];
          weight.offset = static_cast<int8_t>(bytes.next()), weight.weight = static_cast<int8_t>(bytes.next());
          if (v.weight_is_128((plane ? 2 : 0) + list) >> i & 1) weight = {128, 0};
        }
  }

  static typename G::AVC_IT_INLINE_DATA inline_of(const ItMacroblock& mb, uint32_t chroma_format) {
    using Inline = typename G::AVC_IT_INLINE_DATA;
    Inline data{};
    data.mbaff_field_access = mb.field_access ? Inline::MBAFFFieldAccess::FIELD : Inline::MBAFFFieldAccess::FRAME;
    data.bottom_field = mb.bottom, data.field_macroblock = mb.field, data.mbaff_picture = mb.mbaff;
    data.transform_8x8 = mb.transform8, data.intra_macroblock = mb.intra, data.macroblock_type = mb.type;
    data.chroma_format_idc = chroma_format;
    data.horizontal_origin = mb.x, data.vertical_origin = mb.y;
    data.coded_block_pattern = mb.pattern;
    if (mb.intra) {
      data.intra_8x8_block_2_corner_available = mb.corner2;
      data.intra_chroma_and_availability_or_sub_mb_shapes = uint32_t{mb.chroma_mode} << 6 | mb.available;
      for (unsigned i = 0; i < 8; ++i) data.intra_modes_or_reference[i] = mb.modes[i * 2] | uint32_t{mb.modes[i * 2 + 1]} << 4;
      return data;
    }
    data.weighted_prediction = static_cast<typename Inline::WeightedPrediction>(mb.weighting);
    data.intra_chroma_and_availability_or_sub_mb_shapes = mb.sub_shapes, data.sub_mb_prediction_modes = mb.sub_modes;
    data.luma_log2_weight_denominator = mb.denominators[0], data.chroma_log2_weight_denominator = mb.denominators[1];
    for (unsigned i = 0; i < 8; ++i) data.intra_modes_or_reference[i] = mb.references[i];
    return data;
  }
};

}  // namespace

namespace bsd {

template <class G>
std::unique_ptr<const BsdPackets> make_bsd_packets() {
  return std::make_unique<Packets<G>>();
}
template std::unique_ptr<const BsdPackets> make_bsd_packets<defs::Gen5>();

}  // namespace bsd

template <class G>
std::unique_ptr<Engine> make_bsd() {
  return std::make_unique<Bsd>(bsd::make_bsd_packets<G>());
}
template std::unique_ptr<Engine> make_bsd<defs::Gen5>();

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// VC-1's packets: SKL PRM vol 2a, MFD_VC1_LONG_PIC_STATE, MFX_VC1_PRED_PIPE_STATE, MFX_VC1_DIRECTMODE_STATE, MFD_VC1_BSD_OBJECT; what drivers put into
// them: i965-va-driver, gen8_mfd_vc1_*, and iHD, codechal_decode_vc1.cpp.
#include <algorithm>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/vc1/vc1_codec.h"

namespace softgen::media {
namespace {

using namespace vc1;
using defs::CommandId;

constexpr uint32_t bilinear_mode = 8;                     ///< of MV Mode
constexpr uint32_t overlap_all = 2, overlap_flagged = 3;  ///< CONDOVER, as in the stream

template <class G>
class PacketDecoder final : public Vc1Packets {
  using State = typename G::MFD_VC1_LONG_PIC_STATE;

 public:
  PictureParams picture(const PacketStore& store) const override {
    const State state = State::unpack(store.get(CommandId::MFD_VC1_LONG_PIC_STATE));
    PictureParams picture;
    picture.width = std::min(state.picture_width_in_mbs + 1, max_blocks);
    picture.height = std::min(state.picture_height_in_mbs + 1, max_blocks);
    picture.advanced = state.vc1_profile == State::VC1Profile::ADVANCED_PROFILE;
    set_coding(state, picture);
    const uint32_t fields = picture.is_field() ? 2 : 1;
    picture.edge_width = picture.width * 16, picture.edge_height = picture.height * 16 * fields;
    // Advanced profile's references end at the coded size, which is the surface's.
    const typename G::MFX_SURFACE_STATE::View surface(store.get(CommandId::MFX_SURFACE_STATE));
    if (picture.advanced) {
      picture.edge_width = edge(picture.edge_width, surface.width() + 1, 16);
      picture.edge_height = edge(picture.edge_height, surface.height() + 1, 16 * fields);
    }
    picture.loop_filter = state.loop_filter_enable;
    picture.overlap = state.overlap_smoothing_enable;
    picture.condition = state.condover == overlap_all ? Overlap::all : state.condover == overlap_flagged ? Overlap::flagged : Overlap::none;
    picture.quantizer = quantizer(state);
    picture.motion = motion(state);
    set_prediction(store, picture);
    const uint32_t tables = picture.coding == Coding::progressive ? 3 : 7;
    picture.tables = {.vector = static_cast<uint8_t>(state.mv_table & tables),
                      .pattern = static_cast<uint8_t>(state.coded_block_pattern_table & tables),
                      .dc = static_cast<uint8_t>(state.intra_transform_dc_table & 1),
                      .luma = static_cast<uint8_t>(state.picture_level_transform_luma_ac_coding_set_index),
                      .chroma = static_cast<uint8_t>(state.picture_level_transform_chroma_ac_coding_set_index),
                      .mode = static_cast<uint8_t>(state.mb_mode_table),
                      .four_vectors = static_cast<uint8_t>(state._4_mv_block_pattern_table),
                      .two_vectors = static_cast<uint8_t>(state._2_mv_block_pattern_table)};
    picture.four_vectors = state.four_mv_switch != State::FourMVSwitch::ONLY_1_MV;
    picture.raw = {.vector_type = state.mvtypemb_raw,
                   .skip = state.skipmb_raw,
                   .direct = state.directmb_raw,
                   .ac_prediction = state.acpred_raw,
                   .overlap = state.overflags_raw,
                   .forward = state.forwardmb_raw,
                   .field_transform = state.fieldtx_raw};
    // MVTYPEMB is only there in pictures with mixed vectors.
    picture.raw.vector_type &= picture.motion.mixed;
    picture.block_transforms = !state.mb_transform_type;
    static constexpr TransformCode kinds[] = {TransformCode::whole, TransformCode::rows, TransformCode::columns, TransformCode::quarters};
    if (!picture.block_transforms) picture.transform = kinds[static_cast<unsigned>(state.picture_level_transform_type) & 3];
    return picture;
  }

  SurfaceSet surfaces(const PacketStore& store) const override {
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View addresses(store.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    const typename G::MFX_BSP_BUF_BASE_ADDR_STATE::View buffers(store.get(CommandId::MFX_BSP_BUF_BASE_ADDR_STATE));
    const typename G::MFX_VC1_DIRECTMODE_STATE::View direct(store.get(CommandId::MFX_VC1_DIRECTMODE_STATE));
    const State state = State::unpack(store.get(CommandId::MFD_VC1_LONG_PIC_STATE));
    const uint32_t fields = coding_of(state) == Coding::field ? 2 : 1;
    SurfaceSet set{mfx_layout<G>(store, std::min(state.picture_width_in_mbs + 1, max_blocks) * 16,
                                 std::min(state.picture_height_in_mbs + 1, max_blocks) * 16 * fields)};
    // Whole macroblocks of fields may have more rows than there are before chroma's.
    if (const uint32_t rows = set.chroma.first_row; fields > 1 && rows)
      static_cast<PictureLayout&>(set) = set.limited(set.luma.width, rows);
    set.destination = mfx_destination<G>(store);
    for (unsigned i = 0; i < set.reference.size(); ++i) set.reference[i] = addresses.reference_picture_address(i);
    if (state.bitplane_buffer_present) set.bitplane = buffers.bitplane_read_buffer_address();
    set.bitplane_pitch = state.bitplane_buffer_pitch + 1;
    set.motion_write = direct.direct_mv_write_buffer_address();
    set.motion_read = direct.direct_mv_read_buffer_address();
    return set;
  }

  SliceObject slice(const Packet& packet, const PacketStore& store, const PictureParams& picture) const override {
    const typename G::MFD_VC1_BSD_OBJECT::View object(packet.dwords);
    SliceObject found{mfx_indirect<G>(store, object.indirect_bsd_data_start_address(), object.indirect_bsd_data_length())};
    found.first_bit = object.first_mb_byte_offset_of_slice_data_or_slice_header() * 8 + object.first_mb_bit_offset();
    // 0: the engine removes them. Both drivers leave it at 0.
    found.has_emulation = picture.advanced && !object.emulation_prevention_byte_present();
    found.first_row = object.slice_start_vertical_position();
    const uint32_t next = object.next_slice_vertical_position();
    found.end_row = next > found.first_row ? next : picture.height;
    return found;
  }

 private:
  /// The size in samples where it is in the last macroblock of `unit` samples, else all macroblocks.
  static uint32_t edge(uint32_t whole, uint32_t size, uint32_t unit) { return size <= whole && size + unit > whole ? size : whole; }

  static Coding coding_of(const State& state) {
    using Mode = typename State::FrameCodingMode;
    if (state.frame_coding_mode == Mode::PROGRESSIVE_FRAME_PICTURE) return Coding::progressive;
    return state.frame_coding_mode == Mode::INTERLACED_FRAME_PICTURE ? Coding::frame : Coding::field;
  }
  /// The picture's type and what it is of its frame. Of fields the packet has FPTYPE, the types of both (9.1.1.42).
  static void set_coding(const State& state, PictureParams& picture) {
    using enum PictureType;
    static constexpr PictureType pairs[8][2] = {{i, i}, {i, p}, {p, i}, {p, p}, {b, b}, {b, bi}, {bi, b}, {bi, bi}};
    picture.coding = coding_of(state);
    picture.type =
        picture.is_field() ? pairs[state.picture_type & 7][state.second_field] : static_cast<PictureType>(std::min(state.picture_type, 3u));
    FieldParams& field = picture.field;
    field.second = state.second_field;
    field.bottom = (state.frame_coding_mode == State::FrameCodingMode::FIELD_PICTURE_WITH_BOTTOM_FIELD_FIRST) != field.second;
    field.two_references =
        picture.is_field() && (picture.type == b || state.number_of_references == State::NumberOfReferences::TWO_FIELDS_REFERENCED);
    field.bottom_reference = state.reference_field_picture_polarity == State::ReferenceFieldPicturePolarity::BOTTOM_ODD_FIELD;
    field.forward_distance = static_cast<uint8_t>(state.forward_reference_distance);
    field.backward_distance = static_cast<uint8_t>(state.backward_reference_distance);
    field.wide_differentials = static_cast<uint8_t>(state.extended_dmv_range);
  }

  /// MFX_VC1_PRED_PIPE_STATE. Its bits and figures are of top fields (and frames), then of bottom fields.
  static void set_prediction(const PacketStore& store, PictureParams& picture) {
    const typename G::MFX_VC1_PRED_PIPE_STATE::View pipe(store.get(CommandId::MFX_VC1_PRED_PIPE_STATE));
    picture.interlaced_references = static_cast<uint8_t>(pipe.reference_frame_boundary_replication_mode());
    auto& by = picture.motion.compensation;
    const uint32_t single[2] = {pipe.vin_intensitycomp_single_fwden(), pipe.vin_intensitycomp_single_bwden()};
    const uint32_t twice[2] = {pipe.vin_intensitycomp_double_fwden(), pipe.vin_intensitycomp_double_bwden()};
    if (single[0] & 1) by[0][0] = compensation(pipe.lumscale1_single_fwd(), pipe.lumshift1_single_fwd());
    if (single[1] & 1) by[1][0] = compensation(pipe.lumscale1_single_bwd(), pipe.lumshift1_single_bwd());
    if (picture.coding == Coding::progressive) return;
    if (single[0] & 2) by[2][0] = compensation(pipe.lumscale2_single_fwd(), pipe.lumshift2_single_fwd());
    if (single[1] & 2) by[3][0] = compensation(pipe.lumscale2_single_bwd(), pipe.lumshift2_single_bwd());
    if (twice[0] & 1) by[0][1] = compensation(pipe.lumscale1_double_fwd(), pipe.lumshift1_double_fwd());
    if (twice[0] & 2) by[2][1] = compensation(pipe.lumscale2_double_fwd(), pipe.lumshift2_double_fwd());
    if (twice[1] & 1) by[1][1] = compensation(pipe.lumscale1_double_bwd(), pipe.lumshift1_double_bwd());
    if (twice[1] & 2) by[3][1] = compensation(pipe.lumscale2_double_bwd(), pipe.lumshift2_double_bwd());
  }

  static QuantizerParams quantizer(const State& state) {
    QuantizerParams found;
    found.step = static_cast<uint8_t>(std::max(state.pq_value, 1u));
    found.half_step = state.half_qp;
    found.uniform = state.pq_uniform;
    // PQINDEX is not in the packet: with the implicit quantizer it is the uniform one's, else it equals PQUANT (table 36).
    found.low_index = state.implicit_quantizer ? found.uniform : found.step <= 8;
    found.use = static_cast<AlternativeUse>(state.alternative_pq_configuration & 3);
    found.alternative = static_cast<uint8_t>(state.alternative_pq_value);
    found.edges = static_cast<uint8_t>(state.alternative_pq_edge_mask);
    return found;
  }

  static MotionParams motion(const State& state) {
    using Mode = typename State::UnifiedMVMode;
    MotionParams found;
    found.range = static_cast<uint8_t>(state.extended_mv_range & 3);
    found.mixed = state.unified_mv_mode == Mode::MIXED_MV;
    found.quarter = found.mixed || state.unified_mv_mode == Mode::_1_MV;
    found.bilinear = state.mv_mode & bilinear_mode;
    found.fast_chroma = state.fast_uv_motion_compensation != State::FastUVMotionCompensation::NO_ROUNDING;
    found.rounding = state.interpolation_rounder_control;
    found.scale = static_cast<uint8_t>(state.b_scale_factor);
    found.has_stored = state.dmv_surface_valid;
    if (state.range_reduction_enable) found.range_change = state.range_reduction_scale ? RangeChange::up : RangeChange::down;
    return found;
  }
  static Compensation compensation(uint32_t scale, uint32_t shift) { return {static_cast<uint8_t>(scale), static_cast<uint8_t>(shift)}; }
};

}  // namespace

template <class G>
std::unique_ptr<Codec> make_vc1_codec(WorkerPool* pool) {
  return std::make_unique<Vc1Codec>(std::make_unique<PacketDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_vc1_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vc1_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vc1_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// HCP's packets of an HEVC picture: SKL PRM vol 2a, HCP_*; what drivers put into them: iHD media driver, mhw_vdbox_hcp_g9_X.cpp and codechal_decode_hevc.cpp;
// i965-va-driver, gen9_mfd.c.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/hevc/hevc_codec.h"
#include "hw/media/video_packets.h"

namespace softgen::media {
namespace {

using defs::CommandId;
using hevc::PictureParameters;
using hevc::SliceParameters;

template <class E>
uint8_t number(E value) {
  return static_cast<uint8_t>(value);
}

/// `starts` of `count` tiles, made ascending; the last is the end.
template <size_t n>
void set_starts(std::array<uint16_t, n>& starts, unsigned count, std::span<const uint16_t> positions, uint32_t end) {
  starts[0] = 0;
  for (unsigned i = 1; i < count; ++i)
    starts[i] = static_cast<uint16_t>(std::clamp<uint32_t>(positions[i], starts[i - 1] + 1u, end - (count - i)));
  starts[count] = static_cast<uint16_t>(end);
}

/// Positions of tiles in CTBs, four a dword; `upper`: bits 9:8, where the packet has them.
template <size_t n, class Four, class Upper>
std::array<uint16_t, 4 * n> positions_of(const std::array<Four, n>& packed, const Upper& upper) {
  std::array<uint16_t, 4 * n> positions;
  for (size_t i = 0; i < positions.size(); ++i) {
    const Four& dword = packed[i / 4];
    const uint32_t four[4] = {dword.ctbpos0_plus_i, dword.ctbpos1_plus_i, dword.ctbpos2_plus_i, dword.ctbpos3_plus_i};
    positions[i] = static_cast<uint16_t>(four[i % 4] | (i < upper.size() ? upper[i] << 8 : 0));
  }
  return positions;
}

template <class G>
class PacketDecoder final : public HevcPackets {
 public:
  std::optional<HevcPicture> picture(const PacketStore& state) const override {
    HevcPicture picture;
    PictureParameters& p = picture.parameters;
    if (has_extensions(state) || !set_sizes(p, state) || !set_depths(p, state)) return std::nullopt;
    set_tools(p, state);
    set_tiles(p, state);
    set_scaling(p.scaling, state);
    set_surfaces(picture, state);
    return picture;
  }

  SliceParameters slice(const PacketStore& state, const PictureParameters& picture) const override {
    const typename G::HCP_SLICE_STATE::View view(state.get(CommandId::HCP_SLICE_STATE));
    using Type = typename G::HCP_SLICE_STATE::SliceType;
    SliceParameters slice;
    const uint32_t ctb = 1u << picture.log2_ctb, columns = (picture.width + ctb - 1) / ctb;
    slice.first_ctb = view.slice_vertical_position() * columns + std::min(view.slice_horizontal_position(), columns - 1);
    slice.type = view.slice_type() == Type::HCP_ST_B_SLICE   ? hevc::SliceType::b
                 : view.slice_type() == Type::HCP_ST_P_SLICE ? hevc::SliceType::p
                                                             : hevc::SliceType::i;
    slice.is_dependent = view.dependent_slice();
    slice.is_last = view.last_slice();
    const int qp = static_cast<int>(view.slice_qp());
    slice.qp = static_cast<int8_t>(std::clamp(view.slice_qp_sign() ? -qp : qp, -6 * (picture.luma_bits - 8), 51));
    slice.cb_qp_offset = static_cast<int8_t>(view.slice_cb_qp_offset());
    slice.cr_qp_offset = static_cast<int8_t>(view.slice_cr_qp_offset());
    slice.temporal_mvp = view.slice_temporal_mvp_enable();
    slice.collocated_frame = number(view.collocated_mv_temporal_buffer_index());
    slice.collocated_from_l0 = view.collocated_from_l0();
    slice.max_merge_candidates = number(std::min(view.max_merge_index() + 1, 5u));
    slice.cabac_init = view.cabac_init();
    slice.mvd_l1_zero = view.mvd_l1_zero();
    slice.sao_luma = view.slice_sao_luma();
    slice.sao_chroma = view.slice_sao_chroma();
    slice.loop_across_slices = view.slice_loop_filter_enable();
    slice.deblocking_off = view.slice_header_disable_deblocking_filter();
    slice.beta_offset = static_cast<int8_t>(std::clamp(view.slice_beta_offset_div2() * 2, -12, 12));
    slice.tc_offset = static_cast<int8_t>(std::clamp(view.slice_tc_offset_div2() * 2, -12, 12));
    slice.header_bytes = view.slice_header_length();
    slice.log2_luma_denominator = number(view.log2_weight_denominator_luma());
    slice.log2_chroma_denominator = number(view.log2_weight_denominator_chroma());
    const typename G::HCP_PIC_STATE::View pic(state.get(CommandId::HCP_PIC_STATE));
    slice.weighted = slice.type == hevc::SliceType::p ? pic.weighted_predication_enable() : pic.weighted_bipredication_enable();
    for (unsigned list = 0; list < 2; ++list) set_list(slice, list, state);
    return slice;
  }

  Indirect object(const Packet& packet, const PacketStore& state) const override {
    const typename G::HCP_BSD_OBJECT::View object(packet.dwords);
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    return {.address = strip_canonical(base.hcp_indirect_bitstream_object_base_address()) + object.indirect_bsd_data_start_address(),
            .bound = strip_canonical(base.hcp_indirect_bitstream_object_access_upper_bound()),
            .bytes = object.indirect_bsd_data_length()};
  }

 private:
  /// Of H.265's second version and later, which packets of Gen11 and later have (counted).
  static bool has_extensions(const PacketStore& state) {
    const typename G::HCP_PIC_STATE::View view(state.get(CommandId::HCP_PIC_STATE));
    if constexpr (requires { view.chroma_subsampling(); }) {
      constexpr unsigned yuv_420 = 1;
      const unsigned chroma = static_cast<unsigned>(view.chroma_subsampling());
      if (chroma != yuv_420) unimplemented("HCP_PIC_STATE", "chroma format {}", chroma);
      if (view.sps_range_extension_enable()) unimplemented("HCP_PIC_STATE", "range extension");
      if (chroma != yuv_420 || view.sps_range_extension_enable()) return true;
    }
    if constexpr (requires { view.palette_mode_enable(); }) {
      const bool extended =
          view.palette_mode_enable() || view.current_picture_reference_enable() || view.residual_adaptive_colour_transform_enable();
      if (extended) unimplemented("HCP_PIC_STATE", "screen content");
      return extended;
    }
    return false;
  }

  static bool set_sizes(PictureParameters& p, const PacketStore& state) {
    const typename G::HCP_PIC_STATE::View view(state.get(CommandId::HCP_PIC_STATE));
    p.log2_min_cb = number(3 + number(view.min_cu_size()));
    p.log2_ctb = number(std::max(3 + number(view.lcu_size()), std::max<int>(p.log2_min_cb, 4)));
    p.log2_min_tb = number(std::min(2 + number(view.min_tu_size()), p.log2_min_cb - 1));
    p.log2_max_tb = number(std::clamp(2 + number(view.max_tu_size()), int{p.log2_min_tb}, 5));
    p.log2_max_tb = std::min(p.log2_max_tb, p.log2_ctb);
    p.log2_min_pcm = number(3 + number(view.min_pcm_size()));
    p.log2_max_pcm = number(std::min(3 + number(view.max_pcm_size()), 5));
    p.width = (view.frame_width_in_minimum_coding_block_size() + 1) << p.log2_min_cb;
    p.height = (view.frame_height_in_minimum_coding_block_size() + 1) << p.log2_min_cb;
    if (p.width <= hevc::max_size && p.height <= hevc::max_size) return true;
    guest_error("HCP_PIC_STATE", "{} x {}", p.width, p.height);
    return false;
  }

  /// How encoders of 10 bits keep pictures from Gen11 on is not public (iHD media driver, mhw_vdbox_hcp_g11_X.cpp: P010VARIANT). Chosen: as P010.
  static bool is_wide(const PacketStore& state, typename G::HCP_SURFACE_STATE::SurfaceFormat format) {
    using Format = typename G::HCP_SURFACE_STATE::SurfaceFormat;
    using Select = typename G::HCP_PIPE_MODE_SELECT;
    if constexpr (requires { Format::P010VARIANT; }) {
      const typename Select::View select(state.get(CommandId::HCP_PIPE_MODE_SELECT));
      if (format == Format::P010VARIANT) return select.codec_select() == Select::CodecSelect::ENCODE;
    }
    return format == Format::P010;
  }

  static bool set_depths(PictureParameters& p, const PacketStore& state) {
    using Surface = typename G::HCP_SURFACE_STATE;
    const typename G::HCP_PIC_STATE::View view(state.get(CommandId::HCP_PIC_STATE));
    const auto format = typename Surface::View(state.get(CommandId::HCP_SURFACE_STATE)).surface_format();
    p.luma_bits = number(8 + number(view.luma_bit_depth())), p.chroma_bits = number(8 + number(view.chroma_bit_depth()));
    // Both drivers write pcm_sample_bit_depth_luma_minus1 and its like.
    p.pcm_luma_bits = number(std::min<uint32_t>(1 + view.luma_pcm_sample_bit_depth(), p.luma_bits));
    p.pcm_chroma_bits = number(std::min<uint32_t>(1 + view.chroma_pcm_sample_bit_depth(), p.chroma_bits));
    const unsigned bits = std::max(p.luma_bits, p.chroma_bits);
    if (format == Surface::SurfaceFormat::PLANAR_420_8 ? bits == 8 : is_wide(state, format) && bits <= 10) return true;
    if (bits > 10) unimplemented("HCP_PIC_STATE", "{} bits", bits);
    else guest_error("HCP_SURFACE_STATE", "format {} for {} bits", static_cast<unsigned>(format), bits);
    return false;
  }

  static void set_tools(PictureParameters& p, const PacketStore& state) {
    const typename G::HCP_PIC_STATE::View view(state.get(CommandId::HCP_PIC_STATE));
    if (view.field_pic()) unimplemented("HCP_PIC_STATE", "field picture");
    p.log2_parallel_merge = number(std::min<uint32_t>(2 + view.log2_parallel_merge_level(), p.log2_ctb));
    p.max_qp_delta_depth = number(view.max_dqp_depth());
    p.max_inter_depth = number(view.inter_max_transform_hierarchy_depth());
    p.max_intra_depth = number(view.intra_max_transform_hierarchy_depth());
    p.cb_qp_offset = static_cast<int8_t>(view.picture_cb_qp_offset());
    p.cr_qp_offset = static_cast<int8_t>(view.picture_cr_qp_offset());
    p.strong_intra_smoothing = view.strong_intra_smoothing_enable();
    p.transquant_bypass = view.transquant_bypass_enable();
    p.amp = view.amp_enable();
    p.transform_skip = view.transform_skip_enable();
    p.entropy_sync = view.entropy_coding_sync_enable();
    p.loop_across_tiles = view.loop_filter_across_tiles_enable();
    p.sign_hiding = view.sign_data_hiding();
    p.constrained_intra = view.constrained_intra_prediction();
    p.pcm_loop_filter_off = view.pcm_loop_filter_disable();
    p.qp_delta = view.cu_qp_delta_enable();
    p.pcm = view.pcm_enable();
    p.sao = view.sample_adaptive_offset_enable();
  }

  static void set_tiles(PictureParameters& p, const PacketStore& state) {
    const uint32_t ctb = 1u << p.log2_ctb, columns = (p.width + ctb - 1) / ctb, rows = (p.height + ctb - 1) / ctb;
    const auto tiles = G::HCP_TILE_STATE::unpack(state.get(CommandId::HCP_TILE_STATE));
    if (typename G::HCP_PIC_STATE::View(state.get(CommandId::HCP_PIC_STATE)).tiling_enable()) {
      p.tile_columns = number(std::min({tiles.number_of_tile_columns + 1, hevc::max_tile_columns, columns}));
      p.tile_rows = number(std::min({tiles.number_of_tile_rows + 1, hevc::max_tile_rows, rows}));
    }
    std::array<uint32_t, 22> upper_columns{}, upper_rows{};
    if constexpr (requires { tiles.ctb_column_position_msb; }) {
      upper_columns = tiles.ctb_column_position_msb.ctb_row_position_of_tile_column;
      upper_rows = tiles.ctb_row_position_msb.ctb_row_position_of_tile_column;
    }
    set_starts(p.column_starts, p.tile_columns, positions_of(tiles.column_position, upper_columns), columns);
    set_starts(p.row_starts, p.tile_rows, positions_of(tiles.row_position, upper_rows), rows);
  }

  static void set_scaling(hevc::ScalingLists& to, const PacketStore& state) {
    for (unsigned size = 0; size < 4; ++size) {
      for (unsigned matrix = 0; matrix < 6; ++matrix) {
        const std::span<const uint32_t> dwords = state.get(CommandId::HCP_QM_STATE, hcp_matrix(size, matrix / 3, matrix % 3));
        const auto list = G::HCP_QM_STATE::unpack(dwords);
        const auto factor = [&](size_t i) { return dwords.empty() ? uint8_t{16} : number(list.quantizer_matrix_8x8[i]); };
        if (size == 0) {
          for (size_t i = 0; i < 16; ++i) to.size4[matrix][i] = factor(i);
          continue;
        }
        for (size_t i = 0; i < 64; ++i) to.larger[size - 1][matrix][i] = factor(i);
        to.dc[size - 1][matrix] = dwords.empty() ? uint8_t{16} : number(list.dc_coefficient);
      }
    }
  }

  static void set_surfaces(HevcPicture& picture, const PacketStore& state) {
    using Surface = typename G::HCP_SURFACE_STATE;
    const typename Surface::View surface(state.get(CommandId::HCP_SURFACE_STATE));
    const auto buffers = G::HCP_PIPE_BUF_ADDR_STATE::unpack(state.get(CommandId::HCP_PIPE_BUF_ADDR_STATE));
    const unsigned bytes = is_wide(state, surface.surface_format()) ? 2 : 1;
    // The engine's surfaces are Y-tiled: the packet has no other.
    picture.luma = {.base = buffers.decoded_picture_address,
                    .pitch = surface.surface_pitch() + 1,
                    .tiling = surface::Tiling::y,
                    .element = number(bytes),
                    .width = picture.parameters.width,
                    .height = picture.parameters.height};
    picture.chroma = picture.luma;
    picture.chroma.first_row = surface.y_offset_for_u_cb();
    picture.chroma.element = number(2 * bytes);
    picture.chroma.width /= 2, picture.chroma.height /= 2;
    picture.motion = strip_canonical(buffers.current_mv_temporal_buffer_address);
    for (size_t i = 0; i < hevc::max_frames; ++i) {
      picture.references[i] = buffers.reference_picture_address[i];
      picture.collocated[i] = strip_canonical(buffers.collocated_mv_temporal_buffer_address[i]);
    }
  }

  static void set_list(SliceParameters& slice, unsigned list, const PacketStore& state) {
    const auto references = G::HCP_REF_IDX_STATE::unpack(state.get(CommandId::HCP_REF_IDX_STATE, list));
    const auto weights = G::HCP_WEIGHTOFFSET_STATE::unpack(state.get(CommandId::HCP_WEIGHTOFFSET_STATE, list));
    slice.active[list] = number(std::min(references.number_of_reference_indexes_active + 1, hevc::max_references));
    for (size_t i = 0; i < hevc::max_references; ++i) {
      const auto& entry = references.reference_list_entry[i];
      slice.lists[list][i] = {.frame = number(entry.list_entry),
                              .poc_distance = static_cast<int8_t>(entry.reference_picture_tb_value),
                              .is_long_term = entry.long_term_reference};
      const auto& luma = weights.luma_offsets[i];
      const auto& chroma = weights.chroma_offsets[i];
      hevc::Weights& to = slice.weights[list][i];
      const auto weight = [](unsigned log2, int32_t delta) { return static_cast<int16_t>((1 << log2) + delta); };
      to.weight = {weight(slice.log2_luma_denominator, luma.delta_luma_weight_lx),
                   weight(slice.log2_chroma_denominator, chroma.delta_chroma_weight_lx_0),
                   weight(slice.log2_chroma_denominator, chroma.delta_chroma_weight_lx_1)};
      to.offset = {static_cast<int8_t>(luma.luma_offset_lx), static_cast<int8_t>(chroma.chroma_offset_lx_0),
                   static_cast<int8_t>(chroma.chroma_offset_lx_1)};
    }
  }
};

}  // namespace

template <class G>
std::unique_ptr<const HevcPackets> make_hevc_packets() {
  return std::make_unique<PacketDecoder<G>>();
}

template <class G>
std::unique_ptr<Codec> make_hevc_codec(WorkerPool* pool) {
  return std::make_unique<HevcCodec>(make_hevc_packets<G>(), pool);
}

template std::unique_ptr<const HevcPackets> make_hevc_packets<defs::Gen9>();
template std::unique_ptr<const HevcPackets> make_hevc_packets<defs::Gen11>();
template std::unique_ptr<const HevcPackets> make_hevc_packets<defs::Gen12>();

template std::unique_ptr<Codec> make_hevc_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_hevc_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_hevc_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// VEBOX's packets and the states they lead to: fields as iHD's mhw_vebox_g9_X.cpp, _g11_X.cpp and _g12_X.cpp, and i965-va-driver's gen75_vpp_vebox.c write
// them.
#include <algorithm>
#include <numeric>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/sfc.h"
#include "hw/media/decode/vebox_surface.h"
#include "hw/memory/structure.h"

namespace softgen::media {
namespace {

using namespace vebox;

constexpr uint32_t column_step = 64;  ///< VEBOX works on columns of 64 pixels

template <class State>
std::optional<PixelFormat> format_of(const State& state) {
  using Format = typename State::SurfaceFormat;
  switch (state.surface_format) {
    case Format::YCRCB_NORMAL: return PixelFormat{Sampling::s422, false, 1, {0, 1, 2, 3}};
    case Format::YCRCB_SWAPUVY: return PixelFormat{Sampling::s422, false, 1, {1, 2, 3, 0}};
    case Format::YCRCB_SWAPUV: return PixelFormat{Sampling::s422, false, 1, {0, 3, 2, 1}};
    case Format::YCRCB_SWAPY: return PixelFormat{Sampling::s422, false, 1, {1, 0, 3, 2}};
    case Format::PLANAR_420_8: return PixelFormat{Sampling::s420, true, 1, {}};
    case Format::PLANAR_420_16: return PixelFormat{Sampling::s420, true, 2, {}};
    case Format::PACKED_444A_8: return PixelFormat{Sampling::s444, false, 1, {2, 1, 0, 3}};
    case Format::R8G8B8A8_UNORM: return PixelFormat{Sampling::s444, false, 1, {0, 1, 2, 3}};
    default: break;
  }
  if constexpr (requires { Format::B8G8R8A8_UNORM; })
    if (state.surface_format == Format::B8G8R8A8_UNORM) return PixelFormat{Sampling::s444, false, 1, {2, 1, 0, 3}};
  return std::nullopt;
}

template <class State>
std::optional<PixelFormat> checked_format(const State& state) {
  const std::optional<PixelFormat> format = format_of(state);
  if (format && !is_moved(state) && (!format->planar || state.interleave_chroma)) return format;
  unimplemented("VEBOX surface", "format {}, chroma {}", static_cast<unsigned>(state.surface_format),
                state.interleave_chroma ? "interleaved" : "apart");
  return std::nullopt;
}

template <class State>
Surface surface_at(const State& state, const PixelFormat& format, uint64_t address, uint32_t pitch) {
  Surface surface{.format = format, .planes = {}};
  PlaneLayout& first = surface.planes[0];
  first.base = address;
  first.pitch = pitch;
  first.tiling = tiling_of(state);
  first.width = state.width + 1, first.height = state.height + 1;
  if (format.planar) {
    PlaneLayout& second = surface.planes[1] = first;
    second.first_row = state.y_offset_for_u;
    second.width = (first.width + 1) / 2, second.height = (first.height + 1) / 2;
    first.element = format.bytes, second.element = static_cast<uint8_t>(2 * format.bytes);
    return surface;
  }
  first.element = 4;
  if (format.sampling == Sampling::s422) first.width = (first.width + 1) / 2;
  return surface;
}

template <class State>
Deinterlace deinterlacer(const State& state) {
  // The encodings of the shifts and of C2 are chosen so that drivers' values make sense of 8-bit samples.
  constexpr uint8_t shift_bias = 4;
  Deinterlace di;
  di.top_first = state.dndi_top_first;
  di.min_motion = static_cast<uint8_t>(std::min(state.minimum_stmm, 0xfeu));
  di.max_motion = static_cast<uint8_t>(std::clamp(state.maximum_stmm, di.min_motion + 1u, 0xffu));
  di.shift_up = static_cast<uint8_t>(shift_bias + state.stmm_shift_up);
  di.shift_down = static_cast<uint8_t>(shift_bias + state.stmm_shift_down);
  di.complexity_bias = static_cast<uint16_t>(2u << state.stmm_c2);
  di.vertical_weight = static_cast<uint8_t>(state.multiplier_for_vecm);
  // Of 128 and of 256.
  di.decay_large = static_cast<uint8_t>(2 * state.blending_constant_across_time_for_large_values_of_stmm);
  di.decay_small = static_cast<uint8_t>(state.blending_constant_across_time_for_small_values_of_stmm);
  if (state.mcdi_enable) unimplemented("VEBOX deinterlacing with motion compensation", "motion adaptive in its place");
  if (state.progressive_cadence_reconstruction_for_2nd_field_of_previous_frame ||
      state.progressive_cadence_reconstruction_for_1st_field_of_current_frame)
    unimplemented("VEBOX progressive cadence reconstruction", "motion adaptive in its place");
  return di;
}

/// iHD's thresholds have four binary places: its tables for samples of 8 bits go up to 2560 (vphal_render_vebox_g9_base.cpp, dwPixRangeThreshold5).
constexpr unsigned threshold_places = 4;
/// i965's states have zeros for all weights, and for the thresholds of single pixels. Its other thresholds are taken as whole steps (chosen).
constexpr std::array<uint8_t, 9> default_distance_weights = {16, 12, 5, 12, 9, 4, 5, 4, 2};
constexpr std::array<uint32_t, 6> default_range_limits = {3, 6, 9, 12, 16, 20};
constexpr std::array<uint32_t, 6> default_range_weights = {31, 27, 21, 13, 6, 2};

/// The weights and thresholds of luma: before Gen11 those of chroma, too. Later chroma has its own, which iHD leaves equal but for the thresholds; chroma is
/// filtered by luma's (chosen).
template <class Field>
uint32_t of_luma(const Field& field) {
  if constexpr (requires { field[0]; }) return field[0];
  else return field;
}

template <class State>
Denoise denoiser(const State& state) {
  constexpr uint32_t block_pixels = 16;
  Denoise dn;
  dn.interlaced = !state.progressive_dn;
  dn.chroma = state.chroma_denoise_enable;
  dn.static_history_max = static_cast<uint8_t>(state.denoise_maximum_history);
  dn.history_step = static_cast<uint8_t>(state.denoise_history_increase);
  dn.history_start = static_cast<uint8_t>(state.initial_denoise_history);
  dn.moving_pixels = state.denoise_moving_pixel_threshold;
  const auto luma = [](const auto&... fields) { return std::array{of_luma(fields)...}; };
  const std::array distances = luma(state.dn_wd00, state.dn_wd01, state.dn_wd02, state.dn_wd10, state.dn_wd11, state.dn_wd12, state.dn_wd20,
                                    state.dn_wd21, state.dn_wd22);
  std::ranges::transform(distances, dn.distance_weight.begin(), [](uint32_t weight) { return static_cast<uint8_t>(weight); });
  std::array limits = luma(state.dn_prt0, state.dn_prt1, state.dn_prt2, state.dn_prt3, state.dn_prt4, state.dn_prt5);
  std::array weights = luma(state.dn_wr0, state.dn_wr1, state.dn_wr2, state.dn_wr3, state.dn_wr4, state.dn_wr5);
  const bool is_given = dn.distance_weight[0] && std::accumulate(weights.begin(), weights.end(), 0u);
  const unsigned places = is_given ? threshold_places : 0;
  for (uint32_t& limit : limits) limit >>= places;
  dn.block_difference = state.denoise_stad_threshold >> places;
  const auto threshold = [places](uint32_t given, uint32_t block) {
    return static_cast<uint8_t>(std::min((given ? given : block / block_pixels) >> places, 255u));
  };
  dn.pixel_difference = threshold(state.temporal_difference_threshold, state.denoise_stad_threshold);
  dn.chroma_difference = threshold(state.chroma_temporal_difference_threshold, state.chroma_denoise_stad_threshold);
  if (!is_given) {
    dn.distance_weight = default_distance_weights;
    limits = default_range_limits, weights = default_range_weights;
  }
  for (uint32_t differs = 0; differs < dn.range_weight.size(); ++differs) {
    const auto at = std::find_if(limits.begin(), limits.end(), [&](uint32_t limit) { return differs <= limit; });
    if (at != limits.end()) dn.range_weight[differs] = static_cast<uint16_t>(weights[static_cast<size_t>(at - limits.begin())]);
  }
  return dn;
}

/// Offsets are S15: 8-bit values times 128 (mhw_vebox_g9_X.cpp).
Matrix matrix(const std::array<int32_t, 9>& coefficients, const std::array<int32_t, 3>& in, const std::array<int32_t, 3>& out) {
  Matrix m{coefficients, {}, {}};
  for (size_t i = 0; i < 3; ++i) m.in[i] = in[i] * 2, m.out[i] = out[i] * 2;
  return m;
}

/// Later surfaces have the order of their components in their format: iHD sets the swap with it, and where SFC takes pictures over whose components its matrix
/// has put in order (VeboxGetBeCSCMatrix() in vp_vebox_cmd_packet.cpp). So it has no effect there (chosen).
template <class G>
constexpr bool swaps_channels = !requires { G::VEBOX_SURFACE_STATE::SurfaceFormat::B8G8R8A8_UNORM; };

template <class G>
void add_colour(const typename G::VEBOX_IECP_STATE& state, Colour& colour) {
  if (state.std_ste_state.std_enable || state.std_ste_state.ste_enable) unimplemented("VEBOX skin tones", "STD/STE has no effect");
  if (state.ace_state.ace_enable) unimplemented("VEBOX contrast enhancement", "ACE has no effect");
  if (state.tcc_state.tcc_enable) unimplemented("VEBOX total colour control", "TCC has no effect");
  if (state.ccm_state.color_correction_matrix_enable) unimplemented("VEBOX colour correction matrix", "no effect");
  if (const auto& amp = state.procamp_state; amp.procamp_enable)
    colour.amplifier = ProcAmp{static_cast<int32_t>(amp.contrast), amp.brightness, amp.cos_c_s, amp.sin_c_s};
  const auto& back = state.csc_state;
  if (back.transform_enable)
    colour.back = matrix({back.c0, back.c1, back.c2, back.c3, back.c4, back.c5, back.c6, back.c7, back.c8},
                         {back.offset_in_1, back.offset_in_2, back.offset_in_3}, {back.offset_out_1, back.offset_out_2, back.offset_out_3});
  colour.swap = swaps_channels<G> && back.yuv_channel_swap;
  if (const auto& f = state.front_end_csc_state; f.front_end_csc_transform_enable)
    colour.front =
        matrix({f.fecsc_c0_transform_coefficient, f.fecsc_c1_transform_coefficient, f.fecsc_c2_transform_coefficient,
                f.fecsc_c3_transform_coefficient, f.fecsc_c4_transform_coefficient, f.fecsc_c5_transform_coefficient,
                f.fecsc_c6_transform_coefficient, f.fecsc_c7_transform_coefficient, f.fecsc_c8_transform_coefficient},
               {f.fec_sc_offset_in_1_offset_in_for_yr, f.fec_sc_offset_in_2_offset_out_for_ug, f.fec_sc_offset_in_3_offset_out_for_vb},
               {f.fec_sc_offset_out_1_offset_out_for_yr, f.fec_sc_offset_out_2_offset_out_for_ug, f.fec_sc_offset_out_3_offset_out_for_vb});
  if (state.alpha_aoi_state.alpha_from_state_select) colour.alpha = static_cast<uint8_t>(state.alpha_aoi_state.color_pipe_alpha >> 8);
}

template <class Modes>
bool features_are_known(const Modes& m) {
  const struct {
    bool on;
    const char* name;
  } missing[] = {{m.color_gamut_expansion_enable, "VEBOX gamut expansion"},  {m.color_gamut_compression_enable, "VEBOX gamut compression"},
                 {m.hot_pixel_filtering_enable, "VEBOX hot pixel filter"},   {m.lace_correction_enable, "VEBOX local contrast (LACE)"},
                 {m.forward_gamma_correction_enable, "VEBOX forward gamma"}, {m.alpha_plane_enable, "VEBOX alpha plane"},
                 {m.vignette_enable, "VEBOX vignette correction"},           {m.demosaic_enable, "VEBOX demosaic"}};
  for (const auto& feature : missing)
    if (feature.on) unimplemented(feature.name, "no effect");
  if constexpr (requires { m.scalar_mode; }) {
    if (m.scalar_mode) unimplemented("VEBOX scalar mode", "no effect");
    if (m._3d_lut_enable) unimplemented("VEBOX 3D LUT", "no effect");
  }
  if constexpr (requires { m.hdr_enable; }) {
    if (m.hdr_enable) unimplemented("VEBOX HDR", "no effect");
    if (m.fp16_mode_enable) unimplemented("VEBOX samples of FP16", "no effect");
  }
  return !m.demosaic_enable;
}

/// How chroma is reduced: at its place between the samples, or left out.
template <class G, class Modes>
void set_downsampling(const Modes& m, Colour& colour) {
  if constexpr (requires { m._444_422_downsample_method; }) {
    colour.average_horizontally = m._444_422_downsample_method == G::DownsampleMethod::AVERAGE;
    colour.average_vertically = m._422_420_downsample_method == G::DownsampleMethod::AVERAGE;
  } else {
    using Row = typename G::VEBOXChromaRow;
    const Row row = m.chroma_downsampling_co_sited_vertical_offset;
    colour.average_horizontally = m.chroma_downsampling_co_sited_horizontal_offset != G::VEBOXChromaColumn::LEFT;
    colour.average_vertically = row != Row::TOP;
    if (row != Row::TOP && row != Row::CENTER) unimplemented("VEBOX chroma siting", "row {}: averaged", static_cast<unsigned>(row));
  }
}

/// What is counted of a frame, behind the blocks' statistics: of Gen9 256 dwords of histogram and 32 more for each of two slices
/// (vphal_render_vebox_base.h), later VPHAL_VEBOX_STATISTICS_SIZE_G11 dwords.
template <class G>
constexpr uint32_t frame_statistics_dwords = 32 * 8;
template <>
constexpr uint32_t frame_statistics_dwords<defs::Gen9> = 2 * (256 + 32);

template <class Object>
bool is_plain(const Object& o) {
  return !(o.current_frame_input_tiled_resource_mode | o.previous_frame_input_tiled_resource_mode |
           o.denoised_current_frame_output_tiled_resource_mode | o.current_frame_output_tiled_resource_mode |
           o.previous_frame_output_tiled_resource_mode);
}

template <class G>
class PacketDecoder final : public VeboxDecoder {
  using State = typename G::VEBOX_SURFACE_STATE;
  static_assert(State::dwords == std::tuple_size_v<SurfaceState> && G::VEBOX_STATE::dwords <= std::tuple_size_v<ModeState>);

 public:
  size_t surface_of(std::span<const uint32_t> packet) const override {
    return typename State::View(packet).surface_identification() == State::SurfaceIdentification::OUTPUT;
  }

  std::optional<Conversion> conversion([[maybe_unused]] std::span<const uint32_t> packet,
                                       [[maybe_unused]] const SurfaceStates& states) const override {
    if constexpr (requires { typename G::VEBOX_TILING_CONVERT::InputTiledResourceMode; }) return tiling_conversion<G>(packet, states);
    // No public source has more of the packet than its addresses.
    unimplemented("VEBOX_TILING_CONVERT");
    return std::nullopt;
  }

  std::optional<Enhancement> enhancement(std::span<const uint32_t> packet, const SurfaceStates& states, const ModeState& mode_state,
                                         const sfc::Job* scaled, memory::View& view) const override {
    const State source = State::unpack(states[0]);
    const auto modes = G::VEBOX_STATE::unpack(mode_state);
    const auto object = G::VEB_DI_IECP::unpack(packet);
    if (!features_are_known(modes)) return std::nullopt;
    if (!is_plain(object)) {
      unimplemented("VEBOX surface", "tiled in Yf or Ys");
      return std::nullopt;
    }
    Enhancement out;
    // The denoise filter alone has no other output. That of SFC's input is written where SFC_LOCK says so, and else has no surface state.
    out.store_output = modes.di_enable || ((modes.global_iecp_enable || !modes.dn_enable) && object.current_frame_output_address);
    if (scaled) {
      out.store_output = scaled->keeps_output && object.current_frame_output_address;
      out.sink_sampling = scaled->input;
    }
    const State target = scaled && !out.store_output ? source : State::unpack(states[1]);
    const auto from = checked_format(source), to = checked_format(target);
    if (!from || !to) return std::nullopt;
    out.x = align_down(object.starting_x, column_step);
    const uint32_t end = std::min({object.ending_x, source.width, target.width}) + 1;
    if (end <= out.x) {
      guest_error("VEB_DI_IECP", "columns {} to {} of {}", object.starting_x, object.ending_x, source.width + 1);
      return std::nullopt;
    }
    out.width = end - out.x;
    out.height = std::min(source.height, target.height) + 1;
    if (scaled && (scaled->width > out.width || scaled->height > out.height)) {
      guest_error("SFC_STATE", "input of {}x{}, VEBOX's is {}x{}", scaled->width, scaled->height, out.width, out.height);
      return std::nullopt;
    }
    out.first_frame = modes.dndi_first_frame;
    using Frames = typename G::VEBOX_STATE::DIOutputFrames;
    const auto dndi = modes.dn_enable || modes.di_enable
                          ? memory::load_structure<typename G::VEBOX_DNDI_STATE>(view, strip_canonical(modes.dn_di_state_pointer))
                          : typename G::VEBOX_DNDI_STATE{};
    if (modes.dn_enable) out.denoise = denoiser(dndi);
    if (modes.dn_enable && modes.disable_temporal_denoise_filter) out.denoise->static_history_max = 0;
    if (modes.di_enable) {
      out.deinterlace = deinterlacer(dndi);
      out.deinterlace->previous =
          modes.di_output_frames != Frames::CURRENT && !out.first_frame && (scaled || object.previous_frame_output_address);
      out.deinterlace->current = modes.di_output_frames != Frames::PREVIOUS && (scaled || object.current_frame_output_address);
      if (scaled && !out.deinterlace->previous) out.deinterlace->current = true;
    }
    set_downsampling<G>(modes, out.colour);
    if (modes.global_iecp_enable)
      add_colour<G>(memory::load_structure<typename G::VEBOX_IECP_STATE>(view, strip_canonical(modes.iecp_state_pointer)), out.colour);
    const uint32_t pitch = source.surface_pitch + 1;
    out.current = surface_at(source, *from, object.current_frame_input_address, pitch);
    out.previous = surface_at(source, *from, object.previous_frame_input_address, pitch);
    out.denoised = surface_at(source, *from, object.denoised_current_frame_output_address, pitch);
    out.output_current = surface_at(target, *to, object.current_frame_output_address, target.surface_pitch + 1);
    out.output_previous = surface_at(target, *to, object.previous_frame_output_address, target.surface_pitch + 1);
    if (modes.dn_enable || modes.di_enable) add_side_data(object, source, !modes.disable_encoder_statistics, out);
    return out;
  }
  std::optional<sfc::Job> scaling(const SfcStates& states) const override { return sfc_job<G>(states, SfcClient::vebox); }

 private:
  /// Motion and statistics. The input's derived pitch is STMM's (mhw_vebox_generic.h, AddVeboxSurfaces); i965's are all equal.
  template <class Object>
  static void add_side_data(const Object& object, const State& source, bool statistics, Enhancement& out) {
    const uint32_t pitch = source.derived_surface_pitch + 1;
    const PlaneLayout motion{.pitch = pitch, .width = std::min(pitch, source.width + 1), .height = source.height + 1};
    out.history_column = (source.width + 2) / 2;
    if (object.stmm_input_address) (out.motion_in = motion)->base = object.stmm_input_address;
    if (object.stmm_output_address) (out.motion_out = motion)->base = object.stmm_output_address;
    if (!statistics) return;
    // A block of 16x4 pixels has 16 bytes.
    constexpr uint32_t frame_bytes = 4 * frame_statistics_dwords<G>, block_rows = 4;
    out.statistics = object.statistics_output_address;
    out.statistics_pitch = align_up(source.width + 1, column_step);
    out.statistics_rows = (source.height + block_rows) / block_rows + (frame_bytes + out.statistics_pitch - 1) / out.statistics_pitch;
  }
};

}  // namespace

template <class G>
std::unique_ptr<const VeboxDecoder> make_vebox_decoder() {
  return std::make_unique<PacketDecoder<G>>();
}

template std::unique_ptr<const VeboxDecoder> make_vebox_decoder<defs::Gen9>();
template std::unique_ptr<const VeboxDecoder> make_vebox_decoder<defs::Gen11>();
template std::unique_ptr<const VeboxDecoder> make_vebox_decoder<defs::Gen12>();

}  // namespace softgen::media

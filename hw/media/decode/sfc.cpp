// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets: fields as iHD's mhw_sfc_generic.h and mhw_sfc_g9_X.cpp, _g11_X.cpp and _g12_X.cpp write them.
#include "hw/media/decode/sfc.h"

#include <cmath>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/mfx_surface.h"

namespace softgen::media {
namespace {

using namespace sfc;
using vebox::PixelFormat;
using vebox::Sampling;

/// The bits of a fixed-point field.
template <typename T>
T fixed(float value, unsigned places) {
  return static_cast<T>(std::lround(std::ldexp(value, static_cast<int>(places))));
}
constexpr unsigned step_bits = step_places, tap_bits = 6, detail_bits = 5;

/// SFC_STATE's fields. Gen12 has them in a structure that it shares with HCP's packet.
template <class G>
auto fields_of(std::span<const uint32_t> packet) {
  const auto state = G::SFC_STATE::unpack(packet);
  if constexpr (requires { state.sfc_state_body; }) return state.sfc_state_body;
  else return state;
}

/// A sample of ten bits, of which 1023 is the most that eight bits have (SetSfcStateParams() in vphal_render_sfc_base.cpp).
uint16_t ten_bits(uint32_t value) { return static_cast<uint16_t>(value * 255 / 4); }

/// Whether samples of reduced chroma are shared by two columns, and by two rows.
bool is_even(uint32_t value, int step) { return value % static_cast<uint32_t>(step) == 0; }

template <class State>
bool set_format(const State& s, Job& job) {
  using Format = typename State::OutputSurfaceFormatType;
  PixelFormat& format = job.output.format;
  switch (s.output_surface_format_type) {
    case Format::AYUV: format = {Sampling::s444, false, 1, {2, 1, 0, 3}}; return true;
    case Format::A8B8G8R8: format = {Sampling::s444, false, 1, {0, 1, 2, 3}}; return true;
    case Format::A2R10G10B10: job.packing = Packing::rgb10; return true;
    case Format::R5G6B5: job.packing = Packing::rgb565; return true;
    case Format::NV12: format = {Sampling::s420, true, 1, {}}; return s.output_surface_interleave_chroma_enable;
    case Format::YUYV: format = {Sampling::s422, false, 1, {0, 1, 2, 3}}; return true;
    case Format::UYVY: format = {Sampling::s422, false, 1, {1, 0, 3, 2}}; return true;
    default: break;
  }
  if constexpr (requires { Format::P016; }) {
    // iHD does not set Interleave Chroma with it.
    if (s.output_surface_format_type != Format::P016) return false;
    format = {Sampling::s420, true, 2, {}};
    job.ten_bits = s.bit_depth == State::BitDepth::_10_BIT;
    return true;
  }
  return false;
}

template <class State>
void set_planes(const State& s, Job& job) {
  PlaneLayout& first = job.output.planes[0];
  first.base = s.output_frame_address;
  first.pitch = s.output_surface_pitch + 1;
  first.tiling = mfx_tiling(s.output_surface_tiled, s.output_surface_tile_walk);
  first.width = s.output_frame_width + 1, first.height = s.output_frame_height + 1;
  first.element = job.packing == Packing::rgb565 ? 2 : 4;
  if (job.target() == Sampling::s422) first.width = (first.width + 1) / 2;
  if (job.target() != Sampling::s420) return;
  first.element = job.output.format.bytes;
  PlaneLayout& second = job.output.planes[1] = first;
  second.element = static_cast<uint8_t>(2 * first.element);
  second.first_row = s.output_surface_y_offset_for_u;
  second.width = (first.width + 1) / 2, second.height = (first.height + 1) / 2;
  // iHD makes the frame of one rotation as high as it is wide (WaSFC270DegreeRotation): luma ends where chroma begins.
  if (second.first_row) first.height = std::min(first.height, second.first_row);
}

template <class State>
bool set_input(const State& s, SfcClient client, Job& job) {
  using In = typename State::SFCInputChromaSubSampling;
  switch (s.sfc_input_chroma_sub_sampling) {
    case In::_4_2_0: job.input = Sampling::s420; break;
    case In::_4_2_2_HORIZONATAL: job.input = Sampling::s422; break;
    case In::_4_4_4_PROGRESSIVE_INTERLEAVED: job.input = Sampling::s444; break;
    case In::_4_0_0:
      // Of decoders alone: VEBOX's formats have chroma. Constant chroma is the same in all samplings.
      if (client == SfcClient::vebox) return false;
      job.input = Sampling::s420;
      job.grey = std::array{ten_bits(s.uv_default_value_for_u_channel), ten_bits(s.uv_default_value_for_v_channel)};
      break;
    default: return false;
  }
  if constexpr (requires { s.pre_avs_chroma_downsampling_enable; }) {
    using Reduce = typename State::PreAVSChromaDownsamplingEnable;
    const Reduce reduce = s.pre_avs_chroma_downsampling_enable;
    job.x.reduced = job.input == Sampling::s444 && (reduce == Reduce::_444_TO_420 || reduce == Reduce::_444_TO_422);
    job.y.reduced =
        (job.input == Sampling::s444 && reduce == Reduce::_444_TO_420) || (job.input == Sampling::s422 && reduce == Reduce::_422_TO_420);
  }
  job.width = s.input_frame_resolution_width + 1, job.height = s.input_frame_resolution_height + 1;
  return uint64_t{job.width} * job.height <= max_samples;
}

/// Turned, then mirrored (vphal_render_sfc_base.cpp, VpHal_GetMhwRotationParam).
template <class State>
Orientation orientation_of(const State& s) {
  using Rotated = typename State::RotationMode;
  Orientation out;
  switch (s.rotation_mode) {
    case Rotated::_0: break;
    case Rotated::_90_CW: out = {.transposed = true, .flip_x = true}; break;
    case Rotated::_180_CW: out = {.flip_x = true, .flip_y = true}; break;
    case Rotated::_270_CW: out = {.transposed = true, .flip_y = true}; break;
  }
  if constexpr (requires { s.mirror_mode; })
    if (s.mirror_mode) {
      bool& flip = s.mirror_type == State::MirrorType::HORIZONTAL_FLIP ? out.flip_x : out.flip_y;
      flip = !flip;
    }
  return out;
}

/// Positions are of samples' centres; Gen12's packet has the first one in it.
template <class State>
void set_positions(const State& s, Job& job) {
  if constexpr (requires { s.x_phase_shift; }) {
    job.x.start = fixed<int32_t>(s.x_phase_shift, step_bits), job.y.start = fixed<int32_t>(s.y_phase_shift, step_bits);
  } else {
    for (Axis* axis : {&job.x, &job.y}) axis->start = (static_cast<int32_t>(axis->step) - static_cast<int32_t>(whole_step)) / 2;
  }
}

/// Of chroma, in the output and, where it is reduced there, in the input.
template <class G, class State>
void set_sitings(const State& s, [[maybe_unused]] const SfcStates& states, Job& job) {
  const auto eighths = [](uint32_t value) { return std::min<uint32_t>(value, siting_parts); };
  if constexpr (requires { s.pre_avs_chroma_downsampling_enable; }) {
    job.x.siting = s.pre_avs_chroma_downsampling_co_siting_position_horizontal_direction;
    job.y.siting = s.pre_avs_chroma_downsampling_co_siting_position_vertical_direction;
  } else {
    job.x.siting = eighths(s.output_chroma_downsampling_co_siting_position_horizontal_direction);
    job.y.siting = eighths(s.output_chroma_downsampling_co_siting_position_vertical_direction);
    // iHD leaves the packet out where nothing is filtered.
    if (!states.avs[0]) return;
    const auto avs = G::SFC_AVS_STATE::unpack(states.avs).avs_state_body;
    job.x.input_siting = eighths(avs.input_horizontal_siting), job.y.input_siting = eighths(avs.input_vertical_siting);
  }
}

template <class State>
void set_axes(const State& s, Job& job) {
  job.x.first = s.source_region_horizontal_offset, job.x.count = s.source_region_width + 1;
  job.y.first = s.source_region_vertical_offset, job.y.count = s.source_region_height + 1;
  job.x.scaled = s.scaled_region_size_width + 1, job.y.scaled = s.scaled_region_size_height + 1;
  job.scaling.enabled = s.avs_scaling_enable;
  job.x.step = fixed<uint32_t>(s.scaling_factor_width, step_bits), job.y.step = fixed<uint32_t>(s.scaling_factor_height, step_bits);
  set_positions(s, job);
  job.orientation = orientation_of(s);
}

template <class State>
bool sizes_are_right(const State& s, const Job& job) {
  const bool turned = job.orientation.transposed;
  const Axis &columns = turned ? job.y : job.x, &rows = turned ? job.x : job.y;
  const bool inside = job.x.first + job.x.count <= job.width && job.y.first + job.y.count <= job.height;
  const bool placed = job.left + columns.scaled <= s.output_frame_width + 1 && job.top + rows.scaled <= s.output_frame_height + 1;
  const int across = chroma_step_x(job.target()), down = chroma_step_y(job.target());
  const bool even = is_even(columns.scaled | job.left, across) && is_even(rows.scaled | job.top, down);
  const bool steps = !job.scaling.enabled || (job.x.step && job.y.step);
  if (inside && placed && even && steps) return true;
  guest_error("SFC_STATE", "source {}x{} at {}, {} of {}x{}; becomes {}x{} at {}, {} of {}x{}; steps {}, {}", job.x.count, job.y.count,
              job.x.first, job.y.first, job.width, job.height, columns.scaled, rows.scaled, job.left, job.top, s.output_frame_width + 1,
              s.output_frame_height + 1, job.x.step, job.y.step);
  return false;
}

template <class G>
void set_taps(const SfcStates& states, Job& job) {
  const auto luma = G::SFC_AVS_LUMA_COEFF_TABLE::unpack(states.luma_taps).avs_luma_coefficient_table_body;
  const auto chroma = G::SFC_AVS_CHROMA_COEFF_TABLE::unpack(states.chroma_taps).avs_chroma_coefficient_table_body;
  const auto set = [](Taps& taps, const auto&... by_tap) {
    size_t k = max_taps == sizeof...(by_tap) ? 0 : 2;
    const auto one = [&](const auto& values) {
      for (size_t phase = 0; phase < phases; ++phase) taps[phase][k] = fixed<int16_t>(values[phase], tap_bits);
      ++k;
    };
    (one(by_tap), ...);
  };
  set(job.x.luma, luma.table_0x_filter_coefficient_0, luma.table_0x_filter_coefficient_1, luma.table_0x_filter_coefficient_2,
      luma.table_0x_filter_coefficient_3, luma.table_0x_filter_coefficient_4, luma.table_0x_filter_coefficient_5,
      luma.table_0x_filter_coefficient_6, luma.table_0x_filter_coefficient_7);
  set(job.y.luma, luma.table_0y_filter_coefficient_0, luma.table_0y_filter_coefficient_1, luma.table_0y_filter_coefficient_2,
      luma.table_0y_filter_coefficient_3, luma.table_0y_filter_coefficient_4, luma.table_0y_filter_coefficient_5,
      luma.table_0y_filter_coefficient_6, luma.table_0y_filter_coefficient_7);
  set(job.x.chroma, chroma.table_1x_filter_coefficient_2, chroma.table_1x_filter_coefficient_3, chroma.table_1x_filter_coefficient_4,
      chroma.table_1x_filter_coefficient_5);
  set(job.y.chroma, chroma.table_1y_filter_coefficient_2, chroma.table_1y_filter_coefficient_3, chroma.table_1y_filter_coefficient_4,
      chroma.table_1y_filter_coefficient_5);
}

template <class G, class State>
void set_filters(const State& s, const SfcStates& states, Job& job) {
  job.scaling.polyphase = s.avs_filter_mode != State::AVSFilterMode::BILINEAR_FILTER_ONLY;
  job.scaling.filters_chroma = s.chroma_upsampling_enable;
  if (!job.scaling.polyphase || !(job.scaling.enabled || job.scaling.filters_chroma)) return;
  set_taps<G>(states, job);
  const auto avs = G::SFC_AVS_STATE::unpack(states.avs).avs_state_body;
  job.scaling.sharpness = polyphase::sharpness_of(avs.sharpness_level);
  if constexpr (requires { s._8_tap_filter_for_chroma_enable; }) job.scaling.wide_chroma = s._8_tap_filter_for_chroma_enable;
  if (job.scaling.enabled && !(s.bypass_x_adaptive_filtering && s.bypass_y_adaptive_filtering))
    unimplemented("SFC adaptive filter", "the sharpness level in its place");
}

template <class Ief>
Sharpening sharpening(const Ief& f) {
  const auto part = [](float value) { return fixed<uint8_t>(value, detail_bits); };
  return {.gain = static_cast<uint8_t>(f.gain_factor),
          .cross = part(f.r3x_coefficient),
          .corner = part(f.r3c_coefficient),
          .far_cross = part(f.r5x_coefficient),
          .far_side = part(f.r5cx_coefficient),
          .far_corner = part(f.r5c_coefficient),
          .weak_edge = static_cast<uint8_t>(f.weak_edge_threshold),
          .strong_edge = static_cast<uint8_t>(f.strong_edge_threshold),
          .flat_weight = static_cast<uint8_t>(f.non_edge_weight),
          .weak_weight = static_cast<uint8_t>(f.regular_weight),
          .strong_weight = static_cast<uint8_t>(f.strong_edge_weight)};
}

template <class Ief>
vebox::Matrix matrix(const Ief& f) {
  const float coefficients[] = {f.c0, f.c1, f.c2, f.c3, f.c4, f.c5, f.c6, f.c7, f.c8};
  const float in[] = {f.offset_in_1, f.offset_in_2, f.offset_in_3}, out[] = {f.offset_out_1, f.offset_out_2, f.offset_out_3};
  constexpr unsigned coefficient_bits = 16, sample_bits = 8;  // vebox::Matrix's units
  vebox::Matrix m;
  for (size_t i = 0; i < m.coefficient.size(); ++i) m.coefficient[i] = fixed<int32_t>(coefficients[i], coefficient_bits);
  for (size_t i = 0; i < m.in.size(); ++i) m.in[i] = fixed<int32_t>(in[i], sample_bits), m.out[i] = fixed<int32_t>(out[i], sample_bits);
  return m;
}

template <class G, class State>
void set_colour(const State& s, const SfcStates& states, Job& job) {
  const auto ief = G::SFC_IEF_STATE::unpack(states.ief).sfc_ief_state_body;
  if (s.ief_enable) job.sharpening = sharpening(ief);
  if (s.ief4_smooth_enable) unimplemented("SFC IEF4 smooth", "no effect");
  if (s.skin_tone_tuned_ief_enable) unimplemented("SFC skin tone tuned IEF", "no effect");
  if (s.csc_enable && ief.transform_enable) job.matrix = matrix(ief);
  if (s.csc_enable && ief.yuv_channel_swap) unimplemented("SFC YUV channel swap", "no effect");
  job.swap = s.rgba_channel_swap_enable && job.target() == Sampling::s444;
  job.alpha = ten_bits(s.alpha_default_value);
  if (s.color_fill_enable)
    job.fill = Fill{{ten_bits(s.gray_bar_pixel_y_r), ten_bits(s.gray_bar_pixel_u_g), ten_bits(s.gray_bar_pixel_v_b)},
                    ten_bits(s.gray_bar_pixel_a)};
}

/// The mode of a client's frames. None: its SFC takes none of them.
template <class State>
std::optional<typename State::SFCPipeMode> pipe_mode_of(SfcClient client) {
  using Mode = typename State::SFCPipeMode;
  switch (client) {
    case SfcClient::mfx: return Mode::VD_TO_SFC;
    case SfcClient::vebox: return Mode::VE_TO_SFC;
    case SfcClient::hcp: break;
  }
  if constexpr (requires { Mode::HCP_TO_SFC; }) return Mode::HCP_TO_SFC;
  return std::nullopt;
}

/// What a job does without.
template <class State>
void count_missing(const State& s) {
  if (s.output_frame_memory_compression_enable) unimplemented("SFC compressed output", "written as it is");
  if constexpr (requires { s.sfc_engine_mode; }) {
    if (s.sfc_engine_mode != State::SFCEngineMode::SINGLE) unimplemented("SFC of several engines", "as of one");
    if (s.histogram_streamout) unimplemented("SFC histogram", "not written");
  }
}

}  // namespace

template <class G>
std::optional<Job> sfc_job(const SfcStates& states, SfcClient client) {
  using Lock = typename G::SFC_LOCK_BODY;
  static_assert(G::SFC_STATE::dwords <= std::tuple_size_v<decltype(states.state)> &&
                G::SFC_LOCK::dwords == std::tuple_size_v<decltype(states.lock)> &&
                G::SFC_AVS_STATE::dwords <= std::tuple_size_v<decltype(states.avs)> &&
                G::SFC_IEF_STATE::dwords == std::tuple_size_v<decltype(states.ief)> &&
                G::SFC_AVS_LUMA_COEFF_TABLE::dwords == std::tuple_size_v<decltype(states.luma_taps)> &&
                G::SFC_AVS_CHROMA_COEFF_TABLE::dwords == std::tuple_size_v<decltype(states.chroma_taps)>);
  const auto lock = G::SFC_LOCK::unpack(states.lock).sfc_lock_body;
  const auto s = fields_of<G>(states.state);
  using State = std::remove_const_t<decltype(s)>;
  const bool is_vebox = client == SfcClient::vebox;
  const std::optional<typename State::SFCPipeMode> mode = pipe_mode_of<State>(client);
  if (!mode) {
    unsupported("SFC behind HCP", "mode {}", static_cast<unsigned>(s.sfc_pipe_mode));
    return std::nullopt;
  }
  if (lock.ve_sfc_pipe_select != (is_vebox ? Lock::VESFCPipeSelect::VEBOX : Lock::VESFCPipeSelect::VDBOX) || s.sfc_pipe_mode != *mode) {
    unimplemented("SFC pipe mode", "{} on {}", static_cast<unsigned>(s.sfc_pipe_mode), is_vebox ? "VECS" : "VCS");
    return std::nullopt;
  }
  count_missing(s);
  Job job;
  job.keeps_output = lock.pre_scaled_output_surface_output_enable;
  if (!set_input(s, client, job)) {
    unimplemented("SFC input", "chroma {}, {}x{}", static_cast<unsigned>(s.sfc_input_chroma_sub_sampling), job.width, job.height);
    return std::nullopt;
  }
  const bool moved = s.output_surface_x_offset_for_u || s.output_surface_half_pitch_for_chroma ||
                     s.output_frame_tiled_mode != State::OutputFrameTiledMode::TRMODE_NONE;
  if (!set_format(s, job) || moved) {
    unimplemented("SFC output", "format {}, chroma {}", static_cast<unsigned>(s.output_surface_format_type),
                  s.output_surface_interleave_chroma_enable ? "interleaved" : "apart");
    return std::nullopt;
  }
  if (s.scaled_region_horizontal_offset < 0 || s.scaled_region_vertical_offset < 0) {
    unimplemented("SFC region", "at {}, {}", s.scaled_region_horizontal_offset, s.scaled_region_vertical_offset);
    return std::nullopt;
  }
  job.left = static_cast<uint32_t>(s.scaled_region_horizontal_offset), job.top = static_cast<uint32_t>(s.scaled_region_vertical_offset);
  set_axes(s, job);
  set_sitings<G>(s, states, job);
  if (!sizes_are_right(s, job)) return std::nullopt;
  set_planes(s, job);
  set_filters<G>(s, states, job);
  set_colour<G>(s, states, job);
  return job;
}

template std::optional<Job> sfc_job<defs::Gen9>(const SfcStates&, SfcClient);
template std::optional<Job> sfc_job<defs::Gen11>(const SfcStates&, SfcClient);
template std::optional<Job> sfc_job<defs::Gen12>(const SfcStates&, SfcClient);

}  // namespace softgen::media

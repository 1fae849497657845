// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of a generation, as the tests of both engines before it send them.
#pragma once

#include <utility>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/sfc_states.h"

namespace softgen::media::test {

/// Samples of a picture in which places differ.
constexpr uint8_t texture(uint32_t x, uint32_t y) { return static_cast<uint8_t>((x * 37 + y * 101 + x * y) % 220 + 16); }

/// SFC_STATE's fields, which Gen12 has in a structure.
template <class State>
auto& sfc_fields(State& state) {
  if constexpr (requires { state.sfc_state_body; }) return state.sfc_state_body;
  else return state;
}

template <class G>
struct SfcPacketsOf {
  using Fields = std::remove_cvref_t<decltype(sfc_fields(std::declval<typename G::SFC_STATE&>()))>;
  using Format = typename Fields::OutputSurfaceFormatType;

  /// Without scaling, in NV12.
  SfcPacketsOf(SfcClient client, uint32_t width, uint32_t height, uint64_t output, uint32_t out_pitch, uint32_t chroma_row) {
    set_client(client);
    auto& state = fields();
    state.sfc_input_chroma_sub_sampling = Fields::SFCInputChromaSubSampling::_4_2_0;
    state.input_frame_resolution_width = state.source_region_width = width - 1;
    state.input_frame_resolution_height = state.source_region_height = height - 1;
    state.output_frame_address = output, state.output_surface_pitch = out_pitch - 1;
    state.output_surface_y_offset_for_u = chroma_row;
    state.alpha_default_value = 1023;
    state.bypass_x_adaptive_filtering = state.bypass_y_adaptive_filtering = true;
    become(Format::NV12, width, height);
  }
  void set_client(SfcClient client) {
    using Select = typename G::SFC_LOCK_BODY::VESFCPipeSelect;
    using Mode = typename Fields::SFCPipeMode;
    const bool is_vebox = client == SfcClient::vebox;
    lock.sfc_lock_body.ve_sfc_pipe_select = is_vebox ? Select::VEBOX : Select::VDBOX;
    fields().sfc_pipe_mode = is_vebox ? Mode::VE_TO_SFC : Mode::VD_TO_SFC;
    if constexpr (requires { Mode::HCP_TO_SFC; })
      if (client == SfcClient::hcp) fields().sfc_pipe_mode = Mode::HCP_TO_SFC;
  }
  /// The frame and the picture in it.
  void become(Format format, uint32_t columns, uint32_t rows) {
    using Rotated = typename Fields::RotationMode;
    auto& state = fields();
    state.output_surface_format_type = format;
    state.output_surface_interleave_chroma_enable = format == Format::NV12;
    const bool turned = state.rotation_mode == Rotated::_90_CW || state.rotation_mode == Rotated::_270_CW;
    state.output_frame_width = (turned ? rows : columns) - 1, state.output_frame_height = (turned ? columns : rows) - 1;
    state.scaled_region_size_width = columns - 1, state.scaled_region_size_height = rows - 1;
    state.scaling_factor_width = static_cast<float>(state.source_region_width + 1) / static_cast<float>(columns);
    state.scaling_factor_height = static_cast<float>(state.source_region_height + 1) / static_cast<float>(rows);
    state.avs_scaling_enable = state.scaling_factor_width != 1 || state.scaling_factor_height != 1;
    // mhw_sfc_g12_X.cpp: centred.
    if constexpr (requires { state.x_phase_shift; })
      state.x_phase_shift = (state.scaling_factor_width - 1) / 2, state.y_phase_shift = (state.scaling_factor_height - 1) / 2;
  }
  /// All but SFC_FRAME_START.
  template <class Rig>
  void send_to(Rig& rig) const {
    rig.send(lock), rig.send(state), rig.send(avs), rig.send(luma), rig.send(chroma), rig.send(ief);
  }
  Fields& fields() { return sfc_fields(state); }

  typename G::SFC_LOCK lock;
  typename G::SFC_STATE state;
  typename G::SFC_AVS_STATE avs;
  typename G::SFC_AVS_LUMA_COEFF_TABLE luma;
  typename G::SFC_AVS_CHROMA_COEFF_TABLE chroma;
  typename G::SFC_IEF_STATE ief;
};

using SfcPackets = SfcPacketsOf<defs::Gen9>;

}  // namespace softgen::media::test

// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets, as the tests of both engines before it send them.
#pragma once

#include "hw/defs/gen9/all.h"
#include "hw/media/sfc_states.h"

namespace softgen::media::test {

struct SfcPackets {
  using G = defs::Gen9;
  using Format = G::SFC_STATE::OutputSurfaceFormatType;

  /// Without scaling, in NV12.
  SfcPackets(SfcClient client, uint32_t width, uint32_t height, uint64_t output, uint32_t out_pitch, uint32_t chroma_row) {
    set_client(client);
    state.sfc_input_chroma_sub_sampling = G::SFC_STATE::SFCInputChromaSubSampling::_4_2_0;
    state.input_frame_resolution_width = state.source_region_width = width - 1;
    state.input_frame_resolution_height = state.source_region_height = height - 1;
    state.output_frame_address = output, state.output_surface_pitch = out_pitch - 1;
    state.output_surface_y_offset_for_u = chroma_row;
    state.alpha_default_value = 1023;
    state.bypass_x_adaptive_filtering = state.bypass_y_adaptive_filtering = true;
    become(Format::NV12, width, height);
  }
  void set_client(SfcClient client) {
    using Select = G::SFC_LOCK_BODY::VESFCPipeSelect;
    using Mode = G::SFC_STATE::SFCPipeMode;
    const bool is_vebox = client == SfcClient::vebox;
    lock.sfc_lock_body.ve_sfc_pipe_select = is_vebox ? Select::VEBOX : Select::VDBOX;
    state.sfc_pipe_mode = is_vebox ? Mode::VE_TO_SFC : Mode::VD_TO_SFC;
  }
  /// The frame and the picture in it.
  void become(Format format, uint32_t columns, uint32_t rows) {
    using Rotated = G::SFC_STATE::RotationMode;
    state.output_surface_format_type = format;
    state.output_surface_interleave_chroma_enable = format == Format::NV12;
    const bool turned = state.rotation_mode == Rotated::_90_CW || state.rotation_mode == Rotated::_270_CW;
    state.output_frame_width = (turned ? rows : columns) - 1, state.output_frame_height = (turned ? columns : rows) - 1;
    state.scaled_region_size_width = columns - 1, state.scaled_region_size_height = rows - 1;
    state.scaling_factor_width = static_cast<float>(state.source_region_width + 1) / static_cast<float>(columns);
    state.scaling_factor_height = static_cast<float>(state.source_region_height + 1) / static_cast<float>(rows);
    state.avs_scaling_enable = state.scaling_factor_width != 1 || state.scaling_factor_height != 1;
  }
  /// All but SFC_FRAME_START.
  template <class Rig>
  void send_to(Rig& rig) const {
    rig.send(lock), rig.send(state), rig.send(avs), rig.send(luma), rig.send(chroma), rig.send(ief);
  }

  G::SFC_LOCK lock;
  G::SFC_STATE state;
  G::SFC_AVS_STATE avs;
  G::SFC_AVS_LUMA_COEFF_TABLE luma;
  G::SFC_AVS_CHROMA_COEFF_TABLE chroma;
  G::SFC_IEF_STATE ief;
};

}  // namespace softgen::media::test

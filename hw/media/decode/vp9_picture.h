// SPDX-License-Identifier: GPL-2.0-or-later
// What HCP's packets say of a VP9 picture, whether it is decoded or encoded: SKL PRM vol 2a, HCP_*; which values drivers give them: iHD media driver
// (codechal_decode_vp9.cpp, mhw_vdbox_hcp_g9_kbl.cpp) and i965-va-driver (gen9_mfd.c, gen9_vp9_encoder.c).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/ids.h"
#include "hw/media/packet_store.h"
#include "hw/media/vp9/vp9_packets.h"

namespace softgen::media {

template <class G>
class Vp9PictureState {
  using Picture = typename G::HCP_VP9_PIC_STATE;
  using Surface = typename G::HCP_SURFACE_STATE;

 public:
  /// All but the stream and what segments have. None: not a picture that can be there (counted).
  static std::optional<Vp9Job> job(const PacketStore& state) {
    const auto pic = Picture::unpack(state.get(defs::CommandId::HCP_VP9_PIC_STATE));
    const auto buffers = G::HCP_PIPE_BUF_ADDR_STATE::unpack(state.get(defs::CommandId::HCP_PIPE_BUF_ADDR_STATE));
    Vp9Job job;
    if (!read_format(pic, job.picture)) return std::nullopt;
    read_flags(pic, job.picture);
    job.target = surface(state, 0, buffers.decoded_picture_address, job.picture.width, job.picture.height, job.picture.bit_depth);
    if (!job.picture.is_intra()) {
      read_references(pic, job.picture);
      for (unsigned i = 0; i < 3; ++i) {
        if (!state.has(defs::CommandId::HCP_SURFACE_STATE, first_reference + i)) continue;
        const vp9::ReferencePicture& reference = job.picture.references[i];
        job.references[i] = surface(state, first_reference + i, buffers.reference_picture_address[i], reference.width, reference.height,
                                    job.picture.bit_depth);
      }
    }
    job.probabilities = strip_canonical(buffers.vp9_probability_buffer_address);
    job.segment_ids = strip_canonical(buffers.vp9_segment_id_buffer_address);
    job.motion = strip_canonical(buffers.current_mv_temporal_buffer_address);
    job.previous_motion = strip_canonical(buffers.collocated_mv_temporal_buffer_address[0]);
    return job;
  }

  /// HCP's surfaces are tiled in Y (iHD, mhw_vdbox_hcp_interface.cpp; there is no field for it).
  static Vp9Surface surface(const PacketStore& state, unsigned id, uint64_t address, uint32_t width, uint32_t height, unsigned bit_depth) {
    const typename Surface::View s(state.get(defs::CommandId::HCP_SURFACE_STATE, id));
    const uint8_t sample = bit_depth > 8 ? 2 : 1;
    const PlaneLayout luma{.base = strip_canonical(address),
                           .pitch = s.surface_pitch() + 1,
                           .tiling = surface::Tiling::y,
                           .element = sample,
                           .width = width,
                           .height = height};
    PlaneLayout chroma = luma;
    chroma.first_row = s.y_offset_for_u_cb(), chroma.element = static_cast<uint8_t>(2 * sample);
    chroma.width = (width + 1) / 2, chroma.height = (height + 1) / 2;
    return {luma, chroma};
  }

 private:
  static constexpr unsigned first_reference = 2;  // HCP_SURFACE_STATE, Surface ID: last, golden, altref

  static bool read_format(const Picture& pic, vp9::Parameters& out) {
    out.width = (pic.frame_width + 8) & ~7u, out.height = (pic.frame_height + 8) & ~7u;
    out.bit_depth = static_cast<uint8_t>(8 + static_cast<unsigned>(pic.bit_depth));
    if ((out.bit_depth != 8 && out.bit_depth != 10) || pic.chroma_sampling_format != Picture::ChromaSamplingFormat::FORMAT_420) {
      unimplemented("HCP_VP9_PIC_STATE", "{} bits, chroma format {}", out.bit_depth, static_cast<unsigned>(pic.chroma_sampling_format));
      return false;
    }
    if (out.width <= vp9::max_size && out.height <= vp9::max_size) return true;
    guest_error("HCP_VP9_PIC_STATE", "{} x {}", out.width, out.height);
    return false;
  }

  static void read_flags(const Picture& pic, vp9::Parameters& out) {
    out.key_frame = pic.frame_type == Picture::FrameType::VP9_KEY_FRAME;
    out.intra_only = pic.intra_only;
    out.adapt = pic.adapt_probabilities;
    out.refresh_context = pic.refresh_frame_context_enable;
    out.last_was_key = pic.last_frame_type == Picture::LastFrameType::VP9_KEY_FRAME;
    out.high_precision = pic.allow_hi_precision_mv;
    out.use_previous_mvs = pic.use_prev_in_find_mv_references;
    out.lossless = pic.lossless_mode;
    out.filter =
        static_cast<uint8_t>(std::min<unsigned>(static_cast<unsigned>(pic.motion_compensation_filter_type), vp9::filter_switchable));
    for (unsigned i = 0; i < 3; ++i) out.sign_bias[1 + i] = pic.reference_frame_sign_bias >> i & 1;
    out.filter_level = static_cast<uint8_t>(pic.filter_level), out.sharpness = static_cast<uint8_t>(pic.sharpness_level);
    out.segmentation.enabled = pic.segmentation_enable;
    out.segmentation.update_map = pic.segmentation_update_map, out.segmentation.temporal_update = pic.segmentation_temporal_update;
    out.log2_tile_columns = static_cast<uint8_t>(std::min(static_cast<unsigned>(pic.log2_tile_column), 6u));
    out.log2_tile_rows = static_cast<uint8_t>(std::min(static_cast<unsigned>(pic.log2_tile_row), 2u));
    out.compressed_header_bytes = pic.first_partition_size;
  }

  static void read_references(const Picture& pic, vp9::Parameters& out) {
    const auto fixed = [](double scale) { return static_cast<uint32_t>(std::lround(scale * 16384)); };
    auto& r = out.references;
    r[0] = {.width = pic.last_frame_width + 1, .height = pic.last_frame_height + 1};
    r[1] = {.width = pic.golden_frame_width + 1, .height = pic.golden_frame_height + 1};
    r[2] = {.width = pic.altref_frame_width + 1, .height = pic.altref_frame_height + 1};
    r[0].x_scale = fixed(pic.horizontal_scale_factor_for_last), r[0].y_scale = fixed(pic.vertical_scale_factor_for_last);
    r[1].x_scale = fixed(pic.horizontal_scale_factor_for_golden), r[1].y_scale = fixed(pic.vertical_scale_factor_for_golden);
    r[2].x_scale = fixed(pic.horizontal_scale_factor_for_altref), r[2].y_scale = fixed(pic.vertical_scale_factor_for_altref);
  }
};

}  // namespace softgen::media

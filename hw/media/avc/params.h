// SPDX-License-Identifier: GPL-2.0-or-later
// What a picture and a slice are, as the decoder needs them: no packets, nothing unchecked. Names are H.264's.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen::media::avc {

constexpr unsigned max_frames = 16, max_list = 32;
/// 4096 x 4096: the engine's maximum.
constexpr uint32_t max_mbs = 256;

enum class Structure : uint8_t { frame, top, bottom };
enum class SliceType : uint8_t { p, b, i };

struct PictureParams {
  uint32_t width_mbs = 1, frame_height_mbs = 1;  ///< of the frame, also in field pictures
  Structure structure = Structure::frame;
  bool mbaff = false, direct_8x8_inference = false, transform_8x8 = false, constrained_intra = false, cabac = false, monochrome = false;
  bool reference = true, weighted_pred = false;
  uint8_t weighted_bipred = 0;                           ///< weighted_bipred_idc
  std::array<int8_t, 2> chroma_qp_offset{};              ///< Cb, Cr: -12 to 12
  std::array<std::array<uint8_t, 16>, 6> scaling4{};     ///< raster; intra Y, Cb, Cr, inter Y, Cb, Cr
  std::array<std::array<uint8_t, 64>, 2> scaling8{};     ///< raster; intra, inter luma
  std::array<std::array<int32_t, 2>, max_frames> poc{};  ///< of frame stores: top, bottom
  std::array<int32_t, 2> current_poc{};

  bool field() const { return structure != Structure::frame; }
  bool bottom() const { return structure == Structure::bottom; }
  uint32_t height_mbs() const { return field() ? frame_height_mbs / 2 : frame_height_mbs; }
};

struct RefEntry {
  bool present = false, long_term = false, bottom = false;
  uint8_t frame = 0;  ///< frame store, 0 to 15
};

struct Weight {
  int16_t weight = 1, offset = 0;
};

struct SliceParams {
  SliceType type = SliceType::i;
  std::array<uint8_t, 2> active{};  ///< num_ref_idx_active, 0 to 32
  std::array<std::array<RefEntry, max_list>, 2> list{};
  std::array<std::array<std::array<Weight, 3>, max_list>, 2> weights{};
  uint8_t luma_denominator = 0, chroma_denominator = 0;  ///< log2, 0 to 7
  bool direct_spatial = false;
  uint8_t disable_deblocking = 0, cabac_init = 0, qp = 0;
  int8_t alpha_offset = 0, beta_offset = 0;  ///< in units of QP: -12 to 12
  uint32_t first_mb = 0;                     ///< MB address; in MBAFF of the pair's top MB
  uint32_t next_mb = 0;                      ///< where the next slice begins: what this one leaves before it is lost
  unsigned bit_offset = 0;                   ///< of slice_data in its first byte (CAVLC)
};

}  // namespace softgen::media::avc

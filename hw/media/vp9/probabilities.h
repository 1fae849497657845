// SPDX-License-Identifier: GPL-2.0-or-later
// The probabilities of a picture and the counts of its symbols, and what becomes of them: VP9 specification, 6.3 (compressed header) and 8.4 (adaptation).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/vp9/picture.h"

namespace softgen::media::vp9 {

struct MvComponent {
  uint8_t sign, classes[10], class0, bits[10], class0_fraction[2][3], fraction[3], class0_high, high;
};

struct Probabilities {
  uint8_t tx8[2][1], tx16[2][2], tx32[2][3];
  uint8_t coefficients[4][2][2][6][6][3];  ///< transform size, plane type, inter, band, context (3 of them in band 0)
  uint8_t skip[3], inter_mode[7][3], filter[4][2], is_inter[4], compound[5], single[5][2], compound_reference[5];
  uint8_t y_mode[4][9], partition[16][3], uv_mode[10][9];
  uint8_t joints[3];
  MvComponent mv[2];  ///< row, column
  uint8_t segment_tree[7], segment_predicted[3];
};

struct MvCounts {
  uint32_t sign[2], classes[11], class0[2], bits[10][2], class0_fraction[2][4], fraction[4], class0_high[2], high[2];
};

struct Counts {
  uint32_t tx8[2][2], tx16[2][3], tx32[2][4];
  uint32_t coefficients[4][2][2][6][6][4];  ///< zero, one, more, end of block
  uint32_t more_coefficients[4][2][2][6][6];
  uint32_t skip[3][2], inter_mode[7][4], filter[4][3], is_inter[4][2], compound[5][2], single[5][2][2], compound_reference[5][2];
  uint32_t y_mode[4][10], partition[16][4], uv_mode[10][10];
  uint32_t joints[4];
  MvCounts mv[2];
};

constexpr unsigned contexts_of_band(unsigned band) { return band ? 6 : 3; }

using ProbabilityBuffer = std::array<uint8_t, probability_bytes>;
/// The buffer that HCP_PIPE_BUF_ADDR_STATE points to. Its layout is that which drivers write and read: i965-va-driver, vp9_probs.h (frame_contexts);
/// iHD, codechal_decode_vp9.cpp (CtxBufDiffInit). Zeros become 1: no stream has such a probability.
Probabilities load(const ProbabilityBuffer& buffer);
/// What drivers keep: all but the segments' probabilities; of pictures without inter prediction only what those have.
void store(const Probabilities& probabilities, bool intra, ProbabilityBuffer& buffer);

/// What the compressed header says beside probabilities.
struct CompressedHeader {
  TxMode tx_mode = tx_only_4x4;
  ReferenceMode reference_mode = single_reference;
  bool broken = false;
};
CompressedHeader read_compressed_header(const Parameters& picture, BoolDecoder& bits, Probabilities& probabilities);

/// Backward adaptation: `probabilities` (with forward updates) become those for the next picture; `before` is what the buffer had.
void adapt(const Parameters& picture, const CompressedHeader& header, const Counts& counts, const Probabilities& before,
           Probabilities& probabilities);

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
// What BSD says of a macroblock to the kernels that make its samples: the inline data of its command, and its vectors and weights. No packets; layouts of
// what is bytes here, and the meaning of all, from intel-vaapi-driver's kernels (src/shaders/h264/mc).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/motion.h"

namespace softgen::media::bsd {

enum class Weighting : uint8_t { none, given, implicit };

/// Of inter macroblocks: vectors (r4 to r7 of the thread) and weights (r8, r9).
struct ItMotion {
  /// Pairs of list 0 and list 1; unused ones are 0. Of each quarter one, or four in raster order if there are divided quarters.
  std::array<std::array<avc::Mv, 2>, 16> vectors{};
  /// 16 bytes per quarter. Given: weight and offset of luma of both lists, then of Cb, then of Cr; byte 12: which weights are 128, bit 0 luma of list 0,
  /// bit 1 of list 1, bits 2 and 3 chroma (weightedPred.asm). Implicit: the two weights, 16 bits each.
  std::array<std::array<uint8_t, 16>, 4> weights{};
};

struct ItMacroblock {
  uint8_t x = 0, y = 0;  ///< in macroblocks; y of a field macroblock in MBAFF: in its field
  bool mbaff = false, field_access = false, field = false, bottom = false;
  bool intra = false, transform8 = false;
  uint8_t type = 0;     ///< intra: table 7-11, from I_NxN on; inter: Division::type
  uint8_t pattern = 0;  ///< which 8x8 blocks have coefficients: Y0 to Y3 in bits 5 to 2, Cb, Cr
  // Intra.
  uint8_t chroma_mode = 0;
  uint8_t available = 0;            ///< of neighbours, for prediction: A or its upper half, B, C, D, A's lower half
  bool corner2 = false;             ///< of Intra_8x8: the sample above and left of block 2 is available
  std::array<uint8_t, 16> modes{};  ///< in decoding order: of 4x4 or 8x8 blocks, or one
  // Inter.
  uint8_t sub_shapes = 0, sub_modes = 0;  ///< 2 bits per quarter: Division::sub_shapes; list 0, list 1, both
  std::array<uint8_t, 2> denominators{};  ///< of weights, log2: luma, chroma
  Weighting weighting = Weighting::none;
  std::array<uint8_t, 8> references{};  ///< by list and quarter: frame store, bottom_reference
  ItMotion motion;
};

constexpr uint8_t available_a = 1, available_b = 2, available_c = 4, available_d = 8, available_lower_a = 16;
constexpr uint8_t type_pcm = 25;
/// Of a reference: it is the frame store's bottom field.
constexpr uint8_t bottom_reference = 0x80;

/// The context's macroblock, which has been read. `coded`, `mode16`: Residual's.
ItMacroblock describe(const avc::Context& c, const avc::Motion& motion, uint32_t coded, uint8_t mode16);

/// How a macroblock is concealed that no slice has: by prediction of the samples around it, or by the ones at its place in a reference.
/// `reference`: as ItMacroblock's, or -1 for the former.
ItMacroblock conceal(const avc::Picture& picture, uint32_t x, uint32_t y, int reference);

}  // namespace softgen::media::bsd

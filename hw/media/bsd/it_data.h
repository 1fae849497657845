// SPDX-License-Identifier: GPL-2.0-or-later
// The IT data of a macroblock: vectors and weights, then coefficients of the blocks that its command's pattern names, at the
// Residual Data Offset that is set for BSD and for VFE. BSD writes it, and VFE's mode AVC_IT transforms it for the thread.
//
//   0        32 dwords of vectors, 16 of weights; only in inter macroblocks
//   offset   coefficients: of each 8x8 block of the pattern, Y0 to Y3, Cb, Cr, its transform blocks in decoding order; or the 384 samples of I_PCM
//
// A transform block is a list of its scaled coefficients (AVC_IT_COEFFICIENT), DC of Intra_16x16 and chroma among them; the last one ends it, and one of value
// 0 stands for none. All of it fits max_it_dwords.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/avc/picture.h"
#include "hw/media/bsd/it_macroblock.h"

namespace softgen::media::bsd {

constexpr unsigned it_motion_dwords = 48, max_it_dwords = 512, max_coefficients = 384;
/// The greatest Residual Data Offset with which a macroblock fits.
constexpr unsigned max_residual_offset = max_it_dwords - max_coefficients;

struct Coefficient {
  int16_t value = 0;
  uint8_t index = 0;  ///< in raster order in its block
  bool last = false;
};

/// A generation's layout of a coefficient.
class CoefficientLayout {
 public:
  virtual ~CoefficientLayout() = default;
  virtual uint32_t pack(const Coefficient& coefficient) const = 0;
  virtual Coefficient unpack(uint32_t dword) const = 0;
};

/// Sets `to` to a macroblock's IT data, and clears the coefficients of `residual`. Empty: it has neither vectors nor coefficients.
/// `offset`: in dwords.
void write_it_data(const ItMacroblock& mb, avc::Residual& residual, unsigned offset, const CoefficientLayout& layout,
                   std::vector<uint32_t>& to);

/// Residuals as a thread gets them: Y0 to Y3, Cb, Cr, each 8x8 in raster order; 0 where the pattern names none.
using ItResidual = std::array<int16_t, max_coefficients>;
/// VFE's inverse transform. `data`: from the residual's offset on; what it lacks is 0.
ItResidual read_residual(std::span<const uint32_t> data, uint8_t pattern, bool transform8, const CoefficientLayout& layout);

}  // namespace softgen::media::bsd

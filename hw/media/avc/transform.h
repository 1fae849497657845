// SPDX-License-Identifier: GPL-2.0-or-later
// Scaling and inverse transforms (H.264 8.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/media/avc/params.h"

namespace softgen::media::avc {

/// LevelScale of a picture: by list, QP % 6, and position in raster order.
struct LevelScale {
  std::array<std::array<std::array<int32_t, 16>, 6>, 6> by4;
  std::array<std::array<std::array<int32_t, 64>, 6>, 2> by8;
  void set(const PictureParams& params);
};

/// Scaled coefficients are kept in this range, so that a hostile stream's sums do not overflow; those of legal streams have 16 bits.
constexpr int32_t coefficient_limit = 1 << 20;

int32_t scale4(int32_t level, int32_t scale, unsigned qp);
int32_t scale8(int32_t level, int32_t scale, unsigned qp);
/// DC coefficients in raster order of blocks, before and after; 8.5.10 and 8.5.11.
void luma_dc(std::array<int32_t, 16>& dc, int32_t scale, unsigned qp);
void chroma_dc(std::array<int32_t, 4>& dc, int32_t scale, unsigned qp);

/// Adds the residual to samples that are `step` bytes apart, and clears the coefficients.
void add4(int32_t* coefficients, uint8_t* to, ptrdiff_t stride, ptrdiff_t step);
void add8(int32_t* coefficients, uint8_t* to, ptrdiff_t stride);

}  // namespace softgen::media::avc

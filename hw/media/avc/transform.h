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

/// Those of legal streams have 16 bits (8.5.12); others are clamped, and the sums of the transforms wrap.
int16_t scale4(int32_t level, int32_t scale, unsigned qp);
int16_t scale8(int32_t level, int32_t scale, unsigned qp);
/// DC coefficients in raster order of blocks, before and after; 8.5.10 and 8.5.11.
void luma_dc(std::array<int32_t, 16>& dc, int32_t scale, unsigned qp);
void chroma_dc(std::array<int32_t, 4>& dc, int32_t scale, unsigned qp);

/// Adds the residual to samples, and clears the coefficients, which are aligned to 16 bytes.
void add4(int16_t* coefficients, uint8_t* to, ptrdiff_t stride);
void add8(int16_t* coefficients, uint8_t* to, ptrdiff_t stride);
/// Of two components whose samples are interleaved.
void add4(int16_t* first, int16_t* second, uint8_t* to, ptrdiff_t stride);

/// The residual itself, in rows that are `stride` values apart; clears the coefficients, too.
void inverse4(int16_t* coefficients, int16_t* to, size_t stride);
void inverse8(int16_t* coefficients, int16_t* to, size_t stride);

}  // namespace softgen::media::avc

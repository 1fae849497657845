// SPDX-License-Identifier: GPL-2.0-or-later
// The samples on both sides of an edge (H.264 8.7.2.2 to 8.7.2.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

/// bS of each quarter of an edge. Either all are 4 or none is: only whole macroblocks have that strength.
using Strengths = std::array<uint8_t, 4>;

/// indexA and indexB (8.7.2.2), 0 to 51.
struct ThresholdIndexes {
  uint8_t a = 0, b = 0;
  /// Of an edge between two quantizers.
  static ThresholdIndexes of(const FilterParams& slice, int qp, int other);
};

struct Thresholds {
  int alpha, beta;
  const uint8_t* clip;
  explicit Thresholds(ThresholdIndexes indexes);
  Thresholds(const FilterParams& slice, int qp, int other) : Thresholds(ThresholdIndexes::of(slice, qp, other)) {}
};

/// 16 samples of luma, or 8 pairs of chroma, whose q0 begin at `at`: an edge between rows, or between columns (with rows `stride` apart).
void filter_luma_rows(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const Thresholds& t);
void filter_luma_columns(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const Thresholds& t);
void filter_chroma_rows(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const std::array<Thresholds, 2>& t);
void filter_chroma_columns(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const std::array<Thresholds, 2>& t);

/// One place of an edge; samples across it are `step` apart.
void filter_luma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t);
void filter_chroma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t);

}  // namespace softgen::media::avc

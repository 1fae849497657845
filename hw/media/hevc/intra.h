// SPDX-License-Identifier: GPL-2.0-or-later
// Intra prediction (H.265 8.4.4.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace softgen::media::hevc {

constexpr unsigned intra_planar = 0, intra_dc = 1, intra_horizontal = 10, intra_vertical = 26;

/// A plane's component: consecutive samples are `step` apart (2 in interleaved chroma).
template <typename T>
struct Samples {
  T* at;  ///< the block's first
  ptrdiff_t stride;
  unsigned step;
};

/// The samples to the left of a block and above it. left[0] and above[0] are the corner; left[1 + y], above[1 + x], each up to twice the size.
struct IntraBorder {
  std::array<uint16_t, 65> left, above;
};

/// Which of the border's samples are there: bit i has samples 4i to 4i + 3 of left or above behind the corner (chroma: 2i, 2i + 1).
struct IntraPresence {
  uint32_t left = 0, above = 0;
  bool corner = false;
};

/// 8.4.4.2.2: reads the border around the block, and fills in what is not there. `unit`: samples per bit of `presence`.
template <typename T>
void read_border(const Samples<T>& block, unsigned size, const IntraPresence& presence, unsigned unit, unsigned bits, IntraBorder& to);
/// 8.4.4.2.3.
void smooth_border(IntraBorder& border, unsigned size, unsigned mode, bool strong, unsigned bits);
/// 8.4.4.2.4 to 8.4.4.2.6. `is_luma`: edges are smoothed.
template <typename T>
void predict_intra(const Samples<T>& to, unsigned size, unsigned mode, const IntraBorder& border, bool is_luma, unsigned bits);

}  // namespace softgen::media::hevc

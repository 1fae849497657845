// SPDX-License-Identifier: GPL-2.0-or-later
// Intra prediction: VP9 specification, 8.5.1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

/// The samples around a block of at most 32x32.
template <typename T>
struct Edges {
  T above_left_and_above[1 + 64];
  T left[32];
  bool have_above, have_left;
  T* above() { return above_left_and_above + 1; }  ///< [-1] is the corner
  const T* above() const { return above_left_and_above + 1; }
};

template <typename T>
void predict_intra(uint8_t mode, unsigned size, const Edges<T>& edges, T* to, size_t stride, unsigned bit_depth);

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
// Inverse transforms: VP9 specification, 8.7.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

/// Adds the residual of a block to its samples. `coefficients` are transposed (column * size + row), `coded` of them may not be 0 (in scan order), and all are
/// 0 afterwards.
template <typename T>
using AddResidual = void (*)(unsigned tx_size, TxType type, bool lossless, unsigned coded, int32_t* coefficients, T* to, size_t stride,
                             unsigned bit_depth);
struct ResidualKernels {
  AddResidual<uint8_t> bytes;
  AddResidual<uint16_t> words;
};

}  // namespace softgen::media::vp9

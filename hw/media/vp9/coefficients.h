// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens of transform coefficients: VP9 specification, 6.4.24 and 9.3.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp9/frame_state.h"

namespace softgen::media::vp9 {

/// A scan and, for each of its positions, the two positions whose tokens choose the context.
struct Scan {
  std::array<uint16_t, 1024> order;                      ///< row * size + column
  std::array<uint16_t, 1024> stored;                     ///< column * size + row: where transforms take it
  std::array<std::array<uint16_t, 2>, 1024> neighbours;  ///< of the position that comes next
};
const Scan& scan_table(unsigned tx_size, TxType type);

struct CoefficientBlock {
  unsigned tx_size;
  bool chroma, inter;
  TxType type;
  unsigned context;                           ///< 0 to 2
  const std::array<uint16_t, 2>* quantizers;  ///< DC and AC
};

/// Dequantized coefficients, transposed (column * size + row); `to` was 0. Returns how many positions were coded.
unsigned read_coefficients(const FrameState& frame, TileState<BoolDecoder>& tile, const CoefficientBlock& block, int32_t* to);

/// `levels`: in scan order, the last of them is not 0 and none beyond 16450. Quantizers are not looked at.
void write_coefficients(const FrameState& frame, TileState<BoolEncoder>& tile, const CoefficientBlock& block,
                        std::span<const int16_t> levels);

/// Dequantized.
int32_t scaled_level(unsigned level, unsigned quantizer, unsigned tx_size, unsigned bit_depth);

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
// How often tokens came in a frame: drivers' kernels choose the next frame's probabilities by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace softgen::media::vp8 {

/// The end of a block, and magnitudes: 0, 1, 2, 3 and 4, more.
enum class TokenKind : uint8_t { end, zero, one, two, four, more };

/// [8 bands][3 contexts][kinds], of one type of block.
using BlockCounts = std::array<std::array<std::array<uint32_t, 6>, 3>, 8>;
using TokenCounts = std::array<BlockCounts, 4>;

constexpr size_t statistics_dwords = 304;

/// What is counted of a frame besides tokens.
struct FrameCounts {
  std::array<uint32_t, 9> partition_bits{};  ///< the first, and those of tokens
  uint32_t skipped = 0;                      ///< macroblocks without coefficients
};

/// The token statistics surface of MFX_VP8_BSP_BUF_BASE_ADDR_STATE.
std::array<uint32_t, statistics_dwords> statistics_of(const TokenCounts& tokens, const FrameCounts& frame);

}  // namespace softgen::media::vp8

// SPDX-License-Identifier: GPL-2.0-or-later
// How often tokens came in a frame: drivers' kernels choose the next frame's probabilities by them.
#pragma once

#include <array>
#include <cstdint>

namespace softgen::media::vp8 {

/// Kinds of tokens: the end of a block, 0, 1, and all that is more.
enum class TokenKind : uint8_t { end, zero, one, more };

/// [4 types][8 bands][3 contexts][kinds].
using TokenCounts = std::array<std::array<std::array<std::array<uint32_t, 4>, 3>, 8>, 4>;

}  // namespace softgen::media::vp8

// SPDX-License-Identifier: GPL-2.0-or-later
// Transform coefficient levels of a block, as both entropy coders give them.
#pragma once

#include <array>
#include <cstdint>

namespace softgen::media::avc {

/// ctxBlockCat (table 9-42); 4:4:4's are left out.
enum class Cat : uint8_t { luma_dc16, luma_ac16, luma4, chroma_dc, chroma_ac, luma8 };

/// Levels of one block, by their places in scanning order; only those that are not 0.
struct Levels {
  unsigned count = 0;
  std::array<uint8_t, 64> place;
  std::array<int32_t, 64> level;
};

}  // namespace softgen::media::avc

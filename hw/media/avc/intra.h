// SPDX-License-Identifier: GPL-2.0-or-later
// Intra prediction (H.264 8.3). Neighbouring samples lie in front of the block: rows above, columns to the left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace softgen::media::avc {

struct Edges {
  bool left = false, above = false, corner = false, above_right = false;
};

/// Modes of table 8-2 and 8-3. A mode whose edges are missing is what DC makes of them: streams do not have it.
void intra4(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges);
void intra8(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges);
/// 0 vertical, 1 horizontal, 2 DC, 3 plane.
void intra16(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges);
/// Both components, interleaved. 0 DC, 1 horizontal, 2 vertical, 3 plane. `left`: of the upper and lower half.
void intra_chroma(uint8_t* to, ptrdiff_t stride, unsigned mode, std::array<bool, 2> left, const Edges& edges);

}  // namespace softgen::media::avc

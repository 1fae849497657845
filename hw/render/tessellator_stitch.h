// SPDX-License-Identifier: GPL-2.0-or-later
// Triangles between two rows of a tessellated patch.
#pragma once

#include <cstdint>
#include <vector>

namespace softgen::render {

/// Point numbers along an edge of a ring, both corners included.
using Row = std::vector<uint16_t>;

class Stitcher {
 public:
  Stitcher(bool clockwise, std::vector<uint16_t>& indices) : clockwise_(clockwise), indices_(indices) {}

  enum class Diagonals : uint8_t { mirrored, forward, backward_but_middle };

  /// `a`, `b`, `c` turn clockwise with v pointing down.
  void triangle(uint16_t a, uint16_t b, uint16_t c);
  /// Rows of one division; as a trapezoid the outside one has a point more at each end.
  void regular(const Row& outside, const Row& inside, bool trapezoid, Diagonals diagonals);
  /// Rows of any two divisions. `…_half`: points of half a division, without the middle one; `…_odd`: there is a segment in the middle.
  void transition(const Row& outside, unsigned outside_half, bool outside_odd, const Row& inside, unsigned inside_half, bool inside_odd);

 private:
  bool clockwise_;
  std::vector<uint16_t>& indices_;
};

}  // namespace softgen::render

// SPDX-License-Identifier: GPL-2.0-or-later
// The tessellation engine (TE): a patch's factors into points of its domain and the primitives between them. A pure function; the points and
// their order are those of the Direct3D 11 functional specification ("Tessellator"), in its 16.16 fixed point.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/render/draw_state.h"

namespace softgen::render {

/// As the hull shader gives them. Quads: outside u=0, v=0, u=1, v=1, inside u, v; triangles: u=0, v=0, w=0, inside; isolines: density, detail.
struct TessellationFactors {
  std::array<float, 4> outside{};
  std::array<float, 2> inside{};
};

struct DomainPoint {
  static constexpr uint32_t one = 1u << 16;
  uint32_t u, v;
  bool operator==(const DomainPoint&) const = default;
};

struct Tessellation {
  std::vector<DomainPoint> points;  ///< at most 65 * 65
  std::vector<uint16_t> indices;    ///< 1, 2 or 3 a primitive, by Output Topology
  bool operator==(const Tessellation&) const = default;
};

/// The factors in the patch header, the first eight dwords of the patch's URB entry (SKL PRM vol 7, "Patch URB Entry").
TessellationFactors patch_factors(const TessellationState& te, const std::array<uint32_t, 8>& header);

/// `out` is empty when a factor culls the patch: zero, negative or NaN.
void tessellate(const TessellationState& te, const TessellationFactors& factors, Tessellation& out);

}  // namespace softgen::render

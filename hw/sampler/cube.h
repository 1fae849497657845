// SPDX-License-Identifier: GPL-2.0-or-later
// Cube maps: from directions to faces, and across the edges between faces (SKL PRM vol 7, "Cube Map Coordinate to Texel Mapping").
#pragma once

#include <array>
#include <cstdint>

namespace softgen::sampler {

using Direction = std::array<float, 3>;

/// A point of a face: u and v from 0 to 1. Faces in the order +X, -X, +Y, -Y, +Z, -Z.
struct FacePoint {
  float u = 0, v = 0;
  unsigned face = 0;
};
FacePoint face_of(const Direction& direction);
bool same_face(const Direction& a, const Direction& b);

/// Change of u and v, in units of the face's width, from `at` to the neighbour `at + delta`, both projected onto the face of `own`, the direction
/// that is sampled: pixels of a quad may lie on three faces, and drivers divide each one's direction by its largest component (Mesa's
/// lower_cube), so that one beyond the face's edge has another length.
std::array<float, 2> face_gradient(const Direction& own, const Direction& at, const Direction& delta);
/// Where `at` itself is sampled.
inline std::array<float, 2> face_gradient(const Direction& at, const Direction& delta) { return face_gradient(at, at, delta); }

/// The texel of a neighbouring face that stands for (x, y) of `face`, of which one coordinate is beyond the edge of `size` texels.
struct FaceTexel {
  uint32_t x, y;
  unsigned face;
};
FaceTexel across_edge(unsigned face, int x, int y, int size);

}  // namespace softgen::sampler

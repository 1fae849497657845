// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/frame_motion.h"

#include <algorithm>

namespace softgen::media::vc1 {
namespace {

struct Candidate {
  bool exists = false;
  Sum vector;

  /// Of a field vector: it leads to the field of the other parity.
  bool is_opposite() const { return vector.y & 4; }
};

Candidate candidate(Vector vector) { return {true, {vector.x, vector.y}}; }

Candidate mean(Vector one, Vector other) { return {true, {(one.x + other.x + 1) >> 1, (one.y + other.y + 1) >> 1}}; }

/// Of the macroblock to the left. Blocks 0 and 2 have it.
Candidate left_candidate(const Macroblock& own, const Macroblock& left, unsigned block, unsigned direction) {
  if (left.intra) return {};
  const auto& vectors = left.vectors(direction);
  if (own.field_vectors || !left.field_vectors) return candidate(vectors[block + 1]);
  return mean(vectors[block + 1], vectors[(block + 1) ^ 2]);
}

/// Of a macroblock above: its lower block `column`, or the one of the same field, or both fields' mean.
Candidate upper_candidate(const Macroblock& own, const Macroblock& above, unsigned block, unsigned column, unsigned direction) {
  if (above.intra) return {};
  const auto& vectors = above.vectors(direction);
  if (!above.field_vectors) return candidate(vectors[2 + column]);
  if (own.field_vectors) return candidate(vectors[(block & 2) + column]);
  return mean(vectors[2 + column], vectors[column]);
}

/// Left, above, and above to one side.
std::array<Candidate, 3> candidates(const Picture& picture, Position at, unsigned block, unsigned direction) {
  const Macroblock& own = picture.at(at.x, at.y);
  const auto& vectors = own.vectors(direction);
  std::array<Candidate, 3> found;
  if (block & 1) found[0] = candidate(vectors[block - 1]);
  else if (at.x) found[0] = left_candidate(own, picture.at(at.x - 1, at.y), block, direction);
  if (block > 1 && !own.field_vectors) {
    found[1] = candidate(vectors[1]), found[2] = candidate(vectors[0]);
    return found;
  }
  if (!at.has_above()) return found;
  found[1] = upper_candidate(own, picture.at(at.x, at.y - 1), block, block & 1, direction);
  const bool is_last = at.x + 1 == picture.params.width;
  if (!is_last) found[2] = upper_candidate(own, picture.at(at.x + 1, at.y - 1), block, 0, direction);
  else if (at.x) found[2] = upper_candidate(own, picture.at(at.x - 1, at.y - 1), block, 1, direction);
  return found;
}

Sum median_of(const std::array<Candidate, 3>& from) { return median(from[0].vector, from[1].vector, from[2].vector); }

Sum first_of(const std::array<Candidate, 3>& from) {
  for (const Candidate& one : from)
    if (one.exists) return one.vector;
  return {};
}

/// The first one that leads to the field most lead to, of two the same parity's; three of a kind give their median.
Sum field_prediction(const std::array<Candidate, 3>& from, int count) {
  int opposite = 0;
  for (const Candidate& one : from) opposite += one.exists && one.is_opposite();
  if (count == 3 && (opposite == 0 || opposite == 3)) return median_of(from);
  const bool wants_opposite = count > 1 && opposite > count - opposite;
  for (const Candidate& one : from)
    if (one.exists && (count < 2 || one.is_opposite() == wants_opposite)) return one.vector;
  return {};
}

}  // namespace

Vector predict_frame_vector(const Picture& picture, Position at, unsigned block, unsigned direction, const FieldVectorData& data) {
  const PictureParams& params = picture.params;
  const std::array<Candidate, 3> from = candidates(picture, at, block, direction);
  const int count = from[0].exists + from[1].exists + from[2].exists;
  Sum predicted;
  if (picture.at(at.x, at.y).field_vectors) predicted = field_prediction(from, count);
  else if (params.width == 1) predicted = from[1].vector;
  else predicted = count > 1 ? median_of(from) : first_of(from);
  const Sum range = vector_range(params.motion);
  return {wrapped(predicted.x + data.x, range.x), wrapped(predicted.y + data.y, range.y)};
}

int field_chroma_component(int y) {
  static constexpr uint8_t rounded[16] = {0, 0, 1, 2, 4, 4, 5, 6, 2, 2, 3, 8, 6, 6, 7, 12};
  return (y >> 4) * 8 + rounded[y & 15];
}

}  // namespace softgen::media::vc1

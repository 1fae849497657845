// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/field_motion.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hw/media/vc1/vlc.h"

namespace softgen::media::vc1 {
namespace {

constexpr int one_escape = 71, two_escape = 125;  ///< indices of MVDATA's codes

/// Vectors of one field as those of the other (tables 114 and 115), by the distance of the references: at most 3.
struct Scales {
  int16_t opposite, same_1, same_2, zone_x, zone_y, offset_x, offset_y;
};
/// Of the first and of the second field's forward vectors.
constexpr Scales scales[2][4] = {
    {{128, 512, 219, 32, 8, 37, 10}, {192, 341, 236, 48, 12, 20, 5}, {213, 307, 242, 53, 13, 14, 4}, {224, 293, 245, 56, 14, 11, 3}},
    {{128, 512, 219, 32, 8, 37, 10}, {64, 1024, 204, 16, 4, 52, 13}, {43, 1536, 200, 11, 3, 56, 14}, {32, 2048, 198, 8, 2, 58, 15}}};
/// Of backward vectors in the first field of B pictures, by BRFD.
struct BackwardScales {
  int16_t same, opposite_1, opposite_2, zone_x, zone_y, offset_x, offset_y;
};
constexpr BackwardScales backward_scales[4] = {
    {171, 384, 230, 43, 11, 26, 7}, {205, 320, 239, 51, 13, 17, 4}, {219, 299, 244, 55, 14, 12, 3}, {228, 288, 246, 57, 14, 10, 3}};

/// Field pictures with vectors of half samples have the same number of steps as others (chosen as FFmpeg has it).
Sum range_of(const PictureParams& params) {
  const Sum range = vector_range(params.motion);
  const int unit = params.motion.quarter ? 1 : 2;
  return {unit * range.x, unit * range.y};
}

/// Large components stay, small ones and those between have a factor each.
int in_zones(int value, int max, int first, int second, int zone, int offset) {
  if (std::abs(value) > max) return value;
  if (std::abs(value) < zone) return (value * first) >> 8;
  return ((value * second) >> 8) + (value < 0 ? -offset : offset);
}
constexpr int max_x = 255, max_y = 63;

/// A neighbour's vector as one that leads to the other field.
class Scaler {
 public:
  Scaler(const PictureParams& params, unsigned direction)
      : params_(params), is_backward_(params.type == PictureType::b && !params.field.second && direction) {
    const FieldParams& field = params.field;
    const unsigned distance =
        std::min<unsigned>(params.type == PictureType::b && direction ? field.backward_distance : field.forward_distance, 3);
    scales_ = &scales[(direction != 0) != field.second][distance];
    backward_ = &backward_scales[std::min<unsigned>(field.backward_distance, 3)];
  }

  Sum scaled(Sum vector, bool to_opposite) const {
    // Tables are for the units of the stream.
    const int shift = params_.motion.quarter ? 0 : 1;
    const Sum in = {vector.x >> shift, vector.y >> shift};
    const Sum out = to_opposite ? opposite(in) : same(in);
    return {out.x * (1 << shift), out.y * (1 << shift)};
  }

 private:
  Sum opposite(Sum in) const {
    if (!is_backward_) return {(in.x * scales_->opposite) >> 8, (in.y * scales_->opposite) >> 8};
    const BackwardScales& by = *backward_;
    return clipped({in_zones(in.x, max_x, by.opposite_1, by.opposite_2, by.zone_x, by.offset_x),
                    in_zones(in.y, max_y, by.opposite_1, by.opposite_2, by.zone_y, by.offset_y)},
                   params_.field.bottom);
  }
  Sum same(Sum in) const {
    if (is_backward_) return {(in.x * backward_->same) >> 8, (in.y * backward_->same) >> 8};
    const Scales& by = *scales_;
    return clipped({in_zones(in.x, max_x, by.same_1, by.same_2, by.zone_x, by.offset_x),
                    in_zones(in.y, max_y, by.same_1, by.same_2, by.zone_y, by.offset_y)},
                   false);
  }
  /// To the range of vectors; those from the bottom field to the top field have one step more below.
  Sum clipped(Sum in, bool is_up) const {
    const Sum range = range_of(params_);
    return {std::clamp(in.x, -range.x, range.x - 1), std::clamp(in.y, -range.y / 2 + is_up, range.y / 2 - 1 + is_up)};
  }

  const PictureParams& params_;
  const bool is_backward_;
  const Scales* scales_;
  const BackwardScales* backward_;
};

/// A luma block next to the one that is predicted.
struct Neighbour {
  bool exists = false, opposite = false;
  Sum vector;
};

/// In units of 8 samples.
Neighbour neighbour(const Picture& picture, int x, int y, unsigned direction) {
  const Macroblock& macroblock = picture.at(static_cast<uint32_t>(x) / 2, static_cast<uint32_t>(y) / 2);
  const unsigned block = static_cast<unsigned>((y & 1) * 2 + (x & 1));
  if (macroblock.intra >> block & 1) return {};
  const Vector vector = macroblock.vectors(direction)[block];
  return {true, (macroblock.opposite[direction] >> block & 1) != 0, {vector.x, vector.y}};
}

/// Above, above and to one side, left.
std::array<Neighbour, 3> neighbours(const Picture& picture, Position at, unsigned block, bool is_one, unsigned direction) {
  const bool is_last = at.x + 1 == picture.params.width, is_only = picture.params.width == 1;
  const int x = static_cast<int>(2 * at.x + (block & 1)), y = static_cast<int>(2 * at.y + (block >> 1));
  static constexpr int lower[2] = {1, -1};
  const int offset = is_one ? (is_last ? -2 : 2) : block > 1 ? lower[block - 2] : block ? (is_last ? -1 : 1) : (at.x ? -1 : 1);
  const bool has_above = at.has_above() || block > 1, has_left = at.x || (block & 1);
  const bool has_side = has_above && !(is_only && (is_one || !has_left));
  return {has_above ? neighbour(picture, x, y - 1, direction) : Neighbour{},
          has_side ? neighbour(picture, x + offset, y - 1, direction) : Neighbour{},
          has_left ? neighbour(picture, x - 1, y, direction) : Neighbour{}};
}

/// By which of both fields most neighbours are predicted from, or the picture's only reference.
bool is_opposite(const PictureParams& params, const std::array<Neighbour, 3>& from, bool other_field) {
  const FieldParams& field = params.field;
  if (!field.two_references) return field.bottom_reference != field.bottom;
  int balance = 0;  // of the other field
  for (const Neighbour& one : from)
    if (one.exists) balance += one.opposite ? 1 : -1;
  return (balance >= 0) != other_field;
}

/// One component of a differential of `size` bits; 0: there are none.
int read_component(BitReader& bits, unsigned size, bool is_wide) {
  if (!size) return 0;
  const uint32_t value = bits.take(size + is_wide);
  const int magnitude = static_cast<int>(value >> 1) + (is_wide ? (1 << size) - 1 : 1 << (size - 1));
  return value & 1 ? -magnitude : magnitude;
}

}  // namespace

bool read_field_vector_data(BitReader& bits, const PictureParams& picture, FieldVectorData& data) {
  const bool two = picture.field.two_references;
  const int code = (two ? tables().two_reference_vector : tables().one_reference_vector)[picture.tables.vector & (two ? 7 : 3)].take(bits);
  if (code < 0) return false;
  data = {};
  if (code == (two ? two_escape : one_escape)) {
    data.x = static_cast<int>(bits.take(picture.motion.range + 9u + picture.motion.range / 2u));
    data.y = static_cast<int>(bits.take(picture.motion.range + 8u));
    if (two) {
      data.other_field = data.y & 1;
      data.y = (data.y + 1) >> 1;
    }
  } else {
    const unsigned x = static_cast<unsigned>(code + 1) % 9, y = static_cast<unsigned>(code + 1) / 9;
    data.x = read_component(bits, x, picture.field.wide_differentials & 1);
    data.y = read_component(bits, two ? y / 2 : y, picture.field.wide_differentials & 2);
    data.other_field = two && y & 1;
  }
  if (!picture.motion.quarter) data.x *= 2, data.y *= 2;
  return true;
}

FieldVector predict_field_vector(BitReader& bits, const Picture& picture, Position at, unsigned block, bool is_one, unsigned direction,
                                 const FieldVectorData& data) {
  const PictureParams& params = picture.params;
  std::array<Neighbour, 3> from = neighbours(picture, at, block, is_one, direction);
  FieldVector found{.vector = {}, .opposite = is_opposite(params, from, data.other_field)};
  const Scaler scaler(params, direction);
  int count = 0;
  for (Neighbour& one : from) {
    count += one.exists;
    if (one.exists && one.opposite != found.opposite) one.vector = scaler.scaled(one.vector, found.opposite);
  }
  const auto& [a, b, c] = from;
  Sum predicted = a.exists ? a.vector : c.exists ? c.vector : b.vector;
  if (count > 1) predicted = median(a.vector, b.vector, c.vector);
  if (params.type == PictureType::p && a.exists && c.exists && is_hybrid(predicted, a.vector, c.vector))
    predicted = bits.flag() ? a.vector : c.vector;
  // Two references halve the height; the bottom field's vectors to the top field begin one step lower.
  const Sum range = range_of(params);
  const int bias = params.field.bottom && found.opposite;
  found.vector = {wrapped(predicted.x + data.x, range.x),
                  static_cast<int16_t>(wrapped(predicted.y + data.y - bias, range.y >> params.field.two_references) + bias)};
  return found;
}

std::array<FieldVector, 2> direct_field_vectors(const Picture& picture, Position at) {
  const MotionParams& motion = picture.params.motion;
  const StoredMotion stored = picture.stored_at(at.x, at.y);
  const bool opposite = stored.opposite != 0;
  return {FieldVector{direct_vector(motion, stored.vector, 0), opposite}, FieldVector{direct_vector(motion, stored.vector, 1), opposite}};
}

FieldVector combined_field_vector(const std::array<Vector, 4>& vectors, uint8_t opposite) {
  FieldVector found;
  found.opposite = std::popcount(static_cast<unsigned>(opposite & all_luma)) > 2;
  // At least two count.
  combined_vector(vectors, found.opposite ? ~opposite & all_luma : opposite & all_luma, found.vector);
  return found;
}

}  // namespace softgen::media::vc1

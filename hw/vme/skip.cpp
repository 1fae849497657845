// SPDX-License-Identifier: GPL-2.0-or-later
// The skip check of SIC: how far the vectors of M4 are from the source, of luma or of chroma, and what the forward transform leaves of the difference.
#include <algorithm>
#include <cstdlib>

#include "hw/base/core_transform.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

constexpr int half_block = block_size / 2;
constexpr unsigned quarter_parts = sub_blocks / 4;

/// One 8x8 block of luma, or of Cb and of Cr: where it is in a Block.
struct Place {
  int x, y;
};
Place place_of(unsigned block8) { return {static_cast<int>(block8 & 1) * half_block, static_cast<int>(block8 >> 1) * half_block}; }
uint8_t* at(Block& block, int x, int y) { return &block[static_cast<size_t>(y * block_size + x)]; }

/// Luma of an 8x8 block at a vector.
void predict_luma(const Surface& from, const Request& request, ThreadEnv& env, unsigned block8, Vector vector, Block& to) {
  constexpr int margin = 2;
  constexpr unsigned area = half_block + 5;
  const auto [x, y] = place_of(block8);
  std::array<uint8_t, area * area> samples;
  from.fetch(env.view, request.source_x + x + (vector.x >> 2) - margin, request.source_y + y + (vector.y >> 2) - margin, area, area,
             samples.data(), area);
  interpolate(&samples[margin * area + margin], area, vector, request.bilinear, half_block, half_block, at(to, x, y));
}

/// Chroma of an 8x8 block: 4x4 samples of Cb (in the upper left 8x8 block) and Cr (in the upper right one), by linear interpolation in eighths.
void predict_chroma(const Surface& from, const Request& request, ThreadEnv& env, unsigned block8, Vector vector, Block& to) {
  constexpr unsigned size = 4, area = size + 1;
  const auto [luma_x, luma_y] = place_of(block8);
  const int x = luma_x / 2, y = luma_y / 2, fx = vector.x & 7, fy = vector.y & 7;
  std::array<std::array<uint8_t, area * area>, 2> samples;
  from.fetch_chroma(env.view, request.source_x / 2 + x + (vector.x >> 3), request.source_y / 2 + y + (vector.y >> 3), area, area,
                    {samples[0].data(), samples[1].data()}, area);
  for (unsigned c = 0; c < 2; ++c) {
    for (unsigned i = 0; i < size * size; ++i) {
      const uint8_t* const s = &samples[c][i / size * area + i % size];
      const int upper = s[0] * (8 - fx) + s[1] * fx, lower = s[area] * (8 - fx) + s[area + 1] * fx;
      *at(to, x + static_cast<int>(c) * half_block + static_cast<int>(i % size), y + static_cast<int>(i / size)) =
          static_cast<uint8_t>((upper * (8 - fy) + lower * fy + 32) >> 6);
    }
  }
}

struct Left {
  unsigned count = 0;
  uint32_t sum = 0;
};

/// H.264's core transform of a 4x4 block's difference: coefficients above their thresholds, which stand in for a quantizer. A threshold counts for the
/// coefficients whose row and column add up to its number (Media SDK, GetFtq4x4).
Left transform(const Block& source, const Block& other, unsigned sub_block, const std::array<unsigned, 7>& thresholds) {
  std::array<int32_t, 16> v;
  const unsigned first = row_of(sub_block) * block_size + column_of(sub_block);
  for (unsigned i = 0; i < 16; ++i) v[i] = source[first + i / 4 * block_size + i % 4] - other[first + i / 4 * block_size + i % 4];
  forward_core_transform(v);
  Left left;
  for (unsigned i = 0; i < 16; ++i) {
    const auto size = static_cast<unsigned>(std::abs(v[i])), threshold = thresholds[i / 4 + i % 4];
    if (size > threshold) ++left.count, left.sum += size - threshold;
  }
  return left;
}

/// Chroma's blocks are the first two.
void set_transform(const Request& request, const Block& source, const Block& predicted, Reply& reply) {
  for (unsigned quarter = 0; quarter < (request.chroma ? 2 : 4); ++quarter) {
    Left all;
    for (unsigned i = 0; i < quarter_parts; ++i) {
      const Left left = transform(source, predicted, quarter * quarter_parts + i, request.thresholds);
      all.count += left.count, all.sum += left.sum;
    }
    reply.set_coefficients(request.chroma, quarter, all.count, all.sum);
  }
}

/// Cb and Cr of the source, where predict_chroma() has its own.
void load_chroma(const Surface& from, const Request& request, ThreadEnv& env, Block& to) {
  to.fill(0);
  from.fetch_chroma(env.view, request.source_x / 2, request.source_y / 2, half_block, half_block, {at(to, 0, 0), at(to, half_block, 0)},
                    block_size);
}

}  // namespace

uint32_t check_skip(const Message& message, const Request& request, Pictures& pictures, const Block& luma, ThreadEnv& env, Reply& reply) {
  const auto predict = request.chroma ? predict_chroma : predict_luma;
  InterChoice choice{.mode = request.skip_by_quarter ? Mode::b8x8 : Mode::b16x16};
  Block source = luma, predicted{};
  if (request.chroma) load_chroma(pictures.source(), request, env, source);
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    // Without a vector for each quarter the first one is that of all.
    const unsigned center = request.skip_by_quarter ? quarter : 0;
    std::array<Block, 2> blocks{};
    unsigned used = 0;
    for (unsigned d = 0; d < 2; ++d) {
      if (!(request.skip_centers >> (center * 2 + d) & 1) || !pictures.reference(d).is_there()) continue;
      const Vector vector = vector_of(message.reg(4).dw[center * 2 + d]);
      predict(pictures.reference(d), request, env, quarter, vector, blocks[d]);
      std::fill_n(&choice.vectors[d][quarter * quarter_parts], quarter_parts, vector);
      used |= 1u << d;
    }
    if (!used) return ~0u;
    // Samples of other quarters are 0 in the blocks.
    for (size_t i = 0; i < predicted.size(); ++i) {
      const int sum = blocks[0][i] + blocks[1][i];
      predicted[i] = static_cast<uint8_t>(predicted[i] + (used == 3 ? (sum + 1) >> 1 : sum));
    }
    choice.direction[quarter] = static_cast<Direction>(used - 1);
  }
  choice.parts = distortions(source, predicted.data(), block_size, request.inter);
  for (const uint32_t part : choice.parts) choice.cost += part;
  reply.set(choice, request);
  if (request.transforms) set_transform(request, source, predicted, reply);
  return choice.cost;
}

}  // namespace softgen::vme

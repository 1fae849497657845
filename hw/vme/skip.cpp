// SPDX-License-Identifier: GPL-2.0-or-later
// The skip check of SIC: the vectors of M4, and what the forward transform leaves of the difference.
#include <algorithm>
#include <cstdlib>

#include "hw/defs/messages/headers.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

constexpr unsigned quarter_size = block_size / 2, quarter_parts = sub_blocks / 4;

/// Samples of a block, or of a quarter of it, at a vector.
void predict(const Surface& reference, const Request& request, Vector vector, unsigned x, unsigned y, unsigned size, ThreadEnv& env,
             uint8_t* to) {
  constexpr unsigned margin = 2, area = block_size + 5;
  std::array<uint8_t, area * area> samples;
  reference.fetch(env.view, request.source_x + static_cast<int>(x) + (vector.x >> 2) - int{margin},
                  request.source_y + static_cast<int>(y) + (vector.y >> 2) - int{margin}, area, area, samples.data(), area);
  Block block;
  interpolate(&samples[margin * area + margin], area, vector, request.bilinear, block_size, block_size, block.data());
  for (unsigned row = 0; row < size; ++row) std::copy_n(&block[row * block_size], size, to + (y + row) * block_size + x);
}

struct Left {
  unsigned count = 0;
  uint32_t sum = 0;
};

/// H.264's core transform of a 4x4 block's difference: coefficients above their thresholds, which stand in for a quantizer. A threshold counts for the
/// coefficients whose row and column add up to its number (Media SDK, GetFtq4x4).
Left transform(const Block& source, const Block& other, unsigned sub_block, const std::array<unsigned, 7>& thresholds) {
  std::array<int, 16> v;
  const unsigned first = row_of(sub_block) * block_size + column_of(sub_block);
  for (unsigned i = 0; i < 16; ++i) v[i] = source[first + i / 4 * block_size + i % 4] - other[first + i / 4 * block_size + i % 4];
  const auto line = [&](unsigned at, unsigned step) {
    const int a = v[at] + v[at + 3 * step], b = v[at + step] + v[at + 2 * step], c = v[at + step] - v[at + 2 * step],
              d = v[at] - v[at + 3 * step];
    v[at] = a + b, v[at + step] = 2 * d + c, v[at + 2 * step] = a - b, v[at + 3 * step] = d - 2 * c;
  };
  for (unsigned i = 0; i < 4; ++i) line(i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) line(i, 4);
  Left left;
  for (unsigned i = 0; i < 16; ++i) {
    const auto size = static_cast<unsigned>(std::abs(v[i])), threshold = thresholds[i / 4 + i % 4];
    if (size > threshold) ++left.count, left.sum += size - threshold;
  }
  return left;
}

void set_transform(const Message& message, const Block& source, const Block& other, Reply& reply) {
  const message_header::VmeCosts costs{message.reg(2).dw};
  const std::array<unsigned, 7> thresholds{costs.transform_threshold_0(), costs.transform_threshold_1(), costs.transform_threshold_2(),
                                           costs.transform_threshold_3(), costs.transform_threshold_4(), costs.transform_threshold_5(),
                                           costs.transform_threshold_6()};
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    Left all;
    for (unsigned i = 0; i < quarter_parts; ++i) {
      const Left left = transform(source, other, quarter * quarter_parts + i, thresholds);
      all.count += left.count, all.sum += left.sum;
    }
    reply.set_coefficients(quarter, all.count, all.sum);
  }
}

}  // namespace

uint32_t check_skip(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply) {
  InterChoice choice{.mode = request.skip_by_quarter ? Mode::b8x8 : Mode::b16x16};
  const unsigned size = request.skip_by_quarter ? quarter_size : block_size;
  std::array<Block, 2> blocks;
  for (unsigned part = 0; part < choice.partitions(); ++part) {
    const unsigned x = part % 2 * quarter_size, y = part / 2 * quarter_size;
    unsigned used = 0;
    for (unsigned d = 0; d < 2; ++d) {
      if (!(request.skip_centers >> (part * 2 + d) & 1) || !pictures.reference(d).is_there()) continue;
      const Vector vector = vector_of(message.reg(4).dw[part * 2 + d]);
      predict(pictures.reference(d), request, vector, x, y, size, env, blocks[d].data());
      for (unsigned i = 0; i < sub_blocks; ++i)
        if (blocks_of(choice.mode, part) >> i / quarter_parts & 1) choice.vectors[d][i] = vector;
      used |= 1u << d;
    }
    if (!used) return ~0u;
    // The result is in the first block.
    for (unsigned i = 0; i < size * size && used > 1; ++i) {
      uint8_t& to = blocks[0][(y + i / size) * block_size + x + i % size];
      const uint8_t other = blocks[1][(y + i / size) * block_size + x + i % size];
      to = used == 3 ? static_cast<uint8_t>((to + other + 1) >> 1) : other;
    }
    for (unsigned quarter = 0; quarter < 4; ++quarter)
      if (blocks_of(choice.mode, part) >> quarter & 1) choice.direction[quarter] = static_cast<Direction>(used - 1);
  }
  choice.parts = distortions(source, blocks[0].data(), block_size, request.inter);
  for (const uint32_t part : choice.parts) choice.cost += part;
  reply.set(choice, request.reference_ids);
  if (request.transforms) set_transform(message, source, blocks[0], reply);
  return choice.cost;
}

}  // namespace softgen::vme

// SPDX-License-Identifier: GPL-2.0-or-later
// The check of skipped macroblocks: how far the vectors of the message are from the source, of luma or of chroma, and how many coefficients are left.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

constexpr int half_block = block_size / 2;

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

/// Twice the coefficients of an orthonormal Hadamard transform (chosen: thresholds are then about those of a quantizer with half of its step).
std::array<int, 16> transform(const Block& source, const Block& predicted, int x, int y) {
  // By the number of changes of sign.
  static constexpr int8_t basis[4][4] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, -1, 1}, {1, -1, 1, -1}};
  std::array<int, 16> rows{}, out{};
  for (size_t v = 0; v < 4; ++v)
    for (size_t u = 0; u < 4; ++u)
      for (size_t n = 0; n < 4; ++n) {
        const size_t place = (static_cast<size_t>(y) + v) * block_size + static_cast<size_t>(x) + n;
        rows[v * 4 + u] += basis[u][n] * (source[place] - predicted[place]);
      }
  for (size_t v = 0; v < 4; ++v)
    for (size_t u = 0; u < 4; ++u) {
      for (size_t n = 0; n < 4; ++n) out[v * 4 + u] += basis[v][n] * rows[n * 4 + u];
      out[v * 4 + u] /= 2;
    }
  return out;
}

void count_coefficients(const Request& request, const Block& source, const Block& predicted, Reply& reply) {
  for (unsigned block8 = 0; block8 < (request.chroma ? 2 : 4); ++block8) {
    const auto [x, y] = place_of(block8);
    uint32_t count = 0, sum = 0;
    for (int part = 0; part < 4; ++part) {
      const std::array<int, 16> coefficients = transform(source, predicted, x + (part & 1) * 4, y + (part >> 1) * 4);
      for (unsigned i = 0; i < 16; ++i) {
        const auto magnitude = static_cast<uint32_t>(std::abs(coefficients[i]));
        if (magnitude <= request.thresholds[i % 4 + i / 4]) continue;
        ++count, sum += magnitude;
      }
    }
    reply.set_coefficients(request.chroma, block8, count, sum);
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
  Block source = luma, predicted{};
  if (request.chroma) load_chroma(pictures.source(), request, env, source);
  for (unsigned block8 = 0; block8 < 4; ++block8) {
    // Without a vector for each quarter the first one is that of all.
    const unsigned center = request.skip_by_quarter ? block8 : 0, used = request.skip_centers >> center * 2 & 3;
    std::array<Block, 2> blocks{};
    unsigned found = 0;
    for (unsigned d = 0; d < 2; ++d) {
      if (!(used >> d & 1) || !pictures.reference(d).is_there()) continue;
      predict(pictures.reference(d), request, env, block8, vector_of(message.reg(4).dw[center * 2 + d]), blocks[d]);
      found |= 1u << d;
    }
    if (!found) return ~0u;
    // What a block does not have is 0 in it.
    for (size_t i = 0; i < predicted.size(); ++i) {
      const int a = blocks[0][i], b = blocks[1][i];
      predicted[i] = static_cast<uint8_t>(predicted[i] + (found == 3 ? (a + b + 1) >> 1 : a + b));
    }
  }
  if (request.transform) count_coefficients(request, source, predicted, reply);
  const Distortions parts = distortions(source, predicted.data(), block_size, request.inter);
  for (unsigned i = 0; i < sub_blocks; i += 4) reply.set_half(5, i, std::accumulate(&parts[i], &parts[i] + 4, 0u));
  return std::accumulate(parts.begin(), parts.end(), 0u);
}

}  // namespace softgen::vme

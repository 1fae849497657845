// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/intra.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::vp8 {
namespace {

/// What is above and to the left of the frame (12.2).
constexpr uint8_t above_frame = 127, left_of_frame = 129;

/// Samples around a block of one component.
struct Edge {
  uint8_t corner;
  uint8_t above[16], left[16];
};

Edge read_edge(const uint8_t* at, size_t step, size_t stride, unsigned size, bool has_above, bool has_left) {
  Edge edge;
  for (unsigned i = 0; i < size; ++i) {
    edge.above[i] = has_above ? *(at - stride + i * step) : above_frame;
    edge.left[i] = has_left ? *(at + i * stride - step) : left_of_frame;
  }
  edge.corner = !has_above ? above_frame : !has_left ? left_of_frame : *(at - stride - step);
  return edge;
}

uint8_t average(const Edge& edge, unsigned size, bool has_above, bool has_left) {
  if (!has_above && !has_left) return 128;
  unsigned sum = 0;
  for (unsigned i = 0; i < size; ++i) sum += (has_above ? edge.above[i] : 0u) + (has_left ? edge.left[i] : 0u);
  const unsigned count = size * (has_above + has_left);
  return static_cast<uint8_t>((sum + count / 2) / count);
}

uint8_t clamped(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

void predict_plane(Mode mode, uint8_t* at, size_t step, size_t stride, unsigned size, bool has_above, bool has_left) {
  const Edge edge = read_edge(at, step, stride, size, has_above, has_left);
  const uint8_t dc = average(edge, size, has_above, has_left);
  for (unsigned y = 0; y < size; ++y, at += stride) {
    for (unsigned x = 0; x < size; ++x) {
      uint8_t& to = at[x * step];
      switch (mode) {
        case Mode::vertical: to = edge.above[x]; break;
        case Mode::horizontal: to = edge.left[y]; break;
        case Mode::true_motion: to = clamped(edge.left[y] + edge.above[x] - edge.corner); break;
        default: to = dc; break;
      }
    }
  }
}

/// The 13 samples around a 4x4 block in one line: 4 of the left from below, the corner, 8 above.
struct Line {
  int e[13];
  int two(unsigned i) const { return (e[i] + e[i + 1] + 1) >> 1; }                   ///< between i and i + 1
  int three(unsigned i) const { return (e[i - 1] + 2 * e[i] + e[i + 1] + 2) >> 2; }  ///< around i
};
constexpr unsigned corner = 4, above0 = 5;

/// Diagonal modes as two tables: a place's sample is two(i) or three(i) of the line; 16 marks three.
constexpr uint8_t t = 16;
constexpr uint8_t vertical_right[16] = {4, 5, 6, 7, t + 4, t + 5, t + 6, t + 7, t + 3, 4, 5, 6, t + 2, t + 4, t + 5, t + 6};
constexpr uint8_t vertical_left[16] = {5, 6, 7, 8, t + 6, t + 7, t + 8, t + 9, 6, 7, 8, t + 10, t + 7, t + 8, t + 9, t + 11};
constexpr uint8_t horizontal_down[16] = {3, t + 4, t + 5, t + 6, 2, t + 3, 3, t + 4, 1, t + 2, 2, t + 3, 0, t + 1, 1, t + 2};

int horizontal_up(const Line& line, unsigned x, unsigned y) {
  const auto left = [&](unsigned i) { return line.e[3 - std::min(i, 3u)]; };
  const unsigned i = y + x / 2;
  return x % 2 ? (left(i) + 2 * left(i + 1) + left(i + 2) + 2) >> 2 : (left(i) + left(i + 1) + 1) >> 1;
}

int sample_of(BlockMode mode, const Line& line, unsigned x, unsigned y) {
  const auto from = [&](const uint8_t* table) {
    const uint8_t code = table[y * 4 + x];
    return code & t ? line.three(code & 15) : line.two(code);
  };
  switch (mode) {
    case BlockMode::dc: {
      int sum = 4;
      for (unsigned i = 0; i < 4; ++i) sum += line.e[i] + line.e[above0 + i];
      return sum >> 3;
    }
    case BlockMode::true_motion: return clamped(line.e[3 - y] + line.e[above0 + x] - line.e[corner]);
    case BlockMode::vertical: return line.three(above0 + x);
    case BlockMode::horizontal: return y < 3 ? line.three(3 - y) : (line.e[1] + 3 * line.e[0] + 2) >> 2;
    case BlockMode::left_down: return x + y < 6 ? line.three(above0 + 1 + x + y) : (line.e[11] + 3 * line.e[12] + 2) >> 2;
    case BlockMode::right_down: return line.three(corner - y + x);
    case BlockMode::vertical_right: return from(vertical_right);
    case BlockMode::vertical_left: return from(vertical_left);
    case BlockMode::horizontal_down: return from(horizontal_down);
    case BlockMode::horizontal_up: return horizontal_up(line, x, y);
  }
  return 0;
}

/// The 4 samples above and to the right of the macroblock: all rows of its blocks use them (12.3).
void read_above_right(const Plane<uint8_t>& luma, uint32_t x, uint32_t y, uint32_t width, uint8_t* to) {
  if (!y) std::memset(to, above_frame, 4);
  else if (x + 1 < width) std::memcpy(to, luma.at(x * 16 + 16, y * 16 - 1), 4);
  else std::memset(to, *luma.at(x * 16 + 15, y * 16 - 1), 4);
}

}  // namespace

void predict_block(BlockMode mode, unsigned i, uint32_t x, uint32_t y, uint32_t width, Plane<uint8_t>& luma) {
  const bool has_above = y || i >= 4, has_left = x || i % 4;
  const size_t stride = luma.stride();
  uint8_t* const at = luma.at(x * 16 + i % 4 * 4, y * 16 + i / 4 * 4);
  const Edge edge = read_edge(at, 1, stride, 4, has_above, has_left);
  uint8_t right[4];
  if (i % 4 == 3) read_above_right(luma, x, y, width, right);
  else if (has_above) std::memcpy(right, at - stride + 4, 4);
  else std::memset(right, above_frame, 4);
  Line line;
  for (unsigned k = 0; k < 4; ++k) line.e[3 - k] = edge.left[k], line.e[above0 + k] = edge.above[k], line.e[above0 + 4 + k] = right[k];
  line.e[corner] = edge.corner;
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column) at[row * stride + column] = static_cast<uint8_t>(sample_of(mode, line, column, row));
}

void predict_luma(Mode mode, uint32_t x, uint32_t y, Plane<uint8_t>& luma) {
  predict_plane(mode, luma.at(x * 16, y * 16), 1, luma.stride(), 16, y > 0, x > 0);
}

void predict_chroma(Mode mode, uint32_t x, uint32_t y, Plane<uint8_t>& chroma) {
  for (unsigned component = 0; component < 2; ++component)
    predict_plane(mode, chroma.at(x * 16 + component, y * 8), 2, chroma.stride(), 8, y > 0, x > 0);
}

void predict_intra(const Macroblock& block, uint32_t x, uint32_t y, uint32_t width, const Residual* residual, Frame<uint8_t>& frame) {
  if (block.mode != Mode::by_block) predict_luma(block.mode, x, y, frame.luma);
  else
    for (unsigned i = 0; i < 16; ++i) {
      predict_block(block.block_mode[i], i, x, y, width, frame.luma);
      if (!residual || !(residual->coded >> i & 1)) continue;
      add_residual(residual->block[i], frame.luma.at(x * 16 + i % 4 * 4, y * 16 + i / 4 * 4), 1, frame.luma.stride());
    }
  predict_chroma(block.uv_mode, x, y, frame.chroma);
}

}  // namespace softgen::media::vp8

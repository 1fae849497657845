// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/mode_writer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/vp8/mode_neighbours.h"
#include "hw/media/vp8/mode_tables.h"

namespace softgen::media::vp8 {
namespace {

constexpr int max_step = 1023;  ///< of a vector's component, in quarters of a sample

void write_key_y_mode(BoolEncoder& bits, Mode mode) {
  bits.put(mode != Mode::by_block, key_y_probs[0]);
  if (mode == Mode::by_block) return;
  const bool second = mode == Mode::horizontal || mode == Mode::true_motion;
  bits.put(second, key_y_probs[1]);
  bits.put(mode == Mode::vertical || mode == Mode::true_motion, key_y_probs[second ? 3 : 2]);
}

void write_y_mode(BoolEncoder& bits, const uint8_t* probs, Mode mode) {
  bits.put(mode != Mode::dc, probs[0]);
  if (mode == Mode::dc) return;
  const bool second = mode == Mode::true_motion || mode == Mode::by_block;
  bits.put(second, probs[1]);
  bits.put(mode == Mode::horizontal || mode == Mode::by_block, probs[second ? 3 : 2]);
}

void write_uv_mode(BoolEncoder& bits, const uint8_t* probs, Mode mode) {
  bits.put(mode != Mode::dc, probs[0]);
  if (mode == Mode::dc) return;
  bits.put(mode != Mode::vertical, probs[1]);
  if (mode != Mode::vertical) bits.put(mode == Mode::true_motion, probs[2]);
}

void write_block_mode(BoolEncoder& bits, const uint8_t* probs, BlockMode mode) {
  // Each mode's way through the tree: pairs of a node's probability and a bit, until a leaf.
  struct Step {
    uint8_t node, bit;
  };
  constexpr unsigned max_steps = 7;
  constexpr uint8_t end = 9;
  static constexpr Step ways[block_modes][max_steps] = {
      {{0, 0}, {end, 0}},
      {{0, 1}, {1, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 0}, {4, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {6, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 0}, {4, 1}, {5, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 0}, {4, 1}, {5, 1}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {6, 1}, {7, 0}, {end, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {6, 1}, {7, 1}, {8, 0}},
      {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {6, 1}, {7, 1}, {8, 1}},
  };
  for (const Step step : ways[static_cast<size_t>(mode)]) {
    if (step.node == end) return;
    bits.put(step.bit, probs[step.node]);
  }
}

void write_intra(BoolEncoder& bits, const FrameParams& frame, const Macroblock* block, size_t stride) {
  if (frame.is_key) write_key_y_mode(bits, block->mode);
  else write_y_mode(bits, frame.y_mode_probs.data(), block->mode);
  for (unsigned i = 0; block->mode == Mode::by_block && i < 16; ++i) {
    const uint8_t* const probs = frame.is_key ? key_block_probs(block, stride, i, key_frame_block_modes) : inter_block_mode_probs;
    write_block_mode(bits, probs, block->block_mode[i]);
  }
  write_uv_mode(bits, frame.is_key ? key_uv_probs : frame.uv_mode_probs.data(), block->uv_mode);
}

void write_component(BoolEncoder& bits, const uint8_t* probs, int value) {
  const int magnitude = std::abs(value);
  bits.put(magnitude > 7, probs[is_short]);
  if (magnitude > 7) {
    for (unsigned i = 0; i < 3; ++i) bits.put(magnitude >> i & 1, probs[long_bits + i]);
    for (unsigned i = long_width - 1; i > 3; --i) bits.put(magnitude >> i & 1, probs[long_bits + i]);
    if (magnitude & 0xfff0) bits.put(magnitude >> 3 & 1, probs[long_bits + 3]);
  } else {
    const uint8_t* const tree = probs + short_tree;
    const unsigned high = magnitude >> 2 & 1, middle = magnitude >> 1 & 1;
    bits.put(high, tree[0]);
    bits.put(middle, tree[high ? 4 : 1]);
    bits.put(magnitude & 1, tree[(high ? 5 : 2) + middle]);
  }
  if (magnitude) bits.put(value < 0, probs[sign]);
}

void write_vector(BoolEncoder& bits, const FrameParams& frame, Vector vector, Vector base) {
  write_component(bits, frame.vector_probs[0].data(), (vector.y - base.y) / 2);
  write_component(bits, frame.vector_probs[1].data(), (vector.x - base.x) / 2);
}

/// The nearest vector that can be written behind `base`.
Vector writable(Vector vector, Vector base) {
  const auto component = [](int value, int from) {
    return static_cast<int16_t>(from + std::clamp((value - from) / 2, -max_step, max_step) * 2);
  };
  return {component(vector.x, base.x), component(vector.y, base.y)};
}

unsigned first_block(const uint8_t* part_of, unsigned part) {
  return static_cast<unsigned>(std::find(part_of, part_of + 16, part) - part_of);
}

void write_split(BoolEncoder& bits, const FrameParams& frame, Vector best, const Macroblock* block, size_t stride) {
  bits.put(block->partition != 3, split_probs[0]);
  if (block->partition != 3) bits.put(block->partition != 2, split_probs[1]);
  if (block->partition < 2) bits.put(block->partition == 1, split_probs[2]);
  const uint8_t* const part_of = parts[block->partition];
  for (unsigned part = 0; part < part_count[block->partition]; ++part) {
    const unsigned first = first_block(part_of, part);
    const Vector left = left_vector(block, first), above = above_vector(block, stride, first), vector = block->vector[first];
    const uint8_t* const probs = sub_vector_probs[sub_vector_context(left, above)];
    bits.put(vector != left, probs[0]);
    if (vector == left) continue;
    bits.put(vector != above, probs[1]);
    if (vector == above) continue;
    bits.put(vector != Vector{}, probs[2]);
    if (vector != Vector{}) write_vector(bits, frame, vector, best);
  }
}

void write_inter(BoolEncoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride) {
  bits.put(block->reference != Reference::last, frame.reference_probs[1]);
  if (block->reference != Reference::last) bits.put(block->reference == Reference::alternate, frame.reference_probs[2]);
  const Candidates near = find_near(frame, x, y, block, stride);
  static constexpr Mode order[] = {Mode::zero, Mode::nearest, Mode::near, Mode::fresh};
  for (unsigned i = 0; i < 4; ++i) {
    bits.put(block->mode != order[i], *near.probs[i]);
    if (block->mode == order[i]) break;
  }
  if (block->mode == Mode::fresh) write_vector(bits, frame, block->vector[0], near.best);
  if (block->mode == Mode::split) write_split(bits, frame, near.best, block, stride);
}

}  // namespace

void choose_inter_mode(const FrameParams& frame, uint32_t x, uint32_t y, Macroblock* block, size_t stride) {
  const Candidates near = find_near(frame, x, y, block, stride);
  if (block->mode != Mode::split) {
    Vector vector = block->vector[0];
    block->mode = vector == Vector{} ? Mode::zero : vector == near.nearest ? Mode::nearest : vector == near.near ? Mode::near : Mode::fresh;
    if (block->mode == Mode::fresh) vector = writable(vector, near.best);
    block->vector.fill(vector);
    return;
  }
  const uint8_t* const part_of = parts[block->partition];
  for (unsigned part = 0; part < part_count[block->partition]; ++part) {
    const unsigned first = first_block(part_of, part);
    Vector vector = block->vector[first];
    if (vector != left_vector(block, first) && vector != above_vector(block, stride, first) && vector != Vector{})
      vector = writable(vector, near.best);
    for (unsigned i = 0; i < 16; ++i)
      if (part_of[i] == part) block->vector[i] = vector;
  }
}

void write_header(BoolEncoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride) {
  if (frame.update_segment_map) {
    const unsigned high = block->segment >> 1;
    bits.put(high, frame.segment_probs[0]);
    bits.put(block->segment & 1, frame.segment_probs[1 + high]);
  }
  if (frame.mb_no_coeff_skip) bits.put(block->skip, frame.skip_prob);
  const bool inter = block->reference != Reference::intra;
  if (!frame.is_key) bits.put(inter, frame.reference_probs[0]);
  if (inter) write_inter(bits, frame, x, y, block, stride);
  else write_intra(bits, frame, block, stride);
}

}  // namespace softgen::media::vp8

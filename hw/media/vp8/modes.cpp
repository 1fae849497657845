// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/modes.h"

#include <algorithm>

#include "hw/media/vp8/mode_neighbours.h"
#include "hw/media/vp8/mode_tables.h"

namespace softgen::media::vp8 {
namespace {

Mode read_key_y_mode(BoolDecoder& bits) {
  if (!bits.decode(key_y_probs[0])) return Mode::by_block;
  if (!bits.decode(key_y_probs[1])) return bits.decode(key_y_probs[2]) ? Mode::vertical : Mode::dc;
  return bits.decode(key_y_probs[3]) ? Mode::true_motion : Mode::horizontal;
}

Mode read_y_mode(BoolDecoder& bits, const uint8_t* probs) {
  if (!bits.decode(probs[0])) return Mode::dc;
  if (!bits.decode(probs[1])) return bits.decode(probs[2]) ? Mode::horizontal : Mode::vertical;
  return bits.decode(probs[3]) ? Mode::by_block : Mode::true_motion;
}

Mode read_uv_mode(BoolDecoder& bits, const uint8_t* probs) {
  if (!bits.decode(probs[0])) return Mode::dc;
  if (!bits.decode(probs[1])) return Mode::vertical;
  return bits.decode(probs[2]) ? Mode::true_motion : Mode::horizontal;
}

BlockMode read_block_mode(BoolDecoder& bits, const uint8_t* probs) {
  if (!bits.decode(probs[0])) return BlockMode::dc;
  if (!bits.decode(probs[1])) return BlockMode::true_motion;
  if (!bits.decode(probs[2])) return BlockMode::vertical;
  if (!bits.decode(probs[3])) {
    if (!bits.decode(probs[4])) return BlockMode::horizontal;
    return bits.decode(probs[5]) ? BlockMode::vertical_right : BlockMode::right_down;
  }
  if (!bits.decode(probs[6])) return BlockMode::left_down;
  if (!bits.decode(probs[7])) return BlockMode::vertical_left;
  return bits.decode(probs[8]) ? BlockMode::horizontal_up : BlockMode::horizontal_down;
}

void read_intra(BoolDecoder& bits, const FrameParams& frame, Macroblock* block, size_t stride) {
  block->reference = Reference::intra;
  block->vector.fill({});
  block->mode = frame.is_key ? read_key_y_mode(bits) : read_y_mode(bits, frame.y_mode_probs.data());
  if (block->mode != Mode::by_block) block->block_mode.fill(implied(block->mode));
  else
    for (unsigned i = 0; i < 16; ++i) {
      if (!frame.is_key) {
        block->block_mode[i] = read_block_mode(bits, inter_block_mode_probs);
        continue;
      }
      block->block_mode[i] = read_block_mode(bits, key_block_probs(block, stride, i, key_frame_block_modes));
    }
  block->uv_mode = read_uv_mode(bits, frame.is_key ? key_uv_probs : frame.uv_mode_probs.data());
}

int read_component(BoolDecoder& bits, const uint8_t* probs) {
  int value = 0;
  if (bits.decode(probs[is_short])) {
    for (unsigned i = 0; i < 3; ++i) value += bits.decode(probs[long_bits + i]) << i;
    for (unsigned i = long_width - 1; i > 3; --i) value += bits.decode(probs[long_bits + i]) << i;
    if (!(value & 0xfff0) || bits.decode(probs[long_bits + 3])) value += 8;
  } else {
    // A tree of 8 leaves: its nodes in the order of their depth-first walk.
    const uint8_t* const tree = probs + short_tree;
    const unsigned high = bits.decode(tree[0]), middle = bits.decode(tree[high ? 4 : 1]);
    const unsigned low = bits.decode(tree[(high ? 5 : 2) + middle]);
    value = static_cast<int>(high * 4 + middle * 2 + low);
  }
  return value && bits.decode(probs[sign]) ? -value : value;
}

Vector read_vector(BoolDecoder& bits, const FrameParams& frame, Vector base) {
  const int y = read_component(bits, frame.vector_probs[0].data()) * 2, x = read_component(bits, frame.vector_probs[1].data()) * 2;
  return {static_cast<int16_t>(base.x + x), static_cast<int16_t>(base.y + y)};
}

void read_split(BoolDecoder& bits, const FrameParams& frame, Vector best, Macroblock* block, size_t stride) {
  block->partition = !bits.decode(split_probs[0]) ? 3 : !bits.decode(split_probs[1]) ? 2 : bits.decode(split_probs[2]) ? 1 : 0;
  const uint8_t* const part_of = parts[block->partition];
  for (unsigned part = 0; part < part_count[block->partition]; ++part) {
    const unsigned first = static_cast<unsigned>(std::find(part_of, part_of + 16, part) - part_of);
    const Vector above = above_vector(block, stride, first), left = left_vector(block, first);
    const uint8_t* const probs = sub_vector_probs[sub_vector_context(left, above)];
    Vector vector;
    if (!bits.decode(probs[0])) vector = left;
    else if (!bits.decode(probs[1])) vector = above;
    else if (bits.decode(probs[2])) vector = read_vector(bits, frame, best);
    for (unsigned i = 0; i < 16; ++i)
      if (part_of[i] == part) block->vector[i] = vector;
  }
}

void read_inter(BoolDecoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, Macroblock* block, size_t stride) {
  block->reference = !bits.decode(frame.reference_probs[1])  ? Reference::last
                     : bits.decode(frame.reference_probs[2]) ? Reference::alternate
                                                             : Reference::golden;
  const Candidates near = find_near(frame, x, y, block, stride);
  Vector vector;
  if (!bits.decode(*near.probs[0])) block->mode = Mode::zero;
  else if (!bits.decode(*near.probs[1])) block->mode = Mode::nearest, vector = near.nearest;
  else if (!bits.decode(*near.probs[2])) block->mode = Mode::near, vector = near.near;
  else if (!bits.decode(*near.probs[3])) block->mode = Mode::fresh, vector = read_vector(bits, frame, near.best);
  else {
    block->mode = Mode::split;
    read_split(bits, frame, near.best, block, stride);
    return;
  }
  block->vector.fill(vector);
}

}  // namespace

void read_header(BoolDecoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, Macroblock* block, size_t stride) {
  if (frame.update_segment_map) {
    const unsigned high = bits.decode(frame.segment_probs[0]);
    block->segment = static_cast<uint8_t>(high * 2 + bits.decode(frame.segment_probs[1 + high]));
  }
  block->skip = frame.mb_no_coeff_skip && bits.decode(frame.skip_prob);
  if (!frame.is_key && bits.decode(frame.reference_probs[0])) read_inter(bits, frame, x, y, block, stride);
  else read_intra(bits, frame, block, stride);
}

}  // namespace softgen::media::vp8

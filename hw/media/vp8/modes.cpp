// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/modes.h"

#include <algorithm>

namespace softgen::media::vp8 {
namespace {

constexpr uint8_t key_y_probs[4] = {145, 156, 163, 128}, key_uv_probs[3] = {142, 114, 183};
constexpr uint8_t inter_block_mode_probs[9] = {120, 90, 79, 133, 87, 85, 80, 111, 151};
constexpr uint8_t mode_contexts[6][4] = {{7, 1, 1, 143},    {14, 18, 14, 107},   {135, 64, 57, 68},
                                         {60, 56, 128, 65}, {159, 134, 128, 34}, {234, 188, 128, 28}};
constexpr uint8_t split_probs[3] = {110, 111, 150};
constexpr uint8_t sub_vector_probs[5][3] = {{147, 136, 18}, {106, 145, 1}, {179, 121, 1}, {223, 1, 34}, {208, 1, 1}};

/// Which part a block belongs to: 16x8, 8x16, 8x8, 4x4.
constexpr uint8_t parts[4][16] = {{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                  {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1},
                                  {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3},
                                  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
constexpr uint8_t part_count[4] = {2, 2, 4, 16};

// Places of a component's probabilities, section 17.2.
constexpr size_t is_short = 0, sign = 1, short_tree = 2, long_bits = 9;
constexpr unsigned long_width = 10;

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

/// What a macroblock of one mode is for its neighbours' contexts.
BlockMode implied(Mode mode) {
  switch (mode) {
    case Mode::vertical: return BlockMode::vertical;
    case Mode::horizontal: return BlockMode::horizontal;
    case Mode::true_motion: return BlockMode::true_motion;
    default: return BlockMode::dc;
  }
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
      const BlockMode above = i < 4 ? (block - stride)->block_mode[i + 12] : block->block_mode[i - 4];
      const BlockMode left = i % 4 ? block->block_mode[i - 1] : (block - 1)->block_mode[i + 3];
      block->block_mode[i] = read_block_mode(bits, key_frame_block_modes[static_cast<size_t>(above)][static_cast<size_t>(left)]);
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

struct Candidates {
  Vector best, nearest, near;
  const uint8_t* probs[4];
};

/// Section 18.3's bounds: a macroblock may leave the frame by 16 samples beyond its edge.
Vector clamp_vector(Vector vector, const FrameParams& frame, uint32_t x, uint32_t y) {
  const auto limit = [](int value, uint32_t at, uint32_t count) {
    return static_cast<int16_t>(std::clamp(value, -static_cast<int>(at * 128 + 128), static_cast<int>((count - 1 - at) * 128 + 128)));
  };
  return {limit(vector.x, x, frame.width), limit(vector.y, y, frame.height)};
}

Candidates find_near(const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride) {
  const Macroblock* const around[3] = {block - stride, block - 1, block - stride - 1};
  Vector found[4] = {};
  unsigned count[4] = {}, last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const Macroblock& other = *around[i];
    if (other.reference == Reference::intra) continue;
    const unsigned weight = i == 2 ? 1 : 2;
    Vector vector = other.vector[15];
    if (vector == Vector{}) {
      count[0] += weight;
      continue;
    }
    if (frame.sign_bias[static_cast<size_t>(other.reference)] != frame.sign_bias[static_cast<size_t>(block->reference)])
      vector = {static_cast<int16_t>(-vector.x), static_cast<int16_t>(-vector.y)};
    if (!last || vector != found[last]) found[++last] = vector;
    count[last] += weight;
  }
  // Three different ones: the third that equals the first counts for it.
  if (count[3] && found[last] == found[1]) ++count[1];
  const auto is_split = [&](unsigned i) { return around[i]->mode == Mode::split; };
  count[3] = (is_split(0) + is_split(1)) * 2u + is_split(2);
  if (count[2] > count[1]) std::swap(count[1], count[2]), std::swap(found[1], found[2]);
  if (count[1] >= count[0]) found[0] = found[1];
  Candidates all{clamp_vector(found[0], frame, x, y), clamp_vector(found[1], frame, x, y), clamp_vector(found[2], frame, x, y), {}};
  for (unsigned i = 0; i < 4; ++i) all.probs[i] = &mode_contexts[std::min(count[i], 5u)][i];
  return all;
}

unsigned sub_vector_context(Vector left, Vector above) {
  if (left == above) return above == Vector{} ? 4 : 3;
  if (above == Vector{}) return 2;
  return left == Vector{} ? 1 : 0;
}

void read_split(BoolDecoder& bits, const FrameParams& frame, Vector best, Macroblock* block, size_t stride) {
  block->partition = !bits.decode(split_probs[0]) ? 3 : !bits.decode(split_probs[1]) ? 2 : bits.decode(split_probs[2]) ? 1 : 0;
  const uint8_t* const part_of = parts[block->partition];
  for (unsigned part = 0; part < part_count[block->partition]; ++part) {
    const unsigned first = static_cast<unsigned>(std::find(part_of, part_of + 16, part) - part_of);
    const Vector above = first < 4 ? (block - stride)->vector[first + 12] : block->vector[first - 4];
    const Vector left = first % 4 ? block->vector[first - 1] : (block - 1)->vector[first + 3];
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

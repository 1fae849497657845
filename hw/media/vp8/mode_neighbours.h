// SPDX-License-Identifier: GPL-2.0-or-later
// What a macroblock's header takes from the macroblocks around it (RFC 6386, sections 11.5 and 18.3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// What a macroblock of one mode is for its neighbours' contexts.
BlockMode implied(Mode mode);

struct Candidates {
  Vector best, nearest, near;
  const uint8_t* probs[4];
};

/// `block`: its reference is set, and the macroblocks before it are whole.
Candidates find_near(const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride);

/// Of a part of split vectors: its row of sub_vector_probs.
unsigned sub_vector_context(Vector left, Vector above);

/// The vectors of blocks to the left of and above block i (0 to 15).
inline Vector left_vector(const Macroblock* block, unsigned i) { return i % 4 ? block->vector[i - 1] : (block - 1)->vector[i + 3]; }
inline Vector above_vector(const Macroblock* block, size_t stride, unsigned i) {
  return i < 4 ? (block - stride)->vector[i + 12] : block->vector[i - 4];
}

/// Its probabilities in a key frame: the modes around block i.
inline const uint8_t* key_block_probs(const Macroblock* block, size_t stride, unsigned i,
                                      const uint8_t (&table)[block_modes][block_modes][block_modes - 1]) {
  const BlockMode above = i < 4 ? (block - stride)->block_mode[i + 12] : block->block_mode[i - 4];
  const BlockMode left = i % 4 ? block->block_mode[i - 1] : (block - 1)->block_mode[i + 3];
  return table[static_cast<size_t>(above)][static_cast<size_t>(left)];
}

}  // namespace softgen::media::vp8

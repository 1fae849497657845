// SPDX-License-Identifier: GPL-2.0-or-later
// One syntax for both directions. A symbol is coded with the value that it is to have: a decoder returns what it reads instead, and an encoder that value.
#pragma once

#include <array>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/bits/bool_encoder.h"

namespace softgen::media::vp9 {

inline bool code(BoolDecoder& bits, uint8_t probability, bool) { return bits.decode(probability); }
inline bool code(BoolEncoder& bits, uint8_t probability, bool value) {
  bits.put(value, probability);
  return value;
}

template <typename Probability>
inline unsigned code_tree(BoolDecoder& bits, const int8_t* tree, const Probability* probabilities, unsigned) {
  int node = 0;
  do node = tree[node + bits.decode(probabilities[node >> 1])];
  while (node > 0);
  return static_cast<unsigned>(-node);
}

/// The branches to a value, from the root on; returns how many. Trees have at most 11 leaves. 0: it is not below `node`.
inline unsigned path_to(const int8_t* tree, int node, unsigned value, unsigned depth, std::array<uint8_t, 12>& path) {
  for (unsigned bit = 0; bit < 2; ++bit) {
    const int next = tree[node + static_cast<int>(bit)];
    path[depth] = static_cast<uint8_t>(bit);
    if (next <= 0) {
      if (-next == static_cast<int>(value)) return depth + 1;
    } else if (const unsigned length = path_to(tree, next, value, depth + 1, path)) {
      return length;
    }
  }
  return 0;
}

template <typename Probability>
inline unsigned code_tree(BoolEncoder& bits, const int8_t* tree, const Probability* probabilities, unsigned value) {
  std::array<uint8_t, 12> path;
  const unsigned length = path_to(tree, 0, value, 0, path);
  for (unsigned i = 0, node = 0; i < length; ++i) {
    bits.put(path[i] != 0, probabilities[node >> 1]);
    node = static_cast<unsigned>(tree[node + path[i]]);
  }
  return value;
}

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 specification, 8.4: probabilities follow the symbols that a picture had.
#include <algorithm>

#include "hw/media/vp9/probabilities.h"
#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

uint8_t merge(uint8_t before, uint64_t zeros, uint64_t ones, unsigned saturation, unsigned most) {
  const uint64_t both = zeros + ones;
  if (!both) return before;
  const uint64_t measured = std::clamp<uint64_t>((zeros * 256 + (both >> 1)) / both, 1, 255);
  const uint64_t factor = most * std::min<uint64_t>(both, saturation) / saturation;
  return static_cast<uint8_t>((before * (256 - factor) + measured * factor + 128) >> 8);
}

uint8_t merge_mode(uint8_t before, uint64_t zeros, uint64_t ones) { return merge(before, zeros, ones, 20, 128); }
uint8_t merge_mode(uint8_t before, const uint32_t (&counts)[2]) { return merge_mode(before, counts[0], counts[1]); }

/// Returns how often a node was reached.
uint64_t merge_tree(const int8_t* tree, unsigned node, const uint8_t* before, const uint32_t* counts, uint8_t* after) {
  uint64_t reached[2];
  for (unsigned bit = 0; bit < 2; ++bit) {
    const int next = tree[node + bit];
    reached[bit] = next <= 0 ? counts[-next] : merge_tree(tree, static_cast<unsigned>(next), before, counts, after);
  }
  after[node >> 1] = merge_mode(before[node >> 1], reached[0], reached[1]);
  return reached[0] + reached[1];
}

template <size_t contexts, size_t nodes, size_t symbols>
void merge_trees(const int8_t* tree, const uint8_t (&before)[contexts][nodes], const uint32_t (&counts)[contexts][symbols],
                 uint8_t (&after)[contexts][nodes]) {
  for (size_t i = 0; i < contexts; ++i) merge_tree(tree, 0, before[i], counts[i], after[i]);
}

template <size_t contexts>
void merge_flags(const uint8_t (&before)[contexts], const uint32_t (&counts)[contexts][2], uint8_t (&after)[contexts]) {
  for (size_t i = 0; i < contexts; ++i) after[i] = merge_mode(before[i], counts[i]);
}

void adapt_coefficients(const Parameters& picture, const Counts& counts, const Probabilities& before, Probabilities& p) {
  const unsigned most = !picture.is_intra() && picture.last_was_key ? 128 : 112, saturation = 24;
  for (unsigned size = 0; size < 4; ++size)
    for (unsigned plane = 0; plane < 2; ++plane)
      for (unsigned inter = 0; inter < 2; ++inter)
        for (unsigned band = 0; band < 6; ++band)
          for (unsigned context = 0; context < contexts_of_band(band); ++context) {
            const uint32_t(&n)[4] = counts.coefficients[size][plane][inter][band][context];
            const uint32_t looked = counts.more_coefficients[size][plane][inter][band][context];
            const uint8_t(&from)[3] = before.coefficients[size][plane][inter][band][context];
            uint8_t(&to)[3] = p.coefficients[size][plane][inter][band][context];
            to[0] = merge(from[0], n[3], looked - n[3], saturation, most);
            to[1] = merge(from[1], n[0], uint64_t{n[1]} + n[2], saturation, most);
            to[2] = merge(from[2], n[1], n[2], saturation, most);
          }
}

/// Sizes are coded as a chain of flags: larger than the size, or not.
template <size_t nodes>
void merge_sizes(const uint8_t (&before)[2][nodes], const uint32_t (&counts)[2][nodes + 1], uint8_t (&after)[2][nodes]) {
  for (unsigned context = 0; context < 2; ++context)
    for (size_t node = 0; node < nodes; ++node) {
      uint64_t larger = 0;
      for (size_t size = node + 1; size <= nodes; ++size) larger += counts[context][size];
      after[context][node] = merge_mode(before[context][node], counts[context][node], larger);
    }
}

void adapt_mv(bool high_precision, const MvCounts& counts, const MvComponent& before, MvComponent& p) {
  p.sign = merge_mode(before.sign, counts.sign);
  merge_tree(mv_class_tree, 0, before.classes, counts.classes, p.classes);
  p.class0 = merge_mode(before.class0, counts.class0);
  merge_flags(before.bits, counts.bits, p.bits);
  merge_trees(mv_fraction_tree, before.class0_fraction, counts.class0_fraction, p.class0_fraction);
  merge_tree(mv_fraction_tree, 0, before.fraction, counts.fraction, p.fraction);
  if (!high_precision) return;
  p.class0_high = merge_mode(before.class0_high, counts.class0_high);
  p.high = merge_mode(before.high, counts.high);
}

}  // namespace

void adapt(const Parameters& picture, const CompressedHeader& header, const Counts& counts, const Probabilities& before, Probabilities& p) {
  adapt_coefficients(picture, counts, before, p);
  if (picture.is_intra()) return;
  merge_flags(before.is_inter, counts.is_inter, p.is_inter);
  merge_flags(before.compound, counts.compound, p.compound);
  merge_flags(before.compound_reference, counts.compound_reference, p.compound_reference);
  for (unsigned i = 0; i < 5; ++i) merge_flags(before.single[i], counts.single[i], p.single[i]);
  merge_trees(inter_mode_tree, before.inter_mode, counts.inter_mode, p.inter_mode);
  merge_trees(intra_mode_tree, before.y_mode, counts.y_mode, p.y_mode);
  merge_trees(intra_mode_tree, before.uv_mode, counts.uv_mode, p.uv_mode);
  merge_trees(partition_tree, before.partition, counts.partition, p.partition);
  if (picture.filter == filter_switchable) merge_trees(filter_tree, before.filter, counts.filter, p.filter);
  if (header.tx_mode == tx_select) {
    merge_sizes(before.tx8, counts.tx8, p.tx8);
    merge_sizes(before.tx16, counts.tx16, p.tx16);
    merge_sizes(before.tx32, counts.tx32, p.tx32);
  }
  merge_flags(before.skip, counts.skip, p.skip);
  merge_tree(mv_joint_tree, 0, before.joints, counts.joints, p.joints);
  for (unsigned i = 0; i < 2; ++i) adapt_mv(picture.high_precision, counts.mv[i], before.mv[i], p.mv[i]);
}

}  // namespace softgen::media::vp9

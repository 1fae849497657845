// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9_encode/compressed_header_writer.h"

#include <algorithm>

#include "hw/media/bits/bool_encoder.h"

namespace softgen::media::vp9 {
namespace {

constexpr uint8_t even = 128;

/// "No update" for each probability of a field (those of coefficients aside, which have a flag for all).
template <typename... Fields>
void keep(BoolEncoder& bits, const Fields&... fields) {
  constexpr uint8_t update = 252;
  for (size_t i = (sizeof fields + ... + 0); i; --i) bits.put(false, update);
}

void write_inter(const Parameters& picture, const CompressedHeader& header, BoolEncoder& bits) {
  constexpr Probabilities p{};
  keep(bits, p.inter_mode);
  if (picture.filter == filter_switchable) keep(bits, p.filter);
  keep(bits, p.is_inter);
  if (can_be_compound(picture)) {
    bits.put(header.reference_mode != single_reference, even);
    if (header.reference_mode != single_reference) bits.put(header.reference_mode == reference_select, even);
  }
  if (header.reference_mode == reference_select) keep(bits, p.compound);
  if (header.reference_mode != compound_reference) keep(bits, p.single);
  if (header.reference_mode != single_reference) keep(bits, p.compound_reference);
  keep(bits, p.y_mode, p.partition, p.joints);
  for (const MvComponent& mv : p.mv) {
    keep(bits, mv.sign, mv.classes, mv.class0, mv.bits, mv.class0_fraction, mv.fraction);
    if (picture.high_precision) keep(bits, mv.class0_high, mv.high);
  }
}

}  // namespace

bool can_be_compound(const Parameters& picture) {
  const auto& bias = picture.sign_bias;
  return bias[golden_frame] != bias[last_frame] || bias[altref_frame] != bias[last_frame];
}

std::vector<uint8_t> write_compressed_header(const Parameters& picture, const CompressedHeader& header) {
  constexpr Probabilities p{};
  BoolEncoder bits;
  bits.put(false, even);  // the marker of each partition
  if (!picture.lossless) {
    bits.literal(std::min<unsigned>(header.tx_mode, tx_allow_32x32), 2);
    if (header.tx_mode >= tx_allow_32x32) bits.put(header.tx_mode == tx_select, even);
  }
  if (header.tx_mode == tx_select) keep(bits, p.tx8, p.tx16, p.tx32);
  for (unsigned size = 0; size <= std::min<unsigned>(header.tx_mode, tx_allow_32x32); ++size) bits.put(false, even);
  keep(bits, p.skip);
  if (!picture.is_intra()) write_inter(picture, header, bits);
  const std::span<const uint8_t> bytes = bits.finish();
  return {bytes.begin(), bytes.end()};
}

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 specification, 6.3: forward updates of probabilities.
#include <algorithm>

#include "hw/media/vp9/probabilities.h"
#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

constexpr uint8_t difference_update = 252, mv_update = 252;

int recenter(int value, int around) {
  if (value > 2 * around) return value;
  return value & 1 ? around - ((value + 1) >> 1) : around + (value >> 1);
}

class Reader {
 public:
  explicit Reader(BoolDecoder& bits) : bits_(bits) {}

  /// diff_update_prob: each probability of an array of any shape.
  template <typename Field>
  void differences(Field& field) {
    if constexpr (std::is_same_v<Field, uint8_t>) {
      if (bits_.decode(difference_update)) field = remapped(sub_exponential(), field);
    } else {
      for (auto& part : field) differences(part);
    }
  }
  /// update_mv_prob.
  template <typename Field>
  void mv(Field& field) {
    if constexpr (std::is_same_v<Field, uint8_t>) {
      if (bits_.decode(mv_update)) field = static_cast<uint8_t>(bits_.literal(7) << 1 | 1);
    } else {
      for (auto& part : field) mv(part);
    }
  }

 private:
  unsigned sub_exponential() {
    if (!bits_.flag()) return bits_.literal(4);
    if (!bits_.flag()) return bits_.literal(4) + 16;
    if (!bits_.flag()) return bits_.literal(5) + 32;
    const unsigned value = bits_.literal(7);
    if (value < 65) return value + 64;
    return std::min((value << 1) - 1 + unsigned{bits_.flag()}, 254u);
  }
  static uint8_t remapped(unsigned coded, int before) {
    const int value = inverse_map[std::min(coded, 254u)], m = before - 1;
    const int result = m << 1 <= 255 ? 1 + recenter(value, m) : 255 - recenter(value, 254 - m);
    return static_cast<uint8_t>(std::clamp(result, 1, 255));
  }

  BoolDecoder& bits_;
};

TxMode read_tx_mode(BoolDecoder& bits) {
  unsigned mode = bits.literal(2);
  if (mode == tx_allow_32x32) mode += bits.flag();
  return static_cast<TxMode>(mode);
}

void read_coefficients(TxMode mode, BoolDecoder& bits, Reader& reader, Probabilities& p) {
  const unsigned largest = std::min<unsigned>(mode, tx_allow_32x32);
  for (unsigned size = 0; size <= largest; ++size) {
    if (!bits.flag()) continue;
    for (auto& plane : p.coefficients[size])
      for (auto& inter : plane)
        for (unsigned band = 0; band < 6; ++band)
          for (unsigned context = 0; context < contexts_of_band(band); ++context) reader.differences(inter[band][context]);
  }
}

ReferenceMode read_reference_mode(const Parameters& picture, BoolDecoder& bits) {
  const auto& bias = picture.sign_bias;
  if (bias[golden_frame] == bias[last_frame] && bias[altref_frame] == bias[last_frame]) return single_reference;
  if (!bits.flag()) return single_reference;
  return bits.flag() ? reference_select : compound_reference;
}

void read_mv_probabilities(bool high_precision, Reader& reader, Probabilities& p) {
  reader.mv(p.joints);
  for (MvComponent& mv : p.mv) reader.mv(mv.sign), reader.mv(mv.classes), reader.mv(mv.class0), reader.mv(mv.bits);
  for (MvComponent& mv : p.mv) reader.mv(mv.class0_fraction), reader.mv(mv.fraction);
  if (!high_precision) return;
  for (MvComponent& mv : p.mv) reader.mv(mv.class0_high), reader.mv(mv.high);
}

}  // namespace

CompressedHeader read_compressed_header(const Parameters& picture, BoolDecoder& bits, Probabilities& p) {
  CompressedHeader header;
  Reader reader(bits);
  header.broken = bits.flag();  // the marker of each partition
  header.tx_mode = picture.lossless ? tx_only_4x4 : read_tx_mode(bits);
  if (header.tx_mode == tx_select) reader.differences(p.tx8), reader.differences(p.tx16), reader.differences(p.tx32);
  read_coefficients(header.tx_mode, bits, reader, p);
  reader.differences(p.skip);
  if (!picture.is_intra()) {
    reader.differences(p.inter_mode);
    if (picture.filter == filter_switchable) reader.differences(p.filter);
    reader.differences(p.is_inter);
    header.reference_mode = read_reference_mode(picture, bits);
    if (header.reference_mode == reference_select) reader.differences(p.compound);
    if (header.reference_mode != compound_reference) reader.differences(p.single);
    if (header.reference_mode != single_reference) reader.differences(p.compound_reference);
    reader.differences(p.y_mode);
    reader.differences(p.partition);
    read_mv_probabilities(picture.high_precision, reader, p);
  }
  header.broken |= bits.over();
  return header;
}

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/probabilities.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::vp9 {
namespace {

constexpr size_t coefficients_at = 64, coefficient_bytes = 396, skip_at = 1664, segments_at = 2010, uv_modes_at = 1920;

/// Copies between buffer and structure, in the order of the layout.
template <bool to_buffer, typename Structure, typename Buffer>
class Cursor {
 public:
  explicit Cursor(Buffer& buffer) : buffer_(buffer) {}
  void seek(size_t at) { at_ = at; }
  template <typename Field>
  void copy(Field& field) {
    if constexpr (to_buffer) std::memcpy(buffer_.data() + at_, &field, sizeof field);
    else std::memcpy(&field, buffer_.data() + at_, sizeof field);
    at_ += sizeof field;
  }

 private:
  Buffer& buffer_;
  size_t at_ = 0;
};

template <typename C, typename P>
void copy_transforms(C& cursor, P& p) {
  cursor.seek(0);
  cursor.copy(p.tx8), cursor.copy(p.tx16), cursor.copy(p.tx32);
  for (unsigned size = 0; size < 4; ++size) {
    cursor.seek(coefficients_at + size * coefficient_bytes);
    for (unsigned plane = 0; plane < 2; ++plane)
      for (unsigned inter = 0; inter < 2; ++inter)
        for (unsigned band = 0; band < 6; ++band)
          for (unsigned context = 0; context < contexts_of_band(band); ++context)
            cursor.copy(p.coefficients[size][plane][inter][band][context]);
  }
  cursor.seek(skip_at);
  cursor.copy(p.skip);
}

/// Behind the skip flags.
template <typename C, typename P>
void copy_modes(C& cursor, P& p) {
  cursor.seek(skip_at + sizeof p.skip);
  cursor.copy(p.inter_mode), cursor.copy(p.filter), cursor.copy(p.is_inter), cursor.copy(p.compound), cursor.copy(p.single);
  cursor.copy(p.compound_reference), cursor.copy(p.y_mode), cursor.copy(p.partition), cursor.copy(p.joints);
  for (auto& mv : p.mv) cursor.copy(mv.sign), cursor.copy(mv.classes), cursor.copy(mv.class0), cursor.copy(mv.bits);
  for (auto& mv : p.mv) cursor.copy(mv.class0_fraction), cursor.copy(mv.fraction);
  for (auto& mv : p.mv) cursor.copy(mv.class0_high), cursor.copy(mv.high);
  cursor.seek(uv_modes_at);
  cursor.copy(p.uv_mode);
}

}  // namespace

Probabilities load(const ProbabilityBuffer& buffer) {
  ProbabilityBuffer legal = buffer;
  for (uint8_t& value : legal) value = std::max<uint8_t>(value, 1);
  Probabilities p{};
  Cursor<false, Probabilities, ProbabilityBuffer> cursor(legal);
  copy_transforms(cursor, p);
  copy_modes(cursor, p);
  cursor.seek(segments_at);
  cursor.copy(p.segment_tree), cursor.copy(p.segment_predicted);
  return p;
}

void store(const Probabilities& probabilities, bool intra, ProbabilityBuffer& buffer) {
  Cursor<true, const Probabilities, ProbabilityBuffer> cursor(buffer);
  copy_transforms(cursor, probabilities);
  if (!intra) copy_modes(cursor, probabilities);
}

}  // namespace softgen::media::vp9

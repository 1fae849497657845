// SPDX-License-Identifier: GPL-2.0-or-later
// Prediction from references (SMPTE 421M 8.3.6.5, 8.4.5): bicubic and bilinear interpolation, range reduction, intensity compensation.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

class Predictor {
 public:
  explicit Predictor(Picture& picture);

  // `reference` is an index of Picture::references, vectors are luma's.
  /// A whole macroblock by one vector. `average`: with the samples that are there.
  void macroblock(uint32_t x, uint32_t y, unsigned reference, Vector luma, bool average);
  void luma_block(uint32_t x, uint32_t y, unsigned block, unsigned reference, Vector vector);
  /// Interlaced frames: each 8x8 block of luma and its 4x4 of chroma by its vector; of fields, blocks 0 and 1 are every other row from the first on.
  /// `references`: of the first two and of the last two blocks.
  void frame_blocks(uint32_t x, uint32_t y, std::array<unsigned, 2> references, const std::array<Vector, 4>& vectors, bool of_fields,
                    bool average);
  /// Of a macroblock with four vectors.
  void chroma(uint32_t x, uint32_t y, unsigned reference, Vector vector);

 private:
  /// `row_step` 2: every other row from `y` on.
  void luma(int x, int y, unsigned size, unsigned reference, Vector vector, bool average, unsigned row_step = 1);
  void chroma_block(uint32_t x, uint32_t y, unsigned reference, Vector moved, bool average);
  /// From the field of the other parity: half a row up or down, in quarter samples.
  int bias(unsigned reference) const;
  /// Where rows are fetched from. The limit counts where a frame's last rows are of both fields, and where a field's edge is the frame's.
  int limited(unsigned reference, bool is_chroma, int top) const;
  void fetch(unsigned reference, bool is_chroma, int x, int y, unsigned columns, unsigned rows, unsigned row_step, uint8_t* to) const;
  /// Samples of a frame, row by row. `from`: the reference's plane.
  void fetch_rows(unsigned reference, const PlaneMap& from, int x, int y, unsigned columns, unsigned rows, unsigned row_step,
                  uint8_t* to) const;

  Picture& picture_;
  /// Changes of the references' samples: range, then intensity. By reference, luma and chroma.
  std::array<std::array<std::array<uint8_t, 256>, 2>, 4> changes_;
  std::array<bool, 4> is_changed_{};
};

/// The reference of a field picture, in `direction`, of the same or the opposite parity.
inline unsigned field_reference(const FieldParams& field, unsigned direction, bool opposite) {
  return direction | (field.bottom != opposite ? 2u : 0u);
}

/// A sample under intensity compensation (8.3.8).
uint8_t compensated(Compensation by, bool is_chroma, int sample);

}  // namespace softgen::media::vc1

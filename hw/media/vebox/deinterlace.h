// SPDX-License-Identifier: GPL-2.0-or-later
// Deinterlacing: lines of one field, and those of the other interpolated along edges (spatial), or taken from the fields before and after where nothing
// moves. What moves is measured over both parities (STMM) and remembered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/vebox/band.h"

namespace softgen::media::vebox {

/// STMM of pairs of pixels: a byte each, for rows [first, first + rows).
struct MotionMap {
  int first = 0, rows = 0, columns = 0;
  std::vector<uint8_t> values;
  void resize(int first_row, int row_count, int column_count);
  uint8_t* row(int y) { return values.data() + static_cast<size_t>((y - first) * columns); }
  const uint8_t* row(int y) const { return values.data() + static_cast<size_t>((y - first) * columns); }
};

/// Rows around a band for which motion is measured.
constexpr int motion_margin = 1;

/// Measures the motion of the band's rows and motion_margin around. `before`: STMM of the last frame, of the same rows; empty: zeros.
void measure_motion(const Deinterlace& di, const Band& current, const Band& previous, const MotionMap* before, MotionMap& motion);

/// A frame of one field. `odd`: the lines that are kept. `height`: of the picture.
void interpolate(const Band& source, bool odd, int height, Band& to);
/// `source` is the frame of the field; the other lines are those of both frames where nothing moves.
void adapt(const Deinterlace& di, const Band& source, const Band& other, bool odd, int height, const MotionMap& motion, Band& to);

}  // namespace softgen::media::vebox

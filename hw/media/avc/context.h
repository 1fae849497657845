// SPDX-License-Identifier: GPL-2.0-or-later
// Where a slice is: the current macroblock and its neighbours.
#pragma once

#include <cstdint>

#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

/// A location in a neighbour: its macroblock, null if that is not available (H.264 6.4.12), and row and column there.
struct Location {
  const Macroblock* mb = nullptr;
  uint8_t x = 0, y = 0;
  unsigned block() const { return y / 4u * 4 + x / 4u; }
  unsigned quarter() const { return y / 8u * 2 + x / 8u; }
};

class Context {
 public:
  Context(Picture& picture, const SliceParams& slice, uint16_t slice_id) : picture(picture), slice(slice), id(slice_id) {}

  /// Makes (x, y) the current macroblock: a field one of a pair, or not.
  void enter(uint32_t x, uint32_t y, bool field);
  /// The same for one that has been entered before: nothing of it changes.
  void visit(uint32_t x, uint32_t y);
  /// H.264 6.4.12 for luma locations, -1 to 16 by -1 to 15, of the current macroblock. In a picture with field macroblocks, too, the neighbour is the sample
  /// that lies next to it in the current macroblock's own rows: tables 6-3 and 6-4 say so for every case.
  Location locate(int at_x, int at_y) const {
    if (at_x >= 0 && at_x < 16 && at_y >= 0) return {mb, static_cast<uint8_t>(at_x), static_cast<uint8_t>(at_y)};
    if (picture.params.mbaff) return locate_in_pairs(at_x, at_y);
    const Macroblock* at = nullptr;
    if (at_y < 0) at = at_x < 0 ? corner_ : at_x < 16 ? above_ : above_right_;
    else if (at_x < 0) at = before_;
    return {at, static_cast<uint8_t>(at_x & 15), static_cast<uint8_t>(at_y & 15)};
  }
  const Macroblock* a() const { return before_; }
  const Macroblock* b() const { return above_; }
  /// Of the current macroblock or its field.
  Samples luma() const;
  Samples chroma() const;
  bool field_mb() const { return picture.params.mbaff && mb->field; }
  /// QP_Y of the current macroblock and of its chroma (8.5.8).
  void set_quantizer(int luma);
  /// Of a list, twice as many for a field macroblock.
  unsigned active(unsigned list) const { return slice.active[list] * (field_mb() ? 2u : 1u); }

  Picture& picture;
  const SliceParams& slice;
  const uint16_t id;
  Macroblock* mb = nullptr;
  uint32_t x = 0, y = 0;
  int qp = 0;          ///< QP_Y of the macroblock before
  int last_delta = 0;  ///< its mb_qp_delta

 private:
  Location locate_in_pairs(int at_x, int at_y) const;
  /// Of this slice, or null.
  const Macroblock* neighbour(int columns, int rows) const;

  /// Left of the first row, and above; the other two not in MBAFF.
  const Macroblock *before_ = nullptr, *above_ = nullptr, *corner_ = nullptr, *above_right_ = nullptr;
};

}  // namespace softgen::media::avc

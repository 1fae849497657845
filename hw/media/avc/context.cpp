// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/context.h"

#include <algorithm>

#include "hw/media/avc/tables.h"

namespace softgen::media::avc {

void Context::enter(uint32_t column, uint32_t row, bool field) {
  picture.mb(column, row).field = field || picture.params.field();
  visit(column, row);
}

void Context::visit(uint32_t column, uint32_t row) {
  x = column, y = row;
  mb = &picture.mb(x, y);
  if (picture.params.mbaff) {
    before_ = locate_in_pairs(-1, 0).mb, above_ = locate_in_pairs(0, -1).mb;
    return;
  }
  before_ = neighbour(-1, 0), above_ = neighbour(0, -1), corner_ = neighbour(-1, -1), above_right_ = neighbour(1, -1);
}

const Macroblock* Context::neighbour(int columns, int rows) const {
  if ((columns < 0 && !x) || (columns > 0 && x + 1 == picture.width) || (rows < 0 && !y)) return nullptr;
  const Macroblock* const at = mb + rows * static_cast<int>(picture.width) + columns;
  return at->slice == id ? at : nullptr;
}

Location Context::locate_in_pairs(int at_x, int at_y) const {
  // The pair to the right comes after both macroblocks of this one.
  if (!mb->field && y % 2 && at_y < 0 && at_x >= 16) return {};
  const int column = static_cast<int>(x) * 16 + at_x;
  if (column < 0 || column >= static_cast<int>(picture.width) * 16) return {};
  int row = static_cast<int>(y) * 16 + at_y;
  if (mb->field) row = static_cast<int>(y / 2 * 32 + y % 2) + at_y * 2;
  if (row < 0 || row >= static_cast<int>(picture.height) * 16) return {};
  const auto to_x = static_cast<uint32_t>(column);
  auto to_y = static_cast<uint32_t>(row);
  if (picture.mb(to_x / 16, to_y / 32 * 2).field) to_y = to_y / 32 * 32 + to_y % 2 * 16 + to_y % 32 / 2;
  const Macroblock* const neighbour = &picture.mb(to_x / 16, to_y / 16);
  if (neighbour->slice != id) return {};
  return {neighbour, static_cast<uint8_t>(to_x % 16), static_cast<uint8_t>(to_y % 16)};
}

void Context::set_quantizer(int luma) {
  mb->qp = static_cast<uint8_t>(luma);
  for (unsigned i = 0; i < 2; ++i) mb->chroma_qp[i] = chroma_qp_table[std::clamp(luma + picture.params.chroma_qp_offset[i], 0, 51)];
}

Samples Context::luma() const {
  Plane<uint8_t>& plane = picture.frame.luma;
  const auto stride = static_cast<ptrdiff_t>(plane.stride());
  return field_mb() ? Samples{plane.at(x * 16, y / 2 * 32 + y % 2), stride * 2} : Samples{plane.at(x * 16, y * 16), stride};
}

Samples Context::chroma() const {
  Plane<uint8_t>& plane = picture.frame.chroma;
  const auto stride = static_cast<ptrdiff_t>(plane.stride());
  return field_mb() ? Samples{plane.at(x * 16, y / 2 * 16 + y % 2), stride * 2} : Samples{plane.at(x * 16, y * 8), stride};
}

}  // namespace softgen::media::avc

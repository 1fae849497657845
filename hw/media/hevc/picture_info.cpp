// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/picture_info.h"

#include <algorithm>

namespace softgen::media::hevc {
namespace {

/// Bits of a coordinate within a CTB, 4 at most, spread out to every second place.
constexpr uint32_t spread(uint32_t value) { return (value & 1) | (value & 2) << 1 | (value & 4) << 2 | (value & 8) << 3; }

/// The z-order of 4x4 blocks within a CTB.
uint32_t z_order(int x, int y, unsigned log2_ctb) {
  const uint32_t mask = (1u << (log2_ctb - 2)) - 1;
  return spread(static_cast<uint32_t>(x >> 2) & mask) | spread(static_cast<uint32_t>(y >> 2) & mask) << 1;
}

}  // namespace

void PictureInfo::begin(const PictureParameters& parameters) {
  parameters_ = parameters;
  const uint32_t ctb = 1u << parameters.log2_ctb;
  cell_columns_ = parameters.width / 4, cell_rows_ = parameters.height / 4;
  ctb_columns_ = (parameters.width + ctb - 1) / ctb, ctb_rows_ = (parameters.height + ctb - 1) / ctb;
  const size_t count = size_t{cell_columns_} * cell_rows_;
  cells.assign(count, {});
  // enter() clears what is read: a picture of 8192x8192 has 48 MiB of them.
  if (motions.size() < count) motions.resize(count);
  vertical_edges.assign(count, 0);
  horizontal_edges.assign(count, 0);
  ctbs.assign(ctb_count(), {});
  slices.clear();
  stored_motions.assign(StoredMotionLayout(parameters).count(), {});
  lay_out_tiles();
}

void PictureInfo::enter(uint32_t ctb) {
  const uint32_t size = (1u << parameters_.log2_ctb) / 4, left = ctb % ctb_columns_ * size, top = ctb / ctb_columns_ * size;
  const uint32_t width = std::min(size, cell_columns_ - left);
  for (uint32_t y = top; y < std::min(top + size, cell_rows_); ++y)
    std::fill_n(&motions[size_t{y} * cell_columns_ + left], width, Motion{});
}

// 6.5.1.
void PictureInfo::lay_out_tiles() {
  tile_ids.resize(ctb_count());
  to_tile_scan.resize(ctb_count());
  to_raster.resize(ctb_count());
  uint32_t next = 0;
  for (unsigned row = 0; row < parameters_.tile_rows; ++row) {
    for (unsigned column = 0; column < parameters_.tile_columns; ++column) {
      for (uint32_t y = parameters_.row_starts[row]; y < parameters_.row_starts[row + 1]; ++y) {
        for (uint32_t x = parameters_.column_starts[column]; x < parameters_.column_starts[column + 1]; ++x) {
          const uint32_t raster = y * ctb_columns_ + x;
          tile_ids[raster] = static_cast<uint16_t>(row * parameters_.tile_columns + column);
          to_tile_scan[raster] = next;
          to_raster[next++] = raster;
        }
      }
    }
  }
}

uint32_t PictureInfo::next_ctb(uint32_t ctb) const {
  const uint32_t next = to_tile_scan[ctb] + 1;
  return next < ctb_count() ? to_raster[next] : ctb_count();
}

bool PictureInfo::is_available(int from_x, int from_y, int x, int y) const {
  if (!contains(x, y)) return false;
  const uint32_t from = ctb_at(from_x, from_y), to = ctb_at(x, y);
  if (from == to) return z_order(x, y, parameters_.log2_ctb) <= z_order(from_x, from_y, parameters_.log2_ctb);
  return ctbs[to].slice_address == ctbs[from].slice_address && tile_ids[to] == tile_ids[from] && to_tile_scan[to] < to_tile_scan[from];
}

}  // namespace softgen::media::hevc

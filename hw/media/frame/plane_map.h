// SPDX-License-Identifier: GPL-2.0-or-later
// One plane of a picture in graphics memory, by host pointers to its pages: found once per picture, since a motion vector's block is a few loads of
// 16 bytes in a Y-tiled surface, and a page walk for each would cost more than the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/surface/tiling.h"

namespace softgen::media {

/// Where a plane is. Elements are what coordinates count: one sample, or a pair of interleaved chroma samples.
struct PlaneLayout {
  uint64_t base = 0;                                 ///< of the surface; graphics address
  uint32_t pitch = 0;                                ///< bytes
  surface::Tiling tiling = surface::Tiling::linear;  ///< linear, x or y
  uint32_t first_row = 0;                            ///< of the surface, on which the plane begins
  uint32_t first_byte = 0;                           ///< of each row
  uint32_t row_step = 1;                             ///< 2: a field of a frame
  uint8_t element = 1;                               ///< bytes: 1, 2 or 4
  uint32_t width = 0, height = 0;                    ///< elements, rows (of the field): at most 16384; accesses are clamped to them
};

class PlaneMap {
 public:
  /// Pages are found for reading, or for writing too. Faults are the view's. The pointers are good as long as the view's stamp stays: see refresh().
  /// A guest may state half a million pages: after a stop request the rest are not looked up, and accesses to them are dropped.
  void open(memory::View& view, const StopFlag& stop, const PlaneLayout& layout, Access access);
  /// To be called when the engine takes up a picture again (with each packet): finds the pages again if the memory map has changed.
  void refresh(memory::View& view, const StopFlag& stop);
  void close() { layout_ = {}, pages_.clear(); }
  bool is_open() const { return layout_.width != 0; }
  const PlaneLayout& layout() const { return layout_; }

  /// Elements [x, x + columns) of rows [y, y + rows), any coordinates; those outside of the plane are its nearest element (as all codecs extend their
  /// references). `stride`: bytes between rows of `to`. Safe from several threads.
  void fetch(int x, int y, unsigned columns, unsigned rows, std::byte* to, size_t stride) const;
  /// The part of the block that lies in the plane is written, the rest is dropped. Rows of different calls may be written by several threads at a time.
  void store(uint32_t x, uint32_t y, unsigned columns, unsigned rows, const std::byte* from, size_t stride);

 private:
  /// Bytes that are in one piece from byte `x` of row `y` on, both within the plane.
  std::byte* piece(uint32_t x, uint32_t y, uint32_t& bytes) const;
  void read_row(uint32_t x, uint32_t y, uint32_t bytes, std::byte* to) const;
  void read_rows(uint32_t x, uint32_t y, uint32_t bytes, uint32_t rows, std::byte* to, size_t stride) const;
  /// Tiles in Y: copy(memory, byte and row of the block, bytes, rows) for each strip of 16 bytes and up to 32 rows in one tile.
  template <typename Copy>
  void each_column(uint32_t x, uint32_t y, uint32_t bytes, uint32_t rows, Copy&& copy) const;

  PlaneLayout layout_;
  Access access_ = Access::read;
  memory::View::Stamp stamp_;
  uint32_t tiles_ = 0;       ///< per row of tiles
  uint64_t first_page_ = 0;  ///< index of pages_[0] from the surface's base on
  uint64_t base_ = 0;
  std::vector<std::byte*> pages_;
};

}  // namespace softgen::media

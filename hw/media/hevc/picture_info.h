// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of a picture's blocks besides samples: prediction, entropy decoding and the loop filters look at their neighbours' here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/media/hevc/parameters.h"

namespace softgen::media::hevc {

struct Mv {
  int16_t x = 0, y = 0;
  bool operator==(const Mv&) const = default;
};

/// Of a prediction block. A list is used where its index is not negative.
struct Motion {
  std::array<Mv, 2> mv{};
  std::array<int8_t, 2> index{-1, -1};
  std::array<uint8_t, 2> frame{};  ///< what the indices refer to: slices have lists of their own
  bool uses(unsigned list) const { return index[list] >= 0; }
  bool operator==(const Motion& other) const {
    for (unsigned list = 0; list < 2; ++list)
      if (index[list] != other.index[list] || (uses(list) && mv[list] != other.mv[list])) return false;
    return true;
  }
};

/// 4x4 luma samples.
struct Cell {
  enum Flag : uint8_t { intra = 1, inter = 2, skipped = 4, unfiltered = 8, coded = 16 };
  uint8_t flags = 0;       ///< unfiltered: the loop filters leave it as it is; coded: its transform block has luma coefficients
  uint8_t intra_mode = 1;  ///< DC where it is not intra or PCM: what modes are predicted from
  int8_t qp = 0;
  uint8_t depth = 0;
  bool is(Flag flag) const { return flags & flag; }
};

/// An edge of a cell (its left or upper one): the filter's strength, 0 to 2; while its coding unit is parsed, what kind it is.
enum Edge : uint8_t { edge_transform = 4, edge_prediction = 8 };

struct SaoParameters {
  std::array<uint8_t, 3> type{}, position{};  ///< type: 0 off, 1 band, 2 edge; position: band or class
  std::array<std::array<int8_t, 4>, 3> offset{};
};

/// What the loop filters need of a slice.
struct SliceFilter {
  uint32_t address = 0;  ///< of its first CTB: which of two is later
  int8_t beta_offset = 0, tc_offset = 0;
  bool deblocking_off = false, loop_across_slices = false;
};

struct CtbInfo {
  int32_t slice_address = -1;  ///< SliceAddrRs; negative: nothing is decoded
  uint32_t slice = 0;          ///< index into PictureInfo::slices
  SaoParameters sao;
  bool is_whole = false;
};

/// The motion of a picture for later ones, one entry for each 16x16 luma samples, 16 bytes in graphics memory. The hardware's layout is not public and
/// no driver reads it, but i965-va-driver allocates 64 bytes for each 64x16 samples where CTBs have 16x16, else for each 32x32 (gen9_mfd.c,
/// gen9_hcpd_init_hevc_surface()): four entries in these blocks' order.
struct StoredMotion {
  enum Flag : uint8_t { used = 1, long_term = 2 };
  std::array<Mv, 2> mv{};
  std::array<int8_t, 2> poc_distance{};
  std::array<uint8_t, 2> flags{};  ///< by list
  std::array<uint8_t, 4> reserved{};
};
static_assert(sizeof(StoredMotion) == 16);

/// Blocks of four entries.
struct StoredMotionLayout {
  uint32_t log2_width, log2_height, columns, rows;

  explicit constexpr StoredMotionLayout(const PictureParameters& picture)
      : log2_width(picture.log2_ctb == 4 ? 6 : 5),
        log2_height(picture.log2_ctb == 4 ? 4 : 5),
        columns(((picture.width - 1) >> log2_width) + 1),
        rows(((picture.height - 1) >> log2_height) + 1) {}
  constexpr size_t count() const { return size_t{columns} * rows * 4; }
  /// Of the entry for luma sample (x, y).
  constexpr size_t index(uint32_t x, uint32_t y) const {
    const size_t block = size_t{y >> log2_height} * columns + (x >> log2_width);
    const uint32_t column = x >> 4 & ((1u << (log2_width - 4)) - 1), row = y >> 4 & ((1u << (log2_height - 4)) - 1);
    return block * 4 + (row << (log2_width - 4)) + column;
  }
};

class PictureInfo {
 public:
  void begin(const PictureParameters& parameters);
  /// Before a CTB is decoded.
  void enter(uint32_t ctb);

  const PictureParameters& parameters() const { return parameters_; }
  /// The size in cells, and in CTBs.
  uint32_t cell_columns() const { return cell_columns_; }
  uint32_t cell_rows() const { return cell_rows_; }
  uint32_t ctb_columns() const { return ctb_columns_; }
  uint32_t ctb_rows() const { return ctb_rows_; }
  uint32_t ctb_count() const { return ctb_columns_ * ctb_rows_; }

  /// By luma samples, within the picture.
  size_t cell_index(int x, int y) const { return static_cast<size_t>(y >> 2) * cell_columns_ + static_cast<size_t>(x >> 2); }
  uint32_t ctb_at(int x, int y) const {
    return static_cast<uint32_t>(y >> parameters_.log2_ctb) * ctb_columns_ + static_cast<uint32_t>(x >> parameters_.log2_ctb);
  }
  bool contains(int x, int y) const {
    return x >= 0 && y >= 0 && x < static_cast<int>(parameters_.width) && y < static_cast<int>(parameters_.height);
  }
  /// 6.4.1: the block at (x, y) precedes the one at (from_x, from_y), in the same slice and tile.
  bool is_available(int from_x, int from_y, int x, int y) const;

  uint32_t tile_of(uint32_t ctb) const { return tile_ids[ctb]; }
  uint32_t next_ctb(uint32_t ctb) const;  ///< in decoding order; ctb_count(): there is none

  std::vector<Cell> cells;
  std::vector<Motion> motions;                            ///< by cell; only of CTBs that were entered
  std::vector<uint8_t> vertical_edges, horizontal_edges;  ///< by cell
  std::vector<CtbInfo> ctbs;                              ///< by raster address
  std::vector<SliceFilter> slices;
  std::vector<StoredMotion> stored_motions;  ///< by StoredMotionLayout::index()
  std::vector<uint16_t> tile_ids;
  std::vector<uint32_t> to_tile_scan, to_raster;

 private:
  void lay_out_tiles();

  PictureParameters parameters_;
  uint32_t cell_columns_ = 0, cell_rows_ = 0, ctb_columns_ = 0, ctb_rows_ = 0;
};

}  // namespace softgen::media::hevc

// SPDX-License-Identifier: GPL-2.0-or-later
// Deblocking of interlaced frames: the lines of each field for themselves, edges of transforms whatever their coefficients.
#include "hw/media/vc1/filter.h"

namespace softgen::media::vc1 {
namespace {

class FrameDeblocker {
 public:
  explicit FrameDeblocker(Picture& picture) : picture_(picture), quantizer_(picture.params.quantizer.step) {}

  /// Edges between rows of a column of macroblocks: each reads what the one above has changed.
  void column(uint32_t x) {
    for (uint32_t y = 0; y < picture_.params.height; ++y)
      for (uint32_t field = 0; field < 2; ++field) {
        for (unsigned half = 0; half < 2; ++half) luma_rows(x, y, field, half);
        for (unsigned component = 0; component < 2; ++component) chroma_rows(x, y, field, component);
      }
  }
  /// Edges between columns of a row of macroblocks, from left to right.
  void row(uint32_t y) {
    for (uint32_t x = 0; x < picture_.params.width; ++x)
      for (uint32_t field = 0; field < 2; ++field) {
        for (unsigned group = 0; group < 2; ++group) luma_columns(x, y, field, group);
        for (unsigned component = 0; component < 2; ++component) chroma_columns(x, y, field, component);
      }
  }

 private:
  bool begins(uint32_t y) const { return y == 0 || picture_.begins_slice[y]; }
  bool ends(uint32_t y) const { return y + 1 == picture_.params.height || picture_.begins_slice[y + 1]; }
  /// Whether a block's transforms have an edge within it. Those of intra pictures have none.
  static bool is_split(const Macroblock& macroblock, unsigned block, TransformCode kind) {
    const TransformCode own = macroblock.transform[block];
    return own == TransformCode::quarters || own == kind;
  }

  /// Of a field of a macroblock, 8 columns: edges in its rows 2, 4 and 6, and the lower one.
  void luma_rows(uint32_t x, uint32_t y, uint32_t field, unsigned half) {
    const Macroblock& macroblock = picture_.at(x, y);
    const auto split = [&](unsigned block) { return is_split(macroblock, block, TransformCode::rows); };
    Plane<uint8_t>& plane = picture_.frame.luma;
    const ptrdiff_t across = 2 * static_cast<ptrdiff_t>(plane.stride());
    uint8_t* const at = plane.at(x * 16 + half * 8, y * 16 + field);
    const auto edge = [&](ptrdiff_t row) {
      for (const ptrdiff_t part : {0, 4}) filter_four(at + row * across + part, across, 1, quantizer_);
    };
    if (macroblock.field_transform) {
      if (split(2 * field + half)) edge(4);
    } else {
      if (split(half) && !begins(y)) edge(2);
      edge(4);
      if (split(2 + half) && !ends(y)) edge(6);
    }
    if (!ends(y)) edge(8);
  }
  void chroma_rows(uint32_t x, uint32_t y, uint32_t field, unsigned component) {
    if (ends(y)) return;
    Plane<uint8_t>& plane = picture_.frame.chroma;
    const ptrdiff_t across = 2 * static_cast<ptrdiff_t>(plane.stride());
    uint8_t* const at = plane.at(x * 16 + component, y * 8 + field);
    const auto edge = [&](ptrdiff_t row) {
      for (const ptrdiff_t part : {0, 8}) filter_four(at + row * across + part, across, 2, quantizer_);
    };
    if (is_split(picture_.at(x, y), 4 + component, TransformCode::rows) && !begins(y)) edge(2);
    edge(4);
  }

  /// Of 4 rows of a field: edges in columns 4, 8 and 12, and the right one.
  void luma_columns(uint32_t x, uint32_t y, uint32_t field, unsigned group) {
    const Macroblock& macroblock = picture_.at(x, y);
    const unsigned first = 2 * (macroblock.field_transform ? field : group);
    Plane<uint8_t>& plane = picture_.frame.luma;
    const ptrdiff_t along = 2 * static_cast<ptrdiff_t>(plane.stride());
    uint8_t* const at = plane.at(x * 16, y * 16 + group * 8 + field);
    if (is_split(macroblock, first, TransformCode::columns)) filter_four(at + 4, 1, along, quantizer_);
    filter_four(at + 8, 1, along, quantizer_);
    if (is_split(macroblock, first + 1, TransformCode::columns)) filter_four(at + 12, 1, along, quantizer_);
    if (x + 1 < picture_.params.width) filter_four(at + 16, 1, along, quantizer_);
  }
  void chroma_columns(uint32_t x, uint32_t y, uint32_t field, unsigned component) {
    Plane<uint8_t>& plane = picture_.frame.chroma;
    const ptrdiff_t along = 2 * static_cast<ptrdiff_t>(plane.stride());
    uint8_t* const at = plane.at(x * 16 + component, y * 8 + field);
    if (is_split(picture_.at(x, y), 4 + component, TransformCode::columns)) filter_four(at + 8, 2, along, quantizer_);
    if (x + 1 < picture_.params.width) filter_four(at + 16, 2, along, quantizer_);
  }

  Picture& picture_;
  const int quantizer_;
};

}  // namespace

void deblock_frame(Picture& picture, WorkerPool* pool, const StopFlag& stop) {
  FrameDeblocker deblocker(picture);
  run_passes(deblocker, {&FrameDeblocker::column}, picture.params.width, pool, stop);
  run_passes(deblocker, {&FrameDeblocker::row}, picture.params.height, pool, stop);
}

}  // namespace softgen::media::vc1

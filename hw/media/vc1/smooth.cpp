// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>

#include "hw/media/vc1/filter.h"
#include "hw/media/vc1/transform.h"

namespace softgen::media::vc1 {
namespace {

/// Across an edge of 8 samples: `across` leads over it, `along` to the next sample. Rounding changes from sample to sample.
void smooth_edge(int16_t* at, ptrdiff_t across, ptrdiff_t along) {
  for (int i = 0; i < 8; ++i, at += along) {
    const int a = at[-2 * across], b = at[-across], c = at[0], d = at[across];
    const int outer = a - d, inner = a - d + b - c, first = 4 - (i & 1), second = 3 + (i & 1);
    at[-2 * across] = static_cast<int16_t>((8 * a - outer + first) >> 3);
    at[-across] = static_cast<int16_t>((8 * b - inner + second) >> 3);
    at[0] = static_cast<int16_t>((8 * c + inner + first) >> 3);
    at[across] = static_cast<int16_t>((8 * d + outer + second) >> 3);
  }
}

class Smoother {
 public:
  explicit Smoother(Picture& picture) : picture_(picture) {}

  /// Edges between columns.
  void columns(uint32_t y) {
    for (uint32_t x = 0; x < picture_.params.width; ++x)
      for (unsigned block = 0; block < 6; ++block) {
        const bool is_inside = block < 4 && block & 1;
        if (!is_inside && !x) continue;
        const Macroblock &macroblock = picture_.at(x, y), &other = is_inside ? macroblock : picture_.at(x - 1, y);
        if (counts(macroblock, block, other, block > 3 ? block : block ^ 1)) edge(x, y, block, true);
      }
  }
  /// Edges between rows. What is above is the row of macroblocks before, in the same slice.
  void rows(uint32_t y) {
    for (uint32_t x = 0; x < picture_.params.width; ++x)
      for (unsigned block = 0; block < 6; ++block) {
        const bool is_inside = block == 2 || block == 3;
        if (!is_inside && (!y || picture_.begins_slice[y])) continue;
        const Macroblock &macroblock = picture_.at(x, y), &other = is_inside ? macroblock : picture_.at(x, y - 1);
        if (counts(macroblock, block, other, block > 3 ? block : block ^ 2)) edge(x, y, block, false);
      }
  }
  void put(uint32_t y) {
    for (uint32_t x = 0; x < picture_.params.width; ++x)
      for (unsigned block = 0; block < 6; ++block) {
        if (!(picture_.at(x, y).intra >> block & 1)) continue;
        const bool is_chroma = block > 3;
        const uint32_t left = x * 16 + (is_chroma ? block - 4 : block % 2 * 8), top = is_chroma ? y * 8 : y * 16 + block / 2 * 8;
        const Plane<int16_t>& from = is_chroma ? picture_.differences.chroma : picture_.differences.luma;
        Plane<uint8_t>& to = is_chroma ? picture_.frame.chroma : picture_.frame.luma;
        int16_t samples[64];
        for (uint32_t row = 0; row < 8; ++row)
          for (uint32_t i = 0; i < 8; ++i) samples[8 * row + i] = *from.at(left + (is_chroma ? 2 * i : i), top + row);
        put_block(samples, 8, 128, to.at(left, top), is_chroma ? 2 : 1, to.stride());
      }
  }

 private:
  bool counts(const Macroblock& one, unsigned block, const Macroblock& other, unsigned other_block) const {
    if (!(one.intra >> block & 1) || !(other.intra >> other_block & 1)) return false;
    const PictureParams& params = picture_.params;
    // CONDOVER counts for I pictures with small quantizers (8.5.1).
    if (!params.advanced || params.quantizer.step >= 9 || params.condition == Overlap::all) return true;
    return params.condition == Overlap::flagged && one.smoothed && other.smoothed;
  }
  void edge(uint32_t x, uint32_t y, unsigned block, bool is_column) {
    const bool is_chroma = block > 3;
    Plane<int16_t>& plane = is_chroma ? picture_.differences.chroma : picture_.differences.luma;
    int16_t* const at = is_chroma ? plane.at(x * 16 + block - 4, y * 8) : plane.at(x * 16 + block % 2 * 8, y * 16 + block / 2 * 8);
    const ptrdiff_t step = is_chroma ? 2 : 1, stride = static_cast<ptrdiff_t>(plane.stride());
    if (is_column) smooth_edge(at, step, stride);
    else smooth_edge(at, stride, step);
  }

  Picture& picture_;
};

}  // namespace

// Columns of the whole picture come first. An edge changes two samples on either side, so no row of macroblocks touches what another one does.
void smooth(Picture& picture, WorkerPool* pool, const StopFlag& stop) {
  Smoother smoother(picture);
  // Interlaced frames have no smoothing between rows (8.5.2).
  if (picture.params.coding == Coding::frame) run_passes(smoother, {&Smoother::columns, &Smoother::put}, picture.params.height, pool, stop);
  else run_passes(smoother, {&Smoother::columns, &Smoother::rows, &Smoother::put}, picture.params.height, pool, stop);
}

}  // namespace softgen::media::vc1

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "hw/media/vc1/filter.h"

namespace softgen::media::vc1 {
namespace {

uint8_t clamped(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

int steepness(int a, int b, int c, int d) { return (2 * (a - d) - 5 * (b - c) + 4) >> 3; }

/// One line over an edge (8.6.4). True: the lines around it are filtered, too.
bool filter_line(uint8_t* at, ptrdiff_t across, int quantizer) {
  const auto sample = [&](ptrdiff_t i) { return static_cast<int>(at[i * across]); };
  const int middle = steepness(sample(-2), sample(-1), sample(0), sample(1)), size = std::abs(middle);
  if (size >= quantizer) return false;
  const int before = std::abs(steepness(sample(-4), sample(-3), sample(-2), sample(-1)));
  const int behind = std::abs(steepness(sample(0), sample(1), sample(2), sample(3)));
  const int smaller = std::min(before, behind);
  if (smaller >= size) return false;
  const int step = sample(-1) - sample(0), most = std::abs(step) >> 1;
  if (!most) return false;
  // The change has the sign of -middle; it counts only towards the other side.
  const int change = std::min(5 * (size - smaller) >> 3, most);
  if ((middle < 0) == (step < 0)) return true;
  const int signed_change = step < 0 ? -change : change;
  at[-across] = clamped(sample(-1) - signed_change);
  at[0] = clamped(sample(0) + signed_change);
  return true;
}

class Deblocker {
 public:
  explicit Deblocker(Picture& picture) : picture_(picture), quantizer_(picture.params.quantizer.step) {}

  // Each for a row of macroblocks.
  void row_edges(uint32_t y) {
    each_block([&](uint32_t x, unsigned block) { edge(x, y, block, false); });
  }
  void inner_row_edges(uint32_t y) {
    each_block([&](uint32_t x, unsigned block) { inner_edge(x, y, block, false); });
  }
  void column_edges(uint32_t y) {
    each_block([&](uint32_t x, unsigned block) { edge(x, y, block, true); });
    each_block([&](uint32_t x, unsigned block) { inner_edge(x, y, block, true); });
  }

 private:
  bool is_p() const { return picture_.params.type == PictureType::p; }

  template <class Body>
  void each_block(Body&& body) {
    for (uint32_t x = 0; x < picture_.params.width; ++x)
      for (unsigned block = 0; block < 6; ++block) body(x, block);
  }

  /// The left or the upper edge of a block of 8x8.
  void edge(uint32_t x, uint32_t y, unsigned block, bool is_column) {
    const unsigned axis = is_column ? 1 : 2, is_chroma = block > 3;
    const bool is_inside = !is_chroma && block & axis;
    if (!is_inside && (is_column ? !x : !y || picture_.begins_slice[y])) return;
    const Macroblock& macroblock = picture_.at(x, y);
    const Macroblock& other = is_inside ? macroblock : is_column ? picture_.at(x - 1, y) : picture_.at(x, y - 1);
    const unsigned other_block = is_chroma ? block : block ^ axis;
    unsigned parts = 3;  // 1: the first four samples
    if (is_p()) {
      const bool is_intra = (macroblock.intra >> block | other.intra >> other_block) & 1;
      const bool moves = is_chroma ? macroblock.chroma != other.chroma || macroblock.chroma_opposite != other.chroma_opposite
                                   : macroblock.forward[block & 3] != other.forward[other_block & 3] ||
                                         ((macroblock.opposite[0] >> (block & 3) ^ other.opposite[0] >> (other_block & 3)) & 1);
      if (!is_intra && !moves) {
        // Subblocks with coefficients on either side of each part.
        const unsigned own = macroblock.subblocks[block], its = other.subblocks[other_block];
        if (is_column) parts = ((own & 8 || its & 4) ? 1 : 0) | ((own & 2 || its & 1) ? 2 : 0);
        else parts = ((own & 8 || its & 2) ? 1 : 0) | ((own & 4 || its & 1) ? 2 : 0);
      }
    }
    filter(x, y, block, 0, parts, is_column);
  }

  /// The edge of the transforms within a block of a P picture or a B field.
  void inner_edge(uint32_t x, uint32_t y, unsigned block, bool is_column) {
    const Macroblock& macroblock = picture_.at(x, y);
    const TransformCode kind = macroblock.transform[block];
    if ((!is_p() && !picture_.params.is_field()) ||
        (kind != TransformCode::quarters && kind != (is_column ? TransformCode::columns : TransformCode::rows)))
      return;
    const unsigned coded = macroblock.subblocks[block];
    const unsigned first = is_column ? 12 : 10, second = is_column ? 3 : 5;
    filter(x, y, block, 4, (coded & first ? 1u : 0u) | (coded & second ? 2u : 0u), is_column);
  }

  void filter(uint32_t x, uint32_t y, unsigned block, ptrdiff_t offset, unsigned parts, bool is_column) {
    const bool is_chroma = block > 3;
    Plane<uint8_t>& plane = is_chroma ? picture_.frame.chroma : picture_.frame.luma;
    uint8_t* const at = is_chroma ? plane.at(x * 16 + block - 4, y * 8) : plane.at(x * 16 + block % 2 * 8, y * 16 + block / 2 * 8);
    const ptrdiff_t step = is_chroma ? 2 : 1, stride = static_cast<ptrdiff_t>(plane.stride());
    const ptrdiff_t across = is_column ? step : stride, along = is_column ? stride : step;
    for (ptrdiff_t part = 0; part < 2; ++part)
      if (parts >> part & 1) filter_four(at + offset * across + 4 * part * along, across, along, quantizer_);
  }

  Picture& picture_;
  const int quantizer_;
};

}  // namespace

void filter_four(uint8_t* at, ptrdiff_t across, ptrdiff_t along, int quantizer) {
  if (!filter_line(at + 2 * along, across, quantizer)) return;
  for (const ptrdiff_t i : {0, 1, 3}) filter_line(at + i * along, across, quantizer);
}

// The order of 8.6.1: edges between rows, of blocks and then within blocks, and the same between columns. An edge changes one sample on either side and
// reads four, so the passes over rows do not meet.
void deblock(Picture& picture, WorkerPool* pool, const StopFlag& stop) {
  if (picture.params.coding == Coding::frame) return deblock_frame(picture, pool, stop);
  Deblocker deblocker(picture);
  run_passes(deblocker, {&Deblocker::row_edges, &Deblocker::inner_row_edges, &Deblocker::column_edges}, picture.params.height, pool, stop);
}

}  // namespace softgen::media::vc1

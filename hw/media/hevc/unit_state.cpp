// SPDX-License-Identifier: GPL-2.0-or-later
// Of coding units and transform trees: intra candidates (H.265 8.4.2), partitions, and which edges the deblocking filter works on (8.7.2.2 to 8.7.2.4).
#include <algorithm>
#include <cstdlib>

#include "hw/media/hevc/slice_state.h"

namespace softgen::media::hevc {

void SliceState::mark_cells(const CodingUnit& unit, uint8_t flags) {
  for (int y = unit.y; y < unit.y + unit.size(); y += 4) {
    Cell* const row = &info_.cells[info_.cell_index(unit.x, y)];
    std::fill_n(row, unit.size() / 4, Cell{.flags = flags, .intra_mode = intra_dc, .qp = 0, .depth = static_cast<uint8_t>(unit.depth)});
  }
}

void SliceState::begin_unit(const CodingUnit& unit, bool is_skipped) {
  mark_edges(unit.x, unit.y, unit.size(), unit.size(), edge_transform);
  mark_cells(unit, static_cast<uint8_t>((unit.is_intra ? Cell::intra : Cell::inter) | (is_skipped ? Cell::skipped : 0) |
                                        (unit.bypass ? Cell::unfiltered : 0)));
}

void SliceState::end_unit(const CodingUnit& unit) {
  for (int row = unit.y; row < unit.y + unit.size(); row += 4) {
    Cell* const cells = &info_.cells[info_.cell_index(unit.x, row)];
    for (int i = 0; i < unit.size() / 4; ++i) cells[i].qp = static_cast<int8_t>(quantization_.qp);
  }
  quantization_.previous = quantization_.qp;
  finish_edges(unit);
}

void SliceState::intra_candidates(const CodingUnit& unit, int x, int y, std::array<uint8_t, 3>& to) const {
  const bool has_left = info_.is_available(unit.x, unit.y, x - 1, y) || x > unit.x,
             has_above = info_.is_available(unit.x, unit.y, x, y - 1) || y > unit.y;
  const unsigned left = has_left ? info_.cells[info_.cell_index(x - 1, y)].intra_mode : intra_dc;
  const bool in_row = y & ((1 << picture().log2_ctb) - 1);
  const unsigned above = has_above && in_row ? info_.cells[info_.cell_index(x, y - 1)].intra_mode : intra_dc;
  const auto mode = [](unsigned value) { return static_cast<uint8_t>(value); };
  if (left != above) {
    const unsigned third = left != intra_planar && above != intra_planar ? intra_planar
                           : left != intra_dc && above != intra_dc       ? intra_dc
                                                                         : intra_vertical;
    to = {mode(left), mode(above), mode(third)};
  } else if (left < 2) {
    to = {intra_planar, intra_dc, intra_vertical};
  } else {
    to = {mode(left), mode(2 + (left + 29) % 32), mode(2 + (left - 2 + 1) % 32)};
  }
}

void SliceState::set_intra_mode(int x, int y, int size, unsigned mode) {
  for (int row = y; row < y + size; row += 4)
    for (int column = x; column < x + size; column += 4) info_.cells[info_.cell_index(column, row)].intra_mode = static_cast<uint8_t>(mode);
}

SliceState::PredictionBlocks SliceState::blocks_of(const CodingUnit& unit) {
  const int size = unit.size(), half = size / 2, quarter = size / 4;
  const PredictionBlock whole{.area = {unit.x, unit.y, size, size}, .cb_x = unit.x, .cb_y = unit.y, .cb_size = size};
  PredictionBlocks blocks{{whole, whole, whole, whole}, 2};
  PredictionBlock &first = blocks.at[0], &second = blocks.at[1];
  second.part = 1;
  const auto rows = [&](int upper) {
    first.area.height = upper;
    second.area.y += upper, second.area.height = size - upper, second.second_below = true;
  };
  const auto columns = [&](int left) {
    first.area.width = left;
    second.area.x += left, second.area.width = size - left, second.second_beside = true;
  };
  switch (unit.part) {
    case PartMode::whole: blocks.count = 1; break;
    case PartMode::two_rows: rows(half); break;
    case PartMode::upper_quarter: rows(quarter); break;
    case PartMode::lower_quarter: rows(size - quarter); break;
    case PartMode::two_columns: columns(half); break;
    case PartMode::left_quarter: columns(quarter); break;
    case PartMode::right_quarter: columns(size - quarter); break;
    case PartMode::quarters:
      for (unsigned part = 0; part < 4; ++part) {
        blocks.at[part].part = part;
        blocks.at[part].area = {unit.x + static_cast<int>(part & 1) * half, unit.y + static_cast<int>(part >> 1) * half, half, half};
      }
      blocks.count = 4;
      break;
  }
  return blocks;
}

void SliceState::set_motion(const PredictionBlock& block, const Motion& motion) {
  const Rectangle& area = block.area;
  for (int y = area.y; y < area.y + area.height; y += 4) std::fill_n(&info_.motions[info_.cell_index(area.x, y)], area.width / 4, motion);
  if (block.part) mark_edges(area.x, area.y, area.width, area.height, edge_prediction);
}

std::optional<bool> SliceState::inferred_split(const CodingUnit& unit, const TransformNode& node) const {
  const PictureParameters& p = picture();
  const bool quarters = unit.is_intra && unit.has_quarters(), forced = quarters && node.depth == 0;
  const unsigned max_depth = unit.is_intra ? p.max_intra_depth + unsigned{quarters} : p.max_inter_depth;
  if (node.log2 <= 2) return false;
  if (node.log2 <= p.log2_max_tb && node.log2 > p.log2_min_tb && node.depth < max_depth && !forced) return std::nullopt;
  const bool inter_split = !unit.is_intra && p.max_inter_depth == 0 && unit.part != PartMode::whole && node.depth == 0;
  return node.log2 > p.log2_max_tb || forced || inter_split;
}

void SliceState::begin_leaf(const TransformNode& node, bool cbf_luma) {
  const int size = 1 << node.log2;
  mark_edges(node.x, node.y, size, size, edge_transform);
  if (!cbf_luma) return;
  for (int y = node.y; y < node.y + size; y += 4)
    for (int x = node.x; x < node.x + size; x += 4) info_.cells[info_.cell_index(x, y)].flags |= Cell::coded;
}

unsigned SliceState::part_of(const CodingUnit& unit, const TransformNode& node) {
  if (!unit.has_quarters()) return 0;
  const int half = unit.size() / 2;
  return static_cast<unsigned>(node.x >= unit.x + half) + 2 * (node.y >= unit.y + half);
}

TransformBlock SliceState::transform_block(const CodingUnit& unit, unsigned component, unsigned log2, unsigned mode) const {
  TransformBlock block{.log2 = static_cast<uint8_t>(log2),
                       .component = static_cast<uint8_t>(component),
                       .scan = Scan::diagonal,
                       .is_intra = unit.is_intra,
                       .bypass = unit.bypass,
                       .qp = static_cast<uint8_t>(component_qp(component))};
  if (unit.is_intra && (log2 == 2 || (log2 == 3 && !component)))
    block.scan = mode >= 6 && mode <= 14 ? Scan::vertical : mode >= 22 && mode <= 30 ? Scan::horizontal : Scan::diagonal;
  return block;
}

void SliceState::mark_edges(int x, int y, int width, int height, Edge kind) {
  if (slice_->deblocking_off) return;
  if (x % 8 == 0)
    for (int i = 0; i < height; i += 4) info_.vertical_edges[info_.cell_index(x, y + i)] |= kind;
  if (y % 8 == 0)
    for (int i = 0; i < width; i += 4) info_.horizontal_edges[info_.cell_index(x + i, y)] |= kind;
}

void SliceState::finish_edges(const CodingUnit& unit) {
  if (slice_->deblocking_off) return;
  const auto crosses = [&](int x, int y) {
    if (!info_.contains(x, y)) return false;
    const uint32_t here = info_.ctb_at(unit.x, unit.y), there = info_.ctb_at(x, y);
    if (here == there) return true;
    // What is not decoded yet, in a stream that is not whole, has no edges.
    if (info_.ctbs[there].slice_address < 0) return false;
    return (slice_->loop_across_slices || info_.ctbs[there].slice_address == slice_address_) &&
           (picture().loop_across_tiles || info_.tile_of(here) == info_.tile_of(there));
  };
  const bool left = crosses(unit.x - 1, unit.y), above = crosses(unit.x, unit.y - 1);
  const size_t columns = info_.cell_columns();
  for (int y = unit.y; y < unit.y + unit.size(); y += 4) {
    for (int x = unit.x; x < unit.x + unit.size(); x += 4) {
      const size_t cell = info_.cell_index(x, y);
      uint8_t &vertical = info_.vertical_edges[cell], &horizontal = info_.horizontal_edges[cell];
      if (vertical) vertical = x == unit.x && !left ? 0 : strength_of(cell, cell - 1, vertical);
      if (horizontal) horizontal = y == unit.y && !above ? 0 : strength_of(cell, cell - columns, horizontal);
    }
  }
}

// 8.7.2.4.
uint8_t SliceState::strength_of(size_t cell, size_t neighbour, uint8_t kind) const {
  const Cell &a = info_.cells[cell], &b = info_.cells[neighbour];
  if (a.is(Cell::intra) || b.is(Cell::intra)) return 2;
  if (kind & edge_transform && (a.is(Cell::coded) || b.is(Cell::coded))) return 1;
  const Motion &p = info_.motions[cell], &q = info_.motions[neighbour];
  const unsigned count = p.uses(0) + p.uses(1);
  if (count != static_cast<unsigned>(q.uses(0) + q.uses(1))) return 1;
  const auto is_far = [](Mv u, Mv v) { return std::abs(u.x - v.x) >= 4 || std::abs(u.y - v.y) >= 4; };
  if (count < 2) {
    const unsigned i = p.uses(0) ? 0 : 1, j = q.uses(0) ? 0 : 1;
    return p.frame[i] != q.frame[j] || is_far(p.mv[i], q.mv[j]);
  }
  const bool straight = p.frame[0] == q.frame[0] && p.frame[1] == q.frame[1],
             crossed = p.frame[0] == q.frame[1] && p.frame[1] == q.frame[0];
  const bool straight_far = is_far(p.mv[0], q.mv[0]) || is_far(p.mv[1], q.mv[1]),
             crossed_far = is_far(p.mv[0], q.mv[1]) || is_far(p.mv[1], q.mv[0]);
  if (straight && crossed) return straight_far && crossed_far;
  return straight ? straight_far : crossed ? crossed_far : 1;
}

}  // namespace softgen::media::hevc

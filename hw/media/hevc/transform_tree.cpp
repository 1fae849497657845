// SPDX-License-Identifier: GPL-2.0-or-later
// Transform trees (H.265 7.3.8.8, 7.3.8.10, 7.3.8.14), QPs (8.6.1), and which edges the deblocking filter works on (8.7.2.2 to 8.7.2.4).
#include <algorithm>
#include <cstdlib>

#include "hw/media/hevc/deblock.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

void SliceDecoder::transform_tree(const CodingUnit& unit, const Node& node) {
  const PictureParameters& p = picture();
  const bool quarters = unit.is_intra && unit.part == PartMode::quarters;
  const unsigned max_depth = unit.is_intra ? p.max_intra_depth + unsigned{quarters} : p.max_inter_depth;
  const bool inter_split = !unit.is_intra && p.max_inter_depth == 0 && unit.part != PartMode::whole && node.depth == 0;
  bool splits = node.log2 > p.log2_max_tb || (quarters && node.depth == 0) || inter_split;
  if (node.log2 <= p.log2_max_tb && node.log2 > p.log2_min_tb && node.depth < max_depth && !(quarters && node.depth == 0))
    splits = bin(ctx_split_transform + 5 - node.log2);
  if (node.log2 <= 2) splits = false;
  Node here = node;
  if (node.log2 > 2) {
    here.cbf_cb = node.cbf_cb && bin(ctx_cbf_chroma + node.depth);
    here.cbf_cr = node.cbf_cr && bin(ctx_cbf_chroma + node.depth);
  }
  if (splits) {
    const int half = 1 << (node.log2 - 1);
    for (unsigned i = 0; i < 4; ++i) {
      transform_tree(unit, {.x = node.x + static_cast<int>(i & 1) * half,
                            .y = node.y + static_cast<int>(i >> 1) * half,
                            .base_x = node.x,
                            .base_y = node.y,
                            .log2 = node.log2 - 1,
                            .depth = node.depth + 1,
                            .index = i,
                            .cbf_cb = here.cbf_cb,
                            .cbf_cr = here.cbf_cr});
    }
    return;
  }
  const bool cbf_chroma = here.cbf_cb || here.cbf_cr;
  const bool cbf_luma = unit.is_intra || node.depth || cbf_chroma ? bin(ctx_cbf_luma + (node.depth ? 0 : 1)) : true;
  transform_unit(unit, here, cbf_luma, cbf_chroma);
}

void SliceDecoder::transform_unit(const CodingUnit& unit, const Node& node, bool cbf_luma, bool cbf_chroma) {
  const int size = 1 << node.log2;
  mark_edges(node.x, node.y, size, size, edge_transform);
  if ((cbf_luma || cbf_chroma) && picture().qp_delta && !quantization_.coded) read_qp_delta();
  if (cbf_luma) {
    for (int y = node.y; y < node.y + size; y += 4)
      for (int x = node.x; x < node.x + size; x += 4) info_.cells[info_.cell_index(x, y)].flags |= Cell::coded;
  }
  const unsigned part = unit.part == PartMode::quarters
                            ? static_cast<unsigned>(node.x >= unit.x + unit.size() / 2) + 2 * (node.y >= unit.y + unit.size() / 2)
                            : 0;
  transform_block(unit, 0, node.x, node.y, node.log2, unit.luma_modes[part], cbf_luma);
  // Four luma blocks of 4x4 share their chroma blocks, which follow the last of them.
  if (node.log2 == 2 && node.index != 3) return;
  const int x = node.log2 == 2 ? node.base_x : node.x, y = node.log2 == 2 ? node.base_y : node.y;
  const unsigned log2 = node.log2 == 2 ? 2 : node.log2 - 1;
  transform_block(unit, 1, x, y, log2, unit.chroma_mode, node.cbf_cb);
  transform_block(unit, 2, x, y, log2, unit.chroma_mode, node.cbf_cr);
}

/// (x, y): luma samples; `log2`: of the component's block.
void SliceDecoder::transform_block(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, bool coded) {
  const unsigned shift = component ? 1 : 0;
  if (unit.is_intra) sink_->predict_intra(component, x >> shift, y >> shift, log2, mode, presence_of(x, y, 1 << (log2 + shift)));
  if (!coded) return;
  TransformBlock block{.log2 = static_cast<uint8_t>(log2),
                       .component = static_cast<uint8_t>(component),
                       .scan = Scan::diagonal,
                       .is_intra = unit.is_intra,
                       .bypass = unit.bypass,
                       .qp = static_cast<uint8_t>(component_qp(component))};
  if (unit.is_intra && (log2 == 2 || (log2 == 3 && !component)))
    block.scan = mode >= 6 && mode <= 14 ? Scan::vertical : mode >= 22 && mode <= 30 ? Scan::horizontal : Scan::diagonal;
  read_residual(cabac_, contexts_, picture(), block, coefficients_);
  sink_->add_residuals(block, x >> shift, y >> shift, unit.is_intra && !component && log2 == 2, coefficients_);
}

void SliceDecoder::read_qp_delta() {
  unsigned prefix = 0;
  while (prefix < 5 && bin(ctx_qp_delta + (prefix ? 1 : 0))) ++prefix;
  int delta = static_cast<int>(std::min(prefix + (prefix > 4 ? exp_golomb(0) : 0), 64u));
  if (delta && cabac_.bypass()) delta = -delta;
  const int offset = 6 * (picture().luma_bits - 8), range = 52 + offset;
  quantization_.coded = true;
  quantization_.qp = ((quantization_.predicted + delta + 52 + 2 * offset) % range + range) % range - offset;
}

unsigned SliceDecoder::component_qp(unsigned component) const {
  const int offset = 6 * (static_cast<int>(picture().bits(component)) - 8);
  if (!component) return static_cast<unsigned>(std::clamp(quantization_.qp + offset, 0, 51 + offset));
  const int shift = component == 1 ? picture().cb_qp_offset + slice_->cb_qp_offset : picture().cr_qp_offset + slice_->cr_qp_offset;
  return static_cast<unsigned>(chroma_qp(std::clamp(quantization_.qp + shift, -offset, 57)) + offset);
}

IntraPresence SliceDecoder::presence_of(int x, int y, int size) const {
  IntraPresence presence;
  const auto is_present = [&](int at_x, int at_y) {
    return info_.is_available(x, y, at_x, at_y) &&
           (!picture().constrained_intra || info_.cells[info_.cell_index(at_x, at_y)].is(Cell::intra));
  };
  for (int i = 0; i < size / 2; ++i) {
    presence.left |= uint32_t{is_present(x - 1, y + 4 * i)} << i;
    presence.above |= uint32_t{is_present(x + 4 * i, y - 1)} << i;
  }
  presence.corner = is_present(x - 1, y - 1);
  return presence;
}

void SliceDecoder::mark_edges(int x, int y, int width, int height, Edge kind) {
  if (slice_->deblocking_off) return;
  if (x % 8 == 0)
    for (int i = 0; i < height; i += 4) info_.vertical_edges[info_.cell_index(x, y + i)] |= kind;
  if (y % 8 == 0)
    for (int i = 0; i < width; i += 4) info_.horizontal_edges[info_.cell_index(x + i, y)] |= kind;
}

void SliceDecoder::finish_edges(const CodingUnit& unit) {
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
uint8_t SliceDecoder::strength_of(size_t cell, size_t neighbour, uint8_t kind) const {
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

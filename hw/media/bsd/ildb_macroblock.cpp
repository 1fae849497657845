// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/bsd/ildb_macroblock.h"

#include "hw/media/avc/edges.h"

namespace softgen::media::bsd {

using namespace avc;

namespace {

struct Describer {
  const Picture& picture;
  const uint32_t x, y;
  const Macroblock& mb;
  const MacroblockEdges edges;
  IldbMacroblock out;

  void set_indexes(Edge edge, const Macroblock& p) {
    const FilterParams& slice = edges.slice();
    out.indexes[0][edge] = ThresholdIndexes::of(slice, mb.qp, p.qp);
    for (unsigned i = 0; i < 2; ++i) out.indexes[1 + i][edge] = ThresholdIndexes::of(slice, mb.chroma_qp[i], p.chroma_qp[i]);
  }

  void left() {
    if (!x) return;
    out.left_field = picture.mb(x - 1, y).field;
    if (!edges.mixed_left()) {
      const Macroblock& p = picture.mb(x - 1, y);
      if (!edges.filtered_with(p)) return;
      out.filter_left = true;
      out.left[0] = edges.boundary(p, true);
      set_indexes(left_edge0, p);
      return;
    }
    // Left of frame macroblocks lie those of fields in turns: edge 0 is the even rows'. Left of field ones lie two of frames: edge 0 is the upper rows'.
    for (unsigned edge = 0; edge < 2; ++edge)
      for (unsigned group = 0; group < 4; ++group) {
        const unsigned i = mb.field ? edge * 8 + group * 2 : group * 4 + edge;
        const auto [p, row] = edges.beside(i, 16);
        if (!edges.filtered_with(*p)) return;
        out.filter_left = true;
        out.left[edge][group] = edges.mixed_strength(*p, row / 4 * 4 + 3, i / 4 * 4);
        if (!group) set_indexes(edge ? left_edge1 : left_edge0, *p);
      }
  }

  void top() {
    const MacroblockEdges::Above above = edges.above();
    for (unsigned i = 0; i < 2; ++i) {
      const Macroblock* const p = above.mbs[i];
      if (!p) continue;
      out.above_field = p->field;
      if (!edges.filtered_with(*p)) continue;
      out.filter_top = true;
      out.top[i] = edges.boundary(*p, false);
      set_indexes(i ? top_edge1 : top_edge0, *p);
    }
  }
};

}  // namespace

IldbMacroblock describe_edges(const Picture& picture, uint32_t x, uint32_t y) {
  const Macroblock& mb = picture.mb(x, y);
  Describer d{picture, x, y, mb, MacroblockEdges(picture, x, y), {}};
  d.out.x = static_cast<uint8_t>(x), d.out.y = static_cast<uint8_t>(picture.params.mbaff && mb.field ? y / 2 : y);
  d.out.mbaff = picture.params.mbaff;
  if (!d.edges.any()) return d.out;
  d.out.disabled = false;
  d.out.field = mb.field, d.out.transform8 = mb.transform8;
  for (unsigned i = 0; i < 6; ++i) d.out.internal[i] = d.edges.internal(i % 3 + 1, i < 3);
  d.set_indexes(internal_edges, mb);
  d.left();
  d.top();
  return d.out;
}

}  // namespace softgen::media::bsd

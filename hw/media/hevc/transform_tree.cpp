// SPDX-License-Identifier: GPL-2.0-or-later
// Transform trees (H.265 7.3.8.8, 7.3.8.10, 7.3.8.14).
#include <algorithm>

#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

void SliceDecoder::transform_tree(const CodingUnit& unit, const TransformNode& node) {
  const std::optional<bool> inferred = inferred_split(unit, node);
  const bool splits = inferred ? *inferred : bin(ctx_split_transform + 5 - node.log2);
  TransformNode here = node;
  if (node.log2 > 2) {
    here.cbf_cb = node.cbf_cb && bin(ctx_cbf_chroma + node.depth);
    here.cbf_cr = node.cbf_cr && bin(ctx_cbf_chroma + node.depth);
  }
  if (splits) {
    for (unsigned i = 0; i < 4; ++i) transform_tree(unit, here.child(i));
    return;
  }
  const bool cbf_chroma = here.cbf_cb || here.cbf_cr;
  const bool cbf_luma = unit.is_intra || node.depth || cbf_chroma ? bin(ctx_cbf_luma + (node.depth ? 0 : 1)) : true;
  transform_unit(unit, here, cbf_luma, cbf_chroma);
}

void SliceDecoder::transform_unit(const CodingUnit& unit, const TransformNode& node, bool cbf_luma, bool cbf_chroma) {
  begin_leaf(node, cbf_luma);
  if ((cbf_luma || cbf_chroma) && picture().qp_delta && !quantization_.coded) read_qp_delta();
  transform_component(unit, 0, node.x, node.y, node.log2, unit.luma_modes[part_of(unit, node)], cbf_luma);
  if (!node.has_chroma()) return;
  const int x = node.chroma_x(), y = node.chroma_y();
  transform_component(unit, 1, x, y, node.chroma_log2(), unit.chroma_mode, node.cbf_cb);
  transform_component(unit, 2, x, y, node.chroma_log2(), unit.chroma_mode, node.cbf_cr);
}

/// (x, y): luma samples; `log2`: of the component's block.
void SliceDecoder::transform_component(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, bool coded) {
  const unsigned shift = component ? 1 : 0;
  if (unit.is_intra) sink_->predict_intra(component, x >> shift, y >> shift, log2, mode, presence_of(x, y, 1 << (log2 + shift)));
  if (!coded) return;
  const TransformBlock block = transform_block(unit, component, log2, mode);
  read_residual(cabac_, contexts_, picture(), block, coefficients_);
  sink_->add_residuals(block, x >> shift, y >> shift, block.is_sine(), coefficients_);
}

void SliceDecoder::read_qp_delta() {
  unsigned prefix = 0;
  while (prefix < 5 && bin(ctx_qp_delta + (prefix ? 1 : 0))) ++prefix;
  int delta = static_cast<int>(std::min(prefix + (prefix > 4 ? exp_golomb(0) : 0), 64u));
  if (delta && cabac_.bypass()) delta = -delta;
  change_qp(delta);
}

}  // namespace softgen::media::hevc

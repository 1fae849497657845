// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts of references: VP9 specification, 9.3.1 (comp_mode, comp_ref, single_ref_p1, single_ref_p2).
#include "hw/media/vp9/mode_contexts.h"

namespace softgen::media::vp9 {
namespace {

bool has(const BlockInfo& block, int8_t reference) { return block.reference[0] == reference || block.reference[1] == reference; }

}  // namespace

unsigned ModeContexts::compound_context() const {
  const Reference fixed = frame_.fixed_reference;
  if (above_ && left_) {
    if (above_->is_compound() && left_->is_compound()) return 4;
    if (!above_->is_compound() && !left_->is_compound()) return (above_->reference[0] == fixed) ^ (left_->reference[0] == fixed);
    const BlockInfo& single = above_->is_compound() ? *left_ : *above_;
    return 2 + (single.reference[0] == fixed || !single.is_inter());
  }
  const BlockInfo* const edge = above_ ? above_ : left_;
  if (!edge) return 1;
  return edge->is_compound() ? 3 : edge->reference[0] == fixed;
}

unsigned ModeContexts::compound_reference_context() const {
  const unsigned variable = !frame_.picture.sign_bias[static_cast<size_t>(frame_.fixed_reference)];
  const Reference fixed = frame_.fixed_reference, first = frame_.variable_reference[0], second = frame_.variable_reference[1];
  const auto reference = [&](const BlockInfo& block) { return block.reference[block.is_compound() ? variable : 0]; };
  if (above_ && left_) {
    if (!above_->is_inter() && !left_->is_inter()) return 2;
    if (!above_->is_inter() || !left_->is_inter()) return 1 + 2 * (reference(above_->is_inter() ? *above_ : *left_) != second);
    const int8_t a = reference(*above_), l = reference(*left_);
    const bool a_single = !above_->is_compound(), l_single = !left_->is_compound();
    if (a == l && a == second) return 0;
    if (a_single && l_single) {
      if ((a == fixed && l == first) || (l == fixed && a == first)) return 4;
      return a == l ? 3 : 1;
    }
    if (a_single || l_single) {
      const int8_t compound = l_single ? a : l, single = a_single ? a : l;
      if (compound == second && single != second) return 1;
      return single == second && compound != second ? 2 : 4;
    }
    return a == l ? 4 : 2;
  }
  const BlockInfo* const edge = above_ ? above_ : left_;
  if (!edge || !edge->is_inter()) return 2;
  return (edge->is_compound() ? 4 : 3) * (reference(*edge) != second);
}

unsigned ModeContexts::single_context_1() const {
  const auto one = [](const BlockInfo& edge) -> unsigned {
    return edge.is_compound() ? 1 + has(edge, last_frame) : 4 * (edge.reference[0] == last_frame);
  };
  if (above_ && left_) {
    if (!above_->is_inter() && !left_->is_inter()) return 2;
    if (!above_->is_inter() || !left_->is_inter()) return one(above_->is_inter() ? *above_ : *left_);
    if (above_->is_compound() && left_->is_compound()) return 1 + (has(*above_, last_frame) || has(*left_, last_frame));
    if (!above_->is_compound() && !left_->is_compound())
      return 2 * (above_->reference[0] == last_frame) + 2 * (left_->reference[0] == last_frame);
    const BlockInfo &single = above_->is_compound() ? *left_ : *above_, &compound = above_->is_compound() ? *above_ : *left_;
    return (single.reference[0] == last_frame ? 3 : 0) + has(compound, last_frame);
  }
  const BlockInfo* const edge = above_ ? above_ : left_;
  return edge && edge->is_inter() ? one(*edge) : 2;
}

unsigned ModeContexts::single_context_2() const {
  if (above_ && left_) {
    if (!above_->is_inter() && !left_->is_inter()) return 2;
    if (!above_->is_inter() || !left_->is_inter()) {
      const BlockInfo& edge = above_->is_inter() ? *above_ : *left_;
      if (edge.is_compound()) return 1 + 2 * has(edge, golden_frame);
      return edge.reference[0] == last_frame ? 3 : 4 * (edge.reference[0] == golden_frame);
    }
    const int8_t a = above_->reference[0], l = left_->reference[0];
    if (above_->is_compound() && left_->is_compound())
      return a == l && above_->reference[1] == left_->reference[1] ? 3 * (has(*above_, golden_frame) || has(*left_, golden_frame)) : 2;
    if (!above_->is_compound() && !left_->is_compound()) {
      if (a == last_frame && l == last_frame) return 3;
      if (a == last_frame || l == last_frame) return 4 * ((a == last_frame ? l : a) == golden_frame);
      return 2 * (a == golden_frame) + 2 * (l == golden_frame);
    }
    const BlockInfo &single = above_->is_compound() ? *left_ : *above_, &compound = above_->is_compound() ? *above_ : *left_;
    const unsigned golden = has(compound, golden_frame);
    if (single.reference[0] == golden_frame) return 3 + golden;
    return single.reference[0] == altref_frame ? golden : 1 + 2 * golden;
  }
  const BlockInfo* const edge = above_ ? above_ : left_;
  if (!edge || !edge->is_inter() || (edge->reference[0] == last_frame && !edge->is_compound())) return 2;
  return edge->is_compound() ? 3 * has(*edge, golden_frame) : 4 * (edge->reference[0] == golden_frame);
}

}  // namespace softgen::media::vp9

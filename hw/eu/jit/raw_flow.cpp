// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/raw_flow.h"

#include <algorithm>

namespace softgen::eu::jit {

namespace {
RawSlots all_raw() { return {~Slots{}, ~Slots{}}; }
}  // namespace

RawFlow::RawFlow(const Program& program, const FlowGraph& graph)
    : program_(program), graph_(graph), ops_(program.ops().size()), live_(ops_.size()), starts_(ops_.size()) {}

void RawFlow::leaves(size_t leader, size_t end, const RawSlots& out, const Slots& kept) { blocks_.push_back({leader, end, out, kept}); }

void RawFlow::solve() {
  solve_live();
  solve_starts();
}

/// Backward dataflow, iterated to the fixpoint; takes about one round per level of nested loops.
void RawFlow::solve_live() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = ops_.size(); n-- > 0;) {
      if (!graph_.reached[n]) continue;
      RawSlots after;
      for (const size_t to : graph_.successors(program_, n)) {
        RawSlots before = live_[to];
        before.nan &= ~ops_[to].replaced;
        before.denormal &= ~ops_[to].replaced;
        before |= ops_[to].wanted;
        after |= before;
      }
      changed = changed || after != live_[n];
      live_[n] = after;
    }
  }
}

/// Forward dataflow: the greatest fixpoint, from "all slots are raw", with the meet over the predecessors. A thread starts with canonical
/// slots.
void RawFlow::solve_starts() {
  std::fill(starts_.begin(), starts_.end(), all_raw());
  starts_[0] = {};
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockEffect& block : blocks_) {
      RawSlots out = block.out;
      out.nan &= starts_[block.leader].nan | ~block.kept;
      out.denormal &= starts_[block.leader].denormal | ~block.kept;
      for (const size_t to : graph_.successors(program_, block.end)) {
        RawSlots both = starts_[to];
        both &= out;
        changed = changed || both != starts_[to];
        starts_[to] = both;
      }
    }
  }
}

RawSlots RawFlow::taken_after(size_t n) const {
  RawSlots taken = all_raw();
  for (const size_t to : graph_.successors(program_, n)) taken &= starts_[to];
  return taken;
}

}  // namespace softgen::eu::jit

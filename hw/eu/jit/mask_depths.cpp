// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/mask_depths.h"

#include <optional>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/flow.h"

namespace softgen::eu::jit {

namespace {

struct MaskState {
  MaskDepth depth;
  bool whole = true;  ///< AMask has all dispatched channels
  bool operator==(const MaskState&) const = default;
};

/// Of an op that pushes or pops: what its stacks are where it goes on, and where it jumps to. None: a stack is full or lacks its entry.
struct Effect {
  MaskState on, away;
};

std::optional<Effect> effect_of(const Op& op, const MaskState& before) {
  Effect e{before, before};
  const unsigned pops = popped_branches(op), branches = before.depth.branches, loops = before.depth.loops;
  const auto less = [](uint8_t& depth, unsigned count) { depth = static_cast<uint8_t>(depth - count); };
  if (op.execute == execute_mask_if || op.execute == execute_mask_iff) {
    if (branches == MaskStacks::max_depth) return std::nullopt;
    e.on.depth.branches++;
    if (op.execute == execute_mask_if) e.away = e.on;
  } else if (op.execute == execute_mask_else) {
    if (!branches || pops > branches) return std::nullopt;
    less(e.away.depth.branches, pops);
  } else if (op.execute == execute_mask_endif) {
    if (pops > branches) return std::nullopt;
    less(e.on.depth.branches, pops);
  } else if (op.execute == execute_mask_do) {
    if (loops == MaskStacks::max_depth) return std::nullopt;
    e.on.depth.loops++;
  } else if (op.execute == execute_mask_while) {
    if (!loops) return std::nullopt;
    less(e.on.depth.loops, 1);
  } else if (op.execute == execute_mask_break) {
    if (!loops || pops > branches) return std::nullopt;
    less(e.away.depth.branches, pops);
    if (op.opcode == Opcode::break_) less(e.away.depth.loops, 1);
  } else if (op.execute == execute_mask_halt) {
    e.on.whole = e.away.whole = false;
  }
  if (op.writes_masks) e.on.whole = e.away.whole = false;
  return e;
}

class Depths {
 public:
  Depths(const Program& program, FlowGraph& graph) : program_(program), g_(graph), known_(program.ops().size()) {}

  const char* find() {
    if (!reach(0, {})) return nullptr;
    while (!work_.empty()) {
      const size_t n = work_.back();
      work_.pop_back();
      if (!pass(n)) return "a place in it is reached with mask stacks of different depths";
    }
    g_.depths.resize(known_.size());
    for (size_t n = 0; n < known_.size(); n++) {
      if (!known_[n]) continue;
      g_.reached[n] = true;
      g_.depths[n] = known_[n]->depth;
      // Outside of all branches and loops their masks are as at the start.
      if (!known_[n]->whole || known_[n]->depth != MaskDepth{}) g_.waits_before[n].set(0);
    }
    return nullptr;
  }

 private:
  bool pass(size_t n) {
    const Op& op = program_.ops()[n];
    const auto effect = effect_of(op, *known_[n]);
    if (!effect) g_.steps[n] = Step::leave;
    if (!effect) return true;
    const int32_t next = program_.index_at(op.next_offset);
    for (const size_t to : g_.successors(program_, n)) {
      const bool away = g_.steps[n] == Step::branch && static_cast<int32_t>(to) != next;
      if (!reach(to, away ? effect->away : effect->on)) return false;
      // A branch to the next op ends there in both ways.
      const bool both = g_.steps[n] == Step::branch && branches_away(op) && program_.index_at(op.jip_offset) == next;
      if (both && !reach(to, effect->away)) return false;
    }
    return true;
  }

  /// False: it is reached with other depths, too.
  bool reach(size_t n, const MaskState& state) {
    auto& known = known_[n];
    if (known && known->depth != state.depth) return false;
    const bool whole = state.whole && (!known || known->whole);
    if (known && known->whole == whole) return true;
    known = MaskState{state.depth, whole};
    work_.push_back(n);
    return true;
  }

  const Program& program_;
  FlowGraph& g_;
  std::vector<std::optional<MaskState>> known_;
  std::vector<size_t> work_;
};

}  // namespace

bool branches_away(const Op& op) { return op.execute != execute_mask_endif && op.execute != execute_mask_do; }

const char* find_mask_depths(const Program& program, FlowGraph& graph) { return Depths(program, graph).find(); }

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/chains.h"

#include <algorithm>
#include <array>

#include "hw/eu/interp/execute.h"

namespace softgen::eu::jit {

namespace {

struct Cost {
  unsigned latency, instructions;
};

/// Cycles and instructions of an op, roughly those of processors with AVX-512 (uops.info: Zen 4 and 5, Ice Lake). Null: it is a call.
const Cost* cost_of(const Op& op) {
  static constexpr Cost plain{4, 1}, inverse{16, 8}, root{24, 12}, inverse_root{28, 24};
  if (op.opcode != Opcode::math) return &plain;
  switch (static_cast<MathFunction>(op.instruction->cond_mod)) {
    case MathFunction::inv:
    case MathFunction::fdiv: return &inverse;
    case MathFunction::sqrt: return &root;
    case MathFunction::rsq: return &inverse_root;
    default: return nullptr;
  }
}

}  // namespace

bool gains_from_pairing(const Program& program, const FlowGraph& graph) {
  // Of a shorter kernel processors see the next thread while they work on this one. LLVM takes twice the time, which is what bounds longer ones.
  constexpr unsigned min_work = 200, max_work = 2500;
  // Two threads in turn do not come near what such a processor does in a cycle.
  constexpr unsigned instructions_per_cycle = 2;
  std::array<unsigned, slot_count> known_at{};
  unsigned work = 0, longest = 0;
  for (size_t n = 0; n < program.ops().size(); n++) {
    if (!graph.reached[n]) continue;
    if (n && graph.leaders[n]) return false;
    if (graph.steps[n] == Step::end_of_thread) continue;
    const Op& op = program.ops()[n];
    const Cost* const cost = graph.steps[n] == Step::work ? cost_of(op) : nullptr;
    if (!cost) return false;
    const Footprint f = footprint(op);
    unsigned known = 0;
    for (unsigned s = 0; s < slot_count; s++)
      if (f.reads[s]) known = std::max(known, known_at[s]);
    known += cost->latency;
    for (unsigned s = 0; s < slot_count; s++)
      if (f.writes[s]) known_at[s] = known;
    longest = std::max(longest, known);
    work += cost->instructions;
  }
  return work >= min_work && work <= max_work && longest * instructions_per_cycle > work;
}

}  // namespace softgen::eu::jit

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

/// Approximate latency and instructions of an op on processors with AVX-512 (uops.info: Zen 4 and 5, Ice Lake). Null: the op is a call.
const Cost* cost_of(const Op& op) {
  static constexpr Cost plain{4, 1}, inverse{16, 8}, root{24, 12}, inverse_root{28, 24};
  if (op.opcode != Opcode::math) return &plain;
  switch (op.instruction->math_function()) {
    case MathFunction::inv:
    case MathFunction::fdiv: return &inverse;
    case MathFunction::sqrt: return &root;
    case MathFunction::rsq: return &inverse_root;
    default: return nullptr;
  }
}

}  // namespace

bool gains_from_pairing(const Program& program, const FlowGraph& graph) {
  // In shorter kernels out-of-order processors overlap one thread with the next by themselves. Longer ones would take LLVM too long:
  // pairing doubles its time.
  constexpr unsigned min_work = 200, max_work = 2500;
  // An estimate for interleaved threads, well below the peak of such processors.
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/trigger_condition.h"

#include <array>

#include "hw/defs/registers/registers.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;

// All triggers of both generations have their inversions in the same bits.
static_assert(field::OASTARTTRIG_CONDITION_INVERT_A.mask() == field::OAREPORTTRIG_CONDITION_INVERT_A.mask() &&
              field::OASTARTTRIG_CONDITION_INVERT_B.mask() == field::OAREPORTTRIG_CONDITION_INVERT_B.mask() &&
              field::OASTARTTRIG_CONDITION_INVERT_C.mask() == field::OAREPORTTRIG_CONDITION_INVERT_C.mask() &&
              field::OASTARTTRIG_CONDITION_INVERT_D.mask() == field::OAREPORTTRIG_CONDITION_INVERT_D.mask());
static_assert(field::OASTARTTRIG_CONDITION_INVERT_A.mask() == field::OAG_STARTTRIG_CONDITION_INVERT_A.mask() &&
              field::OAREPORTTRIG_CONDITION_INVERT_A.mask() == field::OAG_REPORTTRIG_CONDITION_INVERT_A.mask() &&
              field::OAREPORTTRIG_CONDITION_INVERT_D.mask() == field::OAG_REPORTTRIG_CONDITION_INVERT_D.mask());

/// A signal in one clock: a value, an input of unknown value or its inverse, or something else that is unknown.
struct Term {
  enum Kind : uint8_t { value, input, unknown } kind = unknown;
  bool inverted = false;  ///< value: 1
  uint8_t number = 0;     ///< of the input: its signal, and whether it is that one's edges

  bool equals(const Term& other) const {
    return kind != unknown && kind == other.kind && inverted == other.inverted && number == other.number;
  }
  bool is(bool wanted) const { return kind == value && inverted == wanted; }
};

constexpr Term of(bool value) { return {Term::value, value, 0}; }

Term inverse_if(uint32_t bit, Term term) {
  term.inverted ^= bit & 1;
  return term;
}

/// A gate that is an AND or an OR.
Term either_gate(Term a, Term b) { return a.equals(b) ? a : Term{}; }

Term or_gate(Term a, Term b) {
  if (a.is(true) || b.is(true)) return of(true);
  if (a.is(false)) return b;
  if (b.is(false) || a.equals(b)) return a;
  return a.equals(inverse_if(1, b)) ? of(true) : Term{};
}

Term input(const TriggerRegisters& registers, uint32_t edges, unsigned i, unsigned clock) {
  constexpr unsigned per_register = 8, bits = 4, edge_flag = 16;
  const uint32_t selection = i < per_register ? registers.low_inputs : registers.high_inputs;
  const uint32_t signal = selection >> i % per_register * bits & 0xf;
  const bool edge = edges >> i & 1;
  if (registers.routed == Routed::unknown) return {Term::input, false, static_cast<uint8_t>(signal | (edge ? edge_flag : 0))};
  if (registers.routed == Routed::nothing) return of(false);
  const bool now = test_signals(clock) >> signal & 1, before = test_signals(clock + signal_period - 1) >> signal & 1;
  return of(now && !(edge && before));
}

Term condition(const TriggerRegisters& registers, uint32_t edges, unsigned clock) {
  const uint32_t invert = registers.condition;
  const uint32_t a = field::OAREPORTTRIG_CONDITION_INVERT_A.of(invert), b = field::OAREPORTTRIG_CONDITION_INVERT_B.of(invert),
                 c = field::OAREPORTTRIG_CONDITION_INVERT_C.of(invert), d = field::OAREPORTTRIG_CONDITION_INVERT_D.of(invert);
  std::array<Term, 4> b_signals;
  for (unsigned i = 0; i < b_signals.size(); ++i) {
    const auto a_signal = [&](unsigned j) { return inverse_if(a >> j, input(registers, edges, j, clock)); };
    const unsigned first = 4 * i;
    b_signals[i] = inverse_if(
        b >> i, either_gate(either_gate(a_signal(first), a_signal(first + 1)), either_gate(a_signal(first + 2), a_signal(first + 3))));
  }
  const Term c_0 = inverse_if(c, either_gate(b_signals[0], b_signals[1])),
             c_1 = inverse_if(c >> 1, either_gate(b_signals[2], b_signals[3]));
  return inverse_if(d, or_gate(c_0, c_1));
}

}  // namespace

TriggerCondition::TriggerCondition(const TriggerRegisters& registers, uint32_t edges) {
  PeriodicClocks holds, rises;
  for (unsigned clock = 0; clock < signal_period; ++clock) {
    const Term term = condition(registers, edges, clock);
    if (term.kind != Term::value) known_ = false;
    if (term.is(true)) holds.add(clock);
  }
  for (unsigned clock = 0; clock < signal_period; ++clock)
    if (holds.has(clock) && !holds.has(clock + signal_period - 1)) rises.add(clock);
  if (known_) holds_ = holds, rises_ = rises;
}

}  // namespace softgen::oa

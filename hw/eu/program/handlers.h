// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that an Op points to, one per family of instructions and one per operand type. OpBuilder chooses among them; the interpreter
// (hw/eu/interp) defines them, and compiled code calls them for what it does not do itself.
#pragma once

#include "hw/eu/program/op.h"

namespace softgen::eu {

using Load = void (*)(const Registers&, const Source&, unsigned count, Lanes&);
using Store = void (*)(Registers&, const Destination&, unsigned count, uint32_t mask, const Lanes&);

/// Null: the type cannot become such lanes.
Load load_for(RegType type, LaneKind kind);
Store store_for(RegType type);
/// Null: no effect.
Finish finish_for(LaneKind kind, RegType type, bool saturate, bool flush);
/// What finish leaves for a destination type.
LaneKind result_kind(RegType type);

/// Negation, absolute value or bitwise not, in place.
void apply_modifiers(Lanes& lanes, const Source& source, LaneKind kind, unsigned count);

Next execute_kernel(Thread&, const Op&, RunState&);   ///< loads, op.kernel, retire
Next execute_select(Thread&, const Op&, RunState&);   ///< sel, csel
Next execute_compare(Thread&, const Op&, RunState&);  ///< cmp, cmpn
Next execute_exact(Thread&, const Op&, RunState&);    ///< integer operations in full precision
Next execute_dot(Thread&, const Op&, RunState&);      ///< dp4, dph, dp3, dp2
Next execute_line(Thread&, const Op&, RunState&);     ///< line, pln
Next execute_mac(Thread&, const Op&, RunState&);      ///< mac on floats
Next execute_lrp(Thread&, const Op&, RunState&);
Next execute_math(Thread&, const Op&, RunState&);
Next execute_madm(Thread&, const Op&, RunState&);
Next execute_send(Thread&, const Op&, RunState&);
Next execute_two_step_rounding(Thread&, const Op&, RunState&);  ///< rndu, rnde, rndz: see IsaLimits::rounds_in_two_steps
Next execute_wait(Thread&, const Op&, RunState&);
Next execute_nop(Thread&, const Op&, RunState&);
Next execute_illegal(Thread&, const Op&, RunState&);

Next execute_mask_if(Thread&, const Op&, RunState&);
Next execute_mask_iff(Thread&, const Op&, RunState&);
Next execute_mask_else(Thread&, const Op&, RunState&);
Next execute_mask_endif(Thread&, const Op&, RunState&);
Next execute_mask_do(Thread&, const Op&, RunState&);
Next execute_mask_while(Thread&, const Op&, RunState&);
Next execute_mask_break(Thread&, const Op&, RunState&);  ///< break, cont
Next execute_mask_halt(Thread&, const Op&, RunState&);

Next execute_jmpi(Thread&, const Op&, RunState&);
Next execute_to_ip(Thread&, const Op&, RunState&);  ///< mov to ip, add to ip
Next execute_if(Thread&, const Op&, RunState&);
Next execute_else(Thread&, const Op&, RunState&);
Next execute_endif(Thread&, const Op&, RunState&);  ///< endif, join
Next execute_while(Thread&, const Op&, RunState&);
Next execute_break(Thread&, const Op&, RunState&);  ///< break, cont, halt
Next execute_goto(Thread&, const Op&, RunState&);
Next execute_branch(Thread&, const Op&, RunState&);  ///< brd, brc
Next execute_call(Thread&, const Op&, RunState&);
Next execute_ret(Thread&, const Op&, RunState&);

}  // namespace softgen::eu

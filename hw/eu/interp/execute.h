// SPDX-License-Identifier: GPL-2.0-or-later
// What ops call: one function a family of instructions.
#pragma once

#include "hw/eu/interp/op.h"
#include "hw/eu/interp/thread.h"

namespace softgen::eu {

struct RunState {
  ThreadEnv& env;
  MessageTarget& target;
  FloatMode mode;
  const KernelTable& table = kernels();
};

/// Channels that take part: running, in the instruction's group, predicated. Bit 0 is the instruction's first channel.
uint32_t execution_mask(const Thread& thread, const Op& op);
/// The predicate alone, and before it the channels that run.
uint32_t predicate_mask(const Thread& thread, const Op& op);
uint32_t enabled_mask(const Thread& thread, const Op& op);
void write_flags(Thread& thread, const Op& op, uint32_t mask, uint32_t values);
FloatMode float_mode(const Registers& regs);

/// Loads, modifies and flushes source n.
void load_source(const Thread& thread, const Op& op, unsigned n, const FloatMode& mode, Lanes& lanes);
/// Source n as a kernel takes it: in the registers, a constant, or loaded to `lanes`.
const void* operand(const Thread& thread, const Op& op, unsigned n, const FloatMode& mode, Lanes& lanes);
/// finish, flags, accumulator, store.
enum RetireParts : unsigned {
  retire_store = 0, retire_flags = 1, retire_accumulator = 2, retire_all = 3,
  retire_keep_wide = 4,  ///< the caller writes the wide part of the accumulator
};
void retire(Thread& thread, const Op& op, const FloatMode& mode, uint32_t mask, Lanes& result, unsigned parts = retire_all);
void retire_to(Thread& thread, const Op& op, const Destination& dst, const FloatMode& mode, uint32_t mask, Lanes& result,
               unsigned parts);

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
Next execute_wait(Thread&, const Op&, RunState&);
Next execute_nop(Thread&, const Op&, RunState&);
Next execute_illegal(Thread&, const Op&, RunState&);

Next execute_jmpi(Thread&, const Op&, RunState&);
Next execute_if(Thread&, const Op&, RunState&);
Next execute_else(Thread&, const Op&, RunState&);
Next execute_endif(Thread&, const Op&, RunState&);    ///< endif, join
Next execute_while(Thread&, const Op&, RunState&);
Next execute_break(Thread&, const Op&, RunState&);    ///< break, cont, halt
Next execute_goto(Thread&, const Op&, RunState&);
Next execute_branch(Thread&, const Op&, RunState&);   ///< brd, brc
Next execute_call(Thread&, const Op&, RunState&);
Next execute_ret(Thread&, const Op&, RunState&);

/// A message as its instruction and the address registers say.
struct SendForm {
  struct Range {
    unsigned first = 0, count = 0;
    bool inside() const { return first + count <= grf_count; }
    bool overlaps(const Range& o) const { return first < o.first + o.count && o.first < first + count; }
  };
  MessageOp op;
  unsigned number = ~0u;             ///< among the kernel's messages of fixed form, where somebody counts
  Range payload, second, response;
  bool valid = false;                ///< they lie within the registers
  bool copied = false;               ///< the response overlaps what is sent
  bool last = false;                 ///< end of thread
};
/// It is the same for all threads: no address register has a say.
bool has_fixed_form(const Op& op);
SendForm send_form(const Thread& thread, const Op& op);
/// The same for the units; of a valid one.
MessageForm message_form(const SendForm& form, const Op& op);
/// Sends it for the channels of `mask`; the host rounds to nearest.
Next send_message(Thread& thread, const Op& op, RunState& state, const SendForm& form, uint32_t mask);

/// Host rounding as cr0 says, for the arithmetic of the lanes; nearest even again when it goes.
class HostRounding {
 public:
  explicit HostRounding(Rounding rounding);
  ~HostRounding();
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
  void set(Rounding rounding);

 private:
  Rounding outer_, current_;
};

/// Ends the thread with a counted failure.
Next fail(Thread& thread, const char* why);

}  // namespace softgen::eu

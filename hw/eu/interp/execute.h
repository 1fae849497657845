// SPDX-License-Identifier: GPL-2.0-or-later
// What ops call: one function a family of instructions.
#pragma once

#include "hw/eu/program/handlers.h"
#include "hw/eu/program/thread.h"

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
  retire_store = 0,
  retire_flags = 1,
  retire_accumulator = 2,
  retire_all = 3,
  retire_keep_wide = 4,  ///< the caller writes the wide part of the accumulator
};
void retire(Thread& thread, const Op& op, const FloatMode& mode, uint32_t mask, Lanes& result, unsigned parts = retire_all);
void retire_to(Thread& thread, const Op& op, const Destination& dst, const FloatMode& mode, uint32_t mask, Lanes& result, unsigned parts);

/// A message as its instruction and the address registers say.
struct SendForm {
  struct Range {
    unsigned first = 0, count = 0;
    bool inside(unsigned registers = grf_count) const { return first + count <= registers; }
    bool overlaps(const Range& o) const { return first < o.first + o.count && o.first < first + count; }
  };
  MessageOp op;
  unsigned number = ~0u;  ///< among the kernel's messages of fixed form, where they are counted
  Range payload, second, response;
  bool valid = false;   ///< they lie within the registers
  bool copied = false;  ///< the response overlaps what is sent
  bool last = false;    ///< end of thread
};
/// It is the same for all threads: no address register has a say.
bool has_fixed_form(const Op& op);
SendForm send_form(const Thread& thread, const Op& op);
/// The same for the units; of a valid one.
MessageForm message_form(const SendForm& form, const Op& op);
/// Sends it for the channels of `mask`; the host rounds to nearest.
Next send_message(Thread& thread, const Op& op, RunState& state, const SendForm& form, uint32_t mask);

// Where messages have registers of their own (IsaLimits::message_registers): message_registers.cpp.
/// src0, as its region says, becomes the first register of the message (of a compressed instruction: the first two).
void move_to_message(Thread& thread, const Op& op);
/// How the results of one half of a message to the math unit reach the registers: in F or as dwords, by the instruction's write mask.
Op math_result(const Op& op, const SendForm& form, unsigned half);
/// Whether the halves' operands and results are registers.
bool math_is_inside(const Op& op, const SendForm& form);
/// A valid message to the math unit.
Next send_to_math(Thread& thread, const Op& op, RunState& state, const SendForm& form, uint32_t mask);

/// Division by zero: all ones for unsigned; the largest number of the dividend's sign for signed quotients; the dividend remains.
struct Division {
  int64_t quotient, remainder;
};
Division divide_integers(int64_t a, int64_t b, bool with_sign);

/// The thread goes on at an offset from the program's start; fails where no instruction is, or, on the way back, where the stop flag says so.
Next jump(Thread& thread, const Op& op, int64_t offset, RunState& state);

/// Registers that have their value only when they are read. The clock counts instructions, so that it is the same in every run.
void make_dynamic(Thread& thread, const Op& op);
/// An instruction wrote masks: their words are those of channels 0 to 15.
void take_masks(Thread& thread);

/// How many entries of the branch stack the instruction takes away. Of endif one whatever its count: Mesa writes 1, i965-va-driver's kernels have 0
/// (h264/mc/avc_mc.g4b.gen5) and run through some 30 of them.
inline unsigned popped_branches(const Op& op) { return op.execute == execute_mask_endif ? 1 : op.instruction->pop_count; }

/// Sets the host's rounding mode to cr0's for the arithmetic of the lanes; the destructor restores nearest even.
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

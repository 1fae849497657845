// SPDX-License-Identifier: GPL-2.0-or-later
// The architectural state of one EU thread: registers, channels, accumulators, and where it is in its program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/eu/program/mask_stacks.h"
#include "hw/eu/program/program.h"
#include "hw/eu/program/registers.h"

namespace softgen::eu {

class Loader;

/// How a fixed function starts a thread.
struct ThreadStart {
  const Program* program = nullptr;  ///< must outlive the run
  uint32_t dispatch_mask = 0xff;     ///< sr0.2: channels with work
  uint32_t vector_mask = 0;          ///< sr0.3: those and their helpers; 0: same as dispatch_mask
  bool run_vector_mask = false;      ///< channels of vector_mask run (3DSTATE_PS "Vector Mask Enable")
  bool alt_mode = false;             ///< "Floating Point Mode": alternate
  uint8_t rounding = 0;              ///< cr0.0[5:4]
  bool keep_denorms = false;         ///< "Denorm Mode" of INTERFACE_DESCRIPTOR_DATA (F and DF; halves are always kept)
  bool single_program_flow = false;
  /// Where a jump out of the program finds the code there, of instruction sets with mask stacks; null: such a jump fails. Must outlive the run.
  Loader* code = nullptr;
  uint32_t state0 = 0;           ///< sr0.0: thread, EU, slice ids
  unsigned payload = grf_count;  ///< registers below are the caller's; the others read zero, as if cleared
};

enum class RunResult : uint8_t {
  finished,  ///< EOT was sent
  blocked,   ///< waits for a notification or as a message said; run() resumes there
  aborted,   ///< the stop flag says that the work is dropped
  failed,    ///< an illegal instruction, message or jump: ended as by an exception without handler; counted
};

class Thread {
 public:
  Registers regs{};

  // Channels. A channel that is not in `active` waits at channel_ip (SKL PRM vol 7, "Flow Control": PcIP).
  uint32_t active = 0;  ///< bit n: channel n runs at ip
  uint32_t dispatched = 0;
  uint32_t call_mask = 0xffffffff;
  std::array<uint32_t, 32> channel_ip{};  ///< offsets from the program's start
  uint32_t ip = 0;                        ///< offset from the program's start
  MaskStacks masks;                       ///< of instruction sets that have them: `active` is what runs by these

  // The wide part of accumulators, by channel of acc0 (acc1 follows): the exact integer last written, while `acc_size` is its element size.
  std::array<int64_t, 64> acc_wide{};
  uint8_t acc_size = 0;  ///< 0: not written by an integer operation
  // acc2 to acc9 as madm, invm, rsqtm use them, in quadruple precision (see float_math.h).
  std::array<std::array<std::array<uint64_t, 2>, 16>, 8> macro_acc{};

  uint64_t instructions = 0;      ///< executed so far
  const char* failure = nullptr;  ///< why, after RunResult::failed

  /// Sets everything but the general registers, which hold the caller's payload; those after it are cleared when the thread runs, as far
  /// as the kernel could see what another thread left there.
  void start(const ThreadStart& how);
  void clear_registers();
  /// A gateway or event message for n0.N arrived.
  void notify(unsigned n = 0) { regs.notification[n & 3]++; }
  Grf& grf(unsigned n) { return regs.grf[n & 127]; }

  const Program* program() const { return program_; }
  /// Sets ip to an offset. False when no instruction is there.
  bool jump(int64_t offset);
  /// The same in other code: `offset` is still from the program's start, which then is that code's. At most max_programs are followed.
  bool leave_program(int64_t offset, ThreadEnv& env);
  static constexpr size_t max_programs = 256;

  int32_t index = 0;  ///< of the next instruction in the program

  /// Registers (GRFs, then their guard) from `first` on, as far as they are not payload.
  void clear(unsigned first, unsigned count);
  void clear_guards();
  /// Clears what is not yet cleared. Idempotent.
  void clear_rest();
  /// What had to be cleared is.
  void cleared() { fresh_ = false; }
  /// The thread has ended and wrote no architecture register (but in compiled code's own copies).
  bool is_clean() const { return clean_; }
  void left_clean() { clean_ = !(regs.notification[0] | regs.notification[1] | regs.notification[2] | regs.notification[3]); }

 private:
  const Program* program_ = nullptr;
  Loader* code_ = nullptr;
  std::vector<std::shared_ptr<const Program>> visited_;  ///< that it has left or entered
  unsigned payload_ = grf_count;
  bool fresh_ = false;  ///< started, and nothing cleared yet
  bool clean_ = false;  ///< architecture registers are as start() left them
};

}  // namespace softgen::eu

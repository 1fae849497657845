// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/program/thread.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/base/work.h"
#include "hw/eu/program/loader.h"

namespace softgen::eu {

namespace {
/// The op that ends programs without an end of thread.
bool is_end(const Program& program, int32_t index) { return static_cast<size_t>(index) + 1 == program.lines().size(); }
}  // namespace

void Thread::start(const ThreadStart& how) {
  count_work(Work::threads, 1);
  program_ = how.program;
  code_ = how.code;
  visited_.clear();
  index = 0;
  ip = 0;
  const uint32_t vector_mask = how.vector_mask ? how.vector_mask : how.dispatch_mask;
  dispatched = active = how.run_vector_mask ? vector_mask : how.dispatch_mask;
  call_mask = 0xffffffff;
  acc_size = 0;
  instructions = 0;
  failure = nullptr;
  payload_ = std::min(how.payload, grf_count);
  fresh_ = true;
  // All architecture registers, so that no thread sees what another left.
  if (!std::exchange(clean_, false)) {
    std::memset(regs.acc, 0, sizeof regs.acc);
    std::memset(regs.bytes() + offsetof(Registers, address), 0, offsetof(Registers, null) - offsetof(Registers, address));
  }
  regs.state[0] = how.state0;
  if (program_->isa().limits().mask_stacks) {
    masks = {.active = active};
    regs.state[1] = active;  // DMask (Mesa brw_fs_generator.cpp, patch_halt_jumps)
  }
  regs.state[2] = how.dispatch_mask;
  regs.state[3] = vector_mask;
  // Half-float denormals are kept from the start: Mesa's kernels never ask for it, and piglit's packHalf2x16 and unpackHalf2x16 tests pass on
  // the chip ("Half-float denorms are always retained", KBL PRM vol 2a, math, as anv_device.c quotes it).
  regs.control[0] = cr0::denorm_f16 | (how.alt_mode ? cr0::alt_mode : 0) | (how.rounding & 3u) << cr0::rounding_shift |
                    (how.single_program_flow ? cr0::single_program_flow : 0) | (how.keep_denorms ? cr0::denorm_f32 | cr0::denorm_f64 : 0);
}

void Thread::clear_registers() { std::memset(regs.bytes(), 0, grf_bytes); }

void Thread::clear(unsigned first, unsigned count) {
  const unsigned from = std::max(first, payload_), end = first + count;
  if (from + 1 == end) regs.grf[from] = {};
  else if (from < end) std::memset(regs.grf + from, 0, size_t{end - from} * sizeof(Grf));
}

void Thread::clear_guards() {
  std::memset(regs.guard, 0, sizeof regs.guard);
  std::memset(regs.acc_guard, 0, sizeof regs.acc_guard);
}

void Thread::clear_rest() {
  if (!std::exchange(fresh_, false)) return;
  clear(0, grf_count);
  clear_guards();
}

bool Thread::jump(int64_t offset) {
  const int32_t to = program_->index_at(offset);
  // Where the program ends other code may follow.
  if (to < 0 || (code_ && is_end(*program_, to))) return false;
  index = to;
  return true;
}

bool Thread::leave_program(int64_t offset, ThreadEnv& env) {
  const int64_t address = static_cast<int64_t>(program_->start()) + offset;
  constexpr int64_t code_end = int64_t{1} << 32;
  if (!code_ || address < 0 || address >= code_end || address % 8) return false;
  if (visited_.empty()) visited_.push_back(program_->shared_from_this());
  for (const auto& known : visited_) {
    const int32_t to = known->index_at(address - static_cast<int64_t>(known->start()));
    if (to < 0 || is_end(*known, to)) continue;
    program_ = known.get(), index = to;
    return true;
  }
  if (visited_.size() == max_programs) return false;
  visited_.push_back(code_->load(env.view, env.bases, static_cast<uint64_t>(address), env.stop));
  program_ = visited_.back().get(), index = 0;
  return true;
}

}  // namespace softgen::eu

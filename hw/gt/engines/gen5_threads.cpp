// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/engines/gen5_threads.h"

#include <algorithm>

#include "hw/base/work.h"
#include "hw/eu/interp/run.h"

namespace softgen::gt {

using render::ilk::TargetMessage;
using render::ilk::ThreadEnd;
using render::ilk::ThreadJob;
using render::ilk::Unit;
using render::ilk::UnitMessages;
using render::ilk::UrbMessage;

namespace {

UrbMessage urb_message(const MessageOp& op) {
  using Swizzle = UrbMessage::Swizzle;
  return {.sync = op.kind == MessageKind::ff_sync,
          .swizzle = op.interleaved  ? Swizzle::interleave
                     : op.transposed ? Swizzle::transpose
                                     : Swizzle::none,
          .offset = op.offset,
          .allocate = op.allocates,
          .used = op.used,
          .complete = op.complete};
}

TargetMessage target_message(const MessageOp& op) {
  using Form = TargetMessage::Form;
  Form form = op.simd == 16 ? Form::simd16 : Form::simd8;
  if (op.replicated) form = Form::replicated;
  if (op.dual_source) form = op.second_half ? Form::dual_high : Form::dual_low;
  return {.form = form, .binding = op.binding.index};
}

/// Messages to the thread's own unit go there.
class Messages final : public MessageTarget {
 public:
  Messages(UnitMessages& unit, MessageTarget& shared) : unit_(unit), shared_(shared) {}

  SendResult send(const Message& message, ThreadEnv& env) override {
    const MessageOp& op = message.op;
    switch (op.kind) {
      case MessageKind::urb_write:
      case MessageKind::ff_sync: return answered(unit_.urb(urb_message(op), message.payload, message.response));
      case MessageKind::render_target_write:
        return answered(op.simd != 0 && unit_.target_write(target_message(op), message.payload));
      default: return shared_.send(message, env);
    }
  }

 private:
  static SendResult answered(bool legal) { return legal ? SendResult::done : SendResult::failed; }

  UnitMessages& unit_;
  MessageTarget& shared_;
};

constexpr Work counter_of(Unit unit) {
  switch (unit) {
    case Unit::vs: return Work::vs_threads;
    case Unit::gs: return Work::gs_threads;
    case Unit::wm: return Work::ps_threads;
    case Unit::clip:
    case Unit::sf: break;
  }
  return Work::threads;
}

}  // namespace

ThreadEnd Gen5Threads::run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) {
  const auto program = loader_.load(env.view, job.bases, job.kernel, env.stop);
  const size_t payload = std::min<size_t>(job.payload.size(), eu::grf_count);
  std::ranges::copy(job.payload.first(payload), thread_.regs.grf);
  thread_.start({.program = program.get(),
                 .dispatch_mask = job.dispatch_mask,
                 .alt_mode = job.state.alternate_float,
                 .single_program_flow = job.state.single_program_flow,
                 .code = &loader_,
                 .payload = static_cast<unsigned>(payload)});
  count_work(Work::threads, 1);
  if (const Work own = counter_of(job.unit); own != Work::threads) count_work(own, 1);
  ThreadEnv thread_env{.view = env.view,
                       .bases = job.bases,
                       .stop = env.stop,
                       .slm = {},
                       .scratch_base = job.state.scratch_base,
                       .scratch_size = job.state.scratch_bytes};
  Messages target(messages, shared_);
  switch (eu::run(thread_, thread_env, target)) {
    case eu::RunResult::finished: return ThreadEnd::finished;
    case eu::RunResult::aborted: return ThreadEnd::aborted;
    case eu::RunResult::blocked:  // nothing in these units notifies
    case eu::RunResult::failed: break;
  }
  return ThreadEnd::failed;
}

}  // namespace softgen::gt

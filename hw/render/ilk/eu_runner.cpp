// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/eu_runner.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/base/work.h"
#include "hw/eu/interp/run.h"
#include "hw/render/uniform_color.h"

namespace softgen::render::ilk {
namespace {

UrbMessage urb_message(const MessageOp& op) {
  using Swizzle = UrbMessage::Swizzle;
  return {.sync = op.kind == MessageKind::ff_sync,
          .swizzle = op.transposed    ? Swizzle::transpose
                     : op.interleaved ? Swizzle::interleave
                                      : Swizzle::none,
          .offset = op.offset,
          .allocate = op.allocates,
          .used = op.used,
          .complete = op.complete};
}

TargetMessage target_message(const MessageOp& op) {
  using Form = TargetMessage::Form;
  const Form form = op.dual_source  ? op.second_half ? Form::dual_high : Form::dual_low
                    : op.replicated ? Form::replicated
                    : op.simd == 16 ? Form::simd16
                                    : Form::simd8;
  return {form, op.binding.index};
}

/// A unit's own messages to it, the others to the shared functions.
class Router : public MessageTarget {
 public:
  Router(UnitMessages& unit, MessageTarget* shared) : unit_(unit), shared_(shared) {}
  SendResult send(const Message& message, ThreadEnv& env) override {
    const MessageOp& op = message.op;
    const auto answered = [](bool legal) { return legal ? SendResult::done : SendResult::failed; };
    if (op.kind == MessageKind::urb_write || op.kind == MessageKind::ff_sync)
      return answered(unit_.urb(urb_message(op), message.payload, message.response));
    if (op.kind == MessageKind::render_target_write) return answered(unit_.target_write(target_message(op), message.payload));
    if (shared_) return shared_->send(message, env);
    unimplemented("shared function", "SFID {}: reads give zero, writes are dropped", static_cast<unsigned>(op.sfid));
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }

 private:
  UnitMessages& unit_;
  MessageTarget* shared_;
};

void count_threads(Unit unit) {
  if (unit == Unit::vs) count_work(Work::vs_threads, 1);
  if (unit == Unit::gs) count_work(Work::gs_threads, 1);
  if (unit == Unit::wm) count_work(Work::ps_threads, 1);
}

/// One host thread's: an EU thread, which is large, and the draw's programs that it has run last. The runner owns those.
struct Running {
  eu::Thread thread;
  uint64_t draw = 0;
  std::vector<std::pair<uint32_t, const eu::Program*>> programs;  ///< by kernel offset

  const eu::Program* known(const ThreadJob& job) {
    if (draw != job.draw) programs.clear(), draw = job.draw;
    const auto found = std::ranges::find(programs, job.kernel, &std::pair<uint32_t, const eu::Program*>::first);
    return found == programs.end() ? nullptr : found->second;
  }
};

}  // namespace

const eu::Program* EuRunner::program(const ThreadJob& job, EngineEnv& env) {
  const MutexLock lock(mutex_);
  // Draws follow each other: no thread of the one before runs any more.
  if (draw_ != job.draw) programs_.clear(), draw_ = job.draw;
  const auto found = std::ranges::find(programs_, job.kernel, &std::pair<uint32_t, Program>::first);
  if (found != programs_.end()) return found->second.get();
  return programs_.emplace_back(job.kernel, loader_.load(env.state_view(), job.bases, job.kernel, env.stop)).second.get();
}

bool EuRunner::sends_one_color(const ThreadJob& job, unsigned first, EngineEnv& env) {
  const eu::Program* const kernel = program(job, env);
  return kernel && sends_one_color_behind_header(*kernel, first);
}

ThreadEnd EuRunner::run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) {
  auto& running = per_thread<Running>();
  eu::Thread& thread = running.thread;
  const size_t payload = std::min<size_t>(job.payload.size(), eu::grf_count);
  std::ranges::copy(job.payload.first(payload), thread.regs.grf);
  eu::ThreadStart how;
  how.program = running.known(job);
  if (!how.program) {
    how.program = program(job, env);
    running.programs.emplace_back(job.kernel, how.program);
  }
  how.dispatch_mask = job.dispatch_mask;
  how.alt_mode = job.state.alternate_float;
  how.single_program_flow = job.state.single_program_flow;
  how.code = &loader_;
  how.payload = static_cast<unsigned>(payload);
  thread.start(how);
  if (job.counted) count_threads(job.unit);
  ThreadEnv thread_env{.view = env.view,
                       .bases = job.bases,
                       .stop = env.stop,
                       .slm = {},
                       .scratch_base = job.state.scratch_base,
                       .scratch_size = job.state.scratch_bytes};
  Router router(messages, shared_);
  switch (eu::run(thread, thread_env, router)) {
    case eu::RunResult::finished: return ThreadEnd::finished;
    case eu::RunResult::aborted: return ThreadEnd::aborted;
    case eu::RunResult::blocked: guest_error("Ironlake: a thread of the 3D pipeline waits"); return ThreadEnd::failed;
    case eu::RunResult::failed: break;
  }
  return ThreadEnd::failed;
}

}  // namespace softgen::render::ilk

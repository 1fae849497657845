// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/runtime.h"

#include <bit>
#include <optional>

#include "hw/base/denormals.h"
#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/jit/start_mode.h"
#include "hw/eu/program/work_counts.h"
#include "hw/iface/engine.h"

namespace softgen::eu::jit {

namespace {

/// Restores the host thread's MXCSR while functions run that compiled code calls.
class OutsideCode {
 public:
  explicit OutsideCode(const Frame& frame) : frame_(frame) {
    if (frame.mxcsr != frame.mxcsr_of_code) set_control_word(frame.mxcsr);
  }
  ~OutsideCode() {
    if (frame_.mxcsr != frame_.mxcsr_of_code) set_control_word(frame_.mxcsr_of_code);
  }
  OutsideCode(const OutsideCode&) = delete;
  OutsideCode& operator=(const OutsideCode&) = delete;

 private:
  const Frame& frame_;
};

/// The thread's position, for the units and for hang reports.
void set_position(Thread& thread, uint32_t n, const Op& op, uint32_t active) {
  thread.active = active;
  thread.index = static_cast<int32_t>(n);
  thread.ip = op.offset;
}

/// Exceptions must not pass through compiled code, which has no unwind tables. They come from the host (no memory); the thread fails.
uint32_t thrown(Frame* frame) {
  unsupported("exception in a compiled kernel", "the thread ends");
  frame->thread->failure = "exception";
  return static_cast<uint32_t>(Next::failed);
}

uint32_t step(Frame* frame, uint32_t n, uint32_t active) try {
  Thread& thread = *frame->thread;
  const Op& op = thread.program()->ops()[n];
  set_position(thread, n, op, active);
  if (op.reads_dynamic) make_dynamic(thread, op);
  const OutsideCode outside(*frame);
  const Next next = op.execute(thread, op, *frame->state);
  if (op.writes_masks) take_masks(thread);
  return static_cast<uint32_t>(next);
} catch (...) { return thrown(frame); }

/// Messages whose results do not depend on DAZ, or whose units set MXCSR themselves. A change of MXCSR costs as much as a short message.
bool takes_any_mode(const SendForm& form) {
  switch (form.op.sfid) {
    case Sfid::sampler:
    case Sfid::urb:
    case Sfid::thread_spawner:
    case Sfid::gateway:
    case Sfid::dp_constant:
    case Sfid::dp_data0: return true;
    // Typed surfaces convert floats, and some atomics are on floats.
    case Sfid::dp_data1:
      switch (form.op.kind) {
        case MessageKind::typed_read:
        case MessageKind::typed_write:
        case MessageKind::typed_atomic:
        case MessageKind::untyped_atomic_float:
        case MessageKind::a64_atomic_float: return false;
        default: return true;
      }
    default: return false;
  }
}

/// Asks the unit for a direct answer, which is valid for this draw.
[[gnu::noinline]] void ask(Thread& thread, uint32_t n, RunState& state, const SendForm& form, DirectAnswer& answer) {
  answer.asked = true;
  answer.sfid = static_cast<uint8_t>(form.op.sfid), answer.type = form.op.type;
  answer.work = message_work(form.op, thread.program()->ops()[n].exec_size);
  if (answer.work.unit == MessageWork::Unit::sampler) answer.watched = answer.work.own(~0u);
  state.target.direct(message_form(form, thread.program()->ops()[n]), state.env, answer);
}

void note_answered(DirectAnswer& answer, uint32_t mask) {
  ++answer.answered;
  if (const uint32_t disabled = answer.watched & ~mask) answer.left_out += static_cast<uint64_t>(std::popcount(disabled));
}

bool answered(Thread& thread, uint32_t n, RunState& state, const SendForm& form, uint32_t mask) {
  if (!state.env.direct || !form.valid) return false;
  DirectAnswer& answer = state.env.direct->of(form.number);
  if (!answer.asked) ask(thread, n, state, form, answer);
  if (!answer.function || !answer.function(answer, thread.regs.grf, mask, state.env)) return false;
  note_answered(answer, mask);
  return true;
}

/// `refused`: the direct answer was already tried by send().
[[gnu::noinline]] uint32_t send_any(Frame* frame, uint32_t n, uint32_t active, uint32_t mask, bool refused) {
  const SendForm& fixed = frame->sends[n];
  if (!mask && !fixed.last) return static_cast<uint32_t>(Next::advance);
  Thread& thread = *frame->thread;
  if (!refused && answered(thread, n, *frame->state, fixed, mask))
    return static_cast<uint32_t>(fixed.last ? Next::finished : Next::advance);
  const Op& op = thread.program()->ops()[n];
  set_position(thread, n, op, active);
  if (fixed.valid && takes_any_mode(fixed)) return static_cast<uint32_t>(send_message(thread, op, *frame->state, fixed, mask));
  const OutsideCode outside(*frame);
  return static_cast<uint32_t>(send_message(thread, op, *frame->state, fixed.valid ? fixed : send_form(thread, op), mask));
}

uint32_t send(Frame* frame, uint32_t n, uint32_t active, uint32_t mask) try {
  const SendForm& form = frame->sends[n];
  if (frame->state->env.stop.aborting() && !form.last) [[unlikely]]
    return static_cast<uint32_t>(Next::failed);  // see send_message()
  DirectAnswer* answer = frame->direct && mask ? frame->direct->known(form.number) : nullptr;
  if (!answer || !answer->function || !answer->function(*answer, frame->thread->regs.grf, mask, frame->state->env))
    return send_any(frame, n, active, mask, answer && answer->asked);
  note_answered(*answer, mask);
  return static_cast<uint32_t>(form.last ? Next::finished : Next::advance);
} catch (...) { return thrown(frame); }

/// Puts the thread into the state that the interpreter would have left.
void restore(Frame& frame) {
  Thread& thread = *frame.thread;
  thread.active = frame.active;
  thread.index = static_cast<int32_t>(frame.index);
  thread.ip = thread.program()->ops()[frame.index].offset;
  const auto& offsets = frame.code->wait_offsets;
  for (size_t w = 0; w < offsets.size(); w++)
    for (uint32_t left = frame.waiting[w]; left; left &= left - 1)
      thread.channel_ip[static_cast<unsigned>(__builtin_ctz(left))] = offsets[w];
}

/// Clears the registers in which the code could see values of the previous thread.
void clear(Thread& thread, const Compiled& compiled) {
  for (const Compiled::Run& run : compiled.cleared) thread.clear(run.first, run.count);
  if (compiled.clears_guards) thread.clear_guards();
  thread.cleared();
}

}  // namespace

void prepare(const Program& program, const FlowGraph& graph, Compiled& compiled) {
  compiled.sends.resize(program.ops().size());
  compiled.start_mode = start_mode(program).bits;
  const Thread no_thread{};
  compiled.leaves_clean = !compiled.stepped && !compiled.variant.keep_registers;
  const std::vector<unsigned> numbers = number_sends(program, graph);
  for (size_t n = 0; n < compiled.sends.size(); n++) {
    const Op& op = program.ops()[n];
    if (graph.steps[n] != Step::send && graph.steps[n] != Step::end_of_thread) continue;
    if (numbers[n] == ~0u) {
      compiled.sends[n].last = op.instruction->end_of_thread;
      compiled.leaves_clean = false;
      continue;
    }
    compiled.sends[n] = send_form(no_thread, op);
    compiled.sends[n].number = numbers[n];
    compiled.fixed_sends++;
  }
  const Slots needed = read_before_written(program, graph, compiled.variant.channels);
  for (unsigned s = 0; s < first_barycentric; s++) compiled.reads_headers = compiled.reads_headers || needed[s];
  for (unsigned s = 0; s < grf_count; s++) {
    if (!needed[s] && !compiled.variant.keep_registers) continue;
    if (!compiled.cleared.empty() && compiled.cleared.back().first + compiled.cleared.back().count == s) compiled.cleared.back().count++;
    else compiled.cleared.push_back({s, 1});
  }
  compiled.clears_guards = compiled.stepped || compiled.variant.keep_registers;
  for (unsigned s = grf_count; s < grf_count + 16; s++) compiled.clears_guards = compiled.clears_guards || needed[s];
}

namespace {

/// The direct answers of the code's messages, with their windows and counters; without DirectAnswers, some whose windows never open.
DirectAnswer* answers_of(const Compiled& compiled, const ThreadEnv& env) {
  if (env.direct) return env.direct->first(compiled.fixed_sends);
  thread_local DirectAnswers shut;
  return shut.first(compiled.fixed_sends);
}

/// A Frame with all fields set that single threads and series have in common.
class PreparedFrame {
 public:
  PreparedFrame(const Compiled& compiled, Thread& thread, ThreadEnv& env, MessageTarget& target)
      : state_{env, target, entered(compiled, thread)}, control_(env.control ? *env.control : own_.emplace()) {
    static_assert(sizeof(StopFlag) == sizeof(uint32_t));
    frame.thread = &thread;
    frame.acc_size = &thread.acc_size;
    frame.active = thread.active;
    frame.stop = reinterpret_cast<const uint32_t*>(&env.stop);
    frame.step = step;
    frame.send = send;
    frame.math = &math_lanes();
    frame.state = &state_;
    frame.code = &compiled;
    frame.sends = compiled.sends.data();
    frame.direct = env.direct;
    frame.answers = answers_of(compiled, env);
    frame.clock = env.view.clock();
    frame.masks = &thread.masks;
    frame.mxcsr = control_.outside();
    frame.mxcsr_of_code = compiled.variant.flush_f32 ? frame.mxcsr | daz : frame.mxcsr;
    control_.set(frame.mxcsr_of_code);
  }
  PreparedFrame(const PreparedFrame&) = delete;
  PreparedFrame& operator=(const PreparedFrame&) = delete;

  Frame frame;

 private:
  static FloatMode entered(const Compiled& compiled, Thread& thread) {
    thread.regs.control[0] |= compiled.start_mode;
    return float_mode(thread.regs);
  }

  RunState state_;
  std::optional<HeldControlWord> own_;
  HeldControlWord& control_;
};

}  // namespace

RunResult run_compiled(const Compiled& compiled, Thread& thread, ThreadEnv& env, MessageTarget& target) {
  clear(thread, compiled);
  {
    PreparedFrame prepared(compiled, thread, env, target);
    Frame& frame = prepared.frame;
    switch (static_cast<Exit>(compiled.code(&frame))) {
      case Exit::finished:
        if (compiled.leaves_clean) thread.left_clean();
        return RunResult::finished;
      case Exit::failed: return thread.failure ? RunResult::failed : RunResult::aborted;
      case Exit::aborted: return RunResult::aborted;
      case Exit::blocked: restore(frame); return RunResult::blocked;
      case Exit::interpret: restore(frame); break;
    }
  }
  return interpret(thread, env, target);
}

void run_compiled(const Compiled& compiled, Thread& thread, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target) {
  if (series.payloads && !compiled.variant.of_planes()) series.payloads->write_all();
  else if (series.payloads && compiled.reads_headers) series.payloads->write_headers();
  PreparedFrame prepared(compiled, thread, env, target);
  Frame& frame = prepared.frame;
  frame.series = {series.first, series.running, series.constants, series.epoch, series.generation, &thread.dispatched};
  for (; frame.series.first; frame.series.first = (*series.running)->next) {
    thread.failure = nullptr;
    const auto exit = static_cast<Exit>(compiled.code(&frame));
    // A thread that failed has ended; the series continues with the next.
    if (exit == Exit::finished) {
      if (compiled.leaves_clean) thread.left_clean();
      return;
    }
    if (!thread.failure) return;
  }
}

}  // namespace softgen::eu::jit

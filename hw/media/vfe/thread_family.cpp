// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/thread_family.h"

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/run.h"

namespace softgen::media::vfe {

ThreadFamily::ThreadFamily(ThreadUnits& units, Kernels& kernels, const VfeState& state, const render::ilk::MediaContext& context,
                           EngineEnv& env)
    : units_(units), kernels_(kernels), state_(state), context_(context), env_(env) {}

ExecResult ThreadFamily::run(const Kernel& kernel, unsigned payload, uint32_t handle) {
  members_.resize(1);
  begin(0, kernel, payload);
  bool has_entry = true, going_on = true;
  current_ = 0;
  for (std::optional<unsigned> slot = 0; slot && going_on; slot = next()) {
    going_on = take_turn(*slot);
    if (has_entry && !members_[0].running) {
      // Without children VFE gives an entry back by itself: shaders/h264/mc ends all threads with the bit, 63 entries are for a picture of macroblocks.
      if (!keeps_entry_ || !state_.children) units_.entries.release(handle);
      has_entry = false;
    }
    begin_held();
  }
  if (!going_on) return ExecResult::aborted;
  if (std::ranges::none_of(members_, &Member::running)) return ExecResult::done;
  guest_error("VFE: a thread waits for a notification that no thread will send");
  return ExecResult::fault;
}

void ThreadFamily::begin(unsigned slot, const Kernel& kernel, unsigned payload) {
  constexpr uint32_t fftid_bits = 0x3ff;
  const uint32_t scratch = thread(slot).regs.grf[0].dw[5];
  eu::ThreadStart how;
  how.program = kernel.program.get();
  how.dispatch_mask = 0xffffffff;
  how.alt_mode = kernel.descriptor.alternate_float;
  how.single_program_flow = kernel.descriptor.single_program_flow;
  how.code = &units_.loader;
  how.payload = payload;
  how.state0 = units_.packets.thread_id(slot);
  thread(slot).start(how);
  count_work(Work::cs_threads, 1);
  Member& member = members_[slot];
  member.running = true, member.waiting = member.stalled = false;
  member.gateway.reset();
  member.env.emplace(ThreadEnv{.view = env_.view,
                               .bases = kernel.bases,
                               .stop = env_.stop,
                               .slm = {},
                               .fftid = scratch & fftid_bits,
                               .scratch_base = state_.scratch_base,
                               .scratch_size = state_.scratch_bytes,
                               // Compiled kernels have no turns. A thread alone needs none.
                               .turn = state_.children ? &jumps_ : nullptr});
}

/// A child's registers are what its rows of the URB hold, r0 among them.
void ThreadFamily::begin_held() {
  while (!held_.empty()) {
    const auto free = std::ranges::find(members_, false, &Member::running);
    if (free == members_.end() && members_.size() == max_threads) return;
    const auto slot = static_cast<unsigned>(free - members_.begin());
    if (free == members_.end()) members_.emplace_back();
    if (units_.threads.size() <= slot) units_.threads.push_back(std::make_unique<eu::Thread>());
    const SpawnedThread child = held_.front();
    held_.pop_front();
    Grf* const registers = thread(slot).regs.grf;
    for (unsigned i = 0; i < child.registers; ++i)
      context_.urb.read(0, (child.first_register + i) * render::ilk::Urb::register_dwords, registers[i].dw);
    if (const Kernel* const kernel = kernels_.at(child.descriptor)) begin(slot, *kernel, child.registers);
  }
}

bool ThreadFamily::can_run(unsigned slot) const {
  const Member& m = members_[slot];
  if (!m.running || (m.stalled && held_.size() >= max_held)) return false;
  return !m.waiting || !std::equal(m.seen.begin(), m.seen.end(), units_.threads[slot]->regs.notification);
}

std::optional<unsigned> ThreadFamily::next() const {
  const auto count = static_cast<unsigned>(members_.size());
  for (unsigned i = 1; i <= count; ++i)
    if (const unsigned slot = (current_ + i) % count; can_run(slot)) return slot;
  return std::nullopt;
}

bool ThreadFamily::take_turn(unsigned slot) {
  if (env_.stop.aborting()) return false;
  current_ = slot;
  jumps_ = max_jumps;
  members_[slot].waiting = members_[slot].stalled = false;
  const eu::RunResult result = eu::run(thread(slot), *members_[slot].env, *this);
  if (result == eu::RunResult::aborted) return false;
  // A thread that failed is like one that ended.
  Member& m = members_[slot];
  m.running = result == eu::RunResult::blocked;
  m.waiting = m.running && !m.stalled && jumps_;
  if (m.waiting) std::copy_n(thread(slot).regs.notification, m.seen.size(), m.seen.begin());
  return true;
}

SendResult ThreadFamily::send(const Message& message, ThreadEnv& env) {
  switch (message.op.kind) {
    case MessageKind::end_of_root:
      if (current_ == 0) keeps_entry_ = message.op.keeps_urb;
      return SendResult::done;
    case MessageKind::urb_write: render::ilk::urb_write(context_.urb, {.offset = message.op.offset}, message.payload, 1); break;
    case MessageKind::spawn_thread: return spawn(message);
    case MessageKind::gateway_open: open(message); break;
    case MessageKind::gateway_close: members_[current_].gateway.reset(); break;
    case MessageKind::gateway_forward: forward(message); break;
    default: return units_.shared.send(message, env);
  }
  // An acknowledgement without errors.
  std::ranges::fill(message.response, Grf{});
  return SendResult::done;
}

/// The sender goes on when there is room for the next one.
SendResult ThreadFamily::spawn(const Message& message) {
  if (!state_.children) {
    guest_error("a thread starts another one without Children Present");
    return SendResult::done;
  }
  held_.push_back(units_.packets.spawned_thread(message.reg(0)));
  Member& sender = members_[current_];
  sender.stalled = held_.size() >= max_held;
  return sender.stalled ? SendResult::blocked : SendResult::done;
}

void ThreadFamily::open(const Message& message) {
  const GatewayOpening opening = units_.packets.gateway_opening(message.reg(0));
  if (opening.first + opening.count > eu::grf_count) return guest_error("a gateway of registers that do not exist");
  members_[current_].gateway = opening;
}

void ThreadFamily::forward(const Message& message) {
  const Forwarded what = units_.packets.forwarded(message.reg(0));
  for (unsigned slot = 0; slot < members_.size(); ++slot) {
    const Member& to = members_[slot];
    if (!to.running || units_.packets.thread_id(slot) != what.recipient) continue;
    if (!to.gateway || to.gateway->key != what.key) return guest_error("data to a gateway that is not open");
    if (!what.bytes || what.offset + what.bytes > to.gateway->count * sizeof(Grf)) return guest_error("data beyond a gateway's registers");
    std::memcpy(reinterpret_cast<std::byte*>(&thread(slot).regs.grf[to.gateway->first]) + what.offset, message.reg(0).dw, what.bytes);
    if (message.op.notifies) thread(slot).notify();
    return;
  }
  guest_error("data for a thread that is not there");
}

}  // namespace softgen::media::vfe

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/thread_group.h"

#include <algorithm>
#include <cassert>

#include "hw/base/log.h"
#include "hw/eu/interp/run.h"
#include "hw/iface/engine.h"

namespace softgen::eu {

void ThreadGroup::clear() {
  envs_.clear();
  slots_.clear();
}

Thread& ThreadGroup::add(const ThreadEnv& env) {
  assert(size() < max_threads);
  const size_t n = envs_.size();
  envs_.push_back(env);
  envs_.back().gateway = this;
  slots_.emplace_back();
  if (threads_.size() <= n) threads_.push_back(std::make_unique<Thread>());
  return *threads_[n];
}

bool ThreadGroup::runnable(unsigned i) const {
  const Slot& slot = slots_[i];
  return !slot.done && (!slot.waiting || !std::equal(slot.seen.begin(), slot.seen.end(), threads_[i]->regs.notification));
}

ThreadGroup::Result ThreadGroup::run(MessageTarget& target) {
  for (;;) {
    bool left = false, progress = false;
    for (current_ = 0; current_ < size(); ++current_) {
      Slot& slot = slots_[current_];
      left |= !slot.done;
      if (!runnable(current_)) continue;
      if (envs_[current_].stop.aborting()) return Result::aborted;
      progress = true;
      Thread& thread = *threads_[current_];
      switch (eu::run(thread, envs_[current_], target)) {
        case RunResult::finished:
        case RunResult::failed: slot.done = true; break;
        case RunResult::aborted: return Result::aborted;
        case RunResult::blocked:
          slot.waiting = true;
          std::copy_n(thread.regs.notification, slot.seen.size(), slot.seen.begin());
          break;
      }
    }
    if (!left) return Result::finished;
    if (!progress) return Result::deadlocked;
  }
}

/// Waits for as many threads as the header says, else for all of the group.
SendResult ThreadGroup::barrier(const Message& message) {
  const auto [id, count] = threads_[current_]->program()->isa().barrier(message.payload[0].dw);
  const unsigned expected = count ? count : size();
  slots_[current_].arrived[id] = true;
  const auto here = std::count_if(slots_.begin(), slots_.end(), [id = id](const Slot& slot) { return slot.arrived[id]; });
  if (static_cast<unsigned>(here) < expected) return SendResult::done;
  for (unsigned i = 0; i < size(); ++i) {
    if (slots_[i].arrived[id]) threads_[i]->notify();
    slots_[i].arrived[id] = false;
  }
  return SendResult::done;
}

SendResult ThreadGroup::send(const Message& message, ThreadEnv&) {
  if (message.op.kind == MessageKind::barrier && !message.payload.empty()) return barrier(message);
  unimplemented("gateway message", "sub-function {}", message.op.type);
  std::fill(message.response.begin(), message.response.end(), Grf{});
  return SendResult::done;
}

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/arbiter.h"

namespace softgen::cs {

void Arbiter::submitted() {
  MutexLock lock(mutex_);
  attention_.fetch_or(attention_list, std::memory_order_acq_rel);
  if (arbitration()) core_.stop().request(StopFlag::preempt);
}

bool Arbiter::must_leave() {
  const uint32_t attention = attention_.load(std::memory_order_acquire);
  if (attention & attention_stop) return true;
  if (!(attention & (attention_list | attention_restore)) || switch_wanted_ || !core_.execlists()) return false;
  switch_wanted_ = !(attention & attention_list) || !list_is_lite();
  return !switch_wanted_;
}

std::optional<Execlist> Arbiter::take() {
  MutexLock lock(mutex_);
  attention_.fetch_and(~attention_list, std::memory_order_acq_rel);
  core_.stop().clear(StopFlag::preempt);
  switch_wanted_ = false;
  return core_.links().submission.take();
}

void Arbiter::put_back(const Execlist& list) {
  {
    MutexLock lock(mutex_);
    if (!core_.links().submission.pending()) core_.links().submission.put(list);
  }
  submitted();
}

bool Arbiter::is_lite_restore(const Execlist& list) const {
  const Descriptor& running = core_.context();
  const Descriptor& first = list.element[0];
  return running.valid() && first.valid() && !first.force_restore() && first.same_context(running);
}

bool Arbiter::list_is_lite() const {
  const std::optional<Execlist> list = core_.links().submission.pending();
  return list && is_lite_restore(*list);
}

void Arbiter::request_restore() {
  MutexLock lock(mutex_);
  attention_.fetch_or(attention_restore, std::memory_order_acq_rel);
  if (arbitration()) core_.stop().request(StopFlag::preempt);
}

void Arbiter::clear_restore() {
  MutexLock lock(mutex_);
  attention_.fetch_and(~attention_restore, std::memory_order_acq_rel);
  if (!has_list()) core_.stop().clear(StopFlag::preempt);
  switch_wanted_ = false;
}

void Arbiter::set_arbitration(bool on) {
  MutexLock lock(mutex_);
  arbitration_.store(on, std::memory_order_release);
  if (on && must_switch()) core_.stop().request(StopFlag::preempt);
  else core_.stop().clear(StopFlag::preempt);
}

void Arbiter::reset() {
  MutexLock lock(mutex_);
  core_.links().submission.reset();
  attention_.store(0, std::memory_order_release);
  core_.stop().clear(StopFlag::preempt);
  arbitration_.store(true, std::memory_order_release);
  switch_wanted_ = false;
}

Arbiter::Saved Arbiter::saved() const { return {core_.links().submission.pending(), switch_wanted_, arbitration()}; }

void Arbiter::load(const Saved& saved) {
  MutexLock lock(mutex_);
  core_.links().submission.put(saved.waiting);
  switch_wanted_ = saved.switch_wanted;
  arbitration_.store(saved.arbitration);
  attention_.store(saved.waiting ? attention_list : 0);
  core_.stop().clear(StopFlag::preempt);
  if (saved.waiting && saved.arbitration) core_.stop().request(StopFlag::preempt);
}

}  // namespace softgen::cs

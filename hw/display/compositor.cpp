// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/compositor.h"

#include <cassert>
#include <new>
#include <utility>

#include "hw/base/failure_log.h"

namespace softgen::display {

Compositor::Compositor(HostMemory& memory, const memory::Ggtt& ggtt, bool threaded)
    : threaded_(threaded), view_(memory, nullptr), own_turn_(view_, ending_, nullptr) {
  view_.set_space(memory::AddressSpace::ggtt(ggtt));
  if (threaded_) thread_ = std::thread(with_this_log([this] { serve(); }));
}

Compositor::~Compositor() {
  if (!threaded_) return;
  {
    MutexLock lock(mutex_);
    ending_.store(true, std::memory_order_relaxed);
  }
  wake_.notify_one();
  thread_.join();
}

void Compositor::post(unsigned slot, Work work) {
  assert(threaded_ && slot < slots);
  {
    MutexLock lock(mutex_);
    waiting_[slot] = std::move(work);
  }
  wake_.notify_one();
}

/// Waits for work; none: the display ends.
Compositor::Work Compositor::next() {
  while (!ending_.load(std::memory_order_relaxed)) {
    for (unsigned i = 1; i <= slots; i++) {
      const unsigned slot = (last_ + i) % slots;
      if (!waiting_[slot]) continue;
      last_ = slot;
      return std::exchange(waiting_[slot], nullptr);
    }
    wake_.wait(mutex_);
  }
  return nullptr;
}

void Compositor::serve() {
  MutexLock lock(mutex_);
  while (Work work = next()) {
    lock.unlock();
    try {
      memory::Gate::Pass pass(gate_);
      Turn turn(view_, ending_, &pass);
      work(turn);
    } catch (const std::bad_alloc&) { note("display", "the host has no memory for a frame"); }
    work = nullptr;
    lock.lock();
  }
}

}  // namespace softgen::display

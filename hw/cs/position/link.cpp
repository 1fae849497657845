// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/position/link.h"

namespace softgen::cs {

void PositionLink::begin(const Descriptor& context) {
  {
    MutexLock lock(mutex_);
    asked_ = context;
    leaving_ = false;
    active_.store(true, std::memory_order_relaxed);
  }
  calls_.call_follower();
}

bool PositionLink::leave() {
  if (!active()) return true;
  {
    MutexLock lock(mutex_);
    leaving_ = true;
    if (!claimed_.valid()) return true;
  }
  calls_.call_follower();
  return false;
}

void PositionLink::stay() {
  {
    MutexLock lock(mutex_);
    if (!leaving_) return;
    leaving_ = false;
  }
  calls_.call_follower();
}

// POCS is not notified: it has released the context, or is reset, too.
void PositionLink::end() {
  MutexLock lock(mutex_);
  asked_ = {};
  leaving_ = false;
  active_.store(false, std::memory_order_relaxed);
  awaited_.store(false);
}

// POCS comes back under the lock that the answer needs: either it sees that it is awaited, or the answer sees that it rests.
bool PositionLink::rests() {
  awaited_.store(true);
  return calls_.follower_rests();
}

Descriptor PositionLink::claim() {
  MutexLock lock(mutex_);
  if (!claimed_.valid() && wants()) claimed_ = asked_;
  return claimed_;
}

bool PositionLink::must_leave() const {
  MutexLock lock(mutex_);
  return !wants() || !asked_.same_context(claimed_);
}

void PositionLink::release() {
  {
    MutexLock lock(mutex_);
    claimed_ = {};
  }
  calls_.kick_leader();
}

void PositionLink::reset() {
  MutexLock lock(mutex_);
  claimed_ = {};
  failed_.store(false, std::memory_order_relaxed);
}

void PositionLink::came_back(bool rests, bool hangs) {
  failed_.store(hangs, std::memory_order_relaxed);
  if (hangs || (rests && awaited_.exchange(false))) calls_.kick_leader();
}

void PositionLink::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.value(asked_);
  archive.value(leaving_);
  archive.value(claimed_);
  active_.store(asked_.valid(), std::memory_order_relaxed);
}

}  // namespace softgen::cs

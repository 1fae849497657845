// SPDX-License-Identifier: GPL-2.0-or-later
// Replicated registers whose instances differ: "Unicast write access - write goes to only the instance specified in the steering register" (TGL PRM
// vol 13, "Multicast Steering and Die Recovery"). All instances have the register file's value, but for those that are kept here. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"

namespace softgen::mmio {

class InstanceValues {
 public:
  /// Of one register, as a steering register's subslice counts them.
  static constexpr unsigned max_instances = 8;

  /// No instance differs: the usual state, without a lock.
  bool empty() const { return empty_.load(std::memory_order_acquire); }
  /// What the instance has of its own. `offset` is a dword's.
  std::optional<uint32_t> find(uint32_t offset, unsigned instance) const;
  void set(uint32_t offset, unsigned instance, uint32_t value);
  /// A write that reaches all: `next` makes an instance's new value of its old one.
  void update(uint32_t offset, const std::function<uint32_t(uint32_t)>& next);
  /// The register's instances are alike again.
  void drop(uint32_t offset);
  void clear();
  /// Reading fails on a place that `valid` does not allow.
  void state(Archive& archive, const std::function<bool(uint32_t offset, unsigned instance)>& valid);

 private:
  static constexpr uint32_t key(uint32_t offset, unsigned instance) { return offset * max_instances + instance; }

  std::atomic<bool> empty_{true};
  mutable Mutex mutex_;
  std::map<uint32_t, uint32_t> values_ SG_GUARDED_BY(mutex_);  ///< by key(); no more than the replicated ranges have
};

}  // namespace softgen::mmio

// SPDX-License-Identifier: GPL-2.0-or-later
// When a streamer leaves the running context for a submitted list, and what else it handles before the next command.
//
// Any thread may call submitted() and stop_ring_changed(); the rest belongs to the thread that runs the streamer.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "hw/base/mutex.h"
#include "hw/cs/engine_core.h"

namespace softgen::cs {

class Arbiter {
 public:
  explicit Arbiter(EngineCore& core) : core_(core) {}

  /// The submission has a list that has not been taken yet.
  void submitted();
  /// A masked write of MI_MODE changed Stop Rings.
  void stop_ring_changed() { attention_.fetch_or(attention_stop, std::memory_order_acq_rel); }

  /// must_leave() has something to examine.
  bool attention() const { return attention_.load(std::memory_order_relaxed); }
  void stop_ring_seen() { attention_.fetch_and(~attention_stop, std::memory_order_acq_rel); }
  /// At a command boundary with attention(): true when run() must act before the next command.
  bool must_leave();
  bool has_list() const { return attention_.load(std::memory_order_acquire) & attention_list; }
  std::optional<Execlist> take();
  /// As if `list` had not been taken, if no other waits by now.
  void put_back(const Execlist& list);
  /// `list` only moves the tail of the context that runs.
  bool is_lite_restore(const Execlist& list) const;
  bool list_is_lite() const;
  /// A submitted list waits for the next arbitration point.
  bool switch_wanted() const { return switch_wanted_; }
  /// A check: the running context is to be saved at the next arbitration point, as for a list, and restored at once.
  void request_restore();
  bool restore_requested() const { return attention_.load(std::memory_order_relaxed) & attention_restore; }
  /// The requested restore begins.
  void clear_restore();
  void set_arbitration(bool on);
  bool arbitration() const { return arbitration_.load(std::memory_order_relaxed); }

  void reset();
  struct Saved {
    std::optional<Execlist> waiting;
    bool switch_wanted = false, arbitration = true;
  };
  Saved saved() const;
  void load(const Saved& saved);

 private:
  static constexpr uint32_t attention_list = 1, attention_stop = 2, attention_restore = 4;

  bool must_switch() const { return attention_.load(std::memory_order_acquire) & (attention_list | attention_restore); }

  EngineCore& core_;
  /// attention_list, attention_restore and arbitration_ change together with StopFlag::preempt. They are atomics, since all three are read without it.
  Mutex mutex_;
  std::atomic<uint32_t> attention_{0};
  std::atomic<bool> arbitration_{true};
  bool switch_wanted_ = false;  ///< of the thread that runs the streamer
};

}  // namespace softgen::cs

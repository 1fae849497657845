// SPDX-License-Identifier: GPL-2.0-or-later
// The doorbells (TGL PRM vol 13, "GPU Doorbells", "Doorbell Group Registers"): 256 lines of guest memory that are watched. The host writes another
// cookie into a line to ring; what rang collects in three stages:
//
//   line -> status -> interrupt status
//
// A ring sets the bell's bit in the status. When a group of 32 had none, a message tells the GuC. The GuC's read of a group moves its bits on.
//
// The hardware snoops. Here the lines are sampled (docs/guc.md): by a timer while a bell is armed, and where the host or an engine comes by.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/defs/guc_abi_v9.h"
#include "hw/iface/host.h"
#include "hw/iface/host_memory.h"
#include "hw/mmio/register_file.h"

namespace softgen::guc {

/// All functions: any thread.
class Doorbells {
 public:
  static constexpr unsigned count = defs::guc::v9::doorbells, group_size = defs::guc::v9::doorbell_group, groups = count / group_size;
  /// Of the timer: the next look after a ring or an event, and the longest time between two.
  static constexpr int64_t min_interval_ns = 50'000, max_interval_ns = 2'000'000;

  struct Environment {
    mmio::RegisterFile& registers;
    HostMemory& memory;
    Host& host;
    std::function<void(int64_t ns)> wake_at;  ///< look() is to be called at this guest time, or earlier
    std::function<void()> wake_power;         ///< the GT leaves RC6
    std::function<void()> message;            ///< to the GuC: some group has rung. Called without a lock
  };
  /// Registers its hooks.
  explicit Doorbells(Environment environment);

  // -- the GuC's side ------------------------------------------------------------------------------------------------------------
  /// Watches the line at this guest physical address; its low six bits count as 0. A ring by then shows in the status, without a message.
  void arm(unsigned bell, uint64_t line);
  bool is_valid(unsigned bell);
  /// Messages go to the GuC, not to the host.
  void route_to_guc(bool routed);
  /// bit i: group i has rung since it was read.
  uint32_t rung_groups();
  /// Moves the status of a group to its interrupt status, and returns what the status was.
  uint32_t read_group(unsigned group);
  uint32_t interrupt_status(unsigned group);
  /// It has rung, and the GuC is not done with it.
  bool is_pending(unsigned bell);
  void clear_interrupts(unsigned group, uint32_t bells);

  // -- observation ---------------------------------------------------------------------------------------------------------------
  /// Looks at all lines now: something has happened that a ring may have come before.
  void sample();
  /// Time has passed.
  void look();

  /// Power or function level reset, and the full one of GDRST.
  void reset();
  void state(Archive& archive);

 private:
  struct Bell {
    uint64_t line = 0;    ///< guest physical address
    uint32_t cookie = 0;  ///< as it was seen last
    bool valid = false;
  };
  struct Line {
    bool active;
    uint32_t cookie;
  };
  Line read_line(uint64_t address);
  /// True: it rang.
  bool examine(unsigned bell) SG_REQUIRES(mutex_);
  bool examine_all() SG_REQUIRES(mutex_);
  /// After an examination, without the mutex.
  void deliver(bool rang, int64_t due);
  /// The time of the next look, after an interval; < 0: none is needed.
  int64_t schedule(int64_t interval) SG_REQUIRES(mutex_);
  uint32_t read_register(uint32_t offset);

  const Environment environment_;
  Mutex mutex_;
  std::atomic<unsigned> armed_{0};  ///< bells that are valid; written with the mutex held
  std::array<Bell, count> bells_ SG_GUARDED_BY(mutex_);
  std::array<uint32_t, groups> status_ SG_GUARDED_BY(mutex_){}, interrupt_status_ SG_GUARDED_BY(mutex_){};
  uint32_t rung_ SG_GUARDED_BY(mutex_) = 0;    ///< DOORBELL_CTRL's bits, one a group
  bool routed_ SG_GUARDED_BY(mutex_) = false;  ///< its "send to Mini-Core"
  bool message_due_ SG_GUARDED_BY(mutex_) = false;
  int64_t interval_ SG_GUARDED_BY(mutex_) = min_interval_ns, due_ SG_GUARDED_BY(mutex_) = -1;
};

}  // namespace softgen::guc

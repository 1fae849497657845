// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's page fault interface (ILK PRM vol 1 part 2, 1.3.3): faults of the render streamer's table of two levels are logged, an interrupt is sent, and
// the pipeline stands behind them until software has mapped the pages and says so. Hardware repeats the requests that have faulted. This repeats the
// command: what it has written meanwhile is taken back, so that it is as if it had never begun.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/memory/fault.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

class FaultInterface final : public memory::FaultSink {
 public:
  /// `next` gets all other faults; both outlive it. Null: they are dropped.
  FaultInterface(mmio::RegisterFile& registers, memory::FaultSink* next) : registers_(registers), next_(next) {}

  // -- any thread ----------------------------------------------------------------------------------------------------------------
  void fault(const memory::Fault& fault) override;
  void before_write(std::byte* first, uint64_t size) override;

  // -- the streamer's thread, with no other at work ------------------------------------------------------------------------------
  /// Whether per-process faults are logged at all.
  void arm(bool on);
  bool armed() const { return armed_.load(std::memory_order_relaxed); }
  /// A command begins: what it writes is kept. The views have no translations.
  void begin();
  enum class Met : uint8_t { nothing, pages, no_entry };
  /// Since the command has begun.
  Met met() const;
  /// The command, done or not, is at its end. `back`: memory and counters are to be as when it began; false: it has written too much for that.
  bool end(bool back);
  /// Enters the faults in the log, for software to serve.
  void signal();
  bool in_service() const;
  /// Software has ended its service. Whether faults are left, for which another begins.
  bool again();

 private:
  /// Chosen: pages of 4 KiB that are kept of what a command writes; 64 MiB.
  static constexpr size_t max_pages = 16384;

  mmio::RegisterFile& registers_;
  memory::FaultSink* const next_;
  std::atomic<bool> armed_{false}, keeps_{false};
  mutable Mutex mutex_;
  std::vector<uint32_t> pages_ SG_GUARDED_BY(mutex_);
  bool no_entry_ SG_GUARDED_BY(mutex_) = false, too_much_ SG_GUARDED_BY(mutex_) = false;
  std::unordered_map<std::byte*, std::vector<std::byte>> kept_ SG_GUARDED_BY(mutex_);
  std::vector<uint64_t> counters_;
};

}  // namespace softgen::cs

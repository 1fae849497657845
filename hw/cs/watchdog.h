// SPDX-License-Identifier: GPL-2.0-or-later
// An engine's watchdog timer (ICL PRM vol 9, "Watchdog Timer Registers"; ILK PRM vol 1 part 4, 1.1.6): counts while its control register does not say
// that it stands and a context runs; at the threshold it raises its interrupt and begins again at 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "hw/base/mutex.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

/// Its registers, from the engine's base.
struct WatchdogForm {
  uint32_t control, threshold;
  uint32_t stopped;  ///< the value of control with which it stands
};

/// All functions: any thread.
class Watchdog {
 public:
  /// Ticks of RING_TIMESTAMP, which stands in for the render clock (chosen: that clock's frequency varies, and the counter cannot be read).
  using Ticks = uint64_t;
  /// Chosen, 100 us: a guest may ask for an interrupt per tick.
  static constexpr Ticks min_period = 1200;

  /// `wake(ticks)`: look() is to be called after so many ticks, whatever was asked for before; may be empty.
  Watchdog(const WatchdogForm& form, mmio::RegisterFile& registers, mmio::Interrupts& interrupts, EngineId engine, uint32_t mmio_base,
           std::function<void(Ticks ticks)> wake)
      : form_(form), registers_(registers), interrupts_(interrupts), engine_(engine), mmio_base_(mmio_base), wake_(std::move(wake)) {}

  /// Its registers may have changed; `runs`: a context is on the engine.
  void follow(bool runs);
  /// Time has passed.
  void look();

 private:
  Ticks now() const;

  const WatchdogForm form_;
  mmio::RegisterFile& registers_;
  mmio::Interrupts& interrupts_;
  const EngineId engine_;
  const uint32_t mmio_base_;
  const std::function<void(Ticks ticks)> wake_;
  Mutex mutex_;
  std::atomic<bool> counts_{false};       ///< written under mutex_
  Ticks zero_ SG_GUARDED_BY(mutex_) = 0;  ///< when the counter was 0
};

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
// The engines as the scheduler sees them. Their context status events come to Guc::switched().
#pragma once

#include <cstdint>

#include "hw/cs/execlists.h"
#include "hw/iface/engine.h"

namespace softgen::guc {

/// Called with no lock held; they may come back with events.
class EnginePort {
 public:
  virtual ~EnginePort() = default;
  virtual bool has(EngineId engine) const = 0;
  /// In place of a list that the engine has not taken. Without an element it preempts to idle.
  virtual void submit(EngineId engine, const cs::Execlist& list) = 0;
  /// Resets the engine and waits for it: what it ran is dropped without an event.
  virtual void reset(EngineId engine) = 0;
  /// Guc::look() is to be called at guest time `ns`, or earlier.
  virtual void wake_at(int64_t ns) = 0;
};

}  // namespace softgen::guc

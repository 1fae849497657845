// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts of Ironlake's video streamer: software writes RNCID, and at an arbitration point, or when the ring is empty, the streamer leaves the context of
// RCCID for it (ILK PRM vol 1 part 4, 1.1.4). Descriptors have Gen8's fields (chosen; part 4 names Force PD Restore alone).
#pragma once

#include <atomic>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/cs/execlists.h"
#include "hw/cs/ring/contexts.h"

namespace softgen::cs {

class VideoContexts {
 public:
  /// Registers its hook. All outlive it.
  VideoContexts(EngineCore& core, RingContexts& images, ProcessTables& tables);

  /// RNCID has been written since the last switch. Any thread.
  bool pending() const { return pending_.load(std::memory_order_acquire); }
  /// Bits of a context status (table 1-1).
  enum Why : uint32_t { for_arbitration = 0, for_semaphore = 1 << 1, for_empty_ring = 1 << 4 };
  /// Leaves the running context for that of RNCID. The ring's registers are the new one's then.
  void change(Why why);
  bool running() const { return current().valid(); }
  void reset();
  void state(Archive& archive);

 private:
  Descriptor current() const;
  void leave(const Descriptor& old);
  void enter(const Descriptor& next, bool same);
  /// A status dword, and where it is (table 1-3).
  void report(uint32_t status);

  EngineCore& core_;
  RingContexts& images_;
  ProcessTables& tables_;
  std::atomic<bool> pending_{false};
  uint32_t slot_ = 0;  ///< of the next status
};

}  // namespace softgen::cs

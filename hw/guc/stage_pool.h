// SPDX-License-Identifier: GPL-2.0-or-later
// The host's clients as firmware 9 has them: descriptors in a pool in memory (i915 4.19 intel_guc_submission.c, guc_stage_desc_init()), and the work queue
// of each. All is read when it is needed, and checked then.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hw/defs/guc_abi_v9.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"

namespace softgen::guc {

/// A client whose places are all in the GuC's memory.
struct Stage {
  uint32_t id;
  uint32_t engines;  ///< bit i: defs::guc::v9::engines[i]
  uint32_t priority;
  bool terminated;  ///< its queue rests until the host clears the attribute
  uint32_t doorbell;
  uint64_t doorbell_line;
  uint32_t process, queue, queue_bytes;
};

/// What a client's item asks for.
struct WorkItem {
  EngineId engine;
  uint32_t context;  ///< the lower half of a context descriptor
  uint32_t tail;     ///< bytes
};

class StagePool {
 public:
  /// By the start parameter. False: it is outside the memory.
  bool start(uint32_t parameter, const AddressRange& memory);
  void stop() { count_ = 0; }

  /// Nothing: there is no active client of this number, or one with nonsense in its descriptor.
  std::optional<Stage> read(uint32_t id, memory::View& ggtt) const;
  /// Chosen: i915 has queues of 8 KiB. An item has at least a dword.
  static constexpr uint32_t max_queue_bytes = 64 << 10, max_items = max_queue_bytes / 4;
  /// Sets the attribute that lets its queue rest.
  void terminate(uint32_t id, memory::View& ggtt) const;

  enum class Verdict : uint8_t { taken, removed, kept, stays, no_engine };
  using Judge = std::function<Verdict(const WorkItem& item)>;
  /// Calls judge() per item that waits now, in order. `taken`: it is done with; `removed`: so it is, and becomes an item without effect; `kept`: it waits
  /// on, but those behind it are looked at; `stays`: so does it, and all behind it. The queue's head follows up to the first that waits. An item that is
  /// none, or `no_engine`, leaves its kind in the queue's status, which ends the traffic until the host sets it anew. Each item costs one of `budget`;
  /// without it the rest stays. False: an item stays.
  bool serve(const Stage& stage, memory::View& ggtt, uint32_t& budget, const Judge& judge) const;

  void state(Archive& archive);

 private:
  class Queue;
  uint64_t address(uint32_t id) const { return base_ + uint64_t{id} * defs::guc::v9::stage_bytes; }

  AddressRange memory_;
  uint64_t base_ = 0;
  uint32_t count_ = 0;
};

}  // namespace softgen::guc

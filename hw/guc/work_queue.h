// SPDX-License-Identifier: GPL-2.0-or-later
// A queue in memory by which the host submits a parent and its children (multi-LRC; i915 gt/uc/intel_guc_submission.c, __guc_wq_item_append()): a ring of
// items, each with the tails of all their rings. The host owns the queue's tail, the GuC its head.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/defs/engine.h"
#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"

namespace softgen::guc {

struct WorkQueue {
  /// Chosen: no driver has more (i915 and xe 2 KiB). It bounds what one request makes the GuC do.
  static constexpr uint32_t max_bytes = 4096;
  /// A parent with its children has an engine for each.
  static constexpr uint32_t max_members = engine_count;

  /// For whom the items are.
  struct Owner {
    uint32_t id, lrca, members;  ///< of the parent; with the parent
  };
  struct Items {
    bool moved = false;                         ///< there were some with tails
    uint32_t error = 0;                         ///< 0: all were read; else what the host gets (defs::guc::Error)
    std::array<uint32_t, max_members> tails{};  ///< of the last one, in bytes: the parent's, then the children's
  };

  uint64_t descriptor = 0, base = 0;  ///< GGTT addresses
  uint32_t bytes = 0;
  bool is_v69 = false;  ///< version 69 has set it up

  const defs::guc::QueueForm& form() const { return is_v69 ? defs::guc::v69_queue_form : defs::guc::queue_form; }
  /// Both are whole, in memory of the GuC, and of a size that items can have.
  bool fits(const AddressRange& memory) const;
  /// Takes what is in the queue. An item that is nonsense stays, and ends the traffic with a status and its place in the descriptor.
  Items read(memory::View& ggtt, const Owner& owner) const;
  void state(Archive& archive);

 private:
  /// Bytes of the item at `at`, of which at most `waiting` are there; 0: it is nonsense.
  uint32_t read_item(memory::View& ggtt, const Owner& owner, uint32_t at, uint32_t waiting, Items& items) const;
};

}  // namespace softgen::guc

// SPDX-License-Identifier: GPL-2.0-or-later
// Records in memory of which context an engine has and since when, from which the host computes how busy it is (i915 gt/uc/intel_guc_submission.c,
// guc_update_engine_gt_clks()).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/base/archive.h"
#include "hw/defs/guc_abi.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"

namespace softgen::guc {

/// Its owner's mutex guards it. Times are ticks of the GT's timestamp.
class UsageRecords {
 public:
  /// The table is at `address`; 0: there is none.
  void set_address(uint64_t address) { address_ = address; }
  /// The record in row `cls`, `instance` of the table. Nothing: the engine has no context from now on.
  void switched(EngineId engine, uint32_t cls, uint32_t instance, std::optional<uint32_t> context, uint32_t now, memory::View& ggtt) {
    const auto at = static_cast<size_t>(engine);
    if (!context) totals_[at] += now - since_[at];
    since_[at] = now;
    if (!address_) return;
    using namespace defs::guc;
    const uint64_t record = address_ + (uint64_t{cls} * usage_instances + instance) * usage_dwords * 4;
    if (context) ggtt.store<uint32_t>(record + usage_switched_in * 4, now);
    else ggtt.store<uint32_t>(record + usage_total * 4, totals_[at]);
    ggtt.store_release<uint32_t>(record + usage_context * 4, context.value_or(usage_no_context));
  }
  void stop() { *this = {}; }
  void state(Archive& archive) {
    archive.value(address_);
    archive.value(totals_);
    archive.value(since_);
  }

 private:
  uint64_t address_ = 0;
  std::array<uint32_t, engine_count> totals_{}, since_{};
};

}  // namespace softgen::guc

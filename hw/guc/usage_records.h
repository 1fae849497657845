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
  /// The table is at `address`, in memory of the GuC's. Its records begin anew: after a reset the host adds what they show to what it has
  /// (i915 __reset_guc_busyness_stats()).
  void set_address(uint64_t address, memory::View& ggtt) {
    using namespace defs::guc;
    address_ = address;
    for (uint64_t record = address; record < address + uint64_t{usage_classes} * usage_instances * usage_dwords * 4;
         record += usage_dwords * 4)
      for (uint32_t i = 0; i < usage_dwords; ++i) ggtt.store<uint32_t>(record + i * 4, i == usage_context ? usage_no_context : 0);
  }
  /// The record in row `cls`, `instance` of the table. Nothing: the engine has no context from now on.
  void switched(EngineId engine, uint32_t cls, uint32_t instance, std::optional<uint32_t> context, uint32_t now, memory::View& ggtt) {
    const auto at = static_cast<size_t>(engine);
    if (since_[at]) totals_[at] += now - since_[at];
    since_[at] = context ? now + !now : 0;  // 0 says that it has none
    if (!address_) return;
    using namespace defs::guc;
    const uint64_t record = address_ + (uint64_t{cls} * usage_instances + instance) * usage_dwords * 4;
    if (context) ggtt.store<uint32_t>(record + usage_switched_in * 4, since_[at]);
    ggtt.store<uint32_t>(record + usage_total * 4, totals_[at]);
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

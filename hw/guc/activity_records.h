// SPDX-License-Identifier: GPL-2.0-or-later
// Records in memory of how long each engine has had contexts, which xe's counters show (Linux 7.2 xe/xe_guc_engine_activity.c).
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/defs/guc_abi.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"

namespace softgen::guc {

/// Its owner's mutex guards it. Times are ticks of the GT's timestamp.
class ActivityRecords {
 public:
  /// Which record is an engine's.
  struct Place {
    EngineId engine;
    uint32_t cls, instance;
  };

  /// `metadata` tells of the table `records`; 0: there are none.
  void set_addresses(uint64_t metadata, uint64_t records) {
    metadata_ = metadata;
    records_ = records;
  }
  /// The engine has a context from now on, or none.
  void switched(const Place& place, bool has_context, uint32_t now, memory::View& ggtt) {
    Engine& engine = engines_[static_cast<size_t>(place.engine)];
    if (engine.since) engine.total += now - engine.since;
    // 0 says that it has none.
    engine.since = has_context ? now + !now : 0;
    show(place, ggtt);
  }
  void show(const Place& place, memory::View& ggtt) {
    if (!records_) return;
    using namespace defs::guc;
    Engine& engine = engines_[static_cast<size_t>(place.engine)];
    const uint64_t record = records_ + (uint64_t{place.cls} * usage_instances + place.instance) * activity_bytes;
    ggtt.store<uint32_t>(record + activity_switched_in, engine.since);
    ggtt.store<uint64_t>(record + activity_total, engine.total);
    ggtt.store_release<uint32_t>(record + activity_change,
                                 activity_change_count.with(activity_share.with(0, activity_whole), next(engine.changes)));
    ggtt.store_release<uint32_t>(metadata_ + activity_changes, next(changes_));
  }
  void stop() { *this = {}; }
  void state(Archive& archive) {
    archive.value(metadata_);
    archive.value(records_);
    archive.value(changes_);
    for (Engine& engine : engines_) {
      archive.value(engine.since);
      archive.value(engine.total);
      archive.value(engine.changes);
    }
  }

 private:
  struct Engine {
    uint32_t since = 0;
    uint64_t total = 0;
    uint16_t changes = 0;
  };
  /// 0 says that there is nothing yet.
  template <typename T>
  static T next(T& count) {
    if (!++count) ++count;
    return count;
  }

  uint64_t metadata_ = 0, records_ = 0;
  uint32_t changes_ = 0;
  std::array<Engine, engine_count> engines_{};
};

}  // namespace softgen::guc

// SPDX-License-Identifier: GPL-2.0-or-later
// Metric sets that programs have added: the registers that route and select what is counted (i915 i915_perf.c, i915_query.c).
#pragma once

#include <i915_drm.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/run/chip_oa.h"

namespace softgen::run {

struct OaConfig {
  OaConfig() = default;
  ~OaConfig();
  OaConfig(const OaConfig&) = delete;
  OaConfig& operator=(const OaConfig&) = delete;

  /// The set's value of a flexible event register; 0 if it has none.
  uint32_t flex_value(uint32_t offset) const;

  uint64_t id = 0;
  std::string uuid;
  std::vector<RegisterValue> mux, boolean, flex;
  int id_file = -1;  ///< created when the file `id` of the set's folder in sysfs is first used
};
using OaConfigPtr = std::shared_ptr<const OaConfig>;

/// Any thread. Errors are negative errno.
class OaConfigs {
 public:
  explicit OaConfigs(const OaUnit& unit) : unit_(unit) {}

  /// DRM_IOCTL_I915_PERF_ADD_CONFIG: the id of the new set.
  int add(const drm_i915_perf_oa_config& from);
  /// A stream that uses the set keeps it.
  int remove(uint64_t id);
  OaConfigPtr find(uint64_t id) const;
  /// DRM_I915_QUERY_PERF_CONFIG: the item's new length.
  int32_t query(const drm_i915_query_item& item) const;
  /// A descriptor of a file with the set's id as text, which lives as long as the set; -1: there is no such set.
  int id_file(std::string_view uuid);

 private:
  using Config = std::shared_ptr<OaConfig>;
  Config with_uuid(std::string_view uuid) const SG_REQUIRES(mutex_);
  int32_t list(const drm_i915_query_item& item) const SG_REQUIRES(mutex_);
  int32_t data(const drm_i915_query_item& item) const SG_REQUIRES(mutex_);

  const OaUnit& unit_;
  mutable Mutex mutex_;
  std::map<uint64_t, Config> configs_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::run

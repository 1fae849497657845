// SPDX-License-Identifier: GPL-2.0-or-later
// PERF_OPEN, PERF_ADD_CONFIG and PERF_REMOVE_CONFIG: what i915 6.1 checks (i915_perf.c).
#include <errno.h>
#include <i915_drm.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "hw/base/mutex.h"
#include "hw/defs/platform.h"
#include "hw/run/drm_file.h"
#include "hw/run/options.h"
#include "hw/run/program_memory.h"

namespace softgen::run {
namespace {

constexpr uint64_t max_exponent = 31, min_poll_period_ns = 100'000;
constexpr uint64_t second_ns = 1'000'000'000;

/// Linux's ENOTSUPP: the driver has no such interface.
constexpr int not_supported = 524;

constexpr uint32_t mask_of(unsigned count) { return (1u << count) - 1; }

/// Value in the stand-in for /proc/sys/dev/i915/`name`; `beyond` if it cannot be read; `without` outside of softgen-run.
uint64_t sysctl_value(const char* name, uint64_t without, uint64_t beyond) {
  const char* const root = std::getenv(root_variable);
  if (!root) return without;
  std::ifstream file(std::string(root) + "/proc/sys/dev/i915/" + name);
  uint64_t value = 0;
  return file >> value ? value : beyond;
}

bool is_root() { return geteuid() == 0; }

/// Whether perf_stream_paranoid restricts this to root, and the process is not root's.
bool is_refused() { return !is_root() && sysctl_value("perf_stream_paranoid", 0, 1) != 0; }

/// Whether the rate exceeds oa_max_sample_rate, which only root may.
bool too_often(uint64_t exponent, uint64_t timestamp_hz) {
  const uint64_t period_ns = ((uint64_t{2} << exponent) * second_ns + timestamp_hz - 1) / timestamp_hz;
  const auto max_hz = [] { return sysctl_value("oa_max_sample_rate", oa::max_sample_rate_hz, 0); };
  return period_ns <= second_ns && !is_root() && second_ns / period_ns > max_hz();
}

/// As i915_gem_user_to_context_sseu(). The values are not applied: powering slices down would not change a result.
int check_sseu(const drm_i915_gem_context_param_sseu& sseu, const defs::Platform& platform) {
  if (sseu.engine.engine_class != I915_ENGINE_CLASS_RENDER || sseu.engine.engine_instance != 0) return -EINVAL;
  if (!sseu.slice_mask || !sseu.subslice_mask || !sseu.min_eus_per_subslice) return -EINVAL;
  if (sseu.max_eus_per_subslice < sseu.min_eus_per_subslice || sseu.max_eus_per_subslice > platform.eus) return -EINVAL;
  return sseu.slice_mask & ~uint64_t{mask_of(platform.slices)} || sseu.subslice_mask & ~uint64_t{mask_of(platform.subslices)} ? -EINVAL : 0;
}

/// read_properties_unlocked().
int set_property(PerfProperties& properties, uint64_t id, uint64_t value, const defs::Platform& platform) {
  switch (id) {
    case DRM_I915_PERF_PROP_CTX_HANDLE: properties.context_handle = static_cast<uint32_t>(value); return 0;
    case DRM_I915_PERF_PROP_SAMPLE_OA: properties.sample_reports |= value != 0; return 0;
    case DRM_I915_PERF_PROP_OA_METRICS_SET: properties.metrics_set = static_cast<int>(value); return value ? 0 : -EINVAL;
    case DRM_I915_PERF_PROP_OA_FORMAT: properties.format = oa_format(value); return properties.format ? 0 : -EINVAL;
    case DRM_I915_PERF_PROP_OA_EXPONENT:
      if (value > max_exponent) return -EINVAL;
      if (too_often(value, platform.timestamp_hz)) return -EACCES;
      properties.periodic = true;
      properties.period_exponent = static_cast<uint32_t>(value);
      return 0;
    case DRM_I915_PERF_PROP_HOLD_PREEMPTION: properties.hold_preemption = value != 0; return 0;  // a batch is not preempted halfway
    case DRM_I915_PERF_PROP_GLOBAL_SSEU: {
      drm_i915_gem_context_param_sseu sseu;
      properties.global_sseu = true;
      return copy_from_program(&sseu, value, sizeof sseu) ? check_sseu(sseu, platform) : -EFAULT;
    }
    case DRM_I915_PERF_PROP_POLL_OA_PERIOD: properties.poll_period_ns = value; return value < min_poll_period_ns ? -EINVAL : 0;
    default: return -EINVAL;
  }
}

}  // namespace

int DrmFile::perf_open(void* arg) {
  if (!driver_.perf) return -not_supported;
  const auto* open = static_cast<const drm_i915_perf_open_param*>(arg);
  constexpr uint32_t known_flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_DISABLED;
  if (open->flags & ~known_flags) return -EINVAL;
  if (open->num_properties == 0 || open->num_properties >= DRM_I915_PERF_PROP_MAX) return -EINVAL;
  PerfProperties properties;
  for (uint32_t i = 0; i < open->num_properties; ++i) {
    uint64_t pair[2];
    if (!copy_from_program(pair, open->properties_ptr + i * sizeof pair, sizeof pair)) return -EFAULT;
    if (const int error = set_property(properties, pair[0], pair[1], driver_.gpu.platform())) return error;
  }
  std::shared_ptr<Context> of_handle;
  if (properties.context_handle) {
    MutexLock lock(driver_.gpu.lock());
    of_handle = context(*properties.context_handle);
    if (!of_handle) return -ENOENT;
  }
  if (properties.hold_preemption && !of_handle) return -EINVAL;
  // OAR counters of the caller's own context expose no other program's work, so they need no privilege.
  const bool own_counters = driver_.gpu.chip().oa->context_control && of_handle && !properties.sample_reports;
  if ((!own_counters || properties.hold_preemption || properties.global_sseu) && is_refused()) return -EACCES;
  return driver_.perf->open(properties, of_handle, open->flags);
}

int DrmFile::perf_add_config(void* arg) {
  if (!driver_.perf) return -not_supported;
  return is_refused() ? -EACCES : driver_.perf->configs().add(*static_cast<const drm_i915_perf_oa_config*>(arg));
}

int DrmFile::perf_remove_config(void* arg) {
  if (!driver_.perf) return -not_supported;
  return is_refused() ? -EACCES : driver_.perf->configs().remove(*static_cast<const uint64_t*>(arg));
}

}  // namespace softgen::run

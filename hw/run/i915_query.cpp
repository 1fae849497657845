// SPDX-License-Identifier: GPL-2.0-or-later
// GETPARAM, QUERY and REG_READ: what i915 6.1 answers on the platform (i915_getparam.c, i915_query.c).
#include <errno.h>
#include <i915_drm.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/defs/platform.h"
#include "hw/run/drm_file.h"
#include "hw/run/regs.h"

namespace softgen::run {
namespace {

// Absent in Debian 12's libdrm headers.
constexpr int param_oa_timestamp_frequency = 57, param_pxp_status = 58, param_has_context_freq_hint = 59;

/// Copies `size` bytes for a query item whose length the client gave, as copy_query_item() does: 0 asks for the size.
int32_t answer(const drm_i915_query_item& item, const void* data, int32_t size) {
  if (item.length == 0) return size;
  if (item.length < size) return -EINVAL;
  std::memcpy(reinterpret_cast<void*>(item.data_ptr), data, static_cast<size_t>(size));
  return size;
}

/// A reply with a fixed head and `tail` after it (the uapi's flexible arrays).
template <typename Head, typename T>
int32_t answer(const drm_i915_query_item& item, const Head& head, std::span<const T> tail) {
  std::vector<std::byte> reply(sizeof head + tail.size_bytes());
  std::memcpy(reply.data(), &head, sizeof head);
  std::memcpy(reply.data() + sizeof head, tail.data(), tail.size_bytes());
  return answer(item, reply.data(), static_cast<int32_t>(reply.size()));
}

constexpr uint32_t mask_of(unsigned count) { return (1u << count) - 1; }

/// The bytes of a mask of `count` bits, all set.
std::vector<uint8_t> mask_bytes(unsigned count) {
  std::vector<uint8_t> bytes((count + 7) / 8, 0xff);
  if (count % 8) bytes.back() = static_cast<uint8_t>(mask_of(count % 8));
  return bytes;
}

/// With all of its slices, subslices and EUs there.
int32_t query_topology(const drm_i915_query_item& item, const defs::Platform& platform) {
  drm_i915_query_topology_info info = {};
  info.max_slices = static_cast<uint16_t>(platform.slices);
  info.max_subslices = static_cast<uint16_t>(platform.subslices);
  info.max_eus_per_subslice = static_cast<uint16_t>(platform.eus);
  const auto eus = mask_bytes(platform.eus), subslices = mask_bytes(platform.subslices);
  std::vector<uint8_t> masks = mask_bytes(platform.slices);
  info.subslice_offset = static_cast<uint16_t>(masks.size());
  info.subslice_stride = static_cast<uint16_t>(subslices.size());
  for (unsigned i = 0; i < platform.slices; ++i) masks.insert(masks.end(), subslices.begin(), subslices.end());
  info.eu_offset = static_cast<uint16_t>(masks.size());
  info.eu_stride = static_cast<uint16_t>(eus.size());
  for (unsigned i = 0; i < platform.slices * platform.subslices; ++i) masks.insert(masks.end(), eus.begin(), eus.end());
  return answer(item, info, std::span<const uint8_t>(masks));
}

int32_t query_engines(const drm_i915_query_item& item, const Chip& chip) {
  drm_i915_query_engine_info info = {};
  std::vector<drm_i915_engine_info> engines;
  for (const EngineInfo& engine : chip.engines) {
    if (!engine.name) continue;
    drm_i915_engine_info& added = engines.emplace_back();
    added.engine.engine_class = engine.uapi_class;
    added.capabilities = engine.capabilities;
  }
  info.num_engines = static_cast<uint32_t>(engines.size());
  return answer(item, info, std::span<const drm_i915_engine_info>(engines));
}

int32_t query_regions(const drm_i915_query_item& item, uint64_t size) {
  drm_i915_query_memory_regions info = {};
  info.num_regions = 1;
  std::array<drm_i915_memory_region_info, 1> regions = {};
  regions[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
  regions[0].probed_size = size;
  regions[0].unallocated_size = size;
  return answer(item, info, std::span<const drm_i915_memory_region_info>(regions));
}

int topology_value(int param, const defs::Platform& platform) {
  switch (param) {
    case I915_PARAM_SUBSLICE_TOTAL: return static_cast<int>(platform.slices * platform.subslices);
    case I915_PARAM_EU_TOTAL: return static_cast<int>(platform.slices * platform.subslices * platform.eus);
    case I915_PARAM_SLICE_MASK: return static_cast<int>(mask_of(platform.slices));
    default: return static_cast<int>(mask_of(platform.subslices));
  }
}

/// -EINVAL: not a parameter of this driver.
int param_value(int param, const defs::Platform& platform, const Chip& chip) {
  switch (param) {
    case I915_PARAM_CHIPSET_ID: return platform.pci_device_id;
    case I915_PARAM_REVISION: return platform.pci_revision;
    case I915_PARAM_HAS_BSD: return chip.has(I915_ENGINE_CLASS_VIDEO);
    case I915_PARAM_HAS_BLT: return chip.has(I915_ENGINE_CLASS_COPY);
    case I915_PARAM_HAS_VEBOX: return chip.has(I915_ENGINE_CLASS_VIDEO_ENHANCE);
    case I915_PARAM_HAS_LLC: return chip.uapi.llc;
    case I915_PARAM_HAS_WT:
    case I915_PARAM_HAS_BSD2: return 0;
    case I915_PARAM_NUM_FENCES_AVAIL: return chip.uapi.fences;
    case I915_PARAM_HAS_OVERLAY: return 0;
    case I915_PARAM_HAS_ALIASING_PPGTT: return chip.uapi.own_tables ? 2 : 0;  // 2: full PPGTT
    case I915_PARAM_CMD_PARSER_VERSION: return 0;
    case I915_PARAM_SUBSLICE_TOTAL:
    case I915_PARAM_EU_TOTAL:
    case I915_PARAM_SLICE_MASK:
    case I915_PARAM_SUBSLICE_MASK: return chip.uapi.topology ? topology_value(param, platform) : -ENODEV;
    case I915_PARAM_HAS_GPU_RESET: return chip.uapi.reset;
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL: return 0;
    case I915_PARAM_HUC_STATUS: return chip.uapi.huc ? 0 : -ENODEV;
    case I915_PARAM_MMAP_GTT_VERSION: return 4;
    case I915_PARAM_MMAP_VERSION: return 1;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
    case param_oa_timestamp_frequency: return static_cast<int>(platform.timestamp_hz);
    case I915_PARAM_PERF_REVISION: return 5;
    case I915_PARAM_HAS_SCHEDULER: return chip.uapi.schedules ? I915_SCHEDULER_CAP_ENABLED : 0;
    case I915_PARAM_HAS_SEMAPHORES: return chip.uapi.schedules;
    case I915_PARAM_HAS_CONTEXT_ISOLATION: return chip.uapi.context_isolation;
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_PAGEFLIPPING:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_COHERENT_RINGS:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_GEN7_SOL_RESET:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_PRIME_VMAP_FLUSH:
    case I915_PARAM_HAS_PINNED_BATCHES:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_HAS_COHERENT_PHYS_GTT:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_SUBMIT_FENCE:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
    case I915_PARAM_HAS_USERPTR_PROBE: return 1;
    case I915_PARAM_MMAP_GTT_COHERENT: return chip.uapi.coherent_ggtt;
    case I915_PARAM_HAS_RESOURCE_STREAMER: return 0;
    case I915_PARAM_HAS_SECURE_BATCHES: return chip.uapi.secure_batches && geteuid() == 0;
    default: return -EINVAL;
  }
}

}  // namespace

int DrmFile::getparam(void* arg) {
  const auto* get = static_cast<drm_i915_getparam*>(arg);
  // Without GuC submission i915 stores the error as the value and succeeds (i915_getparam.c).
  if (get->param == param_has_context_freq_hint) {
    *get->value = -EINVAL;
    return 0;
  }
  const int value = param_value(get->param, driver_.gpu.platform(), driver_.gpu.chip());
  if (value < 0) {
    if (get->param == param_pxp_status) return -ENODEV;
    if (value == -EINVAL) note("I915_GETPARAM", "unknown parameter {}", get->param);
    return value;
  }
  *get->value = value;
  return 0;
}

int DrmFile::query(void* arg) {
  const auto* query = static_cast<drm_i915_query*>(arg);
  if (query->flags) return -EINVAL;
  auto* items = reinterpret_cast<drm_i915_query_item*>(query->items_ptr);
  for (uint32_t i = 0; i < query->num_items; ++i) {
    drm_i915_query_item& item = items[i];
    switch (item.query_id) {
      case DRM_I915_QUERY_TOPOLOGY_INFO:
        item.length = driver_.gpu.chip().uapi.topology ? query_topology(item, driver_.gpu.platform()) : -ENODEV;
        break;
      case DRM_I915_QUERY_ENGINE_INFO: item.length = query_engines(item, driver_.gpu.chip()); break;
      case DRM_I915_QUERY_MEMORY_REGIONS: item.length = query_regions(item, driver_.gpu.arena().size()); break;
      case DRM_I915_QUERY_PERF_CONFIG: item.length = driver_.perf ? driver_.perf->configs().query(item) : -ENODEV; break;
      default: item.length = -EINVAL; break;  // hwconfig tables and geometry subslices: gen 12
    }
  }
  return 0;
}

int DrmFile::reg_read(void* arg) {
  auto* read = static_cast<drm_i915_reg_read*>(arg);
  constexpr uint64_t rcs_timestamp = regs::rcs_timestamp;
  if ((read->offset & ~uint64_t{7}) != rcs_timestamp) return -EINVAL;
  MutexLock lock(driver_.gpu.lock());
  if (read->offset & I915_REG_READ_8B_WA) {
    const uint64_t high = driver_.gpu.read_register(rcs_timestamp + 4, 4);
    read->val = high << 32 | (driver_.gpu.read_register(rcs_timestamp, 4) & 0xffffffff);
  } else {
    read->val = driver_.gpu.read_register(rcs_timestamp, 8);
  }
  return 0;
}

}  // namespace softgen::run

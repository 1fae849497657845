// SPDX-License-Identifier: GPL-2.0-or-later
// One open of our DRM node: its handles and its ioctls. Errors are negative errno, as in the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "hw/run/gpu.h"
#include "hw/run/kms.h"
#include "hw/run/perf_stream.h"

namespace softgen::run {

/// What all opens share: the device, buffer identities.
class Driver {
 public:
  /// The process's driver; made at first use. Null, after one sentence on standard error, when the device cannot be made.
  static Driver* get();
  /// The driver if it was ever made.
  static Driver* existing();

  explicit Driver(const Options& options) : gpu(options), kms(options) {
    if (gpu.chip().oa) perf.emplace(gpu);
  }

  /// For threads that may end after the driver has gone.
  static std::function<void()> kick_later();

  Gpu gpu;
  Kms kms;
  std::optional<Perf> perf;  ///< of chips with an observation unit
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<Bo>> by_inode;
  std::map<uint32_t, std::weak_ptr<Bo>> by_name;  // GEM_FLINK
  uint32_t next_name = 1;
};

class DrmFile {
 public:
  DrmFile(Driver& driver, bool primary, int event_fd);
  ~DrmFile();

  /// Any thread.
  int ioctl(unsigned long request, void* arg);
  /// What mmap of a fake offset maps.
  struct Mapping {
    BoPtr bo;  ///< null: no such offset
    int fd = -1;
    uint64_t within = 0;
  };
  Mapping mapping(uint64_t offset);
  /// In the fake offsets of GTT mappings of tiled objects.
  static constexpr uint64_t linear_offset = uint64_t{1} << 62;

  Driver& driver() { return driver_; }
  BoPtr bo(uint32_t handle);
  /// The handle of an object in this file; made when it has none.
  uint32_t handle_of(const BoPtr& bo);
  std::shared_ptr<Context> context(uint32_t id);
  SyncobjPtr syncobj(uint32_t handle);
  bool primary() const { return primary_; }
  /// The client speaks atomic mode setting.
  bool atomic() const { return atomic_; }
  /// It sees the primary and the cursor plane, too.
  bool universal_planes() const { return universal_planes_; }
  int event_fd() const { return event_fd_; }

  // drm core (drm_core.cpp)
  int version(void* arg);
  int get_unique(void* arg);
  int get_magic(void* arg);
  int accept(void* arg);
  int set_version(void* arg);
  int get_cap(void* arg);
  int set_client_cap(void* arg);
  int gem_close(void* arg);
  int gem_flink(void* arg);
  int gem_open(void* arg);
  int prime_handle_to_fd(void* arg);
  int prime_fd_to_handle(void* arg);
  // syncobjs (drm_syncobj.cpp)
  int syncobj_create(void* arg);
  int syncobj_destroy(void* arg);
  int syncobj_handle_to_fd(void* arg);
  int syncobj_fd_to_handle(void* arg);
  int syncobj_wait(void* arg);
  int syncobj_timeline_wait(void* arg);
  int syncobj_reset(void* arg);
  int syncobj_signal(void* arg);
  int syncobj_timeline_signal(void* arg);
  int syncobj_query(void* arg);
  int syncobj_transfer(void* arg);
  // i915 buffers (i915_gem.cpp)
  int gem_create(void* arg);
  int gem_create_ext(void* arg);
  int gem_mmap(void* arg);
  int gem_mmap_offset(void* arg);
  int gem_pread(void* arg);
  int gem_pwrite(void* arg);
  int gem_set_domain(void* arg);
  int gem_sw_finish(void* arg);
  int gem_set_tiling(void* arg);
  int gem_get_tiling(void* arg);
  int gem_set_caching(void* arg);
  int gem_get_caching(void* arg);
  int gem_madvise(void* arg);
  int gem_userptr(void* arg);
  int gem_busy(void* arg);
  int gem_wait(void* arg);
  int gem_get_aperture(void* arg);
  // i915 contexts, queries (i915_context.cpp, i915_query.cpp)
  int context_create(void* arg);
  int context_destroy(void* arg);
  int context_getparam(void* arg);
  int context_setparam(void* arg);
  int vm_create(void* arg);
  int vm_destroy(void* arg);
  int get_reset_stats(void* arg);
  int getparam(void* arg);
  int query(void* arg);
  int reg_read(void* arg);
  // i915_perf.cpp
  int perf_open(void* arg);
  int perf_add_config(void* arg);
  int perf_remove_config(void* arg);
  // i915_execbuffer.cpp
  int execbuffer2(void* arg);

 private:
  friend class ExecBuffer;
  std::vector<SyncobjPtr> syncobjs(uint64_t handles, uint32_t count);
  template <typename Wait>
  int wait_for_syncobjs(Wait& w, std::span<const uint64_t> points);
  template <typename Array, typename Body>
  int for_each_syncobj(const Array& array, Body body);
  template <typename Array, typename Body>
  int signal_syncobjs(const Array& array, Body body);
  int context_param(Context& context, uint64_t param, uint64_t value, uint32_t size);
  int get_sseu(const Context& context, drm_i915_gem_context_param& param);

  Driver& driver_;
  bool primary_, atomic_ = false, universal_planes_ = false;
  int event_fd_;
  std::map<uint32_t, BoPtr> handles_;
  std::map<uint64_t, uint32_t> handle_by_id_;
  std::map<uint32_t, std::shared_ptr<Context>> contexts_;
  std::map<uint32_t, std::shared_ptr<AddressSpace>> vms_;
  std::map<uint32_t, SyncobjPtr> syncobjs_;
  uint32_t next_handle_ = 1, next_context_ = 1, next_vm_ = 1, next_syncobj_ = 1;
};

/// Guards the handle tables of Syncobjs across processes' descriptors: the syncobj of an exported descriptor.
SyncobjPtr exported_syncobj(int fd);
void export_syncobj(int fd, SyncobjPtr syncobj);
void forget_syncobj(int fd);

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
// GEM buffers. Semantics: i915 gem/i915_gem_*.c. Domains and caching need no work: the model's memory is coherent.
#include <errno.h>
#include <i915_drm.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"

namespace softgen::run {
namespace {

/// Work that the CPU has to wait for before it reads (`writes_only`) or writes.
std::vector<FencePtr> pending_of(Bo& bo, bool writes_only) {
  std::vector<FencePtr> fences;
  if (bo.shared())
    if (FencePtr others = bo.locks().others_done(next_ticket(), !writes_only, Driver::kick_later())) fences.push_back(std::move(others));
  if (bo.last_write) fences.push_back(bo.last_write);
  if (!writes_only) fences.insert(fences.end(), bo.last_reads.begin(), bo.last_reads.end());
  return fences;
}

bool wait_for(const std::vector<FencePtr>& fences, int64_t deadline) {
  const auto done = [&] { return std::all_of(fences.begin(), fences.end(), [](const FencePtr& f) { return f->signalled; }); };
  return FenceClock::get().wait(deadline, done);
}

/// I915_BIT_6_SWIZZLE_*, for a tiling mode.
uint32_t swizzle_of(const defs::Bit6Swizzle& swizzle, uint32_t tiling) {
  if (tiling == I915_TILING_NONE) return I915_BIT_6_SWIZZLE_NONE;
  constexpr uint64_t bit_9 = 1u << 9, bit_10 = 1u << 10;
  switch (tiling == I915_TILING_Y ? swizzle.y_walk : swizzle.x_walk) {
    case 0: return I915_BIT_6_SWIZZLE_NONE;
    case bit_9: return I915_BIT_6_SWIZZLE_9;
    case bit_9 | bit_10: return I915_BIT_6_SWIZZLE_9_10;
    default: return I915_BIT_6_SWIZZLE_UNKNOWN;
  }
}

}  // namespace

int DrmFile::gem_create(void* arg) {
  auto* create = static_cast<drm_i915_gem_create*>(arg);
  MutexLock lock(driver_.gpu.lock());
  if (create->size == 0) return -EINVAL;
  const BoPtr object = Bo::create(driver_.gpu.arena(), create->size);
  if (!object) return -ENOMEM;
  create->handle = handle_of(object);
  create->size = object->size();
  return 0;
}

int DrmFile::gem_create_ext(void* arg) {
  auto* create = static_cast<drm_i915_gem_create_ext*>(arg);
  for (auto* e = reinterpret_cast<i915_user_extension*>(create->extensions); e;
       e = reinterpret_cast<i915_user_extension*>(e->next_extension)) {
    // Kaby Lake has system memory only; protected content and PAT indices belong to later platforms.
    if (e->name != I915_GEM_CREATE_EXT_MEMORY_REGIONS) return -EINVAL;
  }
  drm_i915_gem_create plain = {create->size, 0, 0};
  const int result = gem_create(&plain);
  create->handle = plain.handle;
  create->size = plain.size;
  return result;
}

int DrmFile::gem_mmap(void* arg) {
  auto* map = static_cast<drm_i915_gem_mmap*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(map->handle);
  if (!object) return -ENOENT;
  if (object->is_userptr()) return -ENXIO;
  if (map->offset > object->size() || map->size > object->size() - map->offset) return -EINVAL;
  void* p = ::mmap(nullptr, map->size, PROT_READ | PROT_WRITE, MAP_SHARED, object->fd(), static_cast<off_t>(map->offset));
  if (p == MAP_FAILED) return -errno;
  map->addr_ptr = reinterpret_cast<uintptr_t>(p);
  return 0;
}

int DrmFile::gem_mmap_offset(void* arg) {
  auto* map = static_cast<drm_i915_gem_mmap_offset*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(map->handle);
  if (!object) return -ENOENT;
  if (object->is_userptr()) return -ENODEV;
  map->offset = uint64_t{map->handle} << 32;
  if (object->tiling() == I915_TILING_NONE || map->flags != I915_MMAP_OFFSET_GTT) return 0;
  if (object->make_linear_view(driver_.gpu.platform().board.swizzle)) map->offset |= linear_offset;
  else unimplemented("GTT mapping of a tiled buffer", "of another process, or its pitch is no number of whole tiles");
  return 0;
}

int DrmFile::gem_pread(void* arg) {
  const auto* io = static_cast<drm_i915_gem_pread*>(arg);
  BoPtr object;
  std::vector<FencePtr> fences;
  {
    MutexLock lock(driver_.gpu.lock());
    object = bo(io->handle);
    if (!object) return -ENOENT;
    fences = pending_of(*object, true);
    object->flush_view();
  }
  if (object->is_userptr() || io->offset > object->size() || io->size > object->size() - io->offset) return -EINVAL;
  wait_for(fences, INT64_MAX);
  std::memcpy(reinterpret_cast<void*>(io->data_ptr), object->host() + io->offset, io->size);
  return 0;
}

int DrmFile::gem_pwrite(void* arg) {
  const auto* io = static_cast<drm_i915_gem_pwrite*>(arg);
  BoPtr object;
  std::vector<FencePtr> fences;
  {
    MutexLock lock(driver_.gpu.lock());
    object = bo(io->handle);
    if (!object) return -ENOENT;
    fences = pending_of(*object, false);
    object->flush_view();
  }
  if (object->is_userptr() || io->offset > object->size() || io->size > object->size() - io->offset) return -EINVAL;
  wait_for(fences, INT64_MAX);
  std::memcpy(object->host() + io->offset, reinterpret_cast<const void*>(io->data_ptr), io->size);
  return 0;
}

int DrmFile::gem_set_domain(void* arg) {
  const auto* domain = static_cast<drm_i915_gem_set_domain*>(arg);
  std::vector<FencePtr> fences;
  BoPtr object;
  {
    MutexLock lock(driver_.gpu.lock());
    object = bo(domain->handle);
    if (!object) return -ENOENT;
    fences = pending_of(*object, domain->write_domain == 0);
  }
  wait_for(fences, INT64_MAX);
  MutexLock lock(driver_.gpu.lock());
  LinearView* const view = object->linear_view();
  if (!view) return 0;
  if (!(domain->read_domains & I915_GEM_DOMAIN_GTT)) return object->flush_view(), 0;
  view->fill(object->bytes());
  if (domain->write_domain) view->expect_writes();
  return 0;
}

int DrmFile::gem_sw_finish(void* arg) {
  MutexLock lock(driver_.gpu.lock());
  return bo(static_cast<drm_i915_gem_sw_finish*>(arg)->handle) ? 0 : -ENOENT;
}

int DrmFile::gem_set_tiling(void* arg) {
  auto* tiling = static_cast<drm_i915_gem_set_tiling*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(tiling->handle);
  if (!object) return -ENOENT;
  if (tiling->tiling_mode > I915_TILING_Y) return -EINVAL;
  if (!object->set_tiling(tiling->tiling_mode, tiling->stride)) return -EINVAL;
  tiling->swizzle_mode = swizzle_of(driver_.gpu.platform().board.swizzle, tiling->tiling_mode);
  return 0;
}

int DrmFile::gem_get_tiling(void* arg) {
  auto* tiling = static_cast<drm_i915_gem_get_tiling*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(tiling->handle);
  if (!object) return -ENOENT;
  tiling->tiling_mode = object->tiling();
  tiling->swizzle_mode = tiling->phys_swizzle_mode = swizzle_of(driver_.gpu.platform().board.swizzle, tiling->tiling_mode);
  return 0;
}

int DrmFile::gem_set_caching(void* arg) {
  const auto* caching = static_cast<drm_i915_gem_caching*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(caching->handle);
  if (!object) return -ENOENT;
  object->caching = caching->caching;
  return 0;
}

int DrmFile::gem_get_caching(void* arg) {
  auto* caching = static_cast<drm_i915_gem_caching*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(caching->handle);
  if (!object) return -ENOENT;
  caching->caching = object->caching;
  return 0;
}

int DrmFile::gem_madvise(void* arg) {
  auto* advice = static_cast<drm_i915_gem_madvise*>(arg);
  MutexLock lock(driver_.gpu.lock());
  if (!bo(advice->handle)) return -ENOENT;
  advice->retained = 1;  // there is no memory pressure that would purge it
  return 0;
}

int DrmFile::gem_userptr(void* arg) {
  auto* userptr = static_cast<drm_i915_gem_userptr*>(arg);
  if (!userptr->user_size || (userptr->user_ptr | userptr->user_size) & 4095) return -EINVAL;
  if (userptr->flags & ~(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE)) return -ENODEV;
  MutexLock lock(driver_.gpu.lock());
  const bool write = !(userptr->flags & I915_USERPTR_READ_ONLY);
  const BoPtr object = Bo::wrap(driver_.gpu.arena(), reinterpret_cast<void*>(userptr->user_ptr), userptr->user_size, write);
  if (!object) return -EFAULT;
  userptr->handle = handle_of(object);
  return 0;
}

int DrmFile::gem_busy(void* arg) {
  auto* busy = static_cast<drm_i915_gem_busy*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(busy->handle);
  if (!object) return -ENOENT;
  // Low half: class + 1 of the engine that writes; high half: a bit for each class that reads (i915_drm.h). Which engine it was is not kept:
  // clients test for zero.
  busy->busy = 0;
  if ((object->last_write && !FenceClock::get().signalled(object->last_write)) ||
      (object->shared() && object->locks().others(1, last_ticket, false)))
    busy->busy |= 1 | 1u << 16;
  for (const FencePtr& fence : object->last_reads)
    if (!FenceClock::get().signalled(fence)) busy->busy |= 1u << 16;
  return 0;
}

int DrmFile::gem_wait(void* arg) {
  auto* wait = static_cast<drm_i915_gem_wait*>(arg);
  std::vector<FencePtr> fences;
  {
    MutexLock lock(driver_.gpu.lock());
    const BoPtr object = bo(wait->bo_handle);
    if (!object) return -ENOENT;
    fences = pending_of(*object, false);
  }
  const int64_t start = monotonic_ns();
  const bool done = wait_for(fences, deadline_after(wait->timeout_ns));
  if (wait->timeout_ns > 0) wait->timeout_ns = std::max<int64_t>(0, wait->timeout_ns - (monotonic_ns() - start));
  return done ? 0 : -ETIME;
}

int DrmFile::gem_get_aperture(void* arg) {
  auto* aperture = static_cast<drm_i915_gem_get_aperture*>(arg);
  aperture->aper_size = uint64_t{driver_.gpu.chip().global_table.pages} << 12;
  aperture->aper_available_size = aperture->aper_size;
  return 0;
}

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
// What every DRM driver answers: names, capabilities, handles, PRIME.
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"
#include "hw/run/kms_lists.h"
#include "hw/run/options.h"

namespace softgen::run {
namespace {

Mutex instance_mutex;                     ///< held while it is made or deleted
std::atomic<Driver*> instance = nullptr;  ///< existing() looks without the mutex

void copy_string(const char* text, char* out, __kernel_size_t* size) {
  const size_t length = std::strlen(text);
  if (out && *size) std::memcpy(out, text, std::min<size_t>(*size, length));
  *size = length;
}

}  // namespace

Driver* Driver::existing() { return instance; }

Driver* Driver::get() {
  MutexLock lock(instance_mutex);
  static bool failed = false;
  if (instance || failed) return instance;
  try {
    instance = new Driver(options_from_environment());
    Gpu::report_position_on(SIGUSR2);
    static const pid_t owner = getpid();
    std::atexit([] {
      if (getpid() != owner) return;  // a child made by fork() has none of its threads
      MutexLock at_exit(instance_mutex);
      Driver* driver = instance;
      instance = nullptr;
      delete driver;
    });
  } catch (const std::exception& e) {
    failed = true;
    std::fprintf(stderr, "softgen-run: the GPU cannot be made: %s\n", e.what());
  }
  return instance;
}

std::function<void()> Driver::kick_later() {
  return [] {
    MutexLock lock(instance_mutex);
    if (Driver* const driver = instance) driver->gpu.kick();
  };
}

DrmFile::DrmFile(Driver& driver, bool primary, int event_fd) : driver_(driver), primary_(primary), event_fd_(event_fd) {}

DrmFile::~DrmFile() {
  driver_.kms.closed(*this);
  MutexLock lock(driver_.gpu.lock());
  for (auto& [id, context] : contexts_) driver_.gpu.release(context);
  contexts_.clear();
  handles_.clear();
  if (event_fd_ >= 0) close(event_fd_);
}

BoPtr DrmFile::bo(uint32_t handle) {
  const auto it = handles_.find(handle);
  return it == handles_.end() ? nullptr : it->second;
}

uint32_t DrmFile::handle_of(const BoPtr& object) {
  const auto it = handle_by_id_.find(object->id());
  if (it != handle_by_id_.end()) return it->second;
  const uint32_t handle = next_handle_++;
  handles_[handle] = object;
  handle_by_id_[object->id()] = handle;
  if (!object->is_userptr()) driver_.by_inode[object->inode()] = object;
  return handle;
}

DrmFile::Mapping DrmFile::mapping(uint64_t offset) {
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(static_cast<uint32_t>((offset & ~linear_offset) >> 32));
  if (!object) return {};
  LinearView* const view = offset & linear_offset ? object->linear_view() : nullptr;
  if (view) view->fill(object->bytes());
  return {object, view ? view->fd() : object->fd(), offset & 0xffff'ffff};
}

int DrmFile::version(void* arg) {
  auto* v = static_cast<drm_version*>(arg);
  v->version_major = 1;
  v->version_minor = 6;
  v->version_patchlevel = 0;
  copy_string("i915", v->name, &v->name_len);
  copy_string("20201103", v->date, &v->date_len);
  copy_string("Intel Graphics", v->desc, &v->desc_len);
  return 0;
}

int DrmFile::get_unique(void* arg) {
  auto* u = static_cast<drm_unique*>(arg);
  copy_string("pci:0000:00:02.0", u->unique, &u->unique_len);
  return 0;
}

int DrmFile::get_magic(void* arg) {
  static_cast<drm_auth*>(arg)->magic = 1;
  return 0;
}

int DrmFile::accept(void*) { return 0; }

int DrmFile::set_version(void* arg) {
  auto* v = static_cast<drm_set_version*>(arg);
  v->drm_di_major = 1;
  v->drm_di_minor = 4;
  v->drm_dd_major = 1;
  v->drm_dd_minor = 6;
  return 0;
}

int DrmFile::get_cap(void* arg) {
  auto* cap = static_cast<drm_get_cap*>(arg);
  switch (cap->capability) {
    case DRM_CAP_PRIME: cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
    case DRM_CAP_ADDFB2_MODIFIERS: cap->value = 1; return 0;
    case DRM_CAP_VBLANK_HIGH_CRTC: cap->value = 1; return 0;
    case DRM_CAP_DUMB_PREFERRED_DEPTH: cap->value = 24; return 0;
    case DRM_CAP_DUMB_PREFER_SHADOW: cap->value = 1; return 0;
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT: cap->value = cursor_max_size; return 0;
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_PAGE_FLIP_TARGET: cap->value = 0; return 0;
    default: return -EINVAL;
  }
}

int DrmFile::set_client_cap(void* arg) {
  const auto* cap = static_cast<drm_set_client_cap*>(arg);
  switch (cap->capability) {
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
      if (!primary_) return -EACCES;
      if (cap->value > 1) return -EINVAL;
      universal_planes_ = cap->value;
      return 0;
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_ASPECT_RATIO: return primary_ ? 0 : -EACCES;
    case DRM_CLIENT_CAP_ATOMIC:
      if (!primary_ || cap->value > 2) return -EINVAL;
      atomic_ = universal_planes_ = cap->value;
      return 0;
    default: return -EOPNOTSUPP;
  }
}

int DrmFile::gem_close(void* arg) {
  MutexLock lock(driver_.gpu.lock());
  const auto it = handles_.find(static_cast<drm_gem_close*>(arg)->handle);
  if (it == handles_.end()) return -EINVAL;
  const uint64_t id = it->second->id();
  handle_by_id_.erase(id);
  const BoPtr object = it->second;
  handles_.erase(it);
  // Addresses of a closed object go when its last request is done; that request keeps it (and its pages) alive, and a new object bound in
  // its place replaces the entries.
  return 0;
}

int DrmFile::gem_flink(void* arg) {
  auto* flink = static_cast<drm_gem_flink*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(flink->handle);
  if (!object) return -ENOENT;
  for (const auto& [name, weak] : driver_.by_name)
    if (weak.lock() == object) return flink->name = name, 0;
  flink->name = driver_.next_name++;
  driver_.by_name[flink->name] = object;
  return 0;
}

int DrmFile::gem_open(void* arg) {
  auto* open = static_cast<drm_gem_open*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const auto it = driver_.by_name.find(open->name);
  const BoPtr object = it == driver_.by_name.end() ? nullptr : it->second.lock();
  if (!object) return -ENOENT;
  open->handle = handle_of(object);
  open->size = object->size();
  return 0;
}

int DrmFile::prime_handle_to_fd(void* arg) {
  auto* prime = static_cast<drm_prime_handle*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const BoPtr object = bo(prime->handle);
  if (!object) return -ENOENT;
  if (object->is_userptr()) return -EINVAL;
  driver_.gpu.share(object);
  const int fd = fcntl(object->fd(), prime->flags & DRM_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
  if (fd < 0) return -errno;
  prime->fd = fd;
  return 0;
}

int DrmFile::prime_fd_to_handle(void* arg) {
  auto* prime = static_cast<drm_prime_handle*>(arg);
  struct stat st;
  if (fstat(prime->fd, &st) != 0) return -errno;
  MutexLock lock(driver_.gpu.lock());
  const auto known = driver_.by_inode.find({st.st_dev, st.st_ino});
  BoPtr object = known == driver_.by_inode.end() ? nullptr : known->second.lock();
  if (!object) object = Bo::import(driver_.gpu.arena(), prime->fd);
  if (!object) return -EINVAL;
  prime->handle = handle_of(object);
  return 0;
}

}  // namespace softgen::run

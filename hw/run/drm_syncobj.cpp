// SPDX-License-Identifier: GPL-2.0-or-later
// Syncobjs, binary and timeline. Semantics: Linux drivers/gpu/drm/drm_syncobj.c.
#include <drm.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"

namespace softgen::run {
namespace {

using FileId = std::pair<dev_t, ino_t>;
std::optional<FileId> file_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

/// Descriptors of syncobjs. Each stands for a file of its own (memfd), so that one which came over a socket is known by its file; a syncobj that
/// has no other owner while its descriptor is under way is lost.
struct Exported {
  Mutex mutex;
  std::unordered_map<int, SyncobjPtr> objects SG_GUARDED_BY(mutex);
  std::map<FileId, std::weak_ptr<Syncobj>> files SG_GUARDED_BY(mutex);
};

Exported& exported() {
  static Exported& instance = *new Exported;
  return instance;
}

template <typename T>
std::span<T> user_array(uint64_t address, uint32_t count) {
  return {reinterpret_cast<T*>(address), address ? count : 0};
}

/// Waits for `points` (0: binary) of `objects`. `first`: index of a signalled one when not all are asked for.
int wait(std::vector<SyncobjPtr> objects, std::span<const uint64_t> points, uint32_t flags, int64_t deadline, uint32_t* first) {
  const bool all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
  const bool for_submit = flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE);
  const bool available = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
  int result = 0;
  const auto done = [&] {
    size_t count = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
      const FencePtr fence = objects[i]->find(points.empty() ? 0 : points[i]);
      if (!fence && !for_submit) {
        result = -EINVAL;
        return true;
      }
      if (fence && (available || fence->signalled)) {
        if (count++ == 0) *first = static_cast<uint32_t>(i);
      }
    }
    return all ? count == objects.size() : count > 0;
  };
  if (!FenceClock::get().wait(deadline, done)) return -ETIME;
  return result;
}

}  // namespace

SyncobjPtr exported_syncobj(int fd) {
  MutexLock lock(exported().mutex);
  const auto it = exported().objects.find(fd);
  if (it != exported().objects.end()) return it->second;
  if (exported().files.empty()) return nullptr;
  const auto file = file_of(fd);
  const auto known = file ? exported().files.find(*file) : exported().files.end();
  return known == exported().files.end() ? nullptr : known->second.lock();
}

void export_syncobj(int fd, SyncobjPtr syncobj) {
  MutexLock lock(exported().mutex);
  std::erase_if(exported().files, [](const auto& entry) { return entry.second.expired(); });
  if (const auto file = file_of(fd)) exported().files[*file] = syncobj;
  exported().objects[fd] = std::move(syncobj);
}

void forget_syncobj(int fd) {
  MutexLock lock(exported().mutex);
  exported().objects.erase(fd);
}

SyncobjPtr DrmFile::syncobj(uint32_t handle) {
  const auto it = syncobjs_.find(handle);
  return it == syncobjs_.end() ? nullptr : it->second;
}

int DrmFile::syncobj_create(void* arg) {
  auto* create = static_cast<drm_syncobj_create*>(arg);
  auto object = std::make_shared<Syncobj>();
  if (create->flags & DRM_SYNCOBJ_CREATE_SIGNALED) object->fence = FenceClock::get().completed();
  MutexLock lock(driver_.gpu.lock());
  create->handle = next_syncobj_++;
  syncobjs_[create->handle] = std::move(object);
  return 0;
}

int DrmFile::syncobj_destroy(void* arg) {
  MutexLock lock(driver_.gpu.lock());
  return syncobjs_.erase(static_cast<drm_syncobj_destroy*>(arg)->handle) ? 0 : -EINVAL;
}

int DrmFile::syncobj_handle_to_fd(void* arg) {
  auto* handle = static_cast<drm_syncobj_handle*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const SyncobjPtr object = syncobj(handle->handle);
  if (!object) return -EINVAL;
  if (handle->flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
    const FencePtr fence = FenceClock::get().locked([&] { return object->fence; });
    if (!fence) return -EINVAL;
    handle->fd = export_sync_file(fence);
  } else {
    handle->fd = memfd_create("softgen syncobj", MFD_CLOEXEC);
    if (handle->fd >= 0) export_syncobj(handle->fd, object);
  }
  return handle->fd < 0 ? -EMFILE : 0;
}

int DrmFile::syncobj_fd_to_handle(void* arg) {
  auto* handle = static_cast<drm_syncobj_handle*>(arg);
  if (handle->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) {
    const FencePtr fence = import_sync_file(handle->fd, Driver::kick_later());
    if (!fence) return -EINVAL;
    MutexLock lock(driver_.gpu.lock());
    const SyncobjPtr object = syncobj(handle->handle);
    if (!object) return -EINVAL;
    FenceClock::get().locked([&] { object->replace(fence); });
  } else {
    const SyncobjPtr object = exported_syncobj(handle->fd);
    if (!object) return -EINVAL;
    MutexLock lock(driver_.gpu.lock());
    handle->handle = next_syncobj_++;
    syncobjs_[handle->handle] = object;
  }
  FenceClock::get().notify();
  return 0;
}

/// The objects of an array of handles; empty when one of them does not exist. Under the driver's lock.
std::vector<SyncobjPtr> DrmFile::syncobjs(uint64_t handles, uint32_t count) {
  std::vector<SyncobjPtr> objects;
  for (uint32_t handle : user_array<uint32_t>(handles, count)) {
    objects.push_back(syncobj(handle));
    if (!objects.back()) return {};
  }
  return objects;
}

/// DRM_IOCTL_SYNCOBJ_WAIT and _TIMELINE_WAIT: the same but for the points.
template <typename Wait>
int DrmFile::wait_for_syncobjs(Wait& w, std::span<const uint64_t> points) {
  if (!w.count_handles) return -EINVAL;
  std::vector<SyncobjPtr> objects;
  {
    MutexLock lock(driver_.gpu.lock());
    objects = syncobjs(w.handles, w.count_handles);
  }
  return objects.empty() ? -ENOENT : wait(std::move(objects), points, w.flags, w.timeout_nsec, &w.first_signaled);
}

int DrmFile::syncobj_wait(void* arg) { return wait_for_syncobjs(*static_cast<drm_syncobj_wait*>(arg), {}); }

int DrmFile::syncobj_timeline_wait(void* arg) {
  auto& w = *static_cast<drm_syncobj_timeline_wait*>(arg);
  return wait_for_syncobjs(w, user_array<uint64_t>(w.points, w.count_handles));
}

/// Does something to each object of an array, under the fences' lock.
template <typename Array, typename Body>
int DrmFile::for_each_syncobj(const Array& array, Body body) {
  if (!array.count_handles) return -EINVAL;
  MutexLock lock(driver_.gpu.lock());
  const std::vector<SyncobjPtr> objects = syncobjs(array.handles, array.count_handles);
  if (objects.empty()) return -ENOENT;
  FenceClock::get().locked([&] {
    for (size_t i = 0; i < objects.size(); ++i) body(*objects[i], i);
  });
  return 0;
}

/// The same with a body that signals them: work and waiters may have become ready.
template <typename Array, typename Body>
int DrmFile::signal_syncobjs(const Array& array, Body body) {
  if (const int result = for_each_syncobj(array, body)) return result;
  FenceClock::get().notify();
  driver_.gpu.kick();
  return 0;
}

int DrmFile::syncobj_reset(void* arg) {
  return for_each_syncobj(*static_cast<drm_syncobj_array*>(arg), [](Syncobj& object, size_t) { object.replace(nullptr); });
}

int DrmFile::syncobj_signal(void* arg) {
  return signal_syncobjs(*static_cast<drm_syncobj_array*>(arg),
                         [](Syncobj& object, size_t) { object.replace(FenceClock::get().completed()); });
}

int DrmFile::syncobj_timeline_signal(void* arg) {
  const auto& array = *static_cast<drm_syncobj_timeline_array*>(arg);
  const auto points = user_array<uint64_t>(array.points, array.count_handles);
  if (points.empty()) return -EINVAL;
  return signal_syncobjs(array, [&](Syncobj& object, size_t i) { object.add_point(points[i], FenceClock::get().completed()); });
}

int DrmFile::syncobj_query(void* arg) {
  const auto& array = *static_cast<drm_syncobj_timeline_array*>(arg);
  const auto points = user_array<uint64_t>(array.points, array.count_handles);
  if (points.empty()) return -EINVAL;
  const bool last_submitted = array.flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED;
  return for_each_syncobj(array, [&](Syncobj& object, size_t i) {
    if (last_submitted) points[i] = object.points.empty() ? 0 : object.points.rbegin()->first;
    else points[i] = object.signalled_point();
  });
}

int DrmFile::syncobj_transfer(void* arg) {
  const auto* transfer = static_cast<drm_syncobj_transfer*>(arg);
  SyncobjPtr from, to;
  {
    MutexLock lock(driver_.gpu.lock());
    from = syncobj(transfer->src_handle);
    to = syncobj(transfer->dst_handle);
  }
  if (!from || !to) return -ENOENT;
  FencePtr fence;
  const auto found = [&] { return (fence = from->find(transfer->src_point)) != nullptr; };
  const bool wait_for_submit = transfer->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
  if (wait_for_submit) FenceClock::get().wait(INT64_MAX, found);
  else if (!FenceClock::get().locked(found)) return -EINVAL;
  FenceClock::get().locked([&] {
    if (transfer->dst_point) to->add_point(transfer->dst_point, fence);
    else to->replace(fence);
  });
  FenceClock::get().notify();
  return 0;
}

}  // namespace softgen::run

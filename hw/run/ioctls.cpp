// SPDX-License-Identifier: GPL-2.0-or-later
// The ioctls our node answers: one table, by number.
#include <drm.h>
#include <errno.h>
#include <i915_drm.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/run/drm_file.h"

namespace softgen::run {
namespace {

using Handler = int (DrmFile::*)(void*);

struct Ioctl {
  unsigned long request;
  Handler handler;
};

// What needs no work on a model whose memory is coherent and whose clients are trusted is `accept`ed: authentication, cache hints.
constexpr Ioctl table[] = {
    {DRM_IOCTL_VERSION, &DrmFile::version},
    {DRM_IOCTL_GET_UNIQUE, &DrmFile::get_unique},
    {DRM_IOCTL_GET_MAGIC, &DrmFile::get_magic},
    {DRM_IOCTL_AUTH_MAGIC, &DrmFile::accept},
    {DRM_IOCTL_SET_VERSION, &DrmFile::set_version},
    {DRM_IOCTL_SET_MASTER, &DrmFile::accept},
    {DRM_IOCTL_DROP_MASTER, &DrmFile::accept},
    {DRM_IOCTL_GET_CAP, &DrmFile::get_cap},
    {DRM_IOCTL_SET_CLIENT_CAP, &DrmFile::set_client_cap},
    {DRM_IOCTL_GEM_CLOSE, &DrmFile::gem_close},
    {DRM_IOCTL_GEM_FLINK, &DrmFile::gem_flink},
    {DRM_IOCTL_GEM_OPEN, &DrmFile::gem_open},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, &DrmFile::prime_handle_to_fd},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, &DrmFile::prime_fd_to_handle},
    {DRM_IOCTL_SYNCOBJ_CREATE, &DrmFile::syncobj_create},
    {DRM_IOCTL_SYNCOBJ_DESTROY, &DrmFile::syncobj_destroy},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &DrmFile::syncobj_handle_to_fd},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &DrmFile::syncobj_fd_to_handle},
    {DRM_IOCTL_SYNCOBJ_WAIT, &DrmFile::syncobj_wait},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &DrmFile::syncobj_timeline_wait},
    {DRM_IOCTL_SYNCOBJ_RESET, &DrmFile::syncobj_reset},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, &DrmFile::syncobj_signal},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &DrmFile::syncobj_timeline_signal},
    {DRM_IOCTL_SYNCOBJ_QUERY, &DrmFile::syncobj_query},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, &DrmFile::syncobj_transfer},
    {DRM_IOCTL_I915_GETPARAM, &DrmFile::getparam},
    {DRM_IOCTL_I915_QUERY, &DrmFile::query},
    {DRM_IOCTL_I915_REG_READ, &DrmFile::reg_read},
    {DRM_IOCTL_I915_GET_RESET_STATS, &DrmFile::get_reset_stats},
    {DRM_IOCTL_I915_GEM_CREATE, &DrmFile::gem_create},
    {DRM_IOCTL_I915_GEM_CREATE_EXT, &DrmFile::gem_create_ext},
    {DRM_IOCTL_I915_GEM_MMAP, &DrmFile::gem_mmap},
    {DRM_IOCTL_I915_GEM_MMAP_OFFSET, &DrmFile::gem_mmap_offset},
    {DRM_IOCTL_I915_GEM_PREAD, &DrmFile::gem_pread},
    {DRM_IOCTL_I915_GEM_PWRITE, &DrmFile::gem_pwrite},
    {DRM_IOCTL_I915_GEM_SET_DOMAIN, &DrmFile::gem_set_domain},
    {DRM_IOCTL_I915_GEM_SW_FINISH, &DrmFile::gem_sw_finish},
    {DRM_IOCTL_I915_GEM_SET_TILING, &DrmFile::gem_set_tiling},
    {DRM_IOCTL_I915_GEM_GET_TILING, &DrmFile::gem_get_tiling},
    {DRM_IOCTL_I915_GEM_SET_CACHING, &DrmFile::gem_set_caching},
    {DRM_IOCTL_I915_GEM_GET_CACHING, &DrmFile::gem_get_caching},
    {DRM_IOCTL_I915_GEM_MADVISE, &DrmFile::gem_madvise},
    {DRM_IOCTL_I915_GEM_USERPTR, &DrmFile::gem_userptr},
    {DRM_IOCTL_I915_GEM_BUSY, &DrmFile::gem_busy},
    {DRM_IOCTL_I915_GEM_WAIT, &DrmFile::gem_wait},
    {DRM_IOCTL_I915_GEM_GET_APERTURE, &DrmFile::gem_get_aperture},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &DrmFile::context_create},
    {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &DrmFile::context_destroy},
    {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &DrmFile::context_getparam},
    {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &DrmFile::context_setparam},
    {DRM_IOCTL_I915_GEM_VM_CREATE, &DrmFile::vm_create},
    {DRM_IOCTL_I915_GEM_VM_DESTROY, &DrmFile::vm_destroy},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &DrmFile::execbuffer2},
    {DRM_IOCTL_I915_PERF_OPEN, &DrmFile::perf_open},
    {DRM_IOCTL_I915_PERF_ADD_CONFIG, &DrmFile::perf_add_config},
    {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &DrmFile::perf_remove_config},
};

constexpr size_t max_argument = 512;

}  // namespace

int DrmFile::ioctl(unsigned long request, void* arg) {
  const unsigned number = _IOC_NR(request);
  if (_IOC_TYPE(request) != DRM_IOCTL_BASE) return -ENOTTY;
  const auto row = std::find_if(std::begin(table), std::end(table), [&](const Ioctl& i) { return _IOC_NR(i.request) == number; });
  const bool modeset = number >= DRM_COMMAND_END && number < 0xd0;
  if (row == std::end(table) && modeset) return primary_ ? driver_.kms.ioctl(*this, request, arg) : -EACCES;
  if (row == std::end(table)) {
    unimplemented("ioctl", "DRM ioctl {:#x} ({:#x})", number, request);
    return -EINVAL;
  }
  // As drm_ioctl(): callers built with older or newer headers pass shorter or longer structures; what is missing reads as zero.
  const size_t theirs = _IOC_SIZE(request), ours = _IOC_SIZE(row->request);
  alignas(16) std::array<std::byte, max_argument> buffer = {};
  if (ours > buffer.size()) return -EINVAL;
  std::memcpy(buffer.data(), arg, std::min(theirs, ours));
  const int result = (this->*row->handler)(buffer.data());
  std::memcpy(arg, buffer.data(), std::min(theirs, ours));
  return result;
}

}  // namespace softgen::run

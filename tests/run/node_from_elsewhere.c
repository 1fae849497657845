// SPDX-License-Identifier: GPL-2.0-or-later
// A descriptor of the render node that another process has opened and sent, as X servers (DRI3) and login daemons do it, is a node here, too; one of another
// kind is not. A buffer from there has the tiling that was set there, and the ioctls of a dma-buf; a sync_file has the state of its fence. The program sends all of them to a second process of
// itself.
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

enum { NODE, SOCKET, BUFFER, SYNC_FILE, FILES };

union Control {
  char bytes[CMSG_SPACE(FILES * sizeof(int))];
  struct cmsghdr header;
};

// `files` are put into the message, or come from it.
static struct msghdr message_of(struct iovec* byte, union Control* control) {
  static char data = 'f';
  *byte = (struct iovec){&data, 1};
  struct msghdr message = {.msg_iov = byte, .msg_iovlen = 1, .msg_control = control->bytes, .msg_controllen = sizeof control->bytes};
  return message;
}

static void check_signalled(int fd) {
  struct sync_fence_info fence = {.status = -1};
  struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
  check(ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0, "SYNC_IOC_FILE_INFO");
  check(info.num_fences == 1 && info.status == 1 && fence.status == 1, "a signalled fence");
}

static int receiver(int connection) {
  struct iovec byte;
  union Control control;
  struct msghdr message = message_of(&byte, &control);
  check(recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == 1, "recvmsg");
  int files[FILES];
  memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof files);
  check_signalled(files[SYNC_FILE]);
  struct sync_merge_data merge = {.fd2 = files[SYNC_FILE]};
  check(ioctl(files[SYNC_FILE], SYNC_IOC_MERGE, &merge) == 0, "SYNC_IOC_MERGE");
  check_signalled(merge.fence);
  check(ioctl(files[BUFFER], SYNC_IOC_MERGE, &merge) != 0, "a buffer is no sync_file");
  struct dma_buf_import_sync_file use = {.flags = DMA_BUF_SYNC_RW, .fd = files[SYNC_FILE]};
  check(ioctl(files[BUFFER], DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &use) == 0, "IMPORT_SYNC_FILE");
  struct dma_buf_export_sync_file uses = {.flags = DMA_BUF_SYNC_RW, .fd = -1};
  check(ioctl(files[BUFFER], DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &uses) == 0, "EXPORT_SYNC_FILE");
  check_signalled(uses.fd);
  struct stat st;
  check(fstat(files[NODE], &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(226, 128), "fstat of the node");
  check(fstat(files[SOCKET], &st) == 0 && S_ISSOCK(st.st_mode), "fstat of a socket");
  drmVersion* none = drmGetVersion(files[SOCKET]);
  check(none == NULL, "a socket is no node");
  drmVersion* version = drmGetVersion(files[NODE]);
  check(version && strcmp(version->name, "i915") == 0, "DRM_IOCTL_VERSION");
  drmDevice* device = NULL;
  check(drmGetDevice2(files[NODE], 0, &device) == 0 && device->bustype == DRM_BUS_PCI, "drmGetDevice2");
  struct drm_i915_gem_create create = {.size = 4096};
  check(drmIoctl(files[NODE], DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE");
  struct drm_i915_gem_mmap_offset map = {.handle = create.handle, .flags = I915_MMAP_OFFSET_WB};
  check(drmIoctl(files[NODE], DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map) == 0, "GEM_MMAP_OFFSET");
  volatile unsigned* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[NODE], (off_t)map.offset);
  check(memory != MAP_FAILED, "mmap");
  memory[0] = 7;
  check(memory[0] == 7 && memory[1] == 0, "memory");
  struct drm_i915_gem_get_tiling tiling = {0};
  check(drmPrimeFDToHandle(files[NODE], files[BUFFER], &tiling.handle) == 0, "PRIME_FD_TO_HANDLE");
  check(drmIoctl(files[NODE], DRM_IOCTL_I915_GEM_GET_TILING, &tiling) == 0 && tiling.tiling_mode == I915_TILING_Y, "GEM_GET_TILING");
  tiling.handle = create.handle;
  check(drmIoctl(files[NODE], DRM_IOCTL_I915_GEM_GET_TILING, &tiling) == 0 && tiling.tiling_mode == I915_TILING_NONE, "GEM_GET_TILING");
  printf("the node works\n");
  return 0;
}

// Of 128 by 32 bytes; the descriptor of it.
static int tiled_buffer(int node) {
  struct drm_i915_gem_create create = {.size = 4096};
  check(drmIoctl(node, DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE");
  struct drm_i915_gem_set_tiling tiling = {.handle = create.handle, .tiling_mode = I915_TILING_Y, .stride = 128};
  check(drmIoctl(node, DRM_IOCTL_I915_GEM_SET_TILING, &tiling) == 0, "GEM_SET_TILING");
  int buffer = -1;
  check(drmPrimeHandleToFD(node, create.handle, DRM_CLOEXEC, &buffer) == 0, "PRIME_HANDLE_TO_FD");
  return buffer;
}

static int signalled_sync_file(int node) {
  uint32_t object = 0;
  int fd = -1;
  check(drmSyncobjCreate(node, DRM_SYNCOBJ_CREATE_SIGNALED, &object) == 0, "SYNCOBJ_CREATE");
  check(drmSyncobjExportSyncFile(node, object, &fd) == 0, "SYNCOBJ_HANDLE_TO_FD");
  return fd;
}

int main(int argc, char** argv) {
  if (argc == 2) return receiver(atoi(argv[1]));
  int ends[2], others[2];
  check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, others) == 0, "socketpair");
  const int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  check(node >= 0, "the node");
  const int files[FILES] = {node, others[0], tiled_buffer(node), signalled_sync_file(node)};
  char number[16];
  snprintf(number, sizeof number, "%d", ends[1]);
  char* arguments[] = {argv[0], number, NULL};
  pid_t child;
  extern char** environ;
  check(posix_spawn(&child, argv[0], NULL, NULL, arguments, environ) == 0, "posix_spawn");
  struct iovec byte;
  union Control control;
  struct msghdr message = message_of(&byte, &control);
  struct cmsghdr* rights = CMSG_FIRSTHDR(&message);
  *rights = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof files), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(rights), files, sizeof files);
  check(sendmsg(ends[0], &message, 0) == 1, "sendmsg");
  int status = 0;
  check(waitpid(child, &status, 0) == child, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

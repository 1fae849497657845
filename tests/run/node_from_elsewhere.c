// SPDX-License-Identifier: GPL-2.0-or-later
// A descriptor of the render node that another process has opened and sent, as X servers (DRI3) and login daemons do it, is a node here, too; one of another
// kind is not. A buffer from there has the tiling that was set there. The program sends all three to a second process of itself.
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

union Control {
  char bytes[CMSG_SPACE(3 * sizeof(int))];
  struct cmsghdr header;
};

// `files` are put into the message, or come from it.
static struct msghdr message_of(struct iovec* byte, union Control* control) {
  static char data = 'f';
  *byte = (struct iovec){&data, 1};
  struct msghdr message = {.msg_iov = byte, .msg_iovlen = 1, .msg_control = control->bytes, .msg_controllen = sizeof control->bytes};
  return message;
}

static int receiver(int connection) {
  struct iovec byte;
  union Control control;
  struct msghdr message = message_of(&byte, &control);
  check(recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == 1, "recvmsg");
  int files[3];
  memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof files);
  struct stat st;
  check(fstat(files[0], &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(226, 128), "fstat of the node");
  check(fstat(files[1], &st) == 0 && S_ISSOCK(st.st_mode), "fstat of a socket");
  drmVersion* none = drmGetVersion(files[1]);
  check(none == NULL, "a socket is no node");
  drmVersion* version = drmGetVersion(files[0]);
  check(version && strcmp(version->name, "i915") == 0, "DRM_IOCTL_VERSION");
  drmDevice* device = NULL;
  check(drmGetDevice2(files[0], 0, &device) == 0 && device->bustype == DRM_BUS_PCI, "drmGetDevice2");
  struct drm_i915_gem_create create = {.size = 4096};
  check(drmIoctl(files[0], DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE");
  struct drm_i915_gem_mmap_offset map = {.handle = create.handle, .flags = I915_MMAP_OFFSET_WB};
  check(drmIoctl(files[0], DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map) == 0, "GEM_MMAP_OFFSET");
  volatile unsigned* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], (off_t)map.offset);
  check(memory != MAP_FAILED, "mmap");
  memory[0] = 7;
  check(memory[0] == 7 && memory[1] == 0, "memory");
  struct drm_i915_gem_get_tiling tiling = {0};
  check(drmPrimeFDToHandle(files[0], files[2], &tiling.handle) == 0, "PRIME_FD_TO_HANDLE");
  check(drmIoctl(files[0], DRM_IOCTL_I915_GEM_GET_TILING, &tiling) == 0 && tiling.tiling_mode == I915_TILING_Y, "GEM_GET_TILING");
  tiling.handle = create.handle;
  check(drmIoctl(files[0], DRM_IOCTL_I915_GEM_GET_TILING, &tiling) == 0 && tiling.tiling_mode == I915_TILING_NONE, "GEM_GET_TILING");
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

int main(int argc, char** argv) {
  if (argc == 2) return receiver(atoi(argv[1]));
  int ends[2], others[2];
  check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, others) == 0, "socketpair");
  const int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  check(node >= 0, "the node");
  const int files[3] = {node, others[0], tiled_buffer(node)};
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

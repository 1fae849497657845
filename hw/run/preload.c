/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The libc calls through which a program finds and uses a DRM node. Each passes on what is not ours. Paths of /dev/dri and of the
 * device's sysfs folders are redirected to stand-ins that softgen-run has made (stand_ins.cpp).
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* or the headers turn open() into open64() */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "hw/run/node.h"
#include "hw/run/process_end.h"

#define EXPORT __attribute__((visibility("default")))
#define DRM_MAJOR 226
#define DRM_IOCTL_TYPE 'd'

/* The next definition of a libc function, looked up once. */
#define NEXT(name)                      \
  static __typeof__(&name) next_##name; \
  if (!next_##name) { *(void**)&next_##name = dlsym(RTLD_NEXT, #name); }

static mode_t open_mode(int flags, va_list arguments) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; }

#define UNPACK(...) __VA_ARGS__
/* `leading`: the parameters before the path, each followed by a comma; `passed`: the same as arguments. */
#define DEFINE_OPEN(name, leading, passed)                                       \
  EXPORT int name(UNPACK leading const char* path, int flags, ...) {             \
    NEXT(name)                                                                   \
    char buffer[PATH_MAX];                                                       \
    enum sgrun_node node = sgrun_node_of_path(path);                             \
    if (node != SGRUN_NONE) { return sgrun_open(node, flags); }                  \
    va_list arguments;                                                           \
    va_start(arguments, flags);                                                  \
    mode_t mode = open_mode(flags, arguments);                                   \
    va_end(arguments);                                                           \
    return next_##name(UNPACK passed sgrun_redirect(path, buffer), flags, mode); \
  }

DEFINE_OPEN(open, (), ())
DEFINE_OPEN(open64, (), ())
DEFINE_OPEN(openat, (int directory, ), (directory, ))
DEFINE_OPEN(openat64, (int directory, ), (directory, ))

/* What _FORTIFY_SOURCE calls instead of open() without a mode. */
EXPORT int __open_2(const char* path, int flags) { return open(path, flags); }

EXPORT int __open64_2(const char* path, int flags) { return open64(path, flags); }

EXPORT FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen)
  char buffer[PATH_MAX];
  return next_fopen(sgrun_redirect(path, buffer), mode);
}

EXPORT FILE* fopen64(const char* path, const char* mode) {
  NEXT(fopen64)
  char buffer[PATH_MAX];
  return next_fopen64(sgrun_redirect(path, buffer), mode);
}

EXPORT DIR* opendir(const char* path) {
  NEXT(opendir)
  char buffer[PATH_MAX];
  return next_opendir(sgrun_redirect(path, buffer));
}

EXPORT int access(const char* path, int mode) {
  NEXT(access)
  char buffer[PATH_MAX];
  return next_access(sgrun_redirect(path, buffer), mode);
}

#define AS_NODE(st, node)                                 \
  do {                                                    \
    (st)->st_mode = S_IFCHR | 0666;                       \
    (st)->st_rdev = makedev(DRM_MAJOR, (unsigned)(node)); \
  } while (0)

/* `result`, `mode`: what fstat() gave. */
static enum sgrun_node node_of_status(int fd, int result, mode_t mode) {
  enum sgrun_node node = sgrun_node_of_fd(fd);
  return node == SGRUN_NONE && result == 0 && S_ISSOCK(mode) ? sgrun_adopt(fd) : node;
}

#define DEFINE_STAT(name, type)                                   \
  EXPORT int name(const char* path, struct type* st) {            \
    NEXT(name)                                                    \
    char buffer[PATH_MAX];                                        \
    int result = next_##name(sgrun_redirect(path, buffer), st);   \
    enum sgrun_node node = sgrun_node_of_path(path);              \
    if (result == 0 && node != SGRUN_NONE) { AS_NODE(st, node); } \
    return result;                                                \
  }

#define DEFINE_FSTAT(name, type)                                    \
  EXPORT int name(int fd, struct type* st) {                        \
    NEXT(name)                                                      \
    int result = next_##name(fd, st);                               \
    enum sgrun_node node = node_of_status(fd, result, st->st_mode); \
    if (result == 0 && node != SGRUN_NONE) { AS_NODE(st, node); }   \
    return result;                                                  \
  }

#define DEFINE_FSTATAT(name, type)                                                                              \
  EXPORT int name(int directory, const char* path, struct type* st, int flags) {                                \
    NEXT(name)                                                                                                  \
    char buffer[PATH_MAX];                                                                                      \
    int result = next_##name(directory, sgrun_redirect(path, buffer), st, flags);                               \
    enum sgrun_node node = path[0] ? sgrun_node_of_path(path) : node_of_status(directory, result, st->st_mode); \
    if (result == 0 && node != SGRUN_NONE) { AS_NODE(st, node); }                                               \
    return result;                                                                                              \
  }

DEFINE_STAT(stat, stat)
DEFINE_STAT(stat64, stat64)
DEFINE_STAT(lstat, stat)
DEFINE_STAT(lstat64, stat64)
DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)
DEFINE_FSTATAT(fstatat, stat)
DEFINE_FSTATAT(fstatat64, stat64)

EXPORT int statx(int directory, const char* path, int flags, unsigned mask, struct statx* st) {
  NEXT(statx)
  char buffer[PATH_MAX];
  int result = next_statx(directory, sgrun_redirect(path, buffer), flags, mask, st);
  enum sgrun_node node = path[0] ? sgrun_node_of_path(path) : node_of_status(directory, result, st->stx_mode);
  if (result == 0 && node != SGRUN_NONE) {
    st->stx_mode = S_IFCHR | 0666;
    st->stx_rdev_major = DRM_MAJOR;
    st->stx_rdev_minor = (unsigned)node;
  }
  return result;
}

EXPORT ssize_t readlink(const char* path, char* target, size_t size) {
  NEXT(readlink)
  char buffer[PATH_MAX];
  return next_readlink(sgrun_redirect(path, buffer), target, size);
}

EXPORT char* realpath(const char* path, char* resolved) {
  NEXT(realpath)
  char buffer[PATH_MAX];
  char* result = next_realpath(sgrun_redirect(path, buffer), resolved);
  if (result) { sgrun_unredirect(result, PATH_MAX); }
  return result;
}

EXPORT int ioctl(int fd, unsigned long request, ...) {
  NEXT(ioctl)
  va_list arguments;
  va_start(arguments, request);
  void* arg = va_arg(arguments, void*);
  va_end(arguments);
  if (sgrun_kind_of_fd(fd) != SGRUN_FOREIGN) { return sgrun_ioctl(fd, request, arg); }
  if (_IOC_TYPE(request) == DRM_IOCTL_TYPE && sgrun_adopt(fd) != SGRUN_NONE) { return sgrun_ioctl(fd, request, arg); }
  if (sgrun_knows_request(fd, request)) { return sgrun_ioctl(fd, request, arg); }
  return next_ioctl(fd, request, arg);
}

EXPORT ssize_t read(int fd, void* buffer, size_t size) {
  NEXT(read)
  return sgrun_is_perf_stream(fd) ? sgrun_read(fd, buffer, size) : next_read(fd, buffer, size);
}

/* What _FORTIFY_SOURCE calls instead of read(). */
extern ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room);

EXPORT ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  NEXT(__read_chk)
  return size <= room && sgrun_is_perf_stream(fd) ? sgrun_read(fd, buffer, size) : next___read_chk(fd, buffer, size, room);
}

EXPORT void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  NEXT(mmap)
  if (fd >= 0 && sgrun_node_of_fd(fd) != SGRUN_NONE) { return sgrun_mmap(address, length, protection, flags, fd, offset); }
  return next_mmap(address, length, protection, flags, fd, offset);
}

EXPORT void* mmap64(void* address, size_t length, int protection, int flags, int fd, off64_t offset) {
  return mmap(address, length, protection, flags, fd, offset);
}

EXPORT int close(int fd) {
  NEXT(close)
  sgrun_closed(fd);
  return next_close(fd);
}

EXPORT int dup(int fd) {
  NEXT(dup)
  int copy = next_dup(fd);
  sgrun_duplicated(fd, copy);
  return copy;
}

EXPORT int dup2(int from, int to) {
  NEXT(dup2)
  int copy = next_dup2(from, to);
  sgrun_duplicated(from, copy);
  return copy;
}

EXPORT int dup3(int from, int to, int flags) {
  NEXT(dup3)
  int copy = next_dup3(from, to, flags);
  sgrun_duplicated(from, copy);
  return copy;
}

#define DEFINE_FCNTL(name)                                                                  \
  EXPORT int name(int fd, int command, ...) {                                               \
    NEXT(name)                                                                              \
    va_list arguments;                                                                      \
    va_start(arguments, command);                                                           \
    void* arg = va_arg(arguments, void*);                                                   \
    va_end(arguments);                                                                      \
    int result = next_##name(fd, command, arg);                                             \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) { sgrun_duplicated(fd, result); } \
    return result;                                                                          \
  }

DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

EXPORT void _exit(int status) {
  NEXT(_exit)
  sgrun_before_exit();
  next__exit(status);
  __builtin_unreachable();
}

EXPORT void _Exit(int status) { _exit(status); }

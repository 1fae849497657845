/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the libc wrappers (preload.c) ask of the driver. */
#ifndef SOFTGEN_RUN_NODE_H
#define SOFTGEN_RUN_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sgrun_node { SGRUN_NONE = -1, SGRUN_CARD = 0, SGRUN_RENDER = 128 }; /* values: DRM minors */
enum sgrun_kind { SGRUN_FOREIGN, SGRUN_DRM, SGRUN_SYNC_FILE, SGRUN_PERF_STREAM };

/* The node of a path of /dev/dri, or SGRUN_NONE. */
enum sgrun_node sgrun_node_of_path(const char* path);
/* `path` itself, or the path of its stand-in (in `buffer`, of PATH_MAX bytes) when it names our /dev/dri or sysfs. */
const char* sgrun_redirect(const char* path, char* buffer);
/* The inverse, for realpath and readlink: `path` is changed in place when it is under the stand-ins; `size` is the room. */
void sgrun_unredirect(char* path, size_t size);

/* A new open of a node: a descriptor, or -1 with errno. */
int sgrun_open(enum sgrun_node node, int flags);
/* A descriptor that another process of softgen-run's opened, and that came by a socket or was inherited: from now on a node of this process, opened anew. Its
 * node, or SGRUN_NONE: it is something else, or known already. */
enum sgrun_node sgrun_adopt(int fd);
/* Whether a descriptor of no kind below gets this request answered: it may be a sync_file of another process of softgen-run's, or is a buffer. */
bool sgrun_knows_request(int fd, unsigned long request);
enum sgrun_kind sgrun_kind_of_fd(int fd);
enum sgrun_node sgrun_node_of_fd(int fd);
/* A stream of performance reports: sgrun_read() replaces read(2) for it. */
bool sgrun_is_perf_stream(int fd);
ssize_t sgrun_read(int fd, void* buffer, size_t size);
/* -1 with errno, as ioctl(2). */
int sgrun_ioctl(int fd, unsigned long request, void* arg);
void* sgrun_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset);
void sgrun_closed(int fd);
void sgrun_duplicated(int from, int to);

#ifdef __cplusplus
}
#endif
#endif

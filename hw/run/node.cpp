// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors of our node, and the paths that lead to it.
#include "hw/run/node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>

#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"
#include "hw/run/options.h"
#include "hw/run/use_locks.h"

namespace softgen::run {
namespace {

struct Node {
  sgrun_node minor;
  std::shared_ptr<DrmFile> file;
};

struct Table {
  Mutex mutex;
  std::unordered_map<int, Node> nodes SG_GUARDED_BY(mutex);
  std::atomic<size_t> count{0};  // lets other descriptors pass without the lock while there are none
};

// The program's allocator may open files before it can allocate (jemalloc reads a link as it starts): what is asked for each file of
// the program allocates nothing unless it is ours. Neither of the two is destroyed: threads and exit handlers still use them at the end.
Table& table() {
  alignas(Table) static std::byte memory[sizeof(Table)];
  static Table& instance = *new (memory) Table;
  return instance;
}

std::shared_ptr<DrmFile> file_of(int fd) {
  if (table().count.load(std::memory_order_acquire) == 0) return nullptr;
  MutexLock lock(table().mutex);
  const auto it = table().nodes.find(fd);
  return it == table().nodes.end() ? nullptr : it->second.file;
}

/// Of softgen-run's stand-ins for files; empty outside it.
std::string_view root() {
  static char memory[PATH_MAX];
  static const std::string_view value = [] {
    const char* const text = std::getenv(root_variable);
    return text && std::strlen(text) < sizeof memory ? std::string_view(std::strcpy(memory, text)) : std::string_view();
  }();
  return value;
}

constexpr std::string_view redirected[] = {"/dev/dri",
                                           "/sys/dev/char/226:0",
                                           "/sys/dev/char/226:128",
                                           "/proc/sys/dev/i915",
                                           "/sys/class/drm",
                                           "/sys/bus/pci/devices/0000:00:02.0",
                                           "/sys/devices/pci0000:00/0000:00:02.0"};

/// A node's descriptor is a socket, and its abstract address (unix(7)) says so in any process: this, "0" or "128", "/" and a number of its own.
constexpr std::string_view name_start{"\0softgen-run/", 13};

bool name_node(int fd, sgrun_node node) {
  static std::atomic<unsigned> next{0};
  for (unsigned tries = 0; tries < 1000; tries++) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s%d/%d-%u", name_start.data() + 1, node, getpid(), next++);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<unsigned>(length));
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
    if (errno != EADDRINUSE) return false;  // in use: an earlier process of this number opened it, and another one has it still
  }
  return false;
}

/// Of the node that another process opened; none: it is something else.
sgrun_node named_node(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  const int error = errno;
  const bool has_name = getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.sun_family == AF_UNIX;
  errno = error;
  if (!has_name || size <= offsetof(sockaddr_un, sun_path)) return SGRUN_NONE;
  const std::string_view name(address.sun_path, size - offsetof(sockaddr_un, sun_path));
  if (!name.starts_with(name_start)) return SGRUN_NONE;
  return name.substr(name_start.size()).starts_with("128/") ? SGRUN_RENDER : SGRUN_CARD;
}

/// If `path` is the file `id` in sysfs of a metric set that this process added: a descriptor of a file with its text; else -1.
int metrics_id_file(std::string_view path) {
  constexpr std::string_view folder = "/metrics/", name = "/id";
  const size_t at = path.rfind(folder);
  if (at == std::string_view::npos || !path.ends_with(name)) return -1;
  const std::string_view uuid = path.substr(at + folder.size());
  Driver* const driver = Driver::existing();
  const bool counts = driver && driver->perf && uuid.size() > name.size();
  return counts ? driver->perf->configs().id_file(uuid.substr(0, uuid.size() - name.size())) : -1;
}

bool under(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace
}  // namespace softgen::run

using namespace softgen::run;
using softgen::MutexLock;

enum sgrun_node sgrun_node_of_path(const char* path) {
  if (!path || root().empty()) return SGRUN_NONE;
  const std::string_view p = path;
  if (p == "/dev/dri/card0") return SGRUN_CARD;
  return p == "/dev/dri/renderD128" ? SGRUN_RENDER : SGRUN_NONE;
}

const char* sgrun_redirect(const char* path, char* buffer) {
  if (!path || path[0] != '/' || root().empty()) return path;
  for (std::string_view prefix : redirected) {
    if (!under(path, prefix)) continue;
    if (const int file = metrics_id_file(path); file >= 0) return snprintf(buffer, PATH_MAX, "/proc/self/fd/%d", file), buffer;
    const int n = snprintf(buffer, PATH_MAX, "%s%s", root().data(), path);
    return n < PATH_MAX ? buffer : path;
  }
  return path;
}

void sgrun_unredirect(char* path, size_t size) {
  const std::string_view p(path, strnlen(path, size));
  if (root().empty() || !under(p, root()) || p.size() == root().size()) return;
  std::memmove(path, path + root().size(), p.size() - root().size());
  if (p.size() - root().size() < size) path[p.size() - root().size()] = '\0';
}

int sgrun_open(enum sgrun_node node, int flags) {
  Driver* driver = Driver::get();
  if (!driver) return errno = ENODEV, -1;
  // The program's end is readable when an event (page flip) has been written to the other one.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  name_node(ends[0], node);  // without a name it is a node in this process alone
  if (!(flags & O_CLOEXEC)) fcntl(ends[0], F_SETFD, 0);
  if (flags & O_NONBLOCK) fcntl(ends[0], F_SETFL, O_NONBLOCK);
  auto file = std::make_shared<DrmFile>(*driver, node == SGRUN_CARD, ends[1]);
  MutexLock lock(table().mutex);
  table().nodes[ends[0]] = {node, std::move(file)};
  table().count = table().nodes.size();
  return ends[0];
}

enum sgrun_node sgrun_adopt(int fd) {
  const sgrun_node node = root().empty() || file_of(fd) ? SGRUN_NONE : named_node(fd);
  if (node == SGRUN_NONE) return SGRUN_NONE;
  const int descriptor = fcntl(fd, F_GETFD), status = fcntl(fd, F_GETFL);
  const int opened = sgrun_open(node, (descriptor & FD_CLOEXEC ? O_CLOEXEC : 0) | (status & O_NONBLOCK));
  if (opened < 0) return SGRUN_NONE;
  // The other process keeps its own open file. dup3() is the wrapper, which tells sgrun_duplicated(), and close() sgrun_closed().
  dup3(opened, fd, descriptor & FD_CLOEXEC ? O_CLOEXEC : 0);
  close(opened);
  return node;
}

bool sgrun_knows_request(int fd, unsigned long request) {
  if (root().empty()) return false;
  return _IOC_TYPE(request) == SYNC_IOC_MAGIC ? is_socket(fd) : _IOC_TYPE(request) == DMA_BUF_BASE && is_dma_buf(fd);
}

enum sgrun_kind sgrun_kind_of_fd(int fd) {
  if (file_of(fd)) return SGRUN_DRM;
  if (is_perf_stream(fd)) return SGRUN_PERF_STREAM;
  return Driver::existing() && is_sync_file(fd) ? SGRUN_SYNC_FILE : SGRUN_FOREIGN;
}

enum sgrun_node sgrun_node_of_fd(int fd) {
  if (table().count.load(std::memory_order_acquire) == 0) return SGRUN_NONE;
  MutexLock lock(table().mutex);
  const auto it = table().nodes.find(fd);
  return it == table().nodes.end() ? SGRUN_NONE : it->second.minor;
}

int sgrun_ioctl(int fd, unsigned long request, void* arg) {
  const auto file = file_of(fd);
  const auto stream = file ? nullptr : perf_stream(fd);
  const int result = file                                 ? file->ioctl(request, arg)
                     : stream                             ? perf_stream_ioctl(*stream, request, reinterpret_cast<uint64_t>(arg))
                     : _IOC_TYPE(request) == DMA_BUF_BASE ? dma_buf_ioctl(fd, request, arg, Driver::kick_later())
                                                          : sync_file_ioctl(fd, request, arg, Driver::kick_later());
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

bool sgrun_is_perf_stream(int fd) { return is_perf_stream(fd); }

ssize_t sgrun_read(int fd, void* buffer, size_t size) {
  const auto stream = perf_stream(fd);
  const int64_t result = stream ? stream->read(fd, reinterpret_cast<uint64_t>(buffer), size) : -EBADF;
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

void* sgrun_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  const auto file = file_of(fd);
  const auto [bo, object_fd, within] = file ? file->mapping(static_cast<uint64_t>(offset)) : DrmFile::Mapping{};
  if (!bo || within > bo->size() || length > bo->size() - within) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return mmap(address, length, protection, flags, object_fd, static_cast<off_t>(within));
}

void sgrun_closed(int fd) {
  forget_perf_stream(fd);
  if (Driver::existing()) {
    forget_sync_file(fd);
    forget_syncobj(fd);
  }
  if (table().count.load(std::memory_order_acquire) == 0) return;
  std::shared_ptr<DrmFile> file;  // outlives the lock: closing a file waits for the driver's
  MutexLock lock(table().mutex);
  const auto it = table().nodes.find(fd);
  if (it == table().nodes.end()) return;
  file = std::move(it->second.file);
  table().nodes.erase(it);
  table().count = table().nodes.size();
}

void sgrun_duplicated(int from, int to) {
  if (from == to || to < 0) return;
  sgrun_closed(to);
  share_perf_stream(from, to);
  if (const SyncobjPtr object = Driver::existing() ? exported_syncobj(from) : nullptr) export_syncobj(to, object);
  if (Driver::existing() && is_sync_file(from)) share_sync_file(from, to);
  const auto file = file_of(from);
  if (!file) return;
  const sgrun_node minor = sgrun_node_of_fd(from);
  MutexLock lock(table().mutex);
  table().nodes[to] = {minor, file};
  table().count = table().nodes.size();
}

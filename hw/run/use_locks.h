// SPDX-License-Identifier: GPL-2.0-or-later
// Implicit synchronisation of a buffer object with other processes, by locks of the object's file.
//
// Work gets a ticket when it is queued: its place in the order of all processes' work. While the work is pending, its process holds a lock of
// the byte at the ticket's offset in each shared object that the work uses: shared for a read, exclusive for a write. (A lock may lie beyond
// the end of the file, and goes when its process dies.) Work waits for the conflicting uses by other processes with smaller tickets only, so no
// two processes can wait for each other. The kernel orders work by its lock of all objects' reservations instead (drm_exec, ww_mutex).
#pragma once

#include <cstdint>
#include <functional>

#include "hw/run/fence.h"

namespace softgen::run {

/// Nanoseconds of CLOCK_MONOTONIC, which all processes share. Positive.
using Ticket = int64_t;
constexpr Ticket last_ticket = INT64_MAX;

/// Greater than all before it in this process.
Ticket next_ticket();

/// The uses of one object by this process, and a view of those by the others. Under the driver's lock.
class UseLocks {
 public:
  /// `fd`: the object's file.
  explicit UseLocks(int fd);
  ~UseLocks();
  UseLocks(const UseLocks&) = delete;
  UseLocks& operator=(const UseLocks&) = delete;

  /// False: another process has the same ticket, or a greater one for a use that conflicts. Then the use has not begun, and the caller ends
  /// its work's other uses and takes a new ticket: the other process may not have seen this one.
  bool begin(Ticket ticket, bool write);
  void end(Ticket ticket);
  /// Another process has a use that conflicts (`write`: reads do, too) with a ticket of at least `from` and less than `to`.
  bool others(Ticket from, Ticket to, bool write) const;
  /// Signalled when others(1, before, write) has become false; null: it is. `changed` is called then, on another thread.
  FencePtr others_done(Ticket before, bool write, const std::function<void()>& changed);

 private:
  struct Wait {
    FencePtr fence;
    Ticket before = 0;
  };
  const int fd_;
  const int own_;  ///< an open file description of its own, which holds the locks
  Wait waits_[2];  ///< last made, for a read, for a write
};

/// Whether this is the file of a buffer object, of whichever process: a dma-buf.
bool is_dma_buf(int fd);
/// ioctl on a dma-buf (sync, export and import of a sync_file; linux/dma-buf.h): 0, or a negative errno. `changed`: as above.
int dma_buf_ioctl(int fd, unsigned long request, void* arg, const std::function<void()>& changed);

}  // namespace softgen::run

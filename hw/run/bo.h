// SPDX-License-Identifier: GPL-2.0-or-later
// A GEM buffer object: a memfd mapped into the arena, whose fd is what PRIME hands to other processes; or memory of the program itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/run/arena.h"
#include "hw/run/fence.h"
#include "hw/run/linear_view.h"
#include "hw/run/use_locks.h"

namespace softgen::run {

class Bo {
 public:
  /// New zero-filled memory; size is rounded up to pages. Null: no memory or no descriptors.
  static std::shared_ptr<Bo> create(Arena& arena, uint64_t size);
  /// The object of a PRIME descriptor (any mappable file with a size).
  static std::shared_ptr<Bo> import(Arena& arena, int fd);
  /// Memory of the program itself (GEM_USERPTR); address and size are page aligned. Private pages become shared ones in place; pages that are
  /// shared already (as those of an earlier object over them) are mapped a second time, so that all objects over a page see one memory.
  /// Null: a page is not mapped, not readable, or (`write`) not writable; or there is no memory.
  static std::shared_ptr<Bo> wrap(Arena& arena, void* memory, uint64_t size, bool write);
  ~Bo();
  Bo(const Bo&) = delete;
  Bo& operator=(const Bo&) = delete;

  uint64_t id() const { return id_; }
  uint64_t size() const { return size_; }
  uint64_t gpa() const { return gpa_; }
  /// Of the object's own file; -1: it is memory of the program.
  int fd() const { return fd_; }
  bool is_userptr() const { return fd_ < 0; }
  std::byte* host() const { return arena_.host(gpa_); }
  std::span<std::byte> bytes() const { return {host(), size_}; }
  /// Identity of the file, so that importing it twice gives the same object. Not of a userptr.
  std::pair<dev_t, ino_t> inode() const { return inode_; }

  /// Another process may use it from now on.
  void share();
  bool shared() const { return locks_.has_value(); }
  /// Implicit synchronisation with other processes; only of a shared object.
  UseLocks& locks() { return *locks_; }

  /// Of GEM_SET_TILING. The object's other users see it, in other processes, too (an X server takes a window's buffer by it): it is in the mode of the
  /// object's file.
  uint32_t tiling() const;
  /// False: it is memory of the program, which has none.
  bool set_tiling(uint32_t tiling, uint32_t pitch);
  /// What a GTT mapping shows of a tiled object; guarded by the driver's lock. Null: there is no such mapping.
  LinearView* linear_view() const { return view_.get(); }
  /// Made when there is none. Null: the pitch is unknown, as of another process's object, or does not fit.
  LinearView* make_linear_view(defs::Bit6Swizzle swizzle = {});
  /// Before anything but the view's mapping uses the object.
  void flush_view() {
    if (view_) view_->flush(bytes());
  }

  uint32_t caching = 1;
  // Implicit synchronisation within the process; guarded by the driver's lock.
  FencePtr last_write;
  std::vector<FencePtr> last_reads;

 private:
  Bo(Arena& arena, int fd, uint64_t gpa, uint64_t size);
  static std::shared_ptr<Bo> map(Arena& arena, int fd, uint64_t size);

  const std::shared_ptr<Arena> keeps_;  ///< a program may unmap its objects after it has closed the device
  Arena& arena_;
  int fd_;
  uint64_t gpa_, size_, id_;
  std::pair<dev_t, ino_t> inode_;
  std::optional<UseLocks> locks_;
  uint32_t pitch_ = 0;  ///< of GEM_SET_TILING
  std::unique_ptr<LinearView> view_;
};
using BoPtr = std::shared_ptr<Bo>;

}  // namespace softgen::run

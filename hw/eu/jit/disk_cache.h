// SPDX-License-Identifier: GPL-2.0-or-later
// A cache of object files in $XDG_CACHE_HOME/softgen/kernels (or ~/.cache/…), so that a second run compiles nothing.
// Each file contains its key (kernel, instruction set, variant, host, compiler) and is used only if that equals to the byte.
// The code in it is executed. So the folder and each file must belong to this user and be writable only by this user, and no symbolic link
// below the folder of the environment is followed; otherwise there is no cache.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

class DiskCache {
 public:
  /// An empty name disables the cache. It keeps about `limit` bytes; the least recently used files are deleted first.
  explicit DiskCache(std::string folder, uint64_t limit = uint64_t{256} << 20);
  /// The folder by the environment; empty with SOFTGEN_CACHE=off.
  static std::string default_folder();

  std::optional<ObjectFile> find(const std::string& name, const Program& program) const;
  /// Ignores errors (a full disk, a folder that cannot be made).
  void keep(const std::string& name, const Program& program, const ObjectFile& object) const;

 private:
  void trim(int folder) const;
  uint64_t trim_interval() const { return limit_ / 64; }

  std::string folder_;
  uint64_t limit_;
  /// Bytes written since the last trim(), which takes tens of milliseconds in a folder full of small kernels. Starts at an arbitrary value,
  /// so that many short processes trim as often as a long one.
  mutable std::atomic<uint64_t> untrimmed_;
};

}  // namespace softgen::eu::jit

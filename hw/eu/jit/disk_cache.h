// SPDX-License-Identifier: GPL-2.0-or-later
// Object files that outlive the process, in $XDG_CACHE_HOME/softgen/kernels (or ~/.cache/…): a second run compiles nothing.
// Each file holds all that its code was made from, and is taken only when that is the same to the byte: kernel, its instruction set, variant, host, compiler.
// What is in it is run. So the folder and each file must belong to this user and be writable only by this user, and no link is followed below the folder that
// the environment names; else there is no cache.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

class DiskCache {
 public:
  /// Empty folder: nothing is kept. At most `limit` bytes are; the files not used for longest go first.
  explicit DiskCache(std::string folder, uint64_t limit = uint64_t{256} << 20);
  /// Where the environment says; SOFTGEN_CACHE=off: nowhere.
  static std::string default_folder();

  std::optional<ObjectFile> find(const std::string& name, const Program& program) const;
  /// After errors (a full disk, a folder that cannot be made) nothing is kept.
  void keep(const std::string& name, const Program& program, const ObjectFile& object) const;

 private:
  void trim(int folder) const;
  uint64_t between_looks() const { return limit_ / 64; }

  std::string folder_;
  uint64_t limit_;
  /// Bytes kept since the folder was last looked at, which takes tens of milliseconds when it is full of small kernels. Starts anywhere, so
  /// that many short processes look at it as often as a long one.
  mutable std::atomic<uint64_t> unlooked_;
};

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
// Loads an object file as executable code.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "hw/eu/jit/code_arena.h"
#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/runtime.h"

namespace softgen::eu::jit {

/// Owns code in memory. The object's headers, symbols and relocations are checked. Its instructions are not: they are trusted as the
/// compiler's.
class LoadedCode {
 public:
  LoadedCode(const Program& program, const Variant& variant, const ObjectFile& object, const std::string& name, CodeArena& arena);
  ~LoadedCode() { arena_.release(block_); }
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  /// Its code is null when it could not be loaded.
  const Compiled& compiled() const { return compiled_; }
  /// It could not be loaded because the arena has no room.
  bool lacks_room() const { return lacks_room_; }

  /// Time of its last use, on CodeStore's clock.
  mutable std::atomic<uint32_t> used{0};

 private:
  CodeArena& arena_;
  std::span<std::byte> block_;
  Compiled compiled_;
  bool lacks_room_ = false;
};

}  // namespace softgen::eu::jit

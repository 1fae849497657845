// SPDX-License-Identifier: GPL-2.0-or-later
// All compiled code in memory: shared by programs of the same bytes, bounded in size. The least recently used code is evicted, but never
// freed while a thread runs it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/eu/jit/loaded_code.h"

namespace softgen::eu::jit {

/// A program's reference to the code of one variant.
class CodeSlot {
 public:
  enum class State : uint8_t {
    idle,     ///< not requested yet
    asked,    ///< requested, not compiled yet
    decided,  ///< there is code, or there never will be
  };
  std::atomic<State> state{State::idle};
  std::atomic<uint32_t> runs{0};  ///< threads counted while idle
  /// Null: none, or evicted. Use it through RunningCode.
  std::atomic<const LoadedCode*> code{nullptr};
};

class CodeStore {
 public:
  /// `max_codes`: bound of the number of codes. They are in `arena`, whose capacity bounds their bytes.
  explicit CodeStore(CodeArena& arena, size_t max_codes = 4096);
  ~CodeStore();

  /// Makes an object file. None: not now. A refused one: never.
  using Make = std::function<std::optional<ObjectFile>()>;
  /// Puts the code `name` into the slot, from memory or by make(), and sets the slot's state to decided, also if there is no code.
  /// False: make() returned none, and the slot is unchanged. By one thread at a time.
  bool fill(CodeSlot& slot, const Program& program, const Variant& variant, const std::string& name, const Make& make);
  /// Call when the program of these slots is destroyed; no thread runs it.
  void leave(std::span<CodeSlot* const> slots);

  size_t codes() const;
  uint64_t evicted() const { return evicted_.load(std::memory_order_relaxed); }
  /// The clock of last uses, which advances when code is added.
  uint32_t now() const { return now_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::unique_ptr<const LoadedCode> code;
    uint64_t isa = 0;  ///< Isa::cache_id()
    uint64_t start = 0;
    std::vector<std::byte> bytes;
    std::vector<CodeSlot*> users;
  };
  using Entries = std::map<std::string, Entry>;

  bool take_known(CodeSlot& slot, const Program& program, const std::string& name);
  std::unique_ptr<const LoadedCode> load(const Program& program, const Variant& variant, const ObjectFile& object, const std::string& name);
  void give(CodeSlot& slot, Entry& entry) SG_REQUIRES(mutex_);
  bool evict_some();
  void detach(Entries::iterator entry) SG_REQUIRES(mutex_);
  bool reclaim() SG_REQUIRES(mutex_);

  CodeArena& arena_;
  const size_t max_codes_;
  mutable Mutex mutex_;
  Entries entries_ SG_GUARDED_BY(mutex_);
  std::map<const LoadedCode*, Entries::iterator> by_code_ SG_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<const LoadedCode>> evicted_but_run_ SG_GUARDED_BY(mutex_);
  std::atomic<uint64_t> evicted_{0};
  std::atomic<uint32_t> now_{1};
};

/// The code of a slot, if it has any, protected from being freed during this object's life. Belongs to the thread that made it.
class RunningCode {
 public:
  RunningCode(const CodeSlot& slot, uint32_t now);
  ~RunningCode();
  RunningCode(const RunningCode&) = delete;
  RunningCode& operator=(const RunningCode&) = delete;

  explicit operator bool() const { return code_ != nullptr; }
  const Compiled& compiled() const { return code_->compiled(); }

 private:
  struct HostThread* thread_ = nullptr;
  const LoadedCode* code_ = nullptr;
};

}  // namespace softgen::eu::jit

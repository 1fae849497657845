// SPDX-License-Identifier: GPL-2.0-or-later
// All compiled code in memory: shared by programs of the same bytes, bounded, and evicted in the order of its last use, but never while a thread
// runs it.
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

/// Where a program has the code of one variant.
class CodeSlot {
 public:
  enum class State : uint8_t {
    idle,     ///< code was not requested yet
    asked,    ///< requested, not there yet
    settled,  ///< there is code, or there will be none
  };
  std::atomic<State> state{State::idle};
  std::atomic<uint32_t> runs{0};  ///< while idle
  /// Null: none, or evicted. To be used through RunningCode.
  std::atomic<const LoadedCode*> code{nullptr};
};

class CodeStore {
 public:
  /// `max_codes`: codes at a time. They are in `arena`, whose capacity bounds their bytes.
  explicit CodeStore(CodeArena& arena, size_t max_codes = 4096);
  ~CodeStore();

  /// Makes an object file. None: not now. Refused: never.
  using Make = std::function<std::optional<ObjectFile>()>;
  /// Puts the code of that name into the slot and settles it, from what is in memory or from make(); without any it is settled without code. False:
  /// make() gave nothing, and the slot is as it was. By one thread at a time.
  bool fill(CodeSlot& slot, const Program& program, const Variant& variant, const std::string& name, const Make& make);
  /// The program of these slots is destroyed; no thread runs it.
  void leave(std::span<CodeSlot* const> slots);

  size_t codes() const;
  uint64_t evicted() const { return evicted_.load(std::memory_order_relaxed); }
  /// Advances when code is added: the clock of last uses.
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

/// The code of a slot, kept from being evicted as long as this lives on its thread. It may have none.
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

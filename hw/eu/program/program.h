// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel decoded once: its instructions, where its branches go, and the interpreter's form of it. Immutable; shared by threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/eu/isa/print.h"
#include "hw/eu/program/lanes.h"
#include "hw/eu/program/registers.h"
#include "hw/iface/message_target.h"

namespace softgen::eu {

struct Op;  // hw/eu/program/op.h

class Program;
class Thread;
struct ThreadStart;
struct ThreadSeries;
enum class RunResult : uint8_t;

/// What may run a program's threads in the interpreter's place, with the same results (hw/eu/jit).
class FastPath {
 public:
  virtual ~FastPath() = default;
  /// run() also takes threads that were blocked.
  virtual bool resumes() const { return false; }
  /// `thread` was just started. False: it has not been touched, the interpreter runs it.
  virtual bool run(Thread& thread, ThreadEnv& env, MessageTarget& target, RunResult& result) = 0;
  enum class Series : uint8_t {
    done,
    interpreted,  ///< not run: the interpreter runs them, for now
    singly,       ///< not run, now or later: each is for run()
  };
  virtual Series run_series(Thread& thread, const ThreadStart& how, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target) = 0;
};

/// Makes them (eu::Compiler). It outlives the programs that it made any for.
class FastPaths {
 public:
  virtual ~FastPaths() = default;
  /// For a program that was just decoded; null: the interpreter runs it. Any thread.
  virtual std::unique_ptr<FastPath> attach(const Program& program) = 0;
};

class Program : public std::enable_shared_from_this<Program> {
 public:
  /// Decodes what can be reached from the start of `code` (of `isa`; `start`: its offset from Instruction Base Address, seen in ip and call).
  /// At most max_bytes of `code` are looked at. Never fails: code without an end runs into an op that fails the thread.
  /// `fast_paths` may be null. Null: `stop`, which may be null, said meanwhile that the work is dropped.
  static std::shared_ptr<const Program> decode(const Isa& isa, std::span<const std::byte> code, uint64_t start = 0,
                                               FastPaths* fast_paths = nullptr, const StopFlag* stop = nullptr);
  /// Mesa makes kernels of more than 1 MiB where it emulates double precision (piglit, arb_gpu_shader_fp64, gs-op-div-dmat4-dmat4 on Tiger Lake).
  static constexpr size_t max_bytes = 4 << 20;

  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Isa& isa() const { return isa_; }
  uint64_t start() const { return start_; }
  /// The kernel's bytes, from `start` to the end of its last instruction.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// False: the bytes given ended before the kernel did.
  bool complete() const { return complete_; }
  /// Bytes that decode() was given.
  size_t decoded_from() const { return decoded_from_; }
  std::span<const Line> lines() const { return lines_; }
  /// Index into lines() and ops(), or -1: no instruction starts at this offset from start().
  int32_t index_at(int64_t offset) const {
    return offset >= 0 && offset % 8 == 0 && offset / 8 < static_cast<int64_t>(index_.size()) ? index_[static_cast<size_t>(offset / 8)]
                                                                                              : -1;
  }
  /// Whether waiting channels may join here (some JIP, UIP or return leads here).
  bool is_target(int32_t index) const { return targets_[static_cast<size_t>(index)]; }
  std::span<const Op> ops() const;
  /// Some SEND goes to a data port, which may write memory: running the kernel a second time may give another result.
  bool uses_data_port() const { return uses_data_port_; }
  /// Bit i: some SEND to the render cache may name entry i of the binding table.
  uint8_t render_targets() const { return render_targets_; }
  /// Instructions by the pipe that executes them: FPU0, or FPU1's extended math. The others send, branch or wait.
  uint32_t alu_instructions() const { return alu_instructions_; }
  uint32_t math_instructions() const { return math_instructions_; }
  /// Null: none.
  FastPath* fast_path() const { return fast_path_.get(); }

  /// It was found without the cache's help: not to be evicted soon.
  void note_use() const { used_.store(true, std::memory_order_relaxed); }
  /// Whether it was used since the last call.
  bool take_use() const { return used_.exchange(false, std::memory_order_relaxed); }

 private:
  explicit Program(const Isa& isa);
  bool build(std::span<const std::byte> code, const StopFlag* stop);
  void mark_targets();
  void decode_message_of(Op& op);
  bool reads_accumulator() const;
  void skip_padding();
  void count_instructions();
  void mark(int64_t offset);

  const Isa& isa_;
  uint64_t start_ = 0;
  std::vector<std::byte> bytes_;
  size_t decoded_from_ = 0;
  bool complete_ = false;
  std::vector<Line> lines_;
  std::vector<int32_t> index_;
  std::vector<bool> targets_;
  bool uses_data_port_ = false;
  uint8_t render_targets_ = 0;
  uint32_t alu_instructions_ = 0, math_instructions_ = 0;
  std::vector<Op> ops_;
  std::pmr::monotonic_buffer_resource memory_;  ///< freed in few pieces: a long program is destroyed in milliseconds
  std::pmr::deque<Offsets> offsets_{&memory_};  ///< what ops point to, as the next two
  std::pmr::deque<Lanes> constants_{&memory_};
  std::pmr::deque<MessageOp> messages_{&memory_};
  std::unique_ptr<FastPath> fast_path_;
  mutable std::atomic<bool> used_{false};
};

/// Programs by instruction set, address and first bytes, checked against all bytes found there. Any thread; meant to be asked once per draw or walker, not
/// once a thread. Holds at most `limit` instructions (about 400 bytes each), or one program. A new one evicts as many as it needs room for,
/// the oldest that were not used since the last eviction passed them ("second chance"): a guest cannot make one call free all of them.
class ProgramCache {
 public:
  static constexpr size_t default_limit = 1 << 18;
  /// `fast_paths` of its programs; may be null.
  explicit ProgramCache(FastPaths* fast_paths = nullptr, size_t limit = default_limit) : fast_paths_(fast_paths), limit_(limit) {}
  /// `code`: bytes from the kernel's start to anywhere beyond its end.
  /// Null as from Program::decode().
  std::shared_ptr<const Program> find(const Isa& isa, std::span<const std::byte> code, uint64_t start, const StopFlag* stop = nullptr);

 private:
  Mutex mutex_;
  struct Entry {
    uint64_t key;
    std::shared_ptr<const Program> program;
  };
  using Entries = std::list<Entry>;

  /// Moves entries to `evicted`, which the caller destroys without the lock, until `needed` more instructions fit.
  void evict(size_t needed, Entries& evicted) SG_REQUIRES(mutex_);
  void remove(Entries::iterator entry, Entries& evicted) SG_REQUIRES(mutex_);

  FastPaths* const fast_paths_;
  const size_t limit_;
  size_t instructions_ SG_GUARDED_BY(mutex_) = 0;
  Entries entries_ SG_GUARDED_BY(mutex_);  ///< the oldest first
  std::unordered_map<uint64_t, Entries::iterator> by_key_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::eu

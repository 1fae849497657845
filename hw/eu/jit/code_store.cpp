// SPDX-License-Identifier: GPL-2.0-or-later
// Eviction is synchronized with running threads by hazard pointers ("Hazard Pointers", M. Michael, IEEE TPDS 15/6, 2004). A thread
// publishes the code that it is about to run, then checks that its slot still has it. The evictor empties the slots, then frees only code
// that no thread has published. The memory barrier between a thread's two steps is executed by the evictor (membarrier(2), "private
// expedited"), as runs are far more frequent than evictions.
#include "hw/eu/jit/code_store.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "hw/base/log.h"

namespace softgen::eu::jit {

/// The code that a host thread runs (its hazard pointers). Nested: a message of one kernel may run threads of another.
struct HostThread {
  static constexpr unsigned max_depth = 2;
  std::array<std::atomic<const LoadedCode*>, max_depth> runs{};
  unsigned depth = 0;
  std::atomic<bool> taken{false};
  HostThread* next = nullptr;
};

namespace {

std::atomic<HostThread*> host_threads{nullptr};

HostThread* take_record() {
  for (HostThread* t = host_threads.load(std::memory_order_acquire); t; t = t->next)
    if (bool free = false; t->taken.compare_exchange_strong(free, true, std::memory_order_acq_rel)) return t;
  auto* made = new HostThread;  // never freed, but reused by later threads
  made->taken.store(true, std::memory_order_relaxed);
  made->next = host_threads.load(std::memory_order_relaxed);
  while (!host_threads.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {}
  return made;
}

constinit thread_local HostThread* this_thread = nullptr;

struct GivesBack {
  ~GivesBack() {
    if (this_thread) this_thread->taken.store(false, std::memory_order_release);
    this_thread = nullptr;
  }
};

[[gnu::noinline]] HostThread* enter_thread() {
  thread_local GivesBack at_end;
  static_cast<void>(at_end);
  return this_thread = take_record();
}

/// Executes a full memory barrier on all threads of the process. False: the host does not support it.
bool synchronize_threads() {
  const auto command = [](int c) { return syscall(__NR_membarrier, c, 0, 0) == 0; };
  if (command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return true;
  return command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && command(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool runs_somewhere(const LoadedCode* code) {
  for (const HostThread* t = host_threads.load(std::memory_order_acquire); t; t = t->next)
    for (const auto& run : t->runs)
      if (run.load(std::memory_order_acquire) == code) return true;
  return false;
}

}  // namespace

RunningCode::RunningCode(const CodeSlot& slot, uint32_t now) {
  const LoadedCode* const code = slot.code.load(std::memory_order_acquire);
  if (!code) return;
  HostThread* const thread = this_thread ? this_thread : enter_thread();
  if (thread->depth == HostThread::max_depth) return;
  auto& place = thread->runs[thread->depth];
  place.store(code, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (slot.code.load(std::memory_order_acquire) != code) {
    place.store(nullptr, std::memory_order_release);
    return;
  }
  thread->depth++;
  thread_ = thread;
  code_ = code;
  if (code->used.load(std::memory_order_relaxed) != now) code->used.store(now, std::memory_order_relaxed);
}

RunningCode::~RunningCode() {
  if (thread_) thread_->runs[--thread_->depth].store(nullptr, std::memory_order_release);
}

CodeStore::CodeStore(CodeArena& arena, size_t max_codes) : arena_(arena), max_codes_(max_codes) {}
CodeStore::~CodeStore() = default;

bool CodeStore::fill(CodeSlot& slot, const Program& program, const Variant& variant, const std::string& name, const Make& make) {
  if (take_known(slot, program, name)) return true;
  const auto object = make();
  if (!object) return false;
  auto code = object->refused ? nullptr : load(program, variant, *object, name);
  MutexLock lock(mutex_);
  if (code) {
    const auto bytes = program.bytes();
    const auto entry =
        entries_.insert_or_assign(name, Entry{std::move(code), program.isa().cache_id(), program.start(), {bytes.begin(), bytes.end()}, {}})
            .first;
    by_code_[entry->second.code.get()] = entry;
    entry->second.code->used = ++now_;
    give(slot, entry->second);
  }
  slot.state.store(CodeSlot::State::decided, std::memory_order_release);
  return true;
}

bool CodeStore::take_known(CodeSlot& slot, const Program& program, const std::string& name) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  const auto bytes = program.bytes();
  // Two kernels with the same name: the first has the code, this one is interpreted.
  if (entry.isa == program.isa().cache_id() && entry.start == program.start() &&
      std::equal(bytes.begin(), bytes.end(), entry.bytes.begin(), entry.bytes.end()))
    give(slot, entry);
  slot.state.store(CodeSlot::State::decided, std::memory_order_release);
  return true;
}

void CodeStore::give(CodeSlot& slot, Entry& entry) {
  entry.users.push_back(&slot);
  slot.code.store(entry.code.get(), std::memory_order_release);
}

std::unique_ptr<const LoadedCode> CodeStore::load(const Program& program, const Variant& variant, const ObjectFile& object,
                                                  const std::string& name) {
  while (codes() < max_codes_ || evict_some()) {
    auto code = std::make_unique<const LoadedCode>(program, variant, object, name, arena_);
    if (code->compiled().code) return code;
    if (!code->lacks_room()) return nullptr;
    if (!evict_some()) break;
  }
  unsupported("EU JIT: no room for more code", "a kernel stays with the interpreter");
  return nullptr;
}

bool CodeStore::evict_some() {
  MutexLock lock(mutex_);
  bool freed = reclaim();
  while (!freed && !entries_.empty() && synchronize_threads()) {
    std::vector<Entries::iterator> oldest;
    for (auto e = entries_.begin(); e != entries_.end(); ++e) oldest.push_back(e);
    // An eighth at a time, so that not each new kernel pays for an eviction. Ages are differences, as now_ wraps.
    const size_t count = std::max<size_t>(1, oldest.size() / 8);
    const auto age = [now = this->now()](Entries::iterator e) { return now - e->second.code->used.load(std::memory_order_relaxed); };
    std::nth_element(oldest.begin(), oldest.begin() + static_cast<ptrdiff_t>(count - 1), oldest.end(),
                     [&](auto a, auto b) { return age(a) > age(b); });
    for (size_t n = 0; n < count; n++) detach(oldest[n]);
    freed = reclaim();
  }
  return freed;
}

void CodeStore::detach(Entries::iterator entry) {
  for (CodeSlot* slot : entry->second.users) {
    slot->code.store(nullptr, std::memory_order_release);
    slot->runs.store(0, std::memory_order_relaxed);
    slot->state.store(CodeSlot::State::idle, std::memory_order_release);
  }
  by_code_.erase(entry->second.code.get());
  evicted_but_run_.push_back(std::move(entry->second.code));
  entries_.erase(entry);
  evicted_.fetch_add(1, std::memory_order_relaxed);
}

/// Frees evicted code that no thread runs. False: there was none.
bool CodeStore::reclaim() {
  if (evicted_but_run_.empty() || !synchronize_threads()) return false;
  return std::erase_if(evicted_but_run_, [](const auto& code) { return !runs_somewhere(code.get()); }) != 0;
}

void CodeStore::leave(std::span<CodeSlot* const> slots) {
  MutexLock lock(mutex_);
  for (CodeSlot* slot : slots) {
    const LoadedCode* const code = slot->code.exchange(nullptr, std::memory_order_acq_rel);
    if (!code) continue;
    const auto entry = by_code_.at(code);
    std::erase(entry->second.users, slot);
    if (!entry->second.users.empty()) continue;
    by_code_.erase(code);
    entries_.erase(entry);
  }
}

size_t CodeStore::codes() const {
  MutexLock lock(mutex_);
  return entries_.size() + evicted_but_run_.size();
}

}  // namespace softgen::eu::jit

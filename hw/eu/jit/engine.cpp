// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/thread.h"
#include "hw/eu/jit/background.h"
#include "hw/eu/jit/code_dump.h"
#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/compiler_process.h"
#include "hw/eu/jit/disk_cache.h"

namespace softgen::eu {

namespace jit {

namespace {

struct Counters {
  std::atomic<uint64_t> compiled{0}, refused{0}, from_cache{0}, compile_ns{0}, longest_ns{0};
  /// EU threads run, a line of the cache for each host thread. Beyond so many host threads lines are shared, and counts may be a little low.
  struct alignas(64) Runs {
    std::atomic<uint64_t> interpreted{0}, compiled{0};
    /// By one host thread, so without the price of an atomic addition.
    static void add(std::atomic<uint64_t>& count, uint64_t n) { count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  };
  std::array<Runs, 256> runs;
};
Counters& counters() {
  static auto& all = *new Counters;
  return all;
}

Counters::Runs& runs() {
  static std::atomic<unsigned> next{0};
  thread_local Counters::Runs& mine = counters().runs[next++ % counters().runs.size()];
  return mine;
}

/// Code by name, checked against the kernel's bytes: contexts have kernels of their own, often the same ones.
class CodeStore {
 public:
  /// Null: it stays with the interpreter. Nothing at all: it would have to be compiled, and `may_compile` is false.
  std::optional<std::shared_ptr<const LoadedCode>> find(const Program& program, const Variant& variant, bool may_compile) {
    const Isa isa = best_isa();
    if (isa == Isa::none) {
      note("EU JIT: not available", "{}", llvm::why());
      return nullptr;
    }
    const std::string name = code_name(program, variant, isa);
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= next_sweep_) {
      std::erase_if(entries_, [](const auto& e) { return e.second.code.expired(); });
      next_sweep_ = std::max<size_t>(1024, entries_.size() * 2);
    }
    Entry& entry = entries_[name];
    const auto bytes = program.bytes();
    const bool same = entry.start == program.start() && std::equal(bytes.begin(), bytes.end(), entry.bytes.begin(), entry.bytes.end());
    if (auto code = entry.code.lock()) {
      // Another kernel of the same name keeps it; this one stays with the interpreter.
      if (same) counters().from_cache++;
      return same ? code : nullptr;
    }
    auto made = make(program, variant, isa, name, may_compile);
    if (!made) return std::nullopt;
    const auto& code = *made;
    if (code) entry = {code, program.start(), {bytes.begin(), bytes.end()}};
    else entries_.erase(name);
    return made;
  }

 private:
  struct Entry {
    std::weak_ptr<const LoadedCode> code;
    uint64_t start = 0;
    std::vector<std::byte> bytes;
  };

  using Made = std::optional<std::shared_ptr<const LoadedCode>>;
  static std::shared_ptr<const LoadedCode> usable(std::shared_ptr<const LoadedCode> code) { return code->compiled().code ? code : nullptr; }

  static Made make(const Program& program, const Variant& variant, Isa isa, const std::string& name, bool may_compile) {
    Counters& c = counters();
    static const DiskCache disk(DiskCache::default_folder());
    if (const auto object = disk.find(name, program)) {
      c.from_cache++;
      auto code = std::make_shared<const LoadedCode>(program, variant, *object, name);
      dump_code(program, name, *object, {}, code->compiled().code);
      return usable(std::move(code));
    }
    if (!may_compile) return std::nullopt;
    static auto& apart = *new CompilerProcess(CompilerProcess::default_path());
    apart.ready();
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    std::string* wanted = dump_folder().empty() ? nullptr : &text;
    auto made = apart.compile(program, variant, isa, wanted);
    if (!made) made = compile(program, variant, isa, wanted);
    const ObjectFile& object = *made;
    if (object.refused) {
      if (variant.of_series()) return nullptr;  // its threads come one by one then
      c.refused++;
      note("EU JIT: a kernel stays with the interpreter", "{}", object.refused);
      return nullptr;
    }
    auto code = std::make_shared<const LoadedCode>(program, variant, object, name);
    disk.keep(name, program, object);
    const auto ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
    c.compile_ns += ns;
    if (ns > c.longest_ns) c.longest_ns = ns;
    c.compiled++;
    dump_code(program, name, object, text, code->compiled().code);
    return usable(std::move(code));
  }

  std::mutex mutex_;
  size_t next_sweep_ = 1024;
  std::unordered_map<std::string, Entry> entries_;
};
CodeStore& store() {
  static auto& all = *new CodeStore;
  return all;
}

/// What a program has been compiled to so far.
class CompiledProgram : public FastPath {
 public:
  CompiledProgram(const Program& program, bool now) : program_(program), now_(now) {}

  bool run(Thread& thread, ThreadEnv& env, MessageTarget& target, RunResult& result) override {
    const int kind = variant_of(thread);
    if (kind < 0) return interpreted();
    const LoadedCode* const code = ready(slots_[static_cast<size_t>(kind)], kind, {}, 1);
    if (!code) return interpreted();
    result = run_compiled(code->compiled(), thread, env, target);
    Counters::Runs::add(runs().compiled, 1);
    return true;
  }

  Series run_series(Thread& thread, const ThreadStart& how, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target) override {
    SeriesSlots* const slots = slots_of(series.layout);
    if (!slots || how.alt_mode || how.rounding || how.single_program_flow) return Series::singly;
    const int kind = kind_of(series.channels, how.keep_denorms);
    Slot& slot = slots->slots[static_cast<size_t>(kind)];
    const LoadedCode* const code = ready(slot, kind, series.layout, series.count);
    if (!code) {
      if (slot.settled.load(std::memory_order_acquire)) return Series::singly;
      Counters::Runs::add(runs().interpreted, series.count);
      return Series::interpreted;
    }
    ThreadStart first = how;
    first.dispatch_mask = series.first->dispatch_mask, first.vector_mask = series.first->vector_mask;
    thread.start(first);
    count_work(Work::threads, series.count - 1);
    Counters::Runs::add(runs().compiled, series.count);
    run_compiled(code->compiled(), thread, series, env, target);
    return Series::done;
  }

 private:
  struct Slot {
    std::atomic<const LoadedCode*> code{nullptr};
    std::atomic<uint32_t> runs{0};     ///< until it was asked for
    std::atomic<bool> settled{false};  ///< compiled, or refused: nothing is left to be asked for
    std::once_flag asked;
    std::shared_ptr<const LoadedCode> keeps;
  };

  /// Of one layout. A kernel has one, as drivers do it; with too many its threads are started singly.
  struct SeriesSlots {
    std::atomic<uint32_t> layout{0};  ///< packed; 0: none yet
    std::array<Slot, 8> slots;
  };
  SeriesSlots* slots_of(const SeriesLayout& layout) {
    const uint32_t wanted = uint32_t{layout.constants} | uint32_t{layout.attributes} << 8 | uint32_t{layout.end} << 16;
    for (SeriesSlots& slots : series_) {
      uint32_t there = slots.layout.load(std::memory_order_acquire);
      if (there == 0 && slots.layout.compare_exchange_strong(there, wanted)) there = wanted;
      if (there == wanted) return &slots;
    }
    return nullptr;
  }

  static bool interpreted() {
    Counters::Runs::add(runs().interpreted, 1);
    return false;
  }

  static int kind_of(uint32_t channels, bool keep_denorms) {
    const int whole = channels == 0xff ? 1 : channels == 0xffff ? 2 : channels == 0xffffffff ? 3 : 0;
    return whole + (keep_denorms ? 4 : 0);
  }
  /// Slot by mode and dispatch; -1: what the code does not do (ALT mode, other roundings).
  static int variant_of(const Thread& thread) {
    const uint32_t mode = thread.regs.control[0];
    return mode_is_compiled(mode) ? kind_of(thread.dispatched, mode & cr0::denorm_f32) : -1;
  }
  static Variant variant(int kind, const SeriesLayout& layout) {
    constexpr uint32_t channels[4] = {0, 0xff, 0xffff, 0xffffffff};
    return {.flush_f32 = kind < 4, .channels = channels[kind & 3], .series = layout};
  }

  /// Null: not yet, or never.
  const LoadedCode* ready(Slot& slot, int kind, const SeriesLayout& layout, uint32_t runs) {
    const LoadedCode* code = slot.code.load(std::memory_order_acquire);
    if (code || slot.settled.load(std::memory_order_acquire)) return code;
    if (!now_ && slot.runs.fetch_add(runs, std::memory_order_relaxed) + runs < runs_before_compiling) return nullptr;
    request(slot, kind, layout);
    return now_ ? slot.code.load(std::memory_order_acquire) : nullptr;
  }

  void request(Slot& slot, int kind, const SeriesLayout& layout) {
    std::call_once(slot.asked, [&] {
      auto keep = program_.shared_from_this();
      // True where nobody else has it any more, too.
      const auto fill = [keep, &slot, kind, layout](bool may_compile) { return keep.use_count() <= 2 || filled(slot, *keep, variant(kind, layout), may_compile); };
      const bool queued = compile_later([fill] { return fill(false); }, [fill] { fill(true); });
      if (!queued) {
        unsupported("EU JIT: too many kernels at once", "one stays with the interpreter");
        slot.settled.store(true, std::memory_order_release);
      }
      // Not on this thread: nobody would stop it before LLVM's own exit handlers.
      if (queued && now_) drain();
    });
  }

  static bool filled(Slot& slot, const Program& program, const Variant& variant, bool may_compile) {
    const auto code = store().find(program, variant, may_compile);
    if (!code) return false;
    slot.keeps = *code;
    slot.code.store(slot.keeps.get(), std::memory_order_release);
    slot.settled.store(true, std::memory_order_release);
    return true;
  }

  const Program& program_;
  const bool now_;
  std::array<Slot, 8> slots_;
  std::array<SeriesSlots, 3> series_;
};

std::unique_ptr<FastPath> attach(const Program& program, Engine engine) {
  return std::make_unique<CompiledProgram>(program, engine == Engine::jit);
}

}  // namespace

}  // namespace jit

namespace {
std::atomic<bool> chosen{false};
}

bool engine_from_name(std::string_view name, Engine& engine) {
  if (name == "interp") return engine = Engine::interp, true;
  if (name == "jit") return engine = Engine::jit, true;
  if (name == "tiers") return engine = Engine::tiers, true;
  return false;
}

void set_default_engine() {
  jit::stop_before_exit();
  if (chosen) return;
  Engine engine = Engine::tiers;
  if (const char* name = std::getenv("SOFTGEN_ENGINE"); name && !engine_from_name(name, engine))
    note("SOFTGEN_ENGINE", "{} is none of interp, jit, tiers", name);
  set_engine(engine);
}

void set_engine(Engine engine) {
  chosen = true;
  jit::stop_before_exit();
  if (engine != Engine::interp && !jit::host_is_wide()) {
    note("EU JIT: not available", "this host has no AVX2 with FMA");
    engine = Engine::interp;
  }
  switch (engine) {
    case Engine::interp: FastPath::maker = nullptr; break;
    case Engine::jit: FastPath::maker = [](const Program& p) { return jit::attach(p, Engine::jit); }; break;
    case Engine::tiers: FastPath::maker = [](const Program& p) { return jit::attach(p, Engine::tiers); }; break;
  }
}

EngineStats engine_stats() {
  const auto& c = jit::counters();
  EngineStats stats{c.compiled, c.refused, c.from_cache, c.compile_ns, c.longest_ns};
  for (const auto& r : c.runs) {
    stats.interpreted_threads += r.interpreted;
    stats.compiled_threads += r.compiled;
  }
  return stats;
}

void drain_compiler() { jit::drain(); }

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/jit/background.h"
#include "hw/eu/jit/check_engine.h"
#include "hw/eu/jit/code_dump.h"
#include "hw/eu/jit/code_store.h"
#include "hw/eu/jit/compiler_process.h"
#include "hw/eu/jit/disk_cache.h"
#include "hw/eu/jit/start_mode.h"
#include "hw/eu/program/thread.h"

namespace softgen::eu {

namespace jit {

namespace {

struct Counters {
  std::atomic<uint64_t> compiled{0}, refused{0}, from_cache{0}, compile_ns{0}, longest_ns{0};
  /// EU threads run; a cache line per host thread. With more host threads than entries, lines are shared and counts may be slightly low.
  struct alignas(64) Runs {
    std::atomic<uint64_t> interpreted{0}, compiled{0};
    /// Not an atomic addition, which would cost more: each counter has one writer.
    static void add(std::atomic<uint64_t>& count, uint64_t n) {
      count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
  };
  std::array<Runs, 256> runs;
};

/// This thread's place in Counters::runs.
unsigned run_counter() {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned mine = next++;
  return mine;
}

/// Whether LLVM runs in this process. Only on request: random kernels have made it abort.
bool compiles_in_process(bool allowed) {
  const char* choice = std::getenv("SOFTGEN_JIT");
  if (!choice || !*choice) return false;
  const bool wanted = std::string_view(choice) == "inprocess";
  if (!wanted) note("SOFTGEN_JIT", "{} is not inprocess", choice);
  else if (!allowed) note("SOFTGEN_JIT", "inprocess is for softgen-run and softgen-replay");
  return wanted && allowed;
}

/// What all programs of a compiler share.
struct Shared {
  Shared(bool compile_now, bool use_this_process) : now(compile_now), in_process(use_this_process) {}

  Counters::Runs& runs() { return counters.runs[run_counter() % counters.runs.size()]; }

  const bool now;         ///< kernels are compiled before their first thread runs
  const bool in_process;  ///< LLVM is in this process
  Counters counters;
  CodeArena arena{CodeArena::default_capacity};
  CodeStore store{arena};
  DiskCache disk{DiskCache::default_folder()};
  CompilerProcess process{CompilerProcess::default_path()};
  /// Last: its work uses all others.
  Background background{in_process, [this] { process.abandon(); }};
};

/// Where object files come from: the cache on disk, else LLVM.
class ObjectSource {
 public:
  ObjectSource(Shared& shared, const Program& program, const Variant& variant, HostIsa isa, std::string name)
      : shared_(shared), program_(program), variant_(variant), isa_(isa), name_(std::move(name)) {}

  /// None: it is not cached, and `may_compile` is false.
  std::optional<ObjectFile> get(bool may_compile) {
    Counters& c = shared_.counters;
    if (auto object = shared_.disk.find(name_, program_)) {
      c.from_cache++;
      return object_ = std::move(object);
    }
    if (!may_compile) return std::nullopt;
    if (!shared_.in_process) shared_.process.ready();  // so that no kernel's time holds that of LLVM's start
    const auto begin = std::chrono::steady_clock::now();
    object_ = compiled();
    if (object_->refused) return object_;
    shared_.disk.keep(name_, program_, *object_);
    const auto ns =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
    c.compile_ns += ns;
    if (ns > c.longest_ns) c.longest_ns = ns;
    c.compiled++;
    return object_;
  }

  void dump(Code code) const {
    if (object_ && !object_->refused) dump_code(program_, name_, *object_, text_, code);
  }

 private:
  ObjectFile compiled() {
    std::string* wanted = dump_folder().empty() ? nullptr : &text_;
    ObjectFile object =
        shared_.in_process ? compile(program_, variant_, isa_, wanted) : shared_.process.compile(program_, variant_, isa_, wanted);
    // Without code for a series its threads are started one by one, which is no loss worth a note.
    if (!object.refused || variant_.of_series()) return object;
    // The program ends: that is no fault of the kernel or of the compiler.
    if (shared_.process.abandoned()) return object;
    shared_.counters.refused++;
    note("EU JIT: a kernel stays with the interpreter", "{}", object.refused);
    return object;
  }

  Shared& shared_;
  const Program& program_;
  const Variant variant_;
  const HostIsa isa_;
  const std::string name_;
  std::optional<ObjectFile> object_;
  std::string text_;
};

/// The compiled variants of a program.
class CompiledProgram : public FastPath {
 public:
  CompiledProgram(Shared& shared, const Program& program) : shared_(shared), program_(program), start_mode_(start_mode(program).bits) {}
  ~CompiledProgram() override {
    std::vector<CodeSlot*> with_code;
    const auto look = [&](auto& slots) {
      for (CodeSlot& slot : slots)
        if (slot.code.load(std::memory_order_relaxed)) with_code.push_back(&slot);
    };
    look(slots_);
    for (SeriesSlots& series : series_) look(series.slots);
    if (!with_code.empty()) shared_.store.leave(with_code);
  }

  bool run(Thread& thread, ThreadEnv& env, MessageTarget& target, RunResult& result) override {
    const int kind = variant_of(thread);
    if (kind < 0) return interpreted();
    CodeSlot& slot = slots_[static_cast<size_t>(kind)];
    if (!slot.code.load(std::memory_order_acquire)) want(slot, kind, {}, 1);
    const RunningCode code(slot, shared_.store.now());
    if (!code) return interpreted();
    result = run_compiled(code.compiled(), thread, env, target);
    Counters::Runs::add(shared_.runs().compiled, 1);
    return true;
  }

  Series run_series(Thread& thread, const ThreadStart& how, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target) override {
    SeriesSlots* const slots = slots_of(series.layout);
    if (!slots || how.alt_mode || how.rounding) return Series::singly;
    const int kind = kind_of(series.channels, how.keep_denorms || (start_mode_ & cr0::denorm_f32));
    CodeSlot& slot = slots->slots[static_cast<size_t>(kind)];
    if (!slot.code.load(std::memory_order_acquire)) want(slot, kind, series.layout, series.count);
    const RunningCode code(slot, shared_.store.now());
    if (!code) {
      if (slot.state.load(std::memory_order_acquire) == CodeSlot::State::decided) return Series::singly;
      Counters::Runs::add(shared_.runs().interpreted, series.count);
      return Series::interpreted;
    }
    ThreadStart first = how;
    first.dispatch_mask = series.first->dispatch_mask, first.vector_mask = series.first->vector_mask;
    thread.start(first);
    count_work(Work::threads, series.count - 1);
    count_path(Path::threads_in_series, series.count);
    Counters::Runs::add(shared_.runs().compiled, series.count);
    run_compiled(code.compiled(), thread, series, env, target);
    return Series::done;
  }

 private:
  /// Code for series of one layout. Drivers use one layout per kernel; beyond the size of series_ threads are started one by one.
  struct SeriesSlots {
    std::atomic<uint32_t> layout{0};  ///< packed; 0: none yet
    std::array<CodeSlot, 8> slots;
  };
  SeriesSlots* slots_of(const SeriesLayout& layout) {
    const uint32_t wanted =
        uint32_t{layout.constants} | uint32_t{layout.attributes} << 8 | uint32_t{layout.end} << 16 | uint32_t{layout.has_planes} << 24;
    for (SeriesSlots& slots : series_) {
      uint32_t there = slots.layout.load(std::memory_order_acquire);
      if (there == 0 && slots.layout.compare_exchange_strong(there, wanted)) there = wanted;
      if (there == wanted) return &slots;
    }
    return nullptr;
  }

  bool interpreted() {
    Counters::Runs::add(shared_.runs().interpreted, 1);
    return false;
  }

  static int kind_of(uint32_t channels, bool keep_denorms) {
    const int whole = channels == 0xff ? 1 : channels == 0xffff ? 2 : channels == 0xffffffff ? 3 : 0;
    return whole + (keep_denorms ? 4 : 0);
  }
  /// Index of the slot by mode and dispatched channels; -1: a mode that is interpreted (other rounding modes).
  int variant_of(const Thread& thread) const {
    const uint32_t mode = thread.regs.control[0] | start_mode_;
    return mode_is_compiled(mode) ? kind_of(thread.dispatched, mode & cr0::denorm_f32) + (mode & cr0::alt_mode ? 8 : 0) : -1;
  }
  static Variant variant(int kind, const SeriesLayout& layout) {
    constexpr uint32_t channels[4] = {0, 0xff, 0xffff, 0xffffffff};
    Variant made{.flush_f32 = !(kind & 4), .channels = channels[kind & 3], .series = layout, .alternate = kind >= 8};
    made.series.has_planes = made.of_planes();
    return made;
  }

  /// Counts threads that would have used the slot's code, and requests the code when there were enough.
  void want(CodeSlot& slot, int kind, const SeriesLayout& layout, uint32_t runs) {
    auto state = slot.state.load(std::memory_order_acquire);
    if (state == CodeSlot::State::decided) return;
    if (!shared_.now && slot.runs.fetch_add(runs, std::memory_order_relaxed) + runs < runs_before_compiling) return;
    if (state == CodeSlot::State::idle && slot.state.compare_exchange_strong(state, CodeSlot::State::asked)) request(slot, kind, layout);
    // Compiled by the background thread even now: only that one is stopped before LLVM's exit handlers run.
    if (shared_.now) shared_.background.drain();
  }

  void request(CodeSlot& slot, int kind, const SeriesLayout& layout) {
    auto keep = program_.shared_from_this();
    // Also true (done) when the program has no other owner any more.
    const auto fill = [this, keep, &slot, kind, layout](bool may_compile) {
      return keep.use_count() <= 2 || filled(slot, *keep, variant(kind, layout), may_compile);
    };
    if (shared_.background.add([fill] { return fill(false); }, [fill] { fill(true); })) return;
    unsupported("EU JIT: too many kernels at once", "one stays with the interpreter");
    slot.state.store(CodeSlot::State::decided, std::memory_order_release);
  }

  bool filled(CodeSlot& slot, const Program& program, const Variant& variant, bool may_compile) {
    const HostIsa isa = best_host_isa();
    const std::string name = code_name(program, variant, isa);
    ObjectSource source(shared_, program, variant, isa, name);
    bool asked = false;
    const bool filled = shared_.store.fill(slot, program, variant, name, [&] { return asked = true, source.get(may_compile); });
    const RunningCode code(slot, shared_.store.now());
    if (code && asked) source.dump(code.compiled().code);
    if (code && !asked) shared_.counters.from_cache++;
    return filled;
  }

  Shared& shared_;
  const Program& program_;
  const uint32_t start_mode_;
  std::array<CodeSlot, 16> slots_;
  std::array<SeriesSlots, 3> series_;
};

class LlvmCompiler final : public Compiler {
 public:
  LlvmCompiler(Engine engine, bool in_process) : interprets_(engine == Engine::interp), shared_(engine == Engine::jit, in_process) {}

  std::unique_ptr<FastPath> attach(const Program& program) override {
    return interprets_ ? nullptr : std::make_unique<CompiledProgram>(shared_, program);
  }
  EngineStats stats() const override {
    const Counters& c = shared_.counters;
    EngineStats stats{c.compiled, c.refused, c.from_cache, c.compile_ns, c.longest_ns};
    stats.compiler = shared_.in_process ? llvm::version() : shared_.process.compiler();
    for (const auto& r : c.runs) {
      stats.interpreted_threads += r.interpreted;
      stats.compiled_threads += r.compiled;
    }
    return stats;
  }
  void drain() override { shared_.background.drain(); }

 private:
  const bool interprets_;
  Shared shared_;
};

}  // namespace

}  // namespace jit

bool engine_from_name(std::string_view name, Engine& engine) {
  if (name == "interp") return engine = Engine::interp, true;
  if (name == "check") return engine = Engine::check, true;
  if (name == "jit") return engine = Engine::jit, true;
  if (name == "tiers") return engine = Engine::tiers, true;
  return false;
}

std::unique_ptr<Compiler> make_compiler(const CompilerOptions& options) {
  Engine engine = options.engine.value_or(Engine::tiers);
  if (const char* name = std::getenv("SOFTGEN_ENGINE"); !options.engine && name && !engine_from_name(name, engine))
    note("SOFTGEN_ENGINE", "{} is none of interp, check, jit, tiers", name);
  if (engine == Engine::check) return make_check_engine();
  if (engine != Engine::interp && !jit::host_is_wide()) {
    note("EU JIT: not available", "this host has no AVX2 with FMA");
    engine = Engine::interp;
  }
  return std::make_unique<jit::LlvmCompiler>(engine, jit::compiles_in_process(options.may_be_in_process));
}

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
// Device bring-up, interrupt service, hangs. Sequences: i915 i915_irq.c, gt/intel_reset.c.
#include "hw/run/gpu.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "hw/base/signals.h"
#include "hw/eu/jit/engine.h"
#include "hw/gt/abi.h"
#include "hw/run/global_space.h"
#include "hw/run/options.h"
#include "hw/run/ppgtt.h"
#include "hw/run/regs.h"

namespace softgen::run {

namespace {

// Of the process's address space, not of its memory: holes are free.
constexpr uint64_t arena_size = uint64_t{64} << 30;

sg_host_ops host_ops(Gpu* gpu, void (*interrupt)(void*, bool)) {
  sg_host_ops ops = {};
  ops.opaque = gpu;
  ops.clock_ns = [](void*) { return monotonic_ns(); };
  // This device drives no display, so there are no waits for vblank; without threads the engines look at memory by a timer.
  ops.timer_set = [](void* opaque, unsigned id, int64_t deadline_ns) {
    if (id == SG_TIMER_MISC) static_cast<Gpu*>(opaque)->set_timer(deadline_ns);
  };
  ops.interrupt = interrupt;
  return ops;
}

/// Set by a signal.
std::atomic<bool> where_wanted{false};

std::string take_error(char* error) {
  std::string text = error ? error : "unknown error";
  sg_free(error);
  return text;
}

const defs::Platform& platform_named(const std::string& name) {
  const defs::Platform* found = defs::find_platform(name);
  if (!found) throw std::runtime_error(fmt::format("there is no platform '{}'", name));
  return *found;
}

const Chip& chip_for(const defs::Platform& platform) {
  const Chip* found = chip_of(platform.parts);
  if (!found) throw std::runtime_error(fmt::format("softgen-run has no driver for platform '{}'", platform.name));
  return *found;
}

}  // namespace

void Gpu::on_interrupt(void* opaque, bool level) {
  if (!level) return;
  Gpu* gpu = static_cast<Gpu*>(opaque);
  {
    MutexLock lock(gpu->irq_mutex_);
    gpu->irq_pending_ = true;
  }
  if (!FenceClock::get().offer()) gpu->irq_changed_.notify_one();
}

void Gpu::set_timer(int64_t deadline_ns) {
  {
    MutexLock lock(irq_mutex_);
    timer_due_ = deadline_ns;
  }
  irq_changed_.notify_one();
}

Gpu::Gpu(const Options& options)
    : options_(options),
      platform_(platform_named(options.platform)),
      chip_(chip_for(platform_)),
      shared_arena_(std::make_shared<Arena>(arena_size)),
      arena_(*shared_arena_),
      device_(make_device()),
      ggtt_(chip_.global_table, Registers(device_), arena_),
      submission_(chip_.submission({chip_, Registers(device_), arena_, ggtt_})) {
  const SignalsBlocked in_new_threads;
  char* error = nullptr;
  if (!options_.record.empty() && !sg_record_start(device_, options_.record.c_str(), false, &error))
    throw std::runtime_error(take_error(error));
  if (!options_.check.empty() && !sg_check_start(device_, options_.check.c_str(), nullptr, nullptr, &error))
    throw std::runtime_error(take_error(error));
  if (!chip_.uapi.own_tables) global_space_ = std::make_shared<GlobalSpace>(ggtt_);
  bring_up();
  // Not before: what brings the device up here waits for nothing that a plan may take away.
  if (!options_.faults.empty() && !sg_faults_load(device_, options_.faults.c_str(), &error)) throw std::runtime_error(take_error(error));
  thread_ = std::thread([this] { thread_main(); });
  FenceClock::get().set_service({[this] { serve_interrupt(); }, [this] { irq_changed_.notify_one(); }});
  if (!options_.record.empty() || !options_.stats.empty() || !options_.check.empty()) end_.emplace([this] { write_results(); });
}

sg_device* Gpu::make_device() {
  const SignalsBlocked in_new_threads;
  options_.record = own_file(options_.record);
  options_.stats = own_file(options_.stats);
  const sg_host_ops ops = host_ops(this, on_interrupt);
  sg_config config = {};
  config.platform = platform_.name;
  config.threads = options_.threads;
  config.preempt_commands = options_.preempt;
  config.aperture_size = uint64_t{256} << 20;
  eu::CompilerOptions compiler{.may_be_in_process = true};
  if (eu::Engine engine; eu::engine_from_name(options_.engine, engine)) compiler.engine = engine;
  char* error = nullptr;
  sg_device* const device = gt::new_device(config, eu::make_compiler(compiler), ops, &error);
  if (!device) throw std::runtime_error(take_error(error));
  sg_memory_begin(device);
  sg_memory_add(device, 0, arena_.size(), arena_.base(), false);
  sg_memory_commit(device);
  return device;
}

Gpu::~Gpu() {
  FenceClock::get().set_service({});
  {
    MutexLock lock(irq_mutex_);
    quit_ = true;
  }
  irq_changed_.notify_one();
  thread_.join();
  end_.reset();
  write_results();
  sg_device_free(device_);
}

void Gpu::write_findings() {
  if (options_.check.empty() || options_.check_folder.empty()) return;
  char* report = sg_check_report(device_);
  FILE* out = std::fopen((options_.check_folder + "/" + std::to_string(getpid()) + ".json").c_str(), "w");
  if (out && report) std::fprintf(out, "%s\n", report);
  if (out) std::fclose(out);
  sg_free(report);
}

void Gpu::write_results() {
  if (!options_.record.empty()) {
    MutexLock lock(mutex_);  // who holds it may be in the recorder
    sg_record_stop(device_);
  }
  write_findings();
  if (options_.stats.empty()) return;
  char* report = sg_report(device_);
  FILE* out = options_.stats == "-" ? stderr : std::fopen(options_.stats.c_str(), "w");
  if (out && report) std::fprintf(out, "%s\n", report);
  if (out && out != stderr) std::fclose(out);
  sg_free(report);
}

void Gpu::bring_up() {
  for (uint32_t request : chip_.forcewake) write(request, 0x00010001);
  if (chip_.enables_64k_pages) write(regs::gamw_eco_dev_rw_ia, read(regs::gamw_eco_dev_rw_ia) | 0xf);
  for (unsigned i = 0; i < run_engines; ++i) {
    if (!chip_.has(i)) continue;
    engines_[i].info = &chip_.engines[i];
    engines_[i].index = i;
    submission_->bring_up(engines_[i]);
  }
  chip_.enable_interrupts(Registers(device_));
}

std::shared_ptr<AddressSpace> Gpu::address_space() { return chip_.uapi.own_tables ? std::make_shared<Ppgtt>(arena_) : global_space_; }

uint64_t Gpu::read_register(uint32_t offset, unsigned size) { return sg_bar0_read(device_, offset, size); }

void Gpu::kick() { on_interrupt(this, true); }

void Gpu::report_position_on(int signal_number) {
  struct sigaction now = {};
  if (sigaction(signal_number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;  // the program's own
  now.sa_handler = [](int) { where_wanted = true; };
  now.sa_flags = SA_RESTART;
  sigaction(signal_number, &now, nullptr);
}

void Gpu::report_position() {
  char* where = sg_where(device_);
  char* report = sg_report(device_);
  std::fprintf(stderr, "%s%s\n", where ? where : "", report ? report : "");
  sg_free(where);
  sg_free(report);
}

void Gpu::thread_main() {
  prctl(PR_SET_NAME, "softgen-irq");
  MutexLock lock(irq_mutex_);
  while (!quit_) {
    const int64_t armed = timer_due_;
    constexpr int64_t second = 1'000'000'000;
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::nanoseconds(armed < 0 ? second : std::clamp<int64_t>(armed - monotonic_ns(), 0, second));
    while (!irq_pending_ && !quit_ && timer_due_ == armed)
      if (!irq_changed_.wait_until(irq_mutex_, until)) break;
    const bool expired = timer_due_ >= 0 && monotonic_ns() >= timer_due_;
    if (!irq_pending_ && !quit_ && !expired && timer_due_ != armed) continue;
    if (expired) timer_due_ = -1;
    irq_pending_ = false;
    lock.unlock();
    if (where_wanted.exchange(false)) report_position();
    {
      MutexLock driver(mutex_);
      if (expired) sg_timer_expired(device_, SG_TIMER_MISC);
      service();
    }
    FenceClock::get().notify();
    lock.lock();
  }
}

/// On a thread that waits for a fence.
void Gpu::serve_interrupt() {
  {
    MutexLock lock(irq_mutex_);
    if (!std::exchange(irq_pending_, false)) return;
  }
  {
    MutexLock driver(mutex_);
    service();
  }
  FenceClock::get().notify();
}

void Gpu::service() {
  // What memory says first: the engine's thread, which reported it, is still behind the registers' lock.
  for (EngineQueue& engine : engines_) process_engine(engine);
  chip_.acknowledge(Registers(device_));
  for (EngineQueue& engine : engines_) {
    process_engine(engine);
    check_hang(engine);
    schedule(engine);
  }
  run_idle_context();
  std::erase_if(released_, [this](const std::shared_ptr<Context>& context) SG_REQUIRES(mutex_) {
    if (context.use_count() > 1) return false;
    for (const auto& [slot, logical] : context->logical)
      if (is_current(logical)) return false;
    for (const auto& [slot, logical] : context->logical) submission_->free_context(logical);
    return true;
  });
}

bool Gpu::is_current(const LogicalContext& context) const {
  for (const EngineQueue& engine : engines_)
    if (engine.info && submission_->uses(engine, context)) return true;
  return false;
}

void Gpu::process_engine(EngineQueue& engine) {
  if (!engine.info) return;
  submission_->look(engine);
  retire(engine);
}

void Gpu::retire(EngineQueue& engine) {
  while (!engine.running.empty()) {
    const RequestPtr request = engine.running.front();
    if (static_cast<int32_t>(submission_->completed(engine) - request->seqno) < 0) break;
    std::atomic_thread_fence(std::memory_order_acquire);
    engine.running.pop_front();
    engine.since_ns = monotonic_ns();
    finish(*request);
  }
  if (!engine.busy || !submission_->settled(engine)) return;
  engine.busy = false;
  // A drained context whose seqno never came has lost its work: say so rather than wait for ever.
  for (const RequestPtr& request : engine.running) finish(*request, -EIO);
  if (!engine.running.empty()) std::fprintf(stderr, "softgen-run: %s drained without finishing its requests\n", engine.info->name);
  engine.running.clear();
}

void Request::end_uses() {
  for (const SharedUse& use : shared) use.bo->locks().end(use.ticket);
  shared.clear();
}

void Gpu::finish(Request& request, int error) {
  request.end_uses();
  FenceClock::get().mark(request.fence, error);
}

void Gpu::check_hang(EngineQueue& engine) {
  if (!engine.busy || !options_.hang_timeout_s) return;
  if (monotonic_ns() - engine.since_ns < options_.hang_timeout_s * int64_t{1'000'000'000}) return;
  std::fprintf(stderr, "softgen-run: %s made no progress for %d s; it is reset and its context banned\n", engine.info->name,
               options_.hang_timeout_s);
  report_position();
  recover(engine);
}

/// The context of the request that hangs is banned; what else the reset has stopped runs again (i915 gt/intel_reset.c, __i915_request_reset).
void Gpu::recover(EngineQueue& hung) {
  const std::shared_ptr<Context> guilty = hung.running.empty() ? nullptr : hung.running.front()->context;
  const auto is_stopped = [&](const EngineQueue& engine)
                              SG_REQUIRES(mutex_) { return engine.info && (&engine == &hung || submission_->resets_all()); };
  try {
    submission_->reset(hung);
    for (EngineQueue& engine : engines_)
      if (is_stopped(engine)) take_back(engine, guilty.get());
    for (EngineQueue& engine : engines_)
      if (is_stopped(engine)) submission_->bring_up(engine);
  } catch (const std::exception& e) { return give_up(e.what()); }
  for (EngineQueue& engine : engines_)
    if (&engine != &hung && is_stopped(engine)) schedule(engine);
}

/// Requests that a reset has stopped: those of the guilty context end, others wait again, in their order.
void Gpu::take_back(EngineQueue& engine, const Context* guilty) {
  std::deque<RequestPtr> again;
  for (const RequestPtr& request : engine.running) {
    if (request->context.get() != guilty) {
      again.push_back(request);
      continue;
    }
    request->context->banned = true;
    request->context->batch_active++;
    request->context->resets++;
    finish(*request, -EIO);
  }
  engine.waiting.insert(engine.waiting.begin(), again.begin(), again.end());
  engine.running.clear();
  engine.busy = false;
  engine.current = nullptr;
}

/// As intel_gt_set_wedged(): all requests fail from now on.
void Gpu::give_up(const char* why) {
  std::fprintf(stderr, "softgen-run: the GPU cannot be reset, and does no more work: %s\n", why);
  wedged_ = true;
  for (EngineQueue& engine : engines_) {
    for (const auto* requests : {&engine.running, &engine.waiting})
      for (const RequestPtr& request : *requests) finish(*request, -EIO);
    engine.running.clear();
    engine.waiting.clear();
    engine.busy = false;
    engine.current = nullptr;
  }
}

}  // namespace softgen::run

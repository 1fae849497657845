// SPDX-License-Identifier: GPL-2.0-or-later
// Device bring-up and interrupt service. Sequence and values: i915 gt/intel_execlists_submission.c (enable_execlists), i915_irq.c.
#include "hw/run/gpu.h"

#include <fmt/format.h>
#include <i915_drm.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "hw/base/signals.h"
#include "hw/eu/jit/engine.h"
#include "hw/gt/abi.h"
#include "hw/run/options.h"
#include "hw/run/regs.h"

namespace softgen::run {

namespace {

// Of the process's address space, not of its memory: holes are free.
constexpr uint64_t arena_size = uint64_t{64} << 30;
constexpr uint32_t ggtt_pages = 1u << 20;
constexpr uint64_t page = 4096;

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

const Chip& chip_named(const std::string& name) {
  const Chip* found = chip_of(name);
  if (!found) throw std::runtime_error(fmt::format("softgen-run has no driver for platform '{}'", name));
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
      chip_(chip_named(options.platform)),
      shared_arena_(std::make_shared<Arena>(arena_size)),
      arena_(*shared_arena_) {
  const SignalsBlocked in_new_threads;
  options_.record = own_file(options_.record);
  options_.stats = own_file(options_.stats);
  const sg_host_ops ops = host_ops(this, on_interrupt);
  sg_config config = {};
  config.platform = platform_.name;
  config.threads = options_.threads;
  config.aperture_size = uint64_t{256} << 20;
  eu::CompilerOptions compiler{.may_be_in_process = true};
  if (eu::Engine engine; eu::engine_from_name(options_.engine, engine)) compiler.engine = engine;
  char* error = nullptr;
  device_ = gt::new_device(config, eu::make_compiler(compiler), ops, &error);
  if (!device_) throw std::runtime_error(take_error(error));
  sg_memory_begin(device_);
  sg_memory_add(device_, 0, arena_.size(), arena_.base(), false);
  sg_memory_commit(device_);
  if (!options_.record.empty() && !sg_record_start(device_, options_.record.c_str(), false, &error))
    throw std::runtime_error(take_error(error));
  if (!options_.check.empty() && !sg_check_start(device_, options_.check.c_str(), nullptr, nullptr, &error))
    throw std::runtime_error(take_error(error));
  ggtt_free_[1] = ggtt_pages - 1;
  bring_up();
  // Not before: what brings the device up here waits for nothing that a plan may take away.
  if (!options_.faults.empty() && !sg_faults_load(device_, options_.faults.c_str(), &error)) throw std::runtime_error(take_error(error));
  thread_ = std::thread([this] { thread_main(); });
  FenceClock::get().set_service({[this] { serve_interrupt(); }, [this] { irq_changed_.notify_one(); }});
  if (!options_.record.empty() || !options_.stats.empty() || !options_.check.empty()) end_.emplace([this] { write_results(); });
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

uint32_t Gpu::ggtt_map(uint64_t gpa, uint32_t pages, uint32_t alignment) {
  for (auto it = ggtt_free_.begin(); it != ggtt_free_.end(); ++it) {
    const uint32_t start = it->first, end = start + it->second;
    const uint32_t first = (start + alignment - 1) / alignment * alignment;
    if (first > end || end - first < pages) continue;
    ggtt_free_.erase(it);
    if (first > start) ggtt_free_[start] = first - start;
    if (end - first > pages) ggtt_free_[first + pages] = end - first - pages;
    for (uint32_t i = 0; i < pages; ++i) sg_bar0_write(device_, regs::gtt_window + uint64_t{8} * (first + i), (gpa + page * i) | 1, 8);
    write(regs::gfx_flsh_cntl, 1);
    return first << 12;
  }
  throw std::bad_alloc();
}

void Gpu::ggtt_unmap(uint32_t address, uint32_t pages) {
  const uint32_t first = address >> 12;
  for (uint32_t i = 0; i < pages; ++i) sg_bar0_write(device_, regs::gtt_window + uint64_t{8} * (first + i), 0, 8);
  uint32_t start = first, count = pages;
  const auto after = ggtt_free_.lower_bound(first);
  if (after != ggtt_free_.begin() && std::prev(after)->first + std::prev(after)->second == first) {
    start = std::prev(after)->first;
    count += std::prev(after)->second;
  }
  if (after != ggtt_free_.end() && after->first == first + pages) {
    count += after->second;
    ggtt_free_.erase(after);
  }
  ggtt_free_[start] = count;
}

GgttMemory Gpu::ggtt_allocate(uint32_t pages, uint32_t alignment) {
  GgttMemory memory{.gpa = arena_.allocate(page * pages), .pages = pages};
  if (!memory.gpa) throw std::bad_alloc();
  try {
    memory.address = ggtt_map(memory.gpa, pages, alignment);
  } catch (const std::bad_alloc&) {
    arena_.release(memory.gpa, page * pages);
    throw;
  }
  return memory;
}

void Gpu::ggtt_free(const GgttMemory& memory) {
  ggtt_unmap(memory.address, memory.pages);
  arena_.release(memory.gpa, page * memory.pages);
}

void Gpu::bring_up() {
  for (uint32_t request : chip_.forcewake) write(request, 0x00010001);
  if (chip_.enables_64k_pages) write(regs::gamw_eco_dev_rw_ia, read(regs::gamw_eco_dev_rw_ia) | 0xf);
  for (unsigned i = 0; i < run_engines; ++i) {
    engines_[i].info = &chip_.engines[i];
    engines_[i].hwsp = ggtt_allocate(1);
    bring_up_engine(engines_[i]);
  }
  chip_.enable_interrupts(Registers(device_));
}

void Gpu::bring_up_engine(Engine& engine) {
  const uint32_t base = engine.info->mmio;
  write(base + regs::hwstam, ~0u);
  write(base + regs::ring_mode, chip_.run_lists);
  write(base + regs::mi_mode, 0x01000000);  // clear STOP_RING
  write(base + regs::hws_pga, engine.hwsp.address);
  open_registers(engine);
  enable_switch_interrupts(engine, false);
  write(base + regs::emr, ~0u);
  write(base + regs::eir, ~0u);
  write(base + regs::csb_pointers, chip_.csb_pointers);
  uint32_t* hwsp = reinterpret_cast<uint32_t*>(arena_.host(engine.hwsp.gpa));
  hwsp[chip_.csb_write] = chip_.csb_entries - 1;
  engine.csb_read = chip_.csb_entries - 1;
  engine.submitted = engine.active = false;
}

/// As i915's intel_engine_apply_whitelist(): slots without a register name one that is harmless.
void Gpu::open_registers(const Engine& engine) {
  const std::span<const uint32_t> open =
      engine.info->uapi_class == I915_ENGINE_CLASS_RENDER ? chip_.open_to_batches : std::span<const uint32_t>();
  const uint32_t base = engine.info->mmio;
  for (uint32_t slot = 0; slot < regs::nonpriv_slots; ++slot)
    write(base + regs::nonpriv + 4 * slot, slot < open.size() ? open[slot] : base + regs::nopid);
}

/// Context switches matter only to a request that waits for its engine to leave a context: all else follows from the requests' own
/// interrupts.
void Gpu::enable_switch_interrupts(Engine& engine, bool on) {
  engine.switch_interrupts = on;
  const uint32_t heard = regs::user_interrupt | regs::cs_error | (on ? regs::context_switch : 0);
  chip_.hear(Registers(device_), *engine.info, heard);
}

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
  for (Engine& engine : engines_) process_engine(engine);
  chip_.acknowledge(Registers(device_));
  for (Engine& engine : engines_) {
    process_engine(engine);
    check_hang(engine);
    schedule(engine);
  }
  run_idle_context();
  std::erase_if(released_, [this](const std::shared_ptr<Context>& context) SG_REQUIRES(mutex_) {
    if (context.use_count() > 1) return false;
    for (const auto& [slot, logical] : context->logical)
      for (const Engine& engine : engines_)
        if (engine.current == &logical) return false;
    for (const auto& [slot, logical] : context->logical) {
      ggtt_free(logical.image);
      ggtt_free(logical.ring);
    }
    return true;
  });
}

void Gpu::process_engine(Engine& engine) {
  volatile uint32_t* hwsp = reinterpret_cast<volatile uint32_t*>(arena_.host(engine.hwsp.gpa));
  const unsigned written = hwsp[chip_.csb_write] & 15;
  std::atomic_thread_fence(std::memory_order_acquire);
  while (engine.csb_read != written && written < chip_.csb_entries) {
    engine.csb_read = (engine.csb_read + 1) % chip_.csb_entries;
    const volatile uint32_t* entry = hwsp + regs::hwsp_csb + size_t{2} * engine.csb_read;
    const Switch event = chip_.read_entry(entry[0], entry[1]);
    if (event.taken) engine.submitted = false;
    engine.active = event.taken || (engine.active && !event.idle);
  }
  retire(engine);
}

void Gpu::retire(Engine& engine) {
  while (!engine.running.empty()) {
    const RequestPtr request = engine.running.front();
    volatile uint32_t* pphwsp = reinterpret_cast<volatile uint32_t*>(arena_.host(engine.current->image.gpa));
    if (static_cast<int32_t>(pphwsp[regs::pphwsp_seqno] - request->seqno) < 0) break;
    std::atomic_thread_fence(std::memory_order_acquire);
    engine.running.pop_front();
    engine.since_ns = monotonic_ns();
    finish(*request);
  }
  if (!engine.busy || engine.submitted || engine.active) return;
  engine.busy = false;
  engine.current = nullptr;
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

void Gpu::check_hang(Engine& engine) {
  if (!engine.busy || !options_.hang_timeout_s) return;
  if (monotonic_ns() - engine.since_ns < options_.hang_timeout_s * int64_t{1'000'000'000}) return;
  std::fprintf(stderr, "softgen-run: %s made no progress for %d s; it is reset and its context banned\n", engine.info->name,
               options_.hang_timeout_s);
  report_position();
  recover(engine);
}

void Gpu::recover(Engine& engine) {
  write(engine.info->mmio + regs::reset_ctl, 0x00010001);
  write(regs::gdrst, engine.info->reset);
  write(engine.info->mmio + regs::reset_ctl, 0x00010000);
  for (const RequestPtr& request : engine.running) {
    request->context->banned = true;
    request->context->batch_active++;
    request->context->resets++;
    finish(*request, -EIO);
  }
  engine.running.clear();
  engine.busy = false;
  engine.current = nullptr;
  bring_up_engine(engine);
}

}  // namespace softgen::run

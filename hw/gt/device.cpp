// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/device.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/eu/jit/engine.h"
#include "hw/mmio/forcewake.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/reset_control.h"
#include "hw/mmio/timestamp.h"

namespace softgen::gt {

namespace {

/// Resumes a paused device at the end of the scope, whatever is thrown in it.
class Resumed {
 public:
  explicit Resumed(Device& device) : device_(device) {}
  ~Resumed() { device_.resume(); }
  Resumed(const Resumed&) = delete;
  Resumed& operator=(const Resumed&) = delete;

 private:
  Device& device_;
};

/// Ends Display::hold_memory(), however the scope is left.
class FramesGoOn {
 public:
  explicit FramesGoOn(display::Display& display) : display_(display) {}
  ~FramesGoOn() { display_.release_memory(); }
  FramesGoOn(const FramesGoOn&) = delete;
  FramesGoOn& operator=(const FramesGoOn&) = delete;

 private:
  display::Display& display_;
};

}  // namespace

void Device::MemoryUnits::reset(Entries entries) {
  if (entries == Entries::cleared) ggtt.reset();
  aperture.reset();
  faults.reset();
  tlb.bump();
}

Device::Device(const Config& config, Host& host, std::unique_ptr<HostMemory> memory)
    : config_(config),
      parts_(parts_of(*config.platform)),
      host_(host),
      guest_(memory ? std::move(memory) : std::make_unique<memory::FlatMemory>()),
      flat_(dynamic_cast<memory::FlatMemory*>(guest_.get())),
      stolen_{config.stolen_base, config.stolen_size},
      memory_(*config.platform, *guest_),
      page_faults_(parts_.page_faults
                       ? parts_.page_faults(registers_, memory_.faults, [this] { streamers_->errors_changed(EngineId::rcs); })
                       : nullptr),
      faults_(registers_, parts_.interrupts(registers_, host), host, plan_links()),
      gt_(*config.platform, parts_, {registers_, faults_.interrupts, host, *guest_, memory_.ggtt, [this](int64_t ns) { wake_at(ns); }}),
      display_(parts_.display({registers_, faults_.interrupts, faults_.monitors, *guest_, memory_.ggtt},
                              {.pipes = config.platform->pipes, .connected = config.connected, .threaded = config.threads > 0})),
      vga_(host),
      pool_(config.threads),
      compiler_(config.compiler ? config.compiler : eu::make_compiler({})),
      engines_(parts_.engines({*config.platform, parts_, *compiler_, config.threads ? &pool_ : nullptr, config.preempt_always})) {
  build_units();
  reset();
}

Device::~Device() = default;

void Device::build_units() {
  if (page_faults_) memory_.aperture.set_faults(page_faults_.get());
  mmio::attach_forcewake(registers_);
  mmio::attach_timestamps(registers_, host_, mmio::TimestampClock(config_.platform->timestamp_hz));
  mmio::attach_memory_registers(registers_, {memory_.ggtt, memory_.aperture, memory_.faults, memory_.tlb});
  mmio::attach_reset_control(
      registers_, faults_.interrupts, [this](uint32_t engines) { streamers_->stop_engines(engines); },
      [this](uint32_t engines) {
        memory_.tlb.bump();
        gt_.registers_changed();
        streamers_->restart_engines(engines);
      });
  cs::CommandStreamers::Environment environment{
      .commands = *config_.platform->commands,
      .contexts = *config_.platform->contexts,
      .memory = *guest_,
      .ggtt = memory_.ggtt,
      .ppgtt_pages = config_.platform->ppgtt ? *config_.platform->ppgtt : *config_.platform->ggtt,
      .faults = page_faults_ ? page_faults_.get() : &memory_.faults,
      .tlb = memory_.tlb,
      .registers = registers_,
      .interrupts = faults_.interrupts,
      .gate = memory_.gate,
      .submission = parts_.submission,
      .observation = gt_.observation(),
      .display = cs::DisplayLink{*display_, [this] { return host_.clock_ns(); }, [this](int64_t ns) { wake_at(ns); }},
      .gtt_written = [this] { host_.gtt_changed(); },
      .work_arrives = [this] { gt_.wake(); },
      .watchdog_wake =
          [this](uint64_t ticks) { wake_at(host_.clock_ns() + mmio::TimestampClock(config_.platform->timestamp_hz).ns(ticks)); },
      .preempt_commands = config_.preempt_commands,
      .observer = config_.observer,
      .watch = &observers_.watch_point};
  if (config_.poll_commands) environment.commands_per_poll = config_.poll_commands;
  if (parts_.guc) environment.switched = [this](EngineId id, const cs::ContextSwitch& event) { guc_->guc.switched(id, event); };
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto id = static_cast<EngineId>(i); config_.platform->has(id)) environment.engines[i] = engines_->of(id);
  streamers_ = std::make_unique<cs::CommandStreamers>(environment, config_.threads > 0);
  gt_.set_idle_query([this] { return !streamers_->busy(); });
  if (!parts_.guc) return;
  guc_ = std::make_unique<Microcontroller>(
      *config_.platform, *parts_.guc, *streamers_,
      Microcontroller::Units{registers_, faults_.interrupts, *guest_, memory_.ggtt, host_, memory_.tlb, [this] { gt_.wake(); }},
      [this](int64_t ns) { wake_at(ns); });
}

/// threads=0: a timer resumes work that waits for memory or has used up its time slice. The watchdog, the GuC and the
/// observation unit use the same timer.
void Device::poll_later() {
  if (config_.threads > 0 || !streamers_->busy()) return;
  const int64_t poll = host_.clock_ns() + timer_.poll_ns, other = timer_.deadline_ns.load(std::memory_order_acquire);
  host_.timer_set(SG_TIMER_MISC, other < 0 ? poll : std::min(poll, other));
}

// Several threads may call this at once: each repeats timer_set() until it has set the current minimum, so that the last call sets the right one.
void Device::wake_at(int64_t ns) {
  int64_t earliest = timer_.deadline_ns.load(std::memory_order_acquire);
  while ((earliest < 0 || ns < earliest) && !timer_.deadline_ns.compare_exchange_weak(earliest, ns, std::memory_order_acq_rel)) {}
  do {
    earliest = timer_.deadline_ns.load(std::memory_order_acquire);
    if (earliest >= 0) host_.timer_set(SG_TIMER_MISC, earliest);
  } while (timer_.deadline_ns.load(std::memory_order_acquire) != earliest);
}

void Device::watch_power(uint32_t offset, bool write) {
  if (Watch* const watch = observers_.watch_point.get(); watch && !registers_.has_power(offset, write)) [[unlikely]]
    watch->register_unpowered(offset, write);
}

uint64_t Device::bar0_read(uint64_t offset, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (display::LegacyVga::covers(offset)) return vga_.read_mapped(static_cast<uint16_t>(offset), size);
  if (offset < mmio::register_space) {
    watch_power(static_cast<uint32_t>(offset), false);
    return registers_.read(static_cast<uint32_t>(offset), size);
  }
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory_.ggtt.window_size())
    return memory_.ggtt.read_window(offset - window, size);
  guest_error("BAR0 access outside registers and GTT window", "read of {} bytes at 0x{:x}", size, offset);
  return 0;
}

void Device::bar0_write(uint64_t offset, uint64_t value, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (display::LegacyVga::covers(offset)) return vga_.write_mapped(static_cast<uint16_t>(offset), value, size);
  if (offset < mmio::register_space) {
    if (observers_.recorder && size == 4) observers_.recorder->register_write(static_cast<uint32_t>(offset), static_cast<uint32_t>(value));
    watch_power(static_cast<uint32_t>(offset), true);
    registers_.write(static_cast<uint32_t>(offset), value, size);
    timer_.poll_ns = min_poll_ns;
    poll_later();
    if (observers_.recorder && size == 4) observers_.recorder->register_written(static_cast<uint32_t>(offset));
    if (Watch* const watch = observers_.watch_point.get(); watch && size == 4) [[unlikely]]
      watch->register_written(static_cast<uint32_t>(offset), static_cast<uint32_t>(value));
    return;
  }
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory_.ggtt.window_size())
    return memory_.ggtt.write_window(offset - window, value, size);
  guest_error("BAR0 access outside registers and GTT window", "write of {} bytes at 0x{:x}", size, offset);
}

void Device::set_watch(std::unique_ptr<Watch> watch) {
  pause();
  observers_.watch_point.set(watch.get());
  observers_.watch.swap(watch);
  resume();
}

void Device::memory_begin() {
  pause();
  display_->hold_memory();
}

void Device::memory_add(uint64_t gpa, uint64_t size, void* host, bool readonly) {
  assert(flat_);
  flat_->add(gpa, size, host, readonly);
}

void Device::memory_remove(uint64_t gpa, uint64_t size) {
  assert(flat_);
  flat_->remove(gpa, size);
}

void Device::memory_commit() {
  assert(flat_);
  const Resumed resumed(*this);
  const FramesGoOn frames(*display_);
  flat_->commit();
}

void Device::dirty_log(bool on) {
  assert(flat_);
  memory_begin();
  const Resumed resumed(*this);
  const FramesGoOn frames(*display_);
  flat_->dirty_log(on);
}

void Device::dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t gpa, uint64_t size)>& dirty) {
  assert(flat_);
  pause();
  const Resumed resumed(*this);
  flat_->dirty_sync(gpa, size, dirty);
}

void Device::set_stolen(uint64_t base, uint64_t size) {
  stolen_.base = base;
  stolen_.size = size;
  mmio::show_stolen(registers_, stolen_.base, stolen_.size);
}

void Device::pause() {
  streamers_->pause();
  memory_.gate.close();
}

void Device::resume() {
  memory_.gate.open();
  streamers_->resume();
  poll_later();
}

// Stopping for a reset needs no pause before it: the work is dropped anyway. While the engines are held none accesses guest memory.
void Device::reset(Entries entries) {
  faults_.plan.forget_deferred();
  timer_.poll_ns = min_poll_ns;
  if (entries == Entries::kept) entries = planned_wakeup();
  streamers_->stop_engines(~0u);
  registers_.reset();
  mmio::show_stolen(registers_, stolen_.base, stolen_.size);
  faults_.interrupts.reset();
  gt_.reset();
  display_->reset();
  vga_.reset();
  memory_.reset(entries);
  if (guc_) guc_->guc.reset();
  streamers_->restart_engines(~0u);
}

// A plan is about what the guest does: it is not asked about events that a load passes on, such as vertical blanks until then.
void Device::state(Archive& archive) {
  Faults* const faults = archive.reading() ? registers_.faults() : nullptr;
  if (faults) registers_.set_faults(nullptr);
  unit_states(archive);
  if (archive.reading() && archive.failed()) reset();
  if (faults) registers_.set_faults(faults);
}

// Behind a load nothing of the time before is left: an old deadline would hide later ones.
void Device::deadline_state(Archive& archive, bool saved) {
  int64_t deadline = archive.reading() ? -1 : timer_.deadline_ns.load(std::memory_order_acquire);
  if (saved) archive.value(deadline);
  if (!archive.reading() || archive.failed()) return;
  timer_.deadline_ns.store(-1, std::memory_order_release);
  if (deadline >= 0) wake_at(deadline);
}

void Device::unit_states(Archive& archive) {
  if (archive.reading()) {
    faults_.plan.forget_deferred();
    timer_.poll_ns = min_poll_ns;
  }
  const uint32_t version = archive.section("device", 4);  // before version 4 without the timer's deadline
  uint32_t id = config_.platform->pci_device_id;
  archive.value(id);
  if (archive.reading() && id != config_.platform->pci_device_id)
    return archive.fail(fmt::format("the saved state is of PCI device {:04x}, this is {:04x}", id, config_.platform->pci_device_id));
  archive.value(stolen_.base);
  archive.value(stolen_.size);
  deadline_state(archive, version >= 4);
  registers_.state(archive);
  if (archive.reading()) mmio::show_stolen(registers_, stolen_.base, stolen_.size);
  faults_.interrupts.state(archive);
  gt_.power_state(archive);
  display_->state(archive);
  vga_.state(archive);
  memory_.ggtt.state(archive);
  memory_.aperture.state(archive);
  memory_.faults.state(archive);
  gt_.observation_state(archive, version >= 2);
  if (guc_ && version >= 3) guc_->guc.state(archive);
  else if (guc_) guc_->guc.reset();
  streamers_->state(archive);
  if (archive.reading()) memory_.tlb.bump();
}

void Device::timer_expired(unsigned id) {
  if (display_->timer_expired(id) || id != SG_TIMER_MISC) return;
  timer_.deadline_ns.store(-1, std::memory_order_release);
  streamers_->look();
  if (guc_) guc_->guc.look();
  faults_.plan.look();
  gt_.look();
  streamers_->poll();
  timer_.poll_ns = std::min(2 * timer_.poll_ns, max_poll_ns);
  poll_later();
}

}  // namespace softgen::gt

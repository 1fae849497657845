// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/device.h"

#include <cassert>
#include <utility>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/cs/submission/elsp.h"
#include "hw/eu/jit/engine.h"
#include "hw/gt/isa_of.h"
#include "hw/mmio/forcewake.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/reset_control.h"
#include "hw/mmio/timestamp.h"

namespace softgen::gt {

namespace {

constexpr int64_t poll_period_ns = 1'000'000;

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

Device::Device(const Config& config, Host& host, std::unique_ptr<HostMemory> memory)
    : config_(config),
      isa_(isa_of(*config.platform)),
      host_(host),
      memory_(memory ? std::move(memory) : std::make_unique<memory::FlatMemory>()),
      flat_(dynamic_cast<memory::FlatMemory*>(memory_.get())),
      aperture_(ggtt_, *memory_, &faults_),
      interrupts_(registers_, host),
      pcode_(registers_),
      power_(registers_, host),
      display_(registers_, interrupts_, host, *memory_, ggtt_, config.connected, config.threads > 0),
      vga_(host),
      stolen_base_(config.stolen_base),
      stolen_size_(config.stolen_size),
      pool_(config.threads),
      gpgpu_(*config.platform->commands, isa_, config.threads ? &pool_ : nullptr, shared_functions_),
      render_(*config.platform->commands, isa_, config.threads ? &pool_ : nullptr, &shared_functions_, &gpgpu_) {
  eu::set_default_engine();
  build_units();
  reset_units();
}

Device::~Device() = default;

void Device::build_units() {
  mmio::attach_forcewake(registers_);
  mmio::attach_timestamps(registers_, host_);
  mmio::attach_memory_registers(registers_, {ggtt_, aperture_, faults_, tlb_});
  mmio::attach_reset_control(
      registers_, interrupts_, [this](uint32_t engines) { streamers_->stop_engines(engines); },
      [this](uint32_t engines) {
        tlb_.bump();
        streamers_->restart_engines(engines);
      });
  cs::CommandStreamers::Environment environment{
      *config_.platform->commands, *config_.platform->contexts, *memory_, ggtt_, &faults_, tlb_, registers_, interrupts_, gate_, cs::elsp};
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto id = static_cast<EngineId>(i); config_.platform->has(id)) environment.engines[i] = plugged(id);
  environment.observer = config_.observer;
  environment.gtt_written = [this] { host_.gtt_changed(); };
  streamers_ = std::make_unique<cs::CommandStreamers>(environment, config_.threads > 0);
  power_.set_idle_query([this] { return !streamers_->busy(); });
}

Engine* Device::plugged(EngineId id) {
  switch (id) {
    case EngineId::rcs:
      if (!config_.preempt_always) return &render_;
      render_.set_minimum_run({});
      return &preempted_render_;
    case EngineId::bcs: return &blitter_;
    case EngineId::vcs0: return &video_;
    case EngineId::vecs: return &video_enhance_;
    default: return nullptr;
  }
}

/// threads=0: work that waits for memory, or had its share, goes on from a timer.
void Device::poll_later() {
  if (config_.threads == 0 && streamers_->busy()) host_.timer_set(SG_TIMER_MISC, host_.clock_ns() + poll_period_ns);
}

uint64_t Device::bar0_read(uint64_t offset, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (display::LegacyVga::covers(offset)) return vga_.read_mapped(static_cast<uint16_t>(offset), size);
  if (offset < mmio::register_space) return registers_.read(static_cast<uint32_t>(offset), size);
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory::Ggtt::window_size)
    return ggtt_.read_window(offset - window, size);
  guest_error("BAR0 access outside registers and GTT window", "read of {} bytes at 0x{:x}", size, offset);
  return 0;
}

void Device::bar0_write(uint64_t offset, uint64_t value, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (display::LegacyVga::covers(offset)) return vga_.write_mapped(static_cast<uint16_t>(offset), value, size);
  if (offset < mmio::register_space) {
    if (observer_ && size == 4) observer_->register_write(static_cast<uint32_t>(offset), static_cast<uint32_t>(value));
    registers_.write(static_cast<uint32_t>(offset), value, size);
    poll_later();
    if (observer_ && size == 4) observer_->register_written(static_cast<uint32_t>(offset));
    return;
  }
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory::Ggtt::window_size)
    return ggtt_.write_window(offset - window, value, size);
  guest_error("BAR0 access outside registers and GTT window", "write of {} bytes at 0x{:x}", size, offset);
}

void Device::memory_begin() {
  pause();
  display_.hold_memory();
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
  const FramesGoOn frames(display_);
  flat_->commit();
}

void Device::dirty_log(bool on) {
  assert(flat_);
  memory_begin();
  const Resumed resumed(*this);
  const FramesGoOn frames(display_);
  flat_->dirty_log(on);
}

void Device::dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t gpa, uint64_t size)>& dirty) {
  assert(flat_);
  pause();
  const Resumed resumed(*this);
  flat_->dirty_sync(gpa, size, dirty);
}

void Device::set_stolen(uint64_t base, uint64_t size) {
  stolen_base_ = base;
  stolen_size_ = size;
}

void Device::pause() {
  streamers_->pause();
  gate_.close();
}

void Device::resume() {
  gate_.open();
  streamers_->resume();
  poll_later();
}

// Stopping for a reset needs no pause before it: the work is dropped anyway. While the engines are held nothing of them is in guest memory.
void Device::reset() { reset_units(); }

void Device::reset_units() {
  streamers_->stop_engines(~0u);
  registers_.reset();
  interrupts_.reset();
  pcode_.reset();
  power_.reset();
  display_.reset();
  vga_.reset();
  ggtt_.reset();
  aperture_.reset();
  faults_.reset();
  tlb_.bump();
  streamers_->restart_engines(~0u);
}

void Device::state(Archive& archive) {
  unit_states(archive);
  if (archive.reading() && archive.failed()) reset_units();
}

void Device::unit_states(Archive& archive) {
  archive.section("device", 1);
  uint32_t id = config_.platform->pci_device_id;
  archive.value(id);
  if (archive.reading() && id != config_.platform->pci_device_id)
    return archive.fail(fmt::format("the saved state is of PCI device {:04x}, this is {:04x}", id, config_.platform->pci_device_id));
  archive.value(stolen_base_);
  archive.value(stolen_size_);
  registers_.state(archive);
  interrupts_.state(archive);
  pcode_.state(archive);
  power_.state(archive);
  display_.state(archive);
  vga_.state(archive);
  ggtt_.state(archive);
  aperture_.state(archive);
  faults_.state(archive);
  streamers_->state(archive);
  if (archive.reading()) tlb_.bump();
}

void Device::timer_expired(unsigned id) {
  if (display_.timer_expired(id) || id != SG_TIMER_MISC) return;
  streamers_->poll();
  poll_later();
}

}  // namespace softgen::gt

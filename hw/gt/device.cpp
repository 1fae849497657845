// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/device.h"

#include <cassert>
#include <utility>

#include "hw/base/log.h"
#include "hw/mmio/forcewake.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/reset_control.h"
#include "hw/mmio/timestamp.h"

namespace softgen::gt {

Device::Device(const Config& config, Host& host, std::unique_ptr<HostMemory> memory)
    : config_(config),
      host_(host),
      memory_(memory ? std::move(memory) : std::make_unique<memory::FlatMemory>()),
      flat_(dynamic_cast<memory::FlatMemory*>(memory_.get())),
      aperture_(ggtt_, *memory_, &faults_),
      interrupts_(registers_, host),
      pcode_(registers_),
      power_(registers_, host),
      stolen_base_(config.stolen_base),
      stolen_size_(config.stolen_size) {
  assert(config_.platform);
  build_units();
  reset_units();
}

Device::~Device() = default;

void Device::build_units() {
  mmio::attach_forcewake(registers_);
  mmio::attach_timestamps(registers_, host_);
  mmio::attach_memory_registers(registers_, {ggtt_, aperture_, faults_, tlb_});
  mmio::attach_reset_control(
      registers_, interrupts_, [this](uint32_t engines) { stop_engines(engines); },
      [this](uint32_t engines) { restart_engines(engines); });
}

void Device::stop_engines(uint32_t) {}
void Device::restart_engines(uint32_t) { tlb_.bump(); }

uint64_t Device::bar0_read(uint64_t offset, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (offset < mmio::register_space) return registers_.read(static_cast<uint32_t>(offset), size);
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory::Ggtt::window_size)
    return ggtt_.read_window(offset - window, size);
  guest_error("BAR0 access outside registers and GTT window", "read of {} bytes at 0x{:x}", size, offset);
  return 0;
}

void Device::bar0_write(uint64_t offset, uint64_t value, unsigned size) {
  const uint64_t window = config_.platform->bar0_size / 2;
  if (offset < mmio::register_space) return registers_.write(static_cast<uint32_t>(offset), value, size);
  if (offset >= window && (offset & 7) + size <= 8 && offset - window < memory::Ggtt::window_size)
    return ggtt_.write_window(offset - window, value, size);
  guest_error("BAR0 access outside registers and GTT window", "write of {} bytes at 0x{:x}", size, offset);
}

void Device::memory_begin() { pause(); }

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
  flat_->commit();
  resume();
}

void Device::dirty_log(bool on) {
  assert(flat_);
  pause();
  flat_->dirty_log(on);
  resume();
}

void Device::dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t gpa, uint64_t size)>& dirty) {
  assert(flat_);
  pause();
  flat_->dirty_sync(gpa, size, dirty);
  resume();
}

void Device::set_stolen(uint64_t base, uint64_t size) {
  stolen_base_ = base;
  stolen_size_ = size;
}

void Device::pause() { gate_.close(); }

void Device::resume() { gate_.open(); }

void Device::reset() {
  pause();
  reset_units();
  resume();
}

void Device::reset_units() {
  registers_.reset();
  interrupts_.reset();
  pcode_.reset();
  power_.reset();
  ggtt_.reset();
  aperture_.reset();
  faults_.reset();
  tlb_.bump();
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
  ggtt_.state(archive);
  aperture_.state(archive);
  faults_.state(archive);
  if (archive.reading()) tlb_.bump();
}

void Device::timer_expired(unsigned) {}

}  // namespace softgen::gt

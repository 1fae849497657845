// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/doorbells.h"

#include <algorithm>
#include <utility>

#include "hw/base/bits.h"

namespace softgen::guc {

using namespace defs::guc::v9;
namespace field = reg::field;

Doorbells::Doorbells(Environment environment) : environment_(std::move(environment)) {
  mmio::RegisterFile& registers = environment_.registers;
  registers.on_read(reg::DRBREG(0, 0), count * 8, [this](uint32_t offset) { return read_register(offset - reg::DRBREG(0, 0)); });
  registers.on_read(reg::DOORBELL_STATUS(0), groups * 4, [this](uint32_t offset) {
    sample();
    MutexLock lock(mutex_);
    return status_[(offset - reg::DOORBELL_STATUS(0)) / 4];
  });
  // Drivers read it after writes of theirs that work depends on, and before they ring (i915 4.19 intel_guc_submission.c, flush_ggtt_writes()).
  registers.on_read(reg::GUC_STATUS, [this](uint32_t offset) {
    sample();
    return environment_.registers.peek(offset);
  });
  registers.on_write(reg::GDRST, [this](uint32_t, uint32_t request) {
    if (field::GDRST_FULL.of(request)) reset();
  });
}

// Whoever waits for a bell to become free clears its line and reads Valid (i915 4.19 __destroy_doorbell() gives it 10 us): the line is looked at first.
uint32_t Doorbells::read_register(uint32_t offset) {
  const unsigned bell = offset / 8;
  bool rang = false;
  Bell seen;
  {
    MutexLock lock(mutex_);
    rang = examine(bell);
    seen = bells_[bell];
  }
  deliver(rang, -1);
  if (offset & 4) return static_cast<uint32_t>(seen.line >> 32);
  return field::DRBREG_VALID.with(field::DRBREG_ADDRESS.in_place(static_cast<uint32_t>(seen.line)), seen.valid);
}

// Where there is no memory, it reads as inactive.
Doorbells::Line Doorbells::read_line(uint64_t address) {
  const HostSpan span = environment_.memory.resolve(address, Access::read);
  if (!span.data || span.size < line_bytes) return {};
  const uint64_t both = __atomic_load_n(reinterpret_cast<const uint64_t*>(span.data), __ATOMIC_ACQUIRE);
  return {line_active.of(static_cast<uint32_t>(both)) != 0, static_cast<uint32_t>(both >> line_cookie_shift)};
}

// TGL PRM vol 13, "Doorbell Flows": the cookie decides whether it rings, whatever the flag says; then the flag decides whether it stays.
bool Doorbells::examine(unsigned index) {
  Bell& bell = bells_[index];
  if (!bell.valid) return false;
  const Line line = read_line(bell.line);
  const bool rings = line.cookie != 0 && line.cookie != bell.cookie;
  bell.cookie = line.cookie;
  if (!line.active) {
    bell.valid = false;
    armed_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (!rings) return false;
  const unsigned group = index / group_size;
  if (!status_[group]) {
    rung_ |= 1u << group;
    message_due_ = true;
  }
  status_[group] |= 1u << index % group_size;
  return true;
}

bool Doorbells::examine_all() {
  bool rang = false;
  for (unsigned bell = 0; bell < count; ++bell) rang |= examine(bell);
  return rang;
}

int64_t Doorbells::schedule(int64_t interval) {
  if (!armed_.load(std::memory_order_relaxed)) return due_ = -1;
  interval_ = interval;
  return due_ = environment_.host.clock_ns() + interval;
}

// "The message to Shim has to be hold-off until we wake up GT."
void Doorbells::deliver(bool rang, int64_t due) {
  if (rang) environment_.wake_power();
  if (due >= 0) environment_.wake_at(due);
  bool message = false;
  {
    MutexLock lock(mutex_);
    if (routed_) message = std::exchange(message_due_, false);
  }
  if (message) environment_.message();
}

void Doorbells::sample() {
  if (!armed_.load(std::memory_order_relaxed)) return;
  bool rang = false;
  int64_t due = -1;
  {
    MutexLock lock(mutex_);
    rang = examine_all();
    // A timer that is due soon stays as it is: each setting costs the front end something.
    if (interval_ > min_interval_ns) due = schedule(min_interval_ns);
  }
  deliver(rang, due);
}

void Doorbells::look() {
  bool rang = false;
  int64_t due = -1;
  {
    MutexLock lock(mutex_);
    if (due_ < 0) return;
    due = due_;
    if (environment_.host.clock_ns() >= due_) {
      rang = examine_all();
      due = schedule(rang ? min_interval_ns : std::min(2 * interval_, max_interval_ns));
    }
  }
  deliver(rang, due);
}

// The cookie that the unit knows begins as 0: what the application wrote before the bell was armed rings.
void Doorbells::arm(unsigned index, uint64_t line) {
  bool rang = false;
  int64_t due = -1;
  {
    MutexLock lock(mutex_);
    Bell& bell = bells_[index];
    if (!bell.valid) armed_.fetch_add(1, std::memory_order_relaxed);
    bell = {.line = align_down<uint64_t>(line, line_bytes), .cookie = 0, .valid = true};
    rang = examine(index);
    due = schedule(min_interval_ns);
  }
  if (rang) environment_.wake_power();
  if (due >= 0) environment_.wake_at(due);
}

bool Doorbells::is_valid(unsigned bell) {
  MutexLock lock(mutex_);
  return bells_[bell].valid;
}

void Doorbells::route_to_guc(bool routed) {
  MutexLock lock(mutex_);
  routed_ = routed;
}

uint32_t Doorbells::rung_groups() {
  MutexLock lock(mutex_);
  return rung_;
}

uint32_t Doorbells::read_group(unsigned group) {
  MutexLock lock(mutex_);
  const uint32_t bells = std::exchange(status_[group], 0);
  interrupt_status_[group] |= bells;
  rung_ &= ~(1u << group);
  if (!rung_) message_due_ = false;
  return bells;
}

uint32_t Doorbells::interrupt_status(unsigned group) {
  MutexLock lock(mutex_);
  return interrupt_status_[group];
}

bool Doorbells::is_pending(unsigned bell) {
  MutexLock lock(mutex_);
  return bit(status_[bell / group_size] | interrupt_status_[bell / group_size], bell % group_size);
}

void Doorbells::clear_interrupts(unsigned group, uint32_t bells) {
  MutexLock lock(mutex_);
  interrupt_status_[group] &= ~bells;
}

void Doorbells::reset() {
  MutexLock lock(mutex_);
  bells_ = {};
  status_ = interrupt_status_ = {};
  rung_ = 0;
  routed_ = message_due_ = false;
  armed_.store(0, std::memory_order_relaxed);
  due_ = -1;
}

void Doorbells::state(Archive& archive) {
  if (archive.reading()) reset();
  int64_t due = -1;
  {
    MutexLock lock(mutex_);
    for (Bell& bell : bells_) {
      archive.value(bell.line);
      archive.value(bell.cookie);
      archive.value(bell.valid);
      bell.line = align_down<uint64_t>(bell.line, line_bytes);
    }
    archive.value(status_);
    archive.value(interrupt_status_);
    archive.value(rung_);
    archive.value(routed_);
    archive.value(message_due_);
    rung_ &= (1u << groups) - 1;
    if (archive.reading()) {
      armed_.store(static_cast<unsigned>(std::ranges::count(bells_, true, &Bell::valid)), std::memory_order_relaxed);
      due = schedule(min_interval_ns);
    }
  }
  if (due >= 0) environment_.wake_at(due);
}

}  // namespace softgen::guc

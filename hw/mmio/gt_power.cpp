// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/gt_power.h"

#include "hw/mmio/forcewake.h"

namespace softgen::mmio {

namespace {

constexpr int64_t residency_unit_ns = 1280;  // GT_GFX_RC6 on big cores (i915 gt/intel_rc6.c:intel_rc6_residency_ns)

}  // namespace

GtPower::GtPower(RegisterFile& registers, Host& host) : registers_(registers), host_(host) {
  registers_.on_write(reg::RPNSWREQ, [this](uint32_t, uint32_t value) {
    const uint32_t frequency = reg::field::RPNSWREQ_SOFTWARE_FREQUENCY.of(value);
    registers_.poke(reg::RPSTAT1, reg::field::RPSTAT1_CURRENT_FREQUENCY.with(0, frequency));
  });
  const auto look = [this](uint32_t, uint32_t) { evaluate(); };
  for (uint32_t offset : {reg::RC_CONTROL, reg::RC_STATE}) registers_.on_write(offset, look);
  for (const defs::WakeRow& domain : registers_.set().forcewake) registers_.on_write(domain.request, look);
  registers_.set_power([this](unsigned domain) { return is_off(domain); });
  registers_.on_read(reg::GT_GFX_RC6, [this](uint32_t) {
    evaluate();
    MutexLock lock(mutex_);
    return static_cast<uint32_t>(residency_ns_ / residency_unit_ns);
  });
  if (!registers_.set().find(reg::RPSTAT1_ALWAYS_ON)) return;
  registers_.on_read(reg::RPSTAT1_ALWAYS_ON, [this](uint32_t) {
    const uint32_t frequency = reg::field::RPSTAT1_CURRENT_FREQUENCY.of(registers_.peek(reg::RPSTAT1));
    return may_sleep() ? 0 : reg::field::RPSTAT1_ALWAYS_ON_CURRENT_FREQUENCY.with(0, frequency);
  });
}

bool GtPower::may_gate() const { return reg::field::RC_CONTROL_RC6_ENABLE.of(registers_.peek(reg::RC_CONTROL)) && (!idle_ || idle_()); }

bool GtPower::may_sleep() const { return !forcewake_held(registers_) && may_gate(); }

// Render and media have gates of their own; the rest of the GT is awake with any of them.
bool GtPower::is_off(unsigned domain) const {
  const uint32_t request = registers_.set().forcewake[domain].request;
  if (registers_.peek(request) || !may_gate()) return false;
  if (!forcewake_held(registers_)) return true;
  const uint32_t gates = registers_.peek(reg::PG_ENABLE);
  if (request == reg::FORCEWAKE_GT) return false;
  return request == reg::FORCEWAKE_RENDER ? reg::field::PG_ENABLE_RENDER.of(gates) : reg::field::PG_ENABLE_MEDIA.of(gates);
}

void GtPower::evaluate() {
  const int64_t now = host_.clock_ns();
  MutexLock lock(mutex_);
  account(now);
  if (may_sleep()) asleep_since_ = now;
}

void GtPower::wake() {
  const int64_t now = host_.clock_ns();
  MutexLock lock(mutex_);
  account(now);
}

void GtPower::account(int64_t now) {
  if (asleep_since_ >= 0 && now > asleep_since_) residency_ns_ += now - asleep_since_;
  asleep_since_ = -1;
}

void GtPower::reset() {
  MutexLock lock(mutex_);
  residency_ns_ = 0;
  asleep_since_ = -1;
}

void GtPower::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.section("gt power", 1);
  archive.value(residency_ns_);
  archive.value(asleep_since_);
}

}  // namespace softgen::mmio

// SPDX-License-Identifier: GPL-2.0-or-later
// A driver of one of Ironlake's rings through the C ABI, as i915 is (Linux 6.1, drivers/gpu/drm/i915; steps name the function).
#pragma once

#include <initializer_list>
#include <utility>

#include "hw/defs/registers/registers.h"
#include "tests/unit/gt/fake_host.h"

namespace softgen::test::ring {

inline constexpr uint64_t gtt_window = 2 << 20;
inline constexpr uint32_t status_page = 0x20000, ring_at = 0x80000, target = 0xa0000, mi_noop = 0, mi_user_interrupt = 0x02u << 23;
inline constexpr uint32_t mi_store_dword = 0x20u << 23 | 1u << 22 | 2;             // to the global table
inline constexpr uint32_t mi_wait_for_event = 0x03u << 23 | 1u << 16;              // while condition code 1 is set
inline constexpr uint32_t code_is_set = 0x0001'0001, code_is_clear = 0x0001'0000;  // EXCC

/// An engine and its bit of GTIIR.
struct EngineUnderTest {
  uint32_t base, user_interrupt;
};
inline constexpr EngineUnderTest engines[] = {{0x2000, 1 << 0}, {0x4000, 1 << 5}};

class Driver {
 public:
  explicit Driver(FakeHost& host, const EngineUnderTest& engine = engines[0]) : host_(host), engine_(engine) {
    for (uint32_t page = 0; page < 1024; ++page) host.write(gtt_window + page * 4, page << 12 | 1);
    start();
    host.write(reg::GTIMR, 0);
    host.write(reg::GTIER, ~0u);
    host.write(reg::DEIER, 1u << 31);
  }
  /// intel_ring_submission.c:xcs_resume.
  void start() {
    set(reg::RING_MI_MODE, 0x0100'0100);
    CHECK(get(reg::RING_MI_MODE) & 0x200);
    set(reg::RING_CTL, 0);
    set(reg::RING_HEAD, 0);
    set(reg::RING_TAIL, 0);
    CHECK(get(reg::RING_HEAD) == 0);
    set(reg::RING_HWS_PGA, status_page);
    set(reg::RING_START, ring_at);
    set(reg::RING_CTL, 1);
    CHECK((get(reg::RING_CTL) & 1) == 1);
    set(reg::RING_MI_MODE, 0x0100'0000);
    tail_ = 0;
  }
  void run(std::initializer_list<uint32_t> dwords) {
    for (const uint32_t dword : dwords) host_.ram<uint32_t>(ring_at + std::exchange(tail_, tail_ + 4)) = dword;
    set(reg::RING_TAIL, tail_);
  }
  void breadcrumb(uint32_t value) { run({mi_store_dword, 0, target, value, mi_user_interrupt, mi_noop}); }
  uint32_t get(uint32_t relative) { return host_.read(engine_.base + relative); }
  void set(uint32_t relative, uint32_t value) { host_.write(engine_.base + relative, value); }
  /// i915_irq.c:ilk_irq_handler. The bits of GTIIR.
  uint32_t take_interrupts() {
    host_.write(reg::DEIER, 0);
    const uint32_t found = host_.read(reg::GTIIR);
    host_.write(reg::GTIIR, found);
    host_.write(reg::DEIER, 1u << 31);
    return found;
  }

 private:
  FakeHost& host_;
  const EngineUnderTest engine_;
  uint32_t tail_ = 0;
};

}  // namespace softgen::test::ring

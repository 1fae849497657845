// SPDX-License-Identifier: GPL-2.0-or-later
// A driver of one engine through the C ABI, as i915 is on Gen9: a context image, a ring, ELSP, the status buffer, the interrupt.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

#include "hw/defs/registers/registers.h"
#include "tests/unit/gt/fake_host.h"

namespace softgen::test {

inline constexpr uint64_t hwsp = 0x20000, image = 0x40000, ring = 0x80000, target = 0xa0000;
inline constexpr uint32_t mi_store_dword = 0x20u << 23 | 1u << 22 | 2;  // to GGTT
inline constexpr uint32_t mi_user_interrupt = 0x02u << 23, mi_noop = 0;
inline constexpr uint32_t mi_semaphore_wait = 0x1cu << 23 | 1u << 22 | 1u << 15 | 1u << 12 | 2;  // poll GGTT until memory >= value
inline constexpr uint32_t user_interrupt = 1, context_switch = 1u << 8;

struct EngineUnderTest {
  uint32_t base;
  uint32_t irq_block;
  unsigned shift;
};
inline constexpr std::array<EngineUnderTest, 4> engines = {{{0x2000, 0, 0}, {0x22000, 0, 16}, {0x12000, 1, 0}, {0x1a000, 3, 0}}};

class Driver {
 public:
  Driver(FakeHost& host, const EngineUnderTest& engine) : host_(host), engine_(engine) {
    host.map(0, 0, 1024);
    const uint32_t b = engine.base;
    host.write(b + reg::RING_HWSTAM, ~0u);
    host.write(b + reg::RING_MODE, 0x8000'8000);
    host.masked(b + reg::RING_MI_MODE, 0, 1u << 8);
    host.write(b + reg::RING_HWS_PGA, hwsp);
    host.write(b + reg::RING_CONTEXT_STATUS_PTR, 0xffff'0505);
    host.write(b + reg::RING_CONTEXT_STATUS_PTR, 0xffff'0505);
    host.write(b + reg::RING_IMR, ~((user_interrupt | context_switch) << engine.shift));
    host.write(reg::MASTER_INT_CTL, 0);
    host.write(reg::GT_IIR(engine.irq_block), ~0u);
    host.write(reg::GT_IIR(engine.irq_block), ~0u);
    host.write(reg::GT_IMR(engine.irq_block), 0);
    host.write(reg::GT_IER(engine.irq_block), ~0u);
    host.write(reg::MASTER_INT_CTL, 1u << 31);
    host.ram<uint32_t>(hwsp + 0x7c) = 5;
    for (unsigned i = 0; i < 12; ++i) host.ram<uint32_t>(hwsp + 0x40 + i * 4) = ~0u;
    new_context();
  }

  void new_context() {
    uint32_t* page = &host_.ram<uint32_t>(image + 0x1000);
    std::memset(&host_.ram<uint32_t>(image), 0, 0x16000);
    const auto slot = [&](unsigned dword, uint32_t relative, uint32_t value) {
      page[dword] = engine_.base + relative;
      page[dword + 1] = value;
    };
    page[1] = 0x1100'101b;
    slot(0x02, reg::RING_CONTEXT_CONTROL, 0x0009'0009);  // inhibit synchronous switch, inhibit restore
    slot(0x04, reg::RING_HEAD, 0);
    slot(0x06, reg::RING_TAIL, 0);
    slot(0x08, reg::RING_START, ring);
    slot(0x0a, reg::RING_CTL, 0x1000 - 0x1000 + 1);  // one page, valid
    tail_ = 0;
  }

  void emit(std::initializer_list<uint32_t> dwords) {
    for (uint32_t dword : dwords) {
      host_.ram<uint32_t>(ring + tail_) = dword;
      tail_ += 4;
    }
    host_.ram<uint32_t>(image + 0x1000 + 7 * 4) = tail_;
  }
  /// A breadcrumb as i915 writes it.
  void emit_breadcrumb(uint32_t value) { emit({mi_store_dword, target, 0, value, mi_user_interrupt, mi_noop}); }

  void submit(uint32_t tag = 0x20) {
    for (uint32_t dword : {0u, 0u, tag, static_cast<uint32_t>(image) | 0x19}) host_.write(engine_.base + reg::RING_ELSP, dword);
  }

  /// Handles interrupts like gen8_irq_handler until the context is done. False: no interrupt for a minute.
  bool run_to_idle() {
    unsigned seen = 0;
    for (;;) {
      if (!host_.wait_messages(seen + 1)) return false;
      seen = host_.messages();
      host_.write(reg::MASTER_INT_CTL, 0);
      const uint32_t iir = host_.read(reg::GT_IIR(engine_.irq_block));
      host_.write(reg::GT_IIR(engine_.irq_block), iir);
      bits_ |= iir >> engine_.shift & 0xffff;
      drain();
      if (idle_) return true;
      host_.write(reg::MASTER_INT_CTL, 1u << 31);
    }
  }

  /// Polls for Rings Idle as i915 does (__intel_engine_stop_cs): the engine's thread has a last event to store before it is idle. False:
  /// not within a minute.
  bool sees_rings_idle() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!(host_.read(engine_.base + reg::RING_MI_MODE) & reg::field::RING_MI_MODE_RINGS_IDLE.mask())) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  void drain() {
    const uint32_t last = __atomic_load_n(&host_.ram<uint32_t>(hwsp + 0x7c), __ATOMIC_ACQUIRE);
    while (read_ != last) {
      read_ = (read_ + 1) % 6;
      events_.push_back(host_.ram<uint32_t>(hwsp + 0x40 + read_ * 8));
      idle_ = events_.back() & 0x8;  // active to idle
    }
  }
  const std::vector<uint32_t>& events() const { return events_; }
  uint32_t bits() const { return bits_; }

 private:
  FakeHost& host_;
  EngineUnderTest engine_;
  uint32_t tail_ = 0;
  uint32_t read_ = 5;
  bool idle_ = false;
  uint32_t bits_ = 0;
  std::vector<uint32_t> events_;
};

}  // namespace softgen::test

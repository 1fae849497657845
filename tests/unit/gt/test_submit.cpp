// SPDX-License-Identifier: GPL-2.0-or-later
// Work through the C ABI as i915 submits it: a context image, a ring, ELSP, the status buffer, the interrupt.
#include <array>
#include <chrono>
#include <thread>

#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using softgen::test::FakeHost;

namespace {

constexpr uint64_t hwsp = 0x20000, image = 0x40000, ring = 0x80000, target = 0xa0000;
constexpr uint32_t mi_store_dword = 0x20u << 23 | 1u << 22 | 2;  // to GGTT
constexpr uint32_t mi_user_interrupt = 0x02u << 23, mi_noop = 0;
constexpr uint32_t mi_semaphore_wait = 0x1cu << 23 | 1u << 22 | 1u << 15 | 1u << 12 | 2;  // poll GGTT until memory >= value
constexpr uint32_t user_interrupt = 1, context_switch = 1u << 8;

struct EngineUnderTest {
  uint32_t base;
  uint32_t irq_block;
  unsigned shift;
};
constexpr std::array<EngineUnderTest, 4> engines = {{{0x2000, 0, 0}, {0x22000, 0, 16}, {0x12000, 1, 0}, {0x1a000, 3, 0}}};

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

}  // namespace

TEST_CASE("a request runs on every engine: memory, status buffer, interrupts") {
  for (unsigned threads : {0u, 1u}) {
    for (const EngineUnderTest& engine : engines) {
      CAPTURE(threads, engine.base);
      FakeHost host(threads);
      Driver driver(host, engine);
      driver.emit_breadcrumb(0x1234);
      driver.submit();
      REQUIRE(driver.run_to_idle());
      CHECK(host.ram<uint32_t>(target) == 0x1234);
      CHECK(driver.events() == std::vector<uint32_t>{0x1, 0x18});
      CHECK((driver.bits() & (user_interrupt | context_switch)) == (user_interrupt | context_switch));
      CHECK(host.ram<uint32_t>(image + 0x1000 + 5 * 4) == 6 * 4);  // HEAD in the image
      CHECK(driver.sees_rings_idle());
    }
  }
}

TEST_CASE("a busy device is saved, loaded into another, and finishes there") {
  for (unsigned threads : {0u, 1u}) {
    CAPTURE(threads);
    FakeHost one(threads), other(threads);
    Driver driver(one, engines[0]);
    driver.emit({mi_semaphore_wait, 7, static_cast<uint32_t>(target) + 8, 0});
    driver.emit_breadcrumb(0x4321);
    driver.submit();
    const std::string saved = one.save();
    CHECK(one.ram<uint32_t>(target) == 0);
    std::memcpy(&other.ram<std::byte>(0), &one.ram<std::byte>(0), FakeHost::ram_size);
    sg_pause(other.device());  // counted: nothing moves between the two
    REQUIRE(other.load(saved) == "");
    const bool same = other.save() == saved;
    sg_resume(other.device());
    CHECK(same);
    __atomic_store_n(&other.ram<uint32_t>(target + 8), 7, __ATOMIC_RELEASE);
    for (int i = 0; i < 1000 && threads == 0 && !other.level(); ++i) other.advance(1'000'000);
    REQUIRE(other.wait_messages(1));
    while (__atomic_load_n(&other.ram<uint32_t>(target), __ATOMIC_ACQUIRE) != 0x4321) { other.advance(1'000'000); }
    CHECK(one.ram<uint32_t>(target) == 0);
  }
}

TEST_CASE("resets drop what runs") {
  // Not a loop: sections are entered once in each run of the test.
  const unsigned threads = GENERATE(0u, 1u);
  CAPTURE(threads);
  FakeHost host(threads);
  Driver driver(host, engines[1]);
  driver.emit({mi_semaphore_wait, 7, static_cast<uint32_t>(target) + 8, 0});
  driver.emit_breadcrumb(1);
  driver.submit();

  SECTION("of the engine: GDRST") {
    host.write(reg::GDRST, 1u << 3);
    CHECK(host.read(reg::GDRST) == 0);
    CHECK(host.read(engines[1].base + reg::RING_HEAD) == 0);
    CHECK(host.read(engines[1].base + reg::RING_START) == 0);
    CHECK((host.read(engines[1].base + reg::RING_EXECLIST_STATUS_LO) & 1u << 4) == 0);
  }
  SECTION("of the device: FLR") {
    FakeHost fresh(threads);
    sg_reset(host.device(), SG_RESET_FLR);
    CHECK((host.save() == fresh.save()));
  }
  // The engine runs again.
  host.ram<uint32_t>(target) = 0;
  Driver again(host, engines[1]);
  again.emit_breadcrumb(2);
  const unsigned before = host.messages();
  again.submit();
  REQUIRE(host.wait_messages(before + 1));
  while (__atomic_load_n(&host.ram<uint32_t>(target), __ATOMIC_ACQUIRE) != 2) {}
}

TEST_CASE("memory changes while an engine waits") {
  FakeHost host(1);
  Driver driver(host, engines[0]);
  driver.emit({mi_semaphore_wait, 7, static_cast<uint32_t>(target) + 8, 0});
  driver.emit_breadcrumb(5);
  driver.submit();
  std::vector<std::byte> more(1 << 20);
  sg_memory_begin(host.device());
  sg_memory_add(host.device(), 64 << 20, more.size(), more.data(), false);
  sg_memory_commit(host.device());
  __atomic_store_n(&host.ram<uint32_t>(target + 8), 7, __ATOMIC_RELEASE);
  REQUIRE(driver.run_to_idle());
  CHECK(host.ram<uint32_t>(target) == 5);
}

TEST_CASE("the device's writes are in the dirty log, once") {
  FakeHost host(0);
  Driver driver(host, engines[0]);
  sg_dirty_log(host.device(), true);
  driver.emit_breadcrumb(5);
  driver.submit();
  const auto pages = [&] {
    std::vector<uint64_t> found;
    sg_dirty_sync(
        host.device(), 0, FakeHost::ram_size,
        [](void* list, uint64_t gpa, uint64_t size) {
          for (uint64_t page = 0; page < size; page += 4096) static_cast<std::vector<uint64_t>*>(list)->push_back(gpa + page);
        },
        &found);
    return found;
  };
  const auto first = pages();
  CHECK(std::count(first.begin(), first.end(), target) == 1);
  CHECK(std::count(first.begin(), first.end(), hwsp) == 1);
  CHECK(std::count(first.begin(), first.end(), image + 0x1000) == 1);
  CHECK(std::count(first.begin(), first.end(), ring) == 0);
  CHECK(pages().empty());
}

TEST_CASE("a blit through BCS fills a rectangle") {
  FakeHost host(1);
  Driver driver(host, engines[1]);
  // XY_COLOR_BLT, 32 bits, ROP PATCOPY: (1,1)-(3,3) of a surface of 16 bytes pitch at `target`.
  driver.emit(
      {0x2u << 29 | 0x50u << 22 | 3u << 20 | 5, 3u << 24 | 0xf0u << 16 | 16, 1u << 16 | 1, 3u << 16 | 3, target, 0, 0xcafe'f00d, mi_noop});
  driver.emit_breadcrumb(1);
  driver.submit();
  REQUIRE(driver.run_to_idle());
  for (unsigned y = 1; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      CAPTURE(x, y);
      const bool inside = x >= 1 && x < 3 && y >= 1 && y < 3;
      CHECK(host.ram<uint32_t>(target + y * 16 + x * 4) == (inside ? 0xcafe'f00d : 0));
    }
}

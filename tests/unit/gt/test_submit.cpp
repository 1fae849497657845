// SPDX-License-Identifier: GPL-2.0-or-later
// Work through the C ABI as i915 submits it: a context image, a ring, ELSP, the status buffer, the interrupt.
#include <array>
#include <chrono>
#include <thread>

#include "hw/mmio/register_file.h"
#include "tests/unit/gt/elsp_driver.h"

using namespace softgen;
using namespace softgen::test;

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

TEST_CASE("how soon an engine that waits is polled behind a load or a reset does not depend on what ran before") {
  FakeHost host(0);
  Driver driver(host, engines[0]);
  driver.emit({mi_semaphore_wait, 7, static_cast<uint32_t>(target) + 8, 0});
  driver.submit();
  const std::string saved = host.save();
  const auto load = [&] {
    REQUIRE(host.load(saved) == "");
    std::vector<int64_t> delays;
    for (int i = 0; i < 4; ++i) {
      REQUIRE(host.deadline(SG_TIMER_MISC) >= host.now());
      delays.push_back(host.deadline(SG_TIMER_MISC) - host.now());
      host.advance(delays.back());
    }
    return delays;
  };
  const std::vector<int64_t> first = load();
  CHECK(first[3] > first[1]);
  host.advance(100'000'000);
  CHECK(load() == first);
  host.advance(100'000'000);
  sg_reset(host.device(), SG_RESET_FLR);
  CHECK(load() == first);
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

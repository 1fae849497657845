// SPDX-License-Identifier: GPL-2.0-or-later
// The Ironlake device as intel-gtt and i915 find it and give it work (Linux 6.1, drivers/char/agp/intel-gtt.c, drivers/gpu/drm/i915; steps name the
// function).
#include <nlohmann/json.hpp>

#include "tests/unit/gt/ring_driver.h"

using namespace softgen;
using namespace softgen::test::ring;
using softgen::test::FakeHost;

TEST_CASE("Ironlake: identity") {
  const sg_platform_info* info = sg_platform("ilk");
  REQUIRE(info);
  CHECK(info->pci_device_id == 0x0042);  // i915_pciids.h, INTEL_IRONLAKE_D_IDS
  CHECK(info->bar0_size == 4u << 20);    // i915_drv.h: registers in the lower half (intel_uncore.c:uncore_mmio_setup)
  CHECK(info->gtt_offset == 2u << 20);
  CHECK(info->gtt_entry_size == 4);
  CHECK(info->engines == 2);
  CHECK(info->pipes == 2);
  CHECK(info->bridge_gmch_offset == 0x52);
  CHECK((info->fences[0].offset == 0x100000 && info->fences[0].size == 16u * 8));
  CHECK((info->fences[1].offset == 0x3000 && info->fences[1].size == 16u * 8));
}

TEST_CASE("Ironlake: what probing expects of registers") {
  FakeHost host(0, 1, nullptr, "ilk");
  CHECK((host.read(reg::PGTBL_CTL) >> 1 & 7) == 4);  // intel-gtt.c:i965_gtt_total_entries: 2 MiB of entries
  host.write(reg::PGTBL_CTL, host.read(reg::PGTBL_CTL));
  CHECK((host.read(reg::PGTBL_CTL) >> 1 & 7) == 4);
  CHECK((host.read(reg::STOLEN_RESERVED_GEN4) & 1) == 0);  // i915_gem_stolen.c:g4x_get_stolen_reserved
  host.write(gtt_window + 4 * 0x7ffff, 0x1234'5001);       // intel-gtt.c:intel_gtt_insert_page, posting read
  CHECK(host.read(gtt_window + 4 * 0x7ffff) == 0x1234'5001);
  for (const uint32_t domain : {1u, 3u}) {  // intel_reset.c:ilk_do_reset
    host.write(reg::ILK_GDSR, domain << 1 | 1);
    CHECK((host.read(reg::ILK_GDSR) & 1) == 0);
  }
  for (const EngineUnderTest& engine : engines) {  // intel_gt_clock_utils.c:gen5_read_clock_frequency: 12.5 MHz
    const uint32_t before = host.read(engine.base + reg::RING_TIMESTAMP);
    host.advance(1'000'000);
    CHECK(host.read(engine.base + reg::RING_TIMESTAMP) - before == 12'500);
  }
}

TEST_CASE("Ironlake: rings run, with interrupts") {
  for (const unsigned threads : {0u, 1u}) {
    for (const EngineUnderTest& engine : engines) {
      CAPTURE(threads, engine.base);
      FakeHost host(threads, 1, nullptr, "ilk");
      Driver driver(host, engine);
      driver.breadcrumb(0x1234);
      REQUIRE(host.wait_messages(1));
      CHECK(host.ram<uint32_t>(target) == 0x1234);
      CHECK(driver.take_interrupts() == engine.user_interrupt);
      if (threads == 0) CHECK_FALSE(host.level());  // else another thread may be about to say so
    }
  }
}

TEST_CASE("Ironlake: a reset drops what runs, and the ring starts again") {
  for (const unsigned threads : {0u, 1u}) {
    CAPTURE(threads);
    FakeHost host(threads, 1, nullptr, "ilk");
    Driver driver(host);
    driver.set(reg::RING_EXCC, code_is_set);
    driver.run({mi_wait_for_event, mi_noop});
    host.write(reg::ILK_GDSR, 1u << 1 | 1);
    CHECK(driver.get(reg::RING_CTL) == 0);
    CHECK(driver.get(reg::RING_HEAD) == 0);
    driver.start();
    driver.breadcrumb(7);
    REQUIRE(host.wait_messages(1));
    CHECK(host.ram<uint32_t>(target) == 7);
  }
}

TEST_CASE("Ironlake: a device that waits is saved, loaded into another, and finishes there") {
  for (const unsigned threads : {0u, 1u}) {
    CAPTURE(threads);
    FakeHost one(threads, 1, nullptr, "ilk"), other(threads, 1, nullptr, "ilk");
    Driver driver(one);
    driver.set(reg::RING_EXCC, code_is_set);
    driver.run({mi_wait_for_event, mi_noop});
    driver.breadcrumb(0x4321);
    const std::string saved = one.save();
    CHECK(one.ram<uint32_t>(target) == 0);
    std::memcpy(&other.ram<std::byte>(0), &one.ram<std::byte>(0), FakeHost::ram_size);
    REQUIRE(other.load(saved) == "");
    other.write(engines[0].base + reg::RING_EXCC, code_is_clear);
    REQUIRE(other.wait_messages(1));
    CHECK(other.ram<uint32_t>(target) == 0x4321);
    CHECK(one.ram<uint32_t>(target) == 0);
  }
}

TEST_CASE("Ironlake: the CPU sees tiled memory through fences of i915, swizzled") {
  FakeHost host(0, 1, nullptr, "ilk");
  for (uint32_t page = 0; page < 1024; ++page) host.write(gtt_window + page * 4, page << 12 | 1);
  constexpr uint32_t first = 0x100000, last = 0x107000;  // intel_ggtt_fencing.c:i965_write_fence_reg: X tiles, a pitch of 1 KiB
  host.write(0x3000, 0);
  host.write(0x3004, last);
  host.write(0x3000, first | (1024 / 128 - 1) << 2 | 1);
  sg_aperture_write(host.device(), first + 1024, 0xabcd'1234, 4);  // row 1: 512 bytes into the tile, and bit 9 is set
  CHECK(host.ram<uint32_t>(first + 512 + 64) == 0xabcd'1234);
  sg_aperture_write(host.device(), first + 3 * 1024, 0x55, 4);  // row 3: bits 9 and 10 are set
  CHECK(host.ram<uint32_t>(first + 3 * 512) == 0x55);
  CHECK(sg_aperture_page(host.device(), first) == nullptr);
  CHECK(sg_aperture_page(host.device(), first + 0x10000) != nullptr);
}

TEST_CASE("Ironlake: the render ring blits, into swizzled X tiles, too") {
  constexpr uint32_t xy_color = 2u << 29 | 0x50u << 22 | 3u << 20 | 4, tiled = 1u << 11, fill_32bpp = 3u << 24 | 0xf0u << 16;
  FakeHost host(0, 1, nullptr, "ilk");
  Driver driver(host);
  driver.run({xy_color, fill_32bpp | 64, 0x0001'0001, 0x0002'0003, target, 0x1122'3344, mi_noop, mi_noop});  // two pixels of row 1
  CHECK(host.ram<uint32_t>(target + 64 + 4) == 0x1122'3344);
  CHECK(host.ram<uint32_t>(target + 64 + 8) == 0x1122'3344);
  CHECK(host.ram<uint32_t>(target + 64 + 12) == 0);
  driver.run({xy_color | tiled, fill_32bpp | 512 / 4, 0x0001'0000, 0x0002'0001, target, 0x5566'7788, mi_noop, mi_noop});
  CHECK(host.ram<uint32_t>(target + 512 + 64) == 0x5566'7788);  // row 1 of a tile: bit 9 is set
}

TEST_CASE("Ironlake: the report names the platform's engines, and packets that are not built are counted") {
  FakeHost host(0, 1, nullptr, "ilk");
  Driver driver(host);
  driver.run({0x7805'0005, 0, 0, 0, 0, 0, 0, mi_noop});  // 3DSTATE_DEPTH_BUFFER
  char* text = sg_report(host.device());
  const auto report = nlohmann::json::parse(text);
  sg_free(text);
  CHECK(report["platform"] == "ilk");
  CHECK(report["engines"].size() == 2);
  CHECK(report["engines"]["rcs"]["tail"] == "0x20");
}

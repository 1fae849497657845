// SPDX-License-Identifier: GPL-2.0-or-later
// What the ILK manual says of the device and no driver asks for. Sections are those of the ILK PRM vol 1 part 2.
#include "hw/defs/registers/registers.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using softgen::test::FakeHost;

namespace {

constexpr uint32_t gtt_window = 2 << 20, page_table_error = 1 << 4, invalid_pte = 1 << 4, master_error = 1 << 3;

struct Fixture {
  FakeHost host{0, 1, nullptr, "ilk"};
  uint32_t read(uint32_t offset) { return host.read(offset); }
  void write(uint32_t offset, uint32_t value) { host.write(offset, value); }
  void reset_graphics() { write(reg::ILK_GDSR, 1); }
};

}  // namespace

// 5.9.
TEST_CASE("Ironlake's manual: the state after a reset") {
  Fixture f;
  for (const bool again : {false, true}) {
    if (again) f.reset_graphics();
    for (const uint32_t base : {0x2000u, 0x4000u}) {
      CAPTURE(again, base);
      CHECK((f.read(base + 0x3c) & 1) == 0);      // "The ring buffer is disabled."
      CHECK(f.read(base + 0x6c) == ~0u);          // "All INSTDONE bits are set"
      CHECK((f.read(base + 0xc0) & 0x1f) == 0);   // "All command groupings are enabled (via INSTPM)"
      CHECK(f.read(base + 0xb4) == ~0u);          // "All interrupts and error status bits are 'masked'"
      CHECK(f.read(base + 0x80) == 0x1fff'f000);  // "The Hardware Status Page is located at 1FFFF000h"
      CHECK(f.read(base + 0x98) == ~0u);          // "HW status writes are effectively disabled"
    }
    CHECK(f.read(0x12094) == 0);  // "The NOPID register is 0."
    if (again) continue;
    CHECK(f.read(reg::GTIMR) == ~0u);
    CHECK(f.read(reg::GTIER) == 0);
    for (uint32_t fence = 0; fence < 16; ++fence) CHECK((f.read(0x10'0000 + 8 * fence) & 1) == 0);  // "All FENCE registers are INVALID"
  }
}

// 3.5.4.1.1: "FENCE registers are not reset by a graphics reset." 4.1.1.2: nor is TIMESTAMP, of 80 ns.
TEST_CASE("Ironlake's manual: what a graphics reset leaves") {
  Fixture f;
  f.write(0x10'0008, 0x0010'0003);
  f.write(0x10'000c, 0x0010'0007);
  f.host.advance(8'000'000);
  const uint32_t before = f.read(0x12358);
  CHECK(before != 0);
  CHECK(f.read(0x12358) == f.read(0x4358));
  f.reset_graphics();
  CHECK(f.read(0x10'0008) == 0x0010'0003);
  CHECK(f.read(0x10'000c) == 0x0010'0007);
  CHECK(f.read(0x12358) >= before);
  const uint32_t now = f.read(0x2358);
  f.host.advance(800);
  CHECK(f.read(0x2358) - now == 10);
  f.write(0x12358, 0);  // "Access: RO"
  CHECK(f.read(0x12358) >= before);
}

// Chapter 2: "Attributes for registers defined within the MCHBAR space are preserved when the same registers are accessed via this space".
TEST_CASE("Ironlake's manual: the memory controller's window at 140000h") {
  Fixture f;
  f.write(0x14'1190, 0x1234'5678);
  CHECK(f.read(0x1'1190) == 0x1234'5678);
  f.write(0x1'1194, 0x55);
  CHECK(f.read(0x14'1194) == 0x55);
  f.write(0x14'0048, ~0u);  // STOLEN_RESERVED is read only
  CHECK(f.read(0x14'0048) == 0);
  f.write(0x2080, 0x0009'0000);
  f.write(0x14'2ca4, 1);  // ILK_GDSR
  CHECK((f.read(0x14'2ca4) & 1) == 0);
  CHECK(f.read(0x2080) == 0x1fff'f000);
  f.write(0x14'2030, 0x40);  // not the video streamer's TAIL
  CHECK(f.read(0x12030) == 0);
}

// 1.3.2: "An access (other than a CPU Read) through an invalid PTE will result in Page Table Error (Invalid PTE)."
TEST_CASE("Ironlake's manual: the CPU writes through an invalid entry") {
  Fixture f;
  f.write(reg::GTIMR, 0);
  f.write(reg::GTIER, ~0u);
  f.write(reg::DEIER, 1u << 31);
  f.write(0x20b4, ~page_table_error);
  f.write(gtt_window + 4, 0x5001);
  CHECK(sg_aperture_read(f.host.device(), 0x3000, 4) == 0);
  sg_aperture_write(f.host.device(), 0x1000, 0x77, 4);
  CHECK(f.host.ram<uint32_t>(0x5000) == 0x77);
  CHECK(f.read(reg::PGTBL_ER) == 0);
  CHECK(f.read(0x20b8) == 0);
  sg_aperture_write(f.host.device(), 0x3000, 0x77, 4);
  CHECK(f.read(reg::PGTBL_ER) == invalid_pte);
  CHECK(f.read(0x20b8) == page_table_error);
  CHECK(f.read(0x20b0) == page_table_error);
  CHECK((f.read(reg::GTIIR) & master_error) != 0);
  CHECK(f.read(0x4094) == 0);  // 5.7.1.1: the engines' registers are for the engines' faults
}

// i915 of Linux 6.1, gt/intel_rps.c: gen5_rps_enable, __gen5_rps_set; i915_reg.h: MEMSWCTL.
TEST_CASE("Ironlake's mobile chip: frequencies") {
  const sg_platform_info* info = sg_platform("ilkm");
  REQUIRE(info);
  CHECK(info->pci_device_id == 0x0046);
  FakeHost host(0, 1, nullptr, "ilkm");
  constexpr uint32_t memswctl = 0x11170, memstat = 0x111f8, change = 2 << 13, busy = 1 << 12;
  CHECK((host.read(memswctl) & busy) == 0);
  sg_bar0_write(host.device(), memswctl, change | 3 << 8 | 1 << 7, 2);
  CHECK(host.read(memstat) == 0);
  sg_bar0_write(host.device(), memswctl, change | busy | 3 << 8 | 1 << 7, 2);
  CHECK((host.read(memswctl) & busy) == 0);
  CHECK((host.read(memstat) >> 3 & 0x1f) == 3);
  CHECK((host.read(0x12c20) & 0xff) == 0x14);  // soc/intel_dram.c, ilk_detect_mem_freq: 1333 MHz
}

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
};

}  // namespace

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

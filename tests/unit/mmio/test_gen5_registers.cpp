// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's registers in front of memory.
#include "hw/memory/flat_memory.h"
#include "hw/mmio/interrupts/gen5.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/page_faults.h"
#include "hw/mmio/reset_control.h"
#include "hw/mmio/timestamp.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

struct Fixture {
  Fixture() {
    quiet_log();
    attach_memory_registers(file, {ggtt, aperture, faults, tlb});
  }
  memory::FlatMemory memory;
  memory::Ggtt ggtt{defs::gen5_ggtt_pages};
  memory::FaultRegisters faults;
  memory::TlbGeneration tlb;
  memory::Aperture aperture{ggtt, memory, &faults};
  RegisterFile file{defs::gen5::registers};
};

}  // namespace

TEST_CASE("Gen5: one file of fences has two views") {
  Fixture f;
  // i915 gt/intel_ggtt_fencing.c, i965_write_fence_reg: 64 KiB from 12340000h on, Y tiles, a pitch of 1024 bytes.
  const uint32_t low = 0x1234'0000 | 7 << 2 | 2 | 1, high = 0x1234'f000;
  f.file.write(0x3028, 0);
  f.file.write(0x302c, high);
  f.file.write(0x3028, low);
  CHECK(f.file.read(0x3028) == low);
  CHECK(f.file.read(0x302c) == high);
  CHECK(f.aperture.fence(5) == (uint64_t{high} << 32 | uint64_t{7} << 32 | 0x1234'0000 | 3));
  CHECK(f.file.read(0x10'0028) == 0x1234'0003);
  CHECK(f.file.read(0x10'002c) == (high | 7));

  // The other way, a pitch of 512 bytes and X tiles.
  f.file.write(0x10'0078, 0x0070'0001);
  f.file.write(0x10'007c, 0x0077'f003);
  CHECK(f.file.read(0x3078) == (0x0070'0001 | 3 << 2));
  CHECK(f.file.read(0x307c) == 0x0077'f000);
  f.file.write(0x307c, 0x0078'f000);
  CHECK(f.file.read(0x10'007c) == 0x0078'f003);
  f.file.write(0x3078, 0);
  CHECK((f.aperture.fence(15) & 1) == 0);
}

// Part 2, chapter 2: software may write bytes and words of the memory controller's registers.
TEST_CASE("Gen5: narrow writes through an alias keep the register's other bytes") {
  Fixture f;
  f.file.write(0x1'0c20, 0x1234'5678);  // MCHBAR's window of i915
  f.file.write(0x14'0c22, 0xabcd, 2);   // the manual's
  CHECK(f.file.read(0x1'0c20) == 0xabcd'5678);
  f.file.write(0x14'0c20, 0xef, 1);
  CHECK(f.file.read(0x14'0c20) == 0xabcd'56ef);
  CHECK(f.file.read(0x14'0c21, 1) == 0x56);
}

TEST_CASE("Gen5: a write of GFX_FLSH_CNTL drops translations of the global table") {
  Fixture f;
  const uint64_t before = f.ggtt.generation().load();
  f.file.write(0x2170, 1);
  CHECK(f.ggtt.generation().load() != before);
  CHECK(f.file.read(0x2170) == 0);
}

TEST_CASE("Gen5: ILK_GDSR resets one domain or all, and its enable reads 0 then") {  // i915 gt/intel_reset.c, ilk_do_reset
  Fixture f;
  LineHost host;
  Gen5Interrupts tree(f.file, host);
  uint32_t stopped = 0, restarted = 0;
  attach_reset_control(f.file, tree, [&](uint32_t engines) { stopped = engines; }, [&](uint32_t engines) { restarted = engines; });
  constexpr uint32_t rcs = 1, vcs0 = 4;
  const struct {
    uint32_t request, engines;
  } rows[] = {{1 << 1 | 1, rcs}, {3 << 1 | 1, vcs0}, {1, rcs | vcs0}, {1 << 1, 0}, {0, 0}};
  for (const auto& row : rows) {
    CAPTURE(row.request);
    stopped = restarted = 0;
    f.file.write(0x2120, 0x2000'2000);  // CACHE_MODE_0, of the render engine
    f.file.write(0x4038, 0x12'3000);    // RING_START of the video engine
    f.file.write(0x3000, 0x1000 | 1);   // a fence, of none
    f.file.write(0x12ca4, row.request);
    CHECK(f.file.read(0x12ca4) == (row.request & ~1u));
    CHECK(stopped == row.engines);
    CHECK(restarted == row.engines);
    CHECK(f.file.read(0x2120) == (row.engines & rcs ? 0 : 0x2000));
    CHECK(f.file.read(0x4038) == (row.engines & vcs0 ? 0 : 0x12'3000));
    CHECK(f.file.read(0x3000) == (0x1000 | 1));
  }
}

// ILK PRM vol 1 part 2, chapter 2: one set of registers, at i915's place and at the manual's.
TEST_CASE("Gen5: the memory controller has two windows") {
  Fixture f;
  f.file.write(0x14'1190, 0x1234'5678);
  CHECK(f.file.read(0x1'1190) == 0x1234'5678);
  f.file.write(0x1'1194, 0x55);
  CHECK(f.file.read(0x14'1194) == 0x55);
  f.file.write(0x14'0048, ~0u);  // STOLEN_RESERVED is read only
  CHECK(f.file.read(0x1'0048) == 0);
  f.file.write(0x14'2c10, 0x18);  // CSIPLL0
  CHECK(f.file.read(0x1'2c10) == 0x18);
  f.file.write(0x14'2030, 0x40);  // not the video streamer's TAIL
  CHECK(f.file.read(0x1'2030) == 0);
  CHECK(f.file.read(0x14'2030) == 0x40);
}

// i915 gt/intel_rps.c, __gen5_rps_set and gen5_rps_enable: 16-bit writes, then the bit is polled.
TEST_CASE("Gen5: a change of frequency is done at once") {
  Fixture f;
  constexpr uint32_t memswctl = 0x11170, memstat = 0x111f8, change = 2 << 13, busy = 1 << 12;
  f.file.write(memswctl, change | 3 << 8 | 1 << 7, 2);
  CHECK(f.file.read(memstat) == 0);
  f.file.write(memswctl, change | busy | 3 << 8 | 1 << 7, 2);
  CHECK(f.file.read(memswctl) == (change | 3 << 8 | 1 << 7));
  CHECK(f.file.read(memstat) == 3 << 3);
  f.file.write(memswctl, 3 << 13 | busy | 5 << 8, 2);  // a change of voltage
  CHECK(f.file.read(memstat) == 3 << 3);
}

// ILK PRM vol 1 part 2, 1.3.2: "An access (other than a CPU Read) through an invalid PTE will result in Page Table Error (Invalid PTE)."
TEST_CASE("Gen5: the CPU's accesses through invalid entries") {
  Fixture f;
  unsigned calls = 0;
  PageFaultRegisters registers(f.file, f.faults, [&] { ++calls; });
  f.aperture.set_faults(&registers);
  CHECK(f.aperture.read(0x3000, 4) == 0);
  CHECK(f.file.read(0x2024) == 0);
  CHECK(calls == 0);
  f.aperture.write(0x3000, 7, 4);
  CHECK(calls == 1);
  CHECK(f.file.read(0x2024) == 0x10);  // PGTBL_ER
  CHECK(f.file.read(0x20b8) == 0x10);  // the render streamer's ESR
  CHECK(f.file.read(0x40b8) == 0);
  CHECK(f.file.read(0x4094) == 0);
  CHECK(f.faults.count() == 2);
}

// ILK PRM vol 1 part 2, 5.9.
TEST_CASE("Gen5: the state after a reset") {
  Fixture f;
  LineHost host;
  Gen5Interrupts tree(f.file, host);
  attach_reset_control(f.file, tree, [](uint32_t) {}, [](uint32_t) {});
  for (const bool again : {false, true}) {
    for (const uint32_t base : {0x2000u, 0x4000u}) {
      CAPTURE(again, base);
      CHECK((f.file.read(base + 0x3c) & 1) == 0);      // "The ring buffer is disabled."
      CHECK(f.file.read(base + 0x6c) == ~0u);          // "All INSTDONE bits are set"
      CHECK((f.file.read(base + 0xc0) & 0x1f) == 0);   // "All command groupings are enabled (via INSTPM)"
      CHECK(f.file.read(base + 0xb4) == ~0u);          // "All interrupts and error status bits are 'masked'"
      CHECK(f.file.read(base + 0x80) == 0x1fff'f000);  // "The Hardware Status Page is located at 1FFFF000h"
      CHECK(f.file.read(base + 0x98) == ~0u);          // "HW status writes are effectively disabled"
    }
    CHECK(f.file.read(0x12094) == 0);  // "The NOPID register is 0."
    if (again) continue;
    CHECK(f.file.read(0x44014) == ~0u);  // GTIMR
    CHECK(f.file.read(0x4401c) == 0);    // GTIER
    for (uint32_t fence = 0; fence < 16; ++fence)
      CHECK((f.file.read(0x10'0000 + 8 * fence) & 1) == 0);  // "All FENCE registers are INVALID"
    for (const uint32_t base : {0x2000u, 0x4000u})
      for (const uint32_t offset : {0x3cu, 0x80u, 0x98u, 0xb4u}) f.file.write(base + offset, 0x0003'0001);
    f.file.write(0x12ca4, 1);  // ILK_GDSR
  }
}

// 3.5.4.1.1: "FENCE registers are not reset by a graphics reset." 4.1.1.2: nor is TIMESTAMP, whose unit is 80 ns.
TEST_CASE("Gen5: what a graphics reset leaves") {
  Fixture f;
  LineHost host;
  Gen5Interrupts tree(f.file, host);
  attach_timestamps(f.file, host, TimestampClock(12'500'000));
  attach_reset_control(f.file, tree, [](uint32_t) {}, [](uint32_t) {});
  f.file.write(0x10'0008, 0x0010'0003);
  f.file.write(0x10'000c, 0x0010'0007);
  host.now = 8'000'000;
  CHECK(f.file.read(0x2358) == 100'000);
  f.file.write(0x12ca4, 1);
  CHECK(f.file.read(0x10'0008) == 0x0010'0003);
  CHECK(f.file.read(0x10'000c) == 0x0010'0007);
  CHECK(f.file.read(0x2358) == 100'000);
  host.now += 800;
  CHECK(f.file.read(0x4358) == 100'010);
  f.file.write(0x4358, 0);  // "Access: RO"
  CHECK(f.file.read(0x4358) == 100'010);
}

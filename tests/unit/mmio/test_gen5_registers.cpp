// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's registers in front of memory.
#include "hw/memory/flat_memory.h"
#include "hw/mmio/interrupts/gen5.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/reset_control.h"
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

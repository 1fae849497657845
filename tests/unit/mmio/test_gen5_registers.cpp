// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's registers in front of memory.
#include "hw/memory/flat_memory.h"
#include "hw/mmio/memory_registers.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

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

// SPDX-License-Identifier: GPL-2.0-or-later
// What i915 reads and writes on Ice Lake that Kaby Lake has elsewhere or not at all.
#include "hw/memory/flat_memory.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/pcode.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

constexpr uint32_t rcs = 0x2000;

struct Fixture {
  RegisterFile file{defs::gen11::registers};
  Fixture() { quiet_log(); }
};

}  // namespace

// i915 gt/intel_workarounds.c: icl_gt_workarounds_init, rcs_engine_wa_init, icl_ctx_workarounds_init; wa_list_verify reads them back.
TEST_CASE("gen11: workarounds stick and read back") {
  Fixture f;
  const struct {
    uint32_t offset, bits;
  } plain[] = {{0xfdc, 0x7f00'0000},  {0x4b80, 0x1001},   {0xb43c, 1 << 9 | 1 << 7},
               {0x4080, 1 << 7},      {0x4ab8, 1u << 31}, {0x9434, 1 << 3 | 1 << 8},
               {0x94e4, 1 << 5},      {0x9524, 1 << 16},  {0x94d4, 1 << 16 | 1 << 17},
               {0xb004, 0x0fc0'0001}, {0xb404, 1 << 5},   {0xb118, 1 << 6},
               {0xb000, 1 << 30},     {0x20a0, 1 << 19},  {0x7020, 0xffff'fffe},
               {0x7024, 0xffff'ffff}, {0x7034, 1 << 9}};
  for (const auto& row : plain) {
    CAPTURE(defs::gen11::registers.name_of(row.offset));
    const uint32_t before = f.file.read(row.offset);
    f.file.write(row.offset, before | row.bits);
    CHECK(f.file.read(row.offset) == (before | row.bits));
    f.file.write(row.offset, before & ~row.bits);
    CHECK(f.file.read(row.offset) == (before & ~row.bits));
    CHECK(defs::gen11::registers.find(row.offset) != nullptr);
  }
  for (const uint32_t cleared : {0x9550u, 0xb140u}) CHECK(f.file.read(cleared) == 0);
  const struct {
    uint32_t offset, bits;
  } masked[] = {{0x2090, 1 << 5}, {0x20d4, 1 << 7}, {0x20ec, 1 << 1}, {0x20e0, 1 << 14}, {0xe5f4, 1 << 4}, {0x2580, 1 << 1},
                {0xe18c, 1 << 5}, {0xe48c, 1 << 7}, {0xe420, 1 << 4}, {0xe194, 1 << 1},  {0x731c, 1 << 11}};
  for (const auto& row : masked) {
    CAPTURE(defs::gen11::registers.name_of(row.offset));
    f.file.write(row.offset, row.bits << 16 | row.bits);
    CHECK(f.file.read(row.offset) == row.bits);
    f.file.write(row.offset, row.bits << 16);
    CHECK(f.file.read(row.offset) == 0);
  }
  // Linux 6.1 adds a bit to what the L3's configuration reads before there is a context.
  CHECK(defs::gen11::registers.find(0x7034)->reset == 0x6000'0060);
  // The slots of the whitelist keep their access and their range (RING_FORCE_TO_NONPRIV_*).
  f.file.write(rcs + 0x4d0, 0x1000'2349);
  CHECK(f.file.read(rcs + 0x4d0) == 0x1000'2349);
}

TEST_CASE("gen11: what a driver waits for before a reset is there at once") {
  Fixture f;
  // i915 gt/intel_engine_cs.c:__cs_pending_mi_force_wakes, in the order of RCS, VCS0, VCS1, BCS, VECS0, VCS2.
  for (const uint32_t idle : {0x8000u, 0x8004u, 0x8008u, 0x800cu, 0x8010u, 0x80c0u}) CHECK(f.file.read(idle) == 0);
  CHECK(f.file.read(0xa2a0) != 0);
  // gt/intel_reset.c:gen11_lock_sfc: no video engine uses a scaler.
  for (const uint32_t engine : {0x1c0000u, 0x1d0000u}) CHECK((f.file.read(engine + 0x890) & 3) == 0);
  CHECK((f.file.read(0x1c8000 + 0x2014) & 1) == 0);
  // gt/intel_engine_cs.c:init_engine_mask: what the fuses leave is VCS0, VCS2 and VECS0.
  CHECK((~f.file.read(0x9140) & 0xf) == 5);
  CHECK((~f.file.read(0x9140) >> 16 & 0xf) == 1);
}

TEST_CASE("gen11: RPS and RC6 registers are memory") {
  Fixture f;
  // gt/intel_rc6.c:gen11_rc6_enable, gt/intel_rps.c:gen11_enable_rps_interrupts.
  for (const uint32_t offset : {0xa09cu, 0xa0a0u, 0xa0a8u, 0xa0acu, 0xc3e4u, 0xa0b0u, 0xa0b8u, 0xa0c4u, 0xa0c8u, 0xa210u, 0xa090u, 0xa094u,
                                rcs + 0x54, 0x1d0000u + 0x54, 0x19003cu, 0x1900ecu, 0xa168u}) {
    CAPTURE(defs::gen11::registers.name_of(offset));
    CHECK(defs::gen11::registers.find(offset) != nullptr);
    f.file.write(offset, 0x5a5a5);
    CHECK(f.file.read(offset) == 0x5a5a5);
  }
}

TEST_CASE("gen11: the efficient frequency lies between the lowest and the highest") {  // IGT i915_pm_rps.c:check_freq_constraints
  Fixture f;
  const uint32_t caps = f.file.read(reg::RP_STATE_CAP), efficient = f.file.read(0x145ef0) >> 8 & 0xff;
  CHECK(efficient >= (caps >> 16 & 0xff));
  CHECK(efficient <= (caps & 0xff));
}

TEST_CASE("requests to invalidate a TLB clear themselves, and count for each engine") {
  quiet_log();
  memory::FlatMemory memory;
  for (const defs::RegisterSet* set : {&defs::gen9::registers, &defs::gen11::registers}) {
    CAPTURE(set->name);
    RegisterFile file(*set);
    memory::Ggtt ggtt;
    memory::FaultRegisters faults;
    memory::TlbGeneration tlb;
    memory::Aperture aperture(ggtt, memory, &faults);
    attach_memory_registers(file, {ggtt, aperture, faults, tlb});
    const auto invalidates = [&](uint32_t offset, uint32_t value) {
      const auto before = tlb.value().load();
      file.write(offset, value);
      CHECK(file.read(offset) == 0);
      return tlb.value().load() != before;
    };
    const bool shared = set == &defs::gen11::registers;  // all video engines have one register, and a bit each
    for (const uint32_t offset : {reg::RTCR, reg::M1TCR, reg::BTCR, reg::VTCR}) CHECK(invalidates(offset, 1));
    CHECK((set->find(reg::M2TCR) == nullptr) == shared);
    if (!shared) CHECK(invalidates(reg::M2TCR, 1));
    CHECK(invalidates(reg::M1TCR, 1 << 2) == shared);
    CHECK_FALSE(invalidates(reg::RTCR, ~1u));
    CHECK(set->find(reg::GFX_AUX_INV) == nullptr);
  }
}

TEST_CASE("the reserved part of stolen memory is its last MiB") {  // gem/i915_gem_stolen.c:icl_get_stolen_reserved
  Fixture f;
  show_stolen(f.file, 0x12'3400'0000, 64 << 20);
  CHECK(f.file.read(0x1082c0, 8) == 0x12'37f0'0000);
  show_stolen(f.file, 0, 0);
  CHECK(f.file.read(0x1082c0, 8) == 0);
  RegisterFile other{defs::gen9::registers};
  show_stolen(other, 0x3400'0000, 64 << 20);
  CHECK(other.read(0x1082c0) == 0);
}

TEST_CASE("pcode tells of memory's speeds where the platform has them") {  // soc/intel_dram.c, display/intel_bw.c
  Fixture f;
  const defs::MemorySpeeds::Point points[] = {{.clock = 96, .rp = 22, .rcd = 21, .rdpre = 12, .ras = 52}};
  const defs::MemorySpeeds speeds{.type = 0, .channels = 2, .points = points};
  const auto ask = [](RegisterFile& file, uint32_t command, uint32_t data = 0) {
    file.write(reg::GEN6_PCODE_DATA, data);
    file.write(reg::GEN6_PCODE_DATA1, 0);
    file.write(reg::GEN6_PCODE_MAILBOX, 1u << 31 | command);
    return file.read(reg::GEN6_PCODE_MAILBOX);
  };
  Pcode pcode(f.file, &speeds);
  REQUIRE(ask(f.file, 0x0d) == 0);
  CHECK(f.file.read(reg::GEN6_PCODE_DATA) == (1 << 8 | 2 << 4 | 0));
  REQUIRE(ask(f.file, 0x0d | 1 << 8) == 0);
  CHECK(f.file.read(reg::GEN6_PCODE_DATA) == (21u << 24 | 22 << 16 | 96));
  CHECK(f.file.read(reg::GEN6_PCODE_DATA1) == (52 << 8 | 12));
  CHECK(ask(f.file, 0x0d | 1 << 8 | 1 << 16) != 0);
  CHECK(ask(f.file, 0x0d | 2 << 8) != 0);
  // GEN12_PCODE_READ_SAGV_BLOCK_TIME_US (i915 skl_watermark.c): xe logs an error for a command that is not known.
  REQUIRE(ask(f.file, 0x23) == 0);
  CHECK(f.file.read(reg::GEN6_PCODE_DATA) == 10);
  REQUIRE(ask(f.file, 0x0e, 0xf0) == 0);
  CHECK((f.file.read(reg::GEN6_PCODE_DATA) & 0xf) == 0);

  for (const uint32_t block : {0, 1}) {  // display/intel_display_power_well.c:tgl_tc_cold_request
    REQUIRE(ask(f.file, 0x26, block) == 0);
    CHECK((f.file.read(reg::GEN6_PCODE_DATA) & 1) == 0);
  }

  RegisterFile other{defs::gen9::registers};
  Pcode silent(other, nullptr);
  CHECK(ask(other, 0x0d) == 1);
  CHECK(ask(other, 0x0e) == 1);
}

TEST_CASE("registers of Type-C PHYs keep what is written") {  // display/intel_dpll_mgr.c, mg_pll_get_hw_state
  Fixture f;
  for (uint32_t port = 0; port < 4; ++port) {
    for (const uint32_t offset : {0x16892cu, 0x1688d8u, 0x168a00u, 0x168a08u, 0x168a14u, 0x168a18u}) {
      f.file.write(offset + 0x1000 * port, 0x0805'0007);
      CHECK(f.file.read(offset + 0x1000 * port) == 0x0805'0007);
    }
  }
  f.file.write(0x145ef0, 1);  // the MCHBAR mirror is read only
  CHECK(f.file.read(0x145ef0) != 1);
}

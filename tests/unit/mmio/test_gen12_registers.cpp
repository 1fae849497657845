// SPDX-License-Identifier: GPL-2.0-or-later
// What i915 reads and writes on Tiger Lake that Ice Lake has elsewhere or not at all, and what TGL PRM vol 13, "General Assets", says of all registers.
#include <array>

#include "hw/memory/flat_memory.h"
#include "hw/mmio/forcewake.h"
#include "hw/mmio/gt_power.h"
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/memory_registers.h"
#include "hw/mmio/reset_control.h"
#include "hw/mmio/timestamp.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

struct Fixture {
  const defs::RegisterSet& set = defs::gen12::registers;
  RegisterFile file{set};
  Fixture() { quiet_log(); }
};

struct Memory : Fixture {
  memory::FlatMemory memory;
  memory::Ggtt ggtt;
  memory::FaultRegisters faults;
  memory::TlbGeneration tlb;
  memory::Aperture aperture{ggtt, memory, &faults};
  Memory() { attach_memory_registers(file, {ggtt, aperture, faults, tlb}); }
};

}  // namespace

// i915 gt/intel_workarounds.c: gen12_gt_workarounds_init, rcs_engine_wa_init, engine_fake_wa_init, tgl_whitelist_build; wa_list_verify reads them back.
TEST_CASE("gen12: workarounds stick and read back") {
  Fixture f;
  const struct {
    uint32_t offset, bits;
  } plain[] = {{0x9550, 1 << 9},  {0x9424, 1 << 1}, {0x1c3f10, 1 << 22}, {0x1d3f10, 1 << 22},   {0x20a0, 1 << 19},
               {0x6604, 4 << 16}, {0xb134, 1 << 9}, {0x4000, 0x3b},      {0x40fc, 0x37},        {0x4800, 7},
               {0x481c, 7},       {0xb020, 0x3b},   {0xb09c, 0x3b},      {0x24d0, 0x1000'2349}, {0xfdc, 0x7f00'0000}};
  for (const auto& row : plain) {
    CAPTURE(f.set.name_of(row.offset));
    const uint32_t before = f.file.read(row.offset);
    f.file.write(row.offset, before | row.bits);
    CHECK(f.file.read(row.offset) == (before | row.bits));
    CHECK(f.set.find(row.offset) != nullptr);
  }
  f.file.write(0xfdc, 1u << 31);
  const struct {
    uint32_t offset, bits;
  } masked[] = {{0xe4f4, 1 << 15}, {0x20ec, 1 << 3}, {0xe48c, 1 << 9},  {0x2050, 1 << 7},  {0xe18c, 1 << 15}, {0x20e0, 1 << 14},
                {0x7304, 1 << 9},  {0x7300, 1 << 1}, {0x2580, 1 << 1},  {0x7018, 1 << 13}, {0x7010, 1 << 4},  {0x5584, 1 << 2},
                {0x20c4, 0x606},   {0x220c4, 0x606}, {0x1d00c4, 0x606}, {0x20d8, 1 << 5},  {0x7008, 1 << 10}};
  for (const auto& row : masked) {
    CAPTURE(f.set.name_of(row.offset));
    f.file.write(row.offset, row.bits << 16 | row.bits);
    CHECK(f.file.read(row.offset) == row.bits);
    f.file.write(row.offset, row.bits << 16);
    CHECK(f.file.read(row.offset) == 0);
  }
}

TEST_CASE("gen12: registers of Gen9 and Gen11 that are gone are not declared") {
  Fixture f;
  for (const uint32_t offset : {0x4260u, 0x4264u, 0x426cu, 0x4270u, 0x4b10u, 0x4b14u, 0x4dd4u, 0x4de0u, 0x7034u, 0xc800u, 0xca00u, 0xcc00u,
                                0x10000u, 0x84a0u, 0x181b0u}) {
    CAPTURE(offset);
    CHECK(f.set.find(offset) == nullptr);
  }
  CHECK(std::string_view(f.set.find(0x4094)->name) == "GLOBAL_MOCS");
}

// Also TGL PRM vol 13, "Force Wake and Steering Table": "fuse_gt_dssen[5:0] 0x913C[5:0], fuse_gt_l3_disable[3:0] 0x9118[7:0] (fuse is replicated into [3:0] and
// [7:4])".
TEST_CASE("gen12: fuses tell of one slice of six dual subslices, of all banks, and of the engines") {
  Fixture f;
  CHECK((f.file.read(0x9138) & 0xff) == 1);  // gt/intel_sseu.c:gen12_sseu_info_init
  CHECK((f.file.read(0x913c) & 0xff) == 0x3f);
  CHECK((f.file.read(0x9134) & 0xff) == 0);
  CHECK((f.file.read(0x9118) & 0xf) == (f.file.read(0x9118) >> 4 & 0xf));
  CHECK((~f.file.read(0x9118) & 0xf) == 0xf);  // gt/intel_gt_mcr.c:intel_gt_mcr_init
  CHECK((~f.file.read(0x9140) & 0xff) == 5);   // gt/intel_engine_cs.c:init_engine_mask
  CHECK((~f.file.read(0x9140) >> 16 & 0xf) == 1);
  for (const uint32_t done : {0x7100u, 0x7104u, 0x7108u, 0xe160u, 0xe164u, 0xcf68u, 0x1cc000u, 0x1cd000u}) CHECK(f.file.read(done) == ~0u);
  for (const uint32_t idle : {0x8000u, 0x8004u, 0x800cu, 0x8010u, 0x80c0u, 0x1c2914u, 0x1d2914u}) CHECK(f.file.read(idle) == 0);
}

TEST_CASE("gen12: timestamps count as the clock's registers say") {  // gt/intel_gt_clock_utils.c:gen11_read_clock_frequency
  Fixture f;
  CHECK((f.file.read(0xa26c) & 1) == 0);
  constexpr std::array<uint64_t, 4> crystals = {24'000'000, 19'200'000, 38'400'000, 25'000'000};
  const uint32_t config = f.file.read(0xd00);
  const uint64_t hz = crystals[config >> 3 & 7] >> (3 - (config >> 1 & 3));
  CHECK(hz == 19'200'000);
  constexpr TimestampClock tiger(19'200'000), kaby(12'000'000);
  CHECK(tiger.ticks(1'000'000'000) == 19'200'000);
  CHECK(tiger.ticks(52) == 0);
  CHECK(tiger.ticks(53) == 1);
  CHECK(tiger.ns(1) == 53);
  CHECK(tiger.ns(19'200'000) == 1'000'000'000);
  CHECK(tiger.ticks(int64_t{3580} * 1'000'000'000) == ((uint64_t{3580} * 19'200'000) & 0xf'ffff'ffff));
  CHECK(kaby.ticks(1'000'000'000) == 12'000'000);
  CHECK(kaby.ns(3) == 250);
}

TEST_CASE(
    "gen12: requests to invalidate TLBs and aux maps clear themselves") {  // gt/intel_tlb.c; gt/gen8_engine_cs.c:gen12_emit_aux_table_inv
  Memory f;
  const auto invalidates = [&](uint32_t offset, uint32_t value) {
    CAPTURE(f.set.name_of(offset));
    const auto before = f.tlb.value().load();
    f.file.write(offset, value);
    CHECK(f.file.read(offset) == 0);
    return f.tlb.value().load() != before;
  };
  for (const uint32_t offset : {0xced8u, 0xcee4u, 0xceecu, 0x4208u, 0x4218u, 0x4238u, 0x4248u, 0x4298u, 0x42c8u}) {
    CHECK(invalidates(offset, 1));
    CHECK_FALSE(invalidates(offset, 2));
  }
  // A bit an instance, in a masked write.
  CHECK(invalidates(0xcedc, 1 << 16 | 1));
  CHECK(invalidates(0xcedc, 4 << 16 | 4));
  CHECK(invalidates(0xcee0, 1 << 16 | 1));
  CHECK_FALSE(invalidates(0xcedc, 1));
}

TEST_CASE("gen12: a fault is in one register, with its address beside") {  // gt/intel_gt.c:gen8_check_faults
  Memory f;
  f.faults.fault({.address = 0x1234'5678'9000, .type = memory::FaultType::invalid_pde, .engine = EngineId::bcs});
  CHECK((f.file.read(0xcec4) & 0x7007) == (4 << 12 | 1 << 1 | 1));
  CHECK(f.file.read(0xceb8) == 0x2345'6789);
  CHECK((f.file.read(0xcebc) & 0xf) == 1);
  f.file.write(0xcec4, 0);
  CHECK(f.file.read(0xcec4) == 0);
  CHECK(f.file.read(0x4094) == 0);
}

TEST_CASE("a user batch on a video engine of Gen11 and Gen12 may write its own box's registers") {
  for (const defs::RegisterSet* set : {&defs::gen11::registers, &defs::gen12::registers}) {
    RegisterFile file(*set);
    for (const uint32_t within : {0x600u, 0x800u, 0x8b8u, 0xffcu, 0x2800u, 0x28f4u, 0x28fcu}) {
      CAPTURE(set->name, within);
      for (const EngineId id : {EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vcs1, EngineId::vecs}) {
        CHECK(file.is_nonpriv_writable(id, 0x1c0000 + within) == (id == EngineId::vcs0));
        CHECK(file.is_nonpriv_writable(id, 0x1d0000 + within) == (id == EngineId::vcs1));
      }
    }
    for (const uint32_t within : {0x2000u, 0x2900u}) CHECK_FALSE(file.is_nonpriv_writable(EngineId::vcs0, 0x1c0000 + within));
  }
}

TEST_CASE("gen12: each engine's user batches may write its own tables' registers") {
  Fixture f;
  const struct {
    EngineId engine;
    uint32_t base, invalidate;
  } rows[] = {{EngineId::rcs, 0x4200, 0x4208},
              {EngineId::vcs0, 0x4210, 0x4218},
              {EngineId::vecs, 0x4230, 0x4238},
              {EngineId::bcs, 0x4240, 0x4248},
              {EngineId::vcs1, 0x4290, 0x4298}};
  for (const auto& row : rows)
    for (const auto& other : rows)
      for (const uint32_t offset : {other.base, other.base + 4, other.invalidate})
        CHECK(f.file.is_nonpriv_writable(row.engine, offset) == (row.engine == other.engine));
  for (const uint32_t offset : {0x42c0u, 0x42c8u, 0xb134u, 0x7008u, 0x7000u, 0x20d8u, 0x6604u})
    CHECK(f.file.is_nonpriv_writable(EngineId::rcs, offset));
  for (const uint32_t offset : {0x4000u, 0x20c4u, 0x7010u, 0xced8u}) CHECK_FALSE(f.file.is_nonpriv_writable(EngineId::rcs, offset));
}

// GDRST's bits, and what keeps its value: i915 gt/intel_reset.c, gen8_reset_engines, gen11_reset_engines; gt/intel_mocs.c, intel_mocs_init (after a reset of
// the whole GT alone), init_l3cc_table.
TEST_CASE("gen12: a reset of GDRST reaches its engines, and what belongs to the whole GT is reset with all of it") {
  LineHost host;
  Fixture f;
  const auto tree = gen12_interrupts(f.file, host);
  attach_forcewake(f.file);
  uint32_t stopped = 0, restarted = 0;
  attach_reset_control(f.file, *tree, [&](uint32_t engines) { stopped = engines; }, [&](uint32_t engines) { restarted = engines; });
  constexpr EngineId engines[] = {EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vcs1, EngineId::vecs};
  const struct {
    uint32_t request;
    uint32_t engines;  ///< bit i: row i above
  } rows[] = {{1u << 1, 1},  {1u << 2, 2},           {1u << 5, 4}, {1u << 7, 8},  {1u << 13, 16},
              {1u << 3, 0},  {1u << 17, 0},          {1u << 6, 0}, {1u << 18, 0}, {1u << 1 | 1u << 13, 17},
              {1u << 0, 31}, {1u << 0 | 1u << 3, 31}};
  const uint32_t whole_gt[] = {0x4000, 0x40fc, 0x4800, 0xb020, 0x9424}, never[] = {0xa278, 0xd84, 0xa090, 0x190030};
  for (const auto& row : rows) {
    CAPTURE(row.request);
    stopped = restarted = 0;
    for (const EngineId e : engines) f.file.write(f.file.engine_register(e, reg::RING_HWS_PGA), 0x5000);
    for (const uint32_t offset : whole_gt) f.file.write(offset, 0x25);
    f.file.write(0xfdc, 1u << 24);
    f.file.write(0xa278, 0x0001'0001);
    f.file.write(0xa090, 1);
    f.file.write(0x190030, 1);
    f.file.write(reg::GDRST, row.request);
    CHECK(f.file.read(reg::GDRST) == 0);
    uint32_t expected = 0;
    for (unsigned i = 0; i < std::size(engines); ++i) {
      const bool hit = row.engines >> i & 1;
      if (hit) expected |= 1u << static_cast<unsigned>(engines[i]);
      CHECK(f.file.read(f.file.engine_register(engines[i], reg::RING_HWS_PGA)) == (hit ? 0 : 0x5000));
    }
    CHECK(stopped == expected);
    CHECK(restarted == expected);
    const bool all = row.request & 1;
    for (const uint32_t offset : whole_gt) CHECK(f.file.read(offset) == (all ? f.set.find(offset)->reset : 0x25));
    CHECK(f.file.read(0xfdc) == (all ? 1u << 31 : 1u << 24));
    for (const uint32_t offset : never) CHECK(f.file.read(offset) == 1);
  }
}

// i915 gt/intel_rps.c, gen6_rps_set, intel_rps_read_actual_frequency: the request in [31:23], what is granted in the same bits of RPSTAT1.
TEST_CASE("gen12: a frequency is granted when it is requested") {
  LineHost host;
  Fixture f;
  GtPower power(f.file, host);
  for (const uint32_t frequency : {0x06u, 0x1ffu, 0u}) {
    f.file.write(0xa008, frequency << 23);
    CHECK(f.file.read(0xa01c) == frequency << 23);
  }
}

// Linux 6.12 i915 gt/intel_rps.c, __read_cagf: "reading freq from HW does not need a forcewake and registers will return 0 freq when GT is in RC6".
TEST_CASE("gen12: the frequency is read outside of RC6's power well, and is 0 in RC6") {
  LineHost host;
  Fixture f;
  GtPower power(f.file, host);
  f.file.write(0xa008, 0x27u << 23);
  CHECK(f.file.read(0x1381b4) == 0x27u << 11);
  f.file.write(0xa090, 1u << 18);
  CHECK(f.file.read(0x1381b4) == 0);
  f.file.write(0xa188, 1u << 16 | 1);
  CHECK(f.file.read(0x1381b4) == 0x27u << 11);
}

// TGL PRM vol 13, "SW Virtualization Reserved MMIO range": "reads will return zeros, like any other unimplemented MMIO address. Writes to this range are always ignored."
TEST_CASE("gen12: the range reserved for virtualization reads 0, ignores writes and has no register") {
  Fixture f;
  for (uint32_t offset = 0x178000; offset < 0x179000; offset += 4) {
    for (const Initiator from : {Initiator::host, Initiator::streamer, Initiator::context}) {
      f.file.write(offset, ~0u, from);
      REQUIRE(f.file.read(offset, from) == 0);
    }
    f.file.write(offset + 1, 0xff, 1);
    f.file.write(offset & ~7u, ~0ull, 8);
    REQUIRE(f.file.read(offset & ~7u, 8) == 0);
  }
  for (const defs::RegisterPlace& place : f.set.singles) CHECK((place.offset < 0x178000 || place.offset > 0x178fff));
  CHECK(std::string_view(f.set.find(0x178800)->name) == "VIRTUALIZATION_RESERVED");
}

TEST_CASE("the fuses name a production part") {  // Linux 7.2 xe/regs/xe_gt_regs.h, FUSE2, PRODUCTION_HW
  RegisterFile file{defs::gen12::registers};
  CHECK(file.read(0x9120) == 1 << 2);
}

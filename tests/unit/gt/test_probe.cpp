// SPDX-License-Identifier: GPL-2.0-or-later
// i915's register accesses while it probes, step by step, with the answers that it requires (Linux 6.1, drivers/gpu/drm/i915; each step
// names the function).
#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using softgen::test::FakeHost;

TEST_CASE("i915 probe: forcewake is acknowledged at once") {  // intel_uncore.c:fw_domains_get_normal
  FakeHost host;
  const struct {
    uint32_t request, acknowledge;
  } domains[] = {{reg::FORCEWAKE_RENDER, reg::FORCEWAKE_ACK_RENDER},
                 {reg::FORCEWAKE_GT, reg::FORCEWAKE_ACK_GT},
                 {reg::FORCEWAKE_MEDIA, reg::FORCEWAKE_ACK_MEDIA}};
  for (const auto& domain : domains) {
    host.write(domain.request, 0xffff'0000);
    CHECK((host.read(domain.acknowledge) & 1) == 0);
    host.write(domain.request, 0x0001'0001);
    CHECK(host.read(domain.acknowledge) == 1);
    host.write(domain.request, 0x8000'8000);  // the fall-back requester
    CHECK(host.read(domain.acknowledge) == 0x8001);
    host.write(domain.request, 0x0001'0000);
    CHECK(host.read(domain.acknowledge) == 0x8000);
  }
}

TEST_CASE("i915 probe: no hypervisor, no eDRAM, no unclaimed access") {
  FakeHost host;
  CHECK(sg_bar0_read(host.device(), 0x78000, 8) == 0);  // i915_vgpu.c:intel_vgpu_detect
  CHECK(host.read(reg::HSW_EDRAM_CAP) == 0);            // intel_dram.c:intel_dram_edram_detect
  host.write(reg::FPGA_DBG, 1u << 31);                  // intel_uncore.c:fpga_check_for_unclaimed_mmio
  CHECK(host.read(reg::FPGA_DBG) == 0);
  CHECK(host.read(reg::STOLEN_RESERVED) == 0);       // i915_gem_stolen.c:bdw_get_stolen_reserved
  CHECK((host.read(reg::GUC_WOPCM_SIZE) & 1) == 0);  // intel_wopcm.c:intel_wopcm_init
  CHECK((host.read(reg::DMA_GUC_WOPCM_OFFSET) & 1) == 0);
}

TEST_CASE("i915 probe: one slice of three subslices of eight EUs at 12 MHz") {
  FakeHost host;
  const uint32_t fuse2 = host.read(reg::FUSE2);  // intel_sseu.c:gen9_sseu_info_init
  CHECK((fuse2 >> 25 & 7) == 1);
  CHECK((fuse2 >> 20 & 0xf) == 8);
  CHECK(host.read(reg::gen9::EU_DISABLE(0)) == 0);
  const uint32_t ctc = host.read(reg::CTC_MODE);  // intel_gt_clock_utils.c:gen9_read_clock_frequency
  CHECK((ctc & 1) == 0);
  CHECK(24'000'000u >> (3 - (ctc >> 1 & 3)) == 12'000'000u);
  const uint32_t caps = host.read(reg::RP_STATE_CAP);  // intel_rps.c:gen6_rps_get_freq_caps
  CHECK((caps & 0xff) > (caps >> 8 & 0xff));
  CHECK((caps >> 8 & 0xff) >= (caps >> 16 & 0xff));
  CHECK((caps >> 16 & 0xff) > 0);
}

TEST_CASE("i915 probe: the timestamp counts 12 MHz of guest time in every engine") {
  FakeHost host;
  for (uint32_t base : {0x2000u, 0x22000u, 0x12000u, 0x1a000u}) {
    const uint32_t before = host.read(base + reg::RING_TIMESTAMP);
    host.advance(1'000'000);
    CHECK(host.read(base + reg::RING_TIMESTAMP) - before == 12'000);
  }
  host.advance(int64_t{1} << 42);
  CHECK(host.read(0x2000 + reg::RING_TIMESTAMP_UDW) == ((((int64_t{1} << 42) + host.now() - (int64_t{1} << 42)) * 3 / 250) >> 32 & 0xf));
}

TEST_CASE("i915 probe: the power control unit's mailbox") {  // intel_pcode.c, intel_pm.c, intel_cdclk.c, intel_llc.c
  FakeHost host;
  const auto command = [&](uint32_t box, uint32_t data) {
    CHECK((host.read(reg::GEN6_PCODE_MAILBOX) & 1u << 31) == 0);
    host.write(reg::GEN6_PCODE_DATA, data);
    host.write(reg::GEN6_PCODE_DATA1, 0);
    host.write(reg::GEN6_PCODE_MAILBOX, 1u << 31 | box);
    CHECK((host.read(reg::GEN6_PCODE_MAILBOX) & 1u << 31) == 0);
    return host.read(reg::GEN6_PCODE_MAILBOX) & 0xff;
  };
  uint32_t last = 1;
  for (uint32_t half : {0, 1}) {
    REQUIRE(command(0x06, half) == 0);
    for (unsigned level = 0; level < 4; ++level) {
      const uint32_t latency = host.read(reg::GEN6_PCODE_DATA) >> level * 8 & 0xff;
      CHECK(latency >= last);
      last = latency;
    }
  }
  REQUIRE(command(0x07, 3) == 0);
  CHECK((host.read(reg::GEN6_PCODE_DATA) & 1) == 1);
  REQUIRE(command(0x21, 0) == 0);
  CHECK((host.read(reg::GEN6_PCODE_DATA) & 1) == 1);
  REQUIRE(command(0x08, 0x0a0b07) == 0);
  REQUIRE(command(0x09, 0x07) == 0);
  CHECK(host.read(reg::GEN6_PCODE_DATA) == 0x0a0b07);
  CHECK(command(0x7f, 0) == 1);
}

TEST_CASE("i915 probe: TLB invalidations clear themselves") {  // intel_gt.c:mmio_invalidate_full
  FakeHost host;
  for (uint32_t offset : {reg::RTCR, reg::M1TCR, reg::M2TCR, reg::BTCR, reg::VTCR}) {
    host.write(offset, 1);
    CHECK(host.read(offset) == 0);
  }
}

TEST_CASE("i915 probe: workarounds stick and read back") {  // intel_workarounds.c:wa_list_verify
  FakeHost host;
  host.write(reg::GTT_CACHE_EN, 0xf000'7fff);  // intel_gtt.c:gtt_write_workarounds: must not read 0
  CHECK(host.read(reg::GTT_CACHE_EN) == 0xf000'7fff);
  host.write(reg::L3_LRA_1_GPGPU, 0x67f1'427f);
  CHECK(host.read(reg::L3_LRA_1_GPGPU) == 0x67f1'427f);
  for (uint32_t offset : {reg::GAM_ECOCHK, reg::MMCD_MISC_CTRL, reg::UCGCTL4, reg::GAMT_ECO_REG_RW_IA, reg::SCRATCH1, reg::L3SQCREG4,
                          reg::SCRATCH_LNCF1, reg::MCR_SELECTOR, 0x2000 + reg::RING_FORCE_TO_NONPRIV(0)}) {
    INFO(softgen::defs::gen9::registers.name_of(offset));
    host.write(offset, 0x0040'0100);
    CHECK(host.read(offset) == 0x0040'0100);
  }
  for (uint32_t offset : {0x2000 + reg::CSFE_CHICKEN1, reg::FF_SLICE_CS_CHICKEN1, reg::COMMON_SLICE_CHICKEN2, reg::ROW_CHICKEN}) {
    INFO(softgen::defs::gen9::registers.name_of(offset));
    host.write(offset, 0x4000'4000);
    CHECK(host.read(offset) == 0x4000);
  }
  for (uint32_t i = 0; i < 64; ++i) host.write(reg::BLT_MOCS(i), i);  // intel_mocs.c
  CHECK(host.read(reg::BLT_MOCS(63)) == 63);
}

TEST_CASE("i915 probe: GPU reset clears what it names and nothing of the display") {  // intel_reset.c:gen6_hw_domain_reset
  FakeHost host;
  host.write(reg::GFX_MOCS(0), 1);
  host.write(reg::MCR_SELECTOR, 1u << 26);
  host.write(0x22000 + reg::RING_HWS_PGA, 0x5000);
  host.write(0x2000 + reg::RING_HWS_PGA, 0x6000);
  host.masked(reg::COMMON_SLICE_CHICKEN2, 1);
  host.map(0, 0x4000, 1);
  host.write(0x70180, 0x8400'0000);
  host.write(reg::GDRST, 1u << 3);
  CHECK(host.read(reg::GDRST) == 0);
  CHECK(host.read(0x22000 + reg::RING_HWS_PGA) == 0);
  CHECK(host.read(0x2000 + reg::RING_HWS_PGA) == 0x6000);
  CHECK(host.read(reg::COMMON_SLICE_CHICKEN2) == 1);
  host.write(reg::GDRST, 1);
  host.write(reg::GDRST, 1);
  CHECK(host.read(reg::GDRST) == 0);
  CHECK(host.read(0x2000 + reg::RING_HWS_PGA) == 0);
  CHECK(host.read(reg::COMMON_SLICE_CHICKEN2) == 0);
  CHECK(host.read(reg::GFX_MOCS(0)) == 0);
  CHECK(host.read(reg::MCR_SELECTOR) == 0);
  CHECK((host.read(0x2000 + reg::RING_MI_MODE) & 1u << 9) != 0);
  CHECK(sg_bar0_read(host.device(), FakeHost::gtt_window, 8) == 0x4001);
  CHECK(host.read(0x70180) == 0x8400'0000);
}

TEST_CASE("RC6 residency advances while sleep is enabled and no forcewake is held") {  // intel_rc6.c:intel_rc6_residency_ns
  FakeHost host;
  host.advance(10'000'000);
  CHECK(host.read(reg::GT_GFX_RC6) == 0);
  host.write(reg::RC_CONTROL, 1u << 18);
  host.advance(1'280'000);
  CHECK(host.read(reg::GT_GFX_RC6) == 1000);
  host.masked(reg::FORCEWAKE_GT, 1);
  host.advance(1'280'000);
  CHECK(host.read(reg::GT_GFX_RC6) == 1000);
  host.masked(reg::FORCEWAKE_GT, 0, 1);
  host.advance(1'280'000);
  CHECK(host.read(reg::GT_GFX_RC6) == 2000);
}

TEST_CASE("a frequency request is granted at once") {  // intel_rps.c
  FakeHost host;
  host.write(reg::RPNSWREQ, 0x15u << 23 | 1);
  CHECK(host.read(reg::RPSTAT1) == 0x15u << 23);
}

// i915 selftests/intel_uncore.c, live_forcewake_ops: RING_MI_MODE is not 0 while its domain is held, and reads 0 after that (TGL PRM vol 13, "Force Wake and
// Steering Table": "If reading/writing the registers is needed, then force-wake of the domain is required").
TEST_CASE("tgl: an idle engine's registers read 0 while their domain of forcewake is not held") {
  FakeHost host(0, 1, nullptr, "tgl");
  const struct {
    uint32_t base, request, acknowledge;
  } rows[] = {{0x2000, 0xa278, 0xd84},
              {0x22000, 0xa188, 0x130044},
              {0x1c0000, 0xa540, 0xd50},
              {0x1d0000, 0xa548, 0xd58},
              {0x1c8000, 0xa560, 0xd70}};
  for (const auto& row : rows) CHECK(host.read(row.base + reg::RING_MI_MODE) == 0x200);
  host.write(reg::PG_ENABLE, 7);
  host.write(reg::RC_CONTROL, 1u << 18);
  for (const auto& held : rows) {
    CAPTURE(held.base);
    CHECK(host.read(held.base + reg::RING_MI_MODE) == 0);
    host.masked(held.request, 1);
    CHECK(host.read(held.acknowledge) == 1);
    for (const auto& row : rows) {
      const bool powered = row.base == held.base || row.base == 0x22000;  // BCS has the power of the GT
      CHECK(host.read(row.base + reg::RING_MI_MODE) == (powered ? 0x200 : 0));
    }
    host.masked(held.request, 0, 1);
    CHECK(host.read(held.acknowledge) == 0);
  }
}

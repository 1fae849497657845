// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>

#include "hw/mmio/forcewake.h"
#include "hw/mmio/gt_power.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;

TEST_CASE("each domain of forcewake answers its request, and holds the GT awake") {
  quiet_log();
  for (const defs::RegisterSet* set : {&defs::gen9::registers, &defs::gen11::registers, &defs::gen12::registers}) {
    CAPTURE(set->name);
    LineHost host;
    RegisterFile file(*set);
    attach_forcewake(file);
    GtPower power(file, host);
    file.write(reg::RC_CONTROL, reg::field::RC_CONTROL_RC6_ENABLE.mask());
    for (const defs::WakeRow& domain : set->forcewake) {
      CAPTURE(set->name_of(domain.request));
      // i915 intel_uncore.c: the kernel's bit, and the one of its fallback (fw_domain_wait_ack_with_fallback).
      file.write(domain.request, 0x0001'0001);
      file.write(domain.request, 0x8000'8000);
      CHECK(file.read(domain.acknowledge) == 0x8001);
      CHECK(forcewake_held(file));
      const uint32_t before = file.read(reg::GT_GFX_RC6);
      host.now += 1'280'000;
      CHECK(file.read(reg::GT_GFX_RC6) == before);
      file.write(domain.request, 0xffff'0000);
      CHECK(file.read(domain.acknowledge) == 0);
      CHECK_FALSE(forcewake_held(file));
      host.now += 1'280'000;
      CHECK(file.read(reg::GT_GFX_RC6) == before + 1000);
    }
  }
}

// Multi-threaded requests: [31:16] select which of the 16 requesters' bits in [15:0] change (SKL PRM vol 2c, FORCEWAKE_*; "Masked" in i915
// intel_uncore.c, fw_domain_get). Each holds the domain by itself, in each domain of TGL PRM vol 13, "Force Wake and Steering Table".
TEST_CASE("a domain of forcewake is awake while any of sixteen requesters holds it") {
  quiet_log();
  for (const defs::RegisterSet* set : {&defs::gen9::registers, &defs::gen11::registers, &defs::gen12::registers}) {
    RegisterFile file(*set);
    attach_forcewake(file);
    for (const defs::WakeRow& domain : set->forcewake) {
      CAPTURE(set->name, set->name_of(domain.request));
      for (unsigned requester = 0; requester < 16; ++requester) {
        file.write(domain.request, 0x0000'ffff);  // selects none
        CHECK(file.read(domain.acknowledge) == (1u << requester) - 1);
        file.write(domain.request, 0x1'0001u << requester);
      }
      for (unsigned requester = 0; requester < 16; ++requester) {
        CHECK(forcewake_held(file));
        CHECK(file.read(domain.acknowledge) == (0xffffu << requester & 0xffff));
        file.write(domain.request, 0x1'0000u << requester);
      }
      CHECK_FALSE(forcewake_held(file));
      CHECK(file.read(domain.acknowledge) == 0);
    }
  }
}

// TGL PRM vol 13, "Force Wake and Steering Table": "MsgCh termination also occurs when the domains are powered down. [...] If reading/writing the registers
// is needed, then force-wake of the domain is required. Force-wake is not required for shadow register accesses coming through MGSR."
TEST_CASE("gen12: without power accesses end, but for writes of shadowed registers") {
  quiet_log();
  LineHost host;
  RegisterFile file(defs::gen12::registers);
  attach_forcewake(file);
  GtPower power(file, host);
  bool idle = true;
  power.set_idle_query([&] { return idle; });
  constexpr uint32_t render = 0x7018, media = 0x1d0038, always = 0xb08, tail = 0x22030, outside = 0x138128;
  const uint32_t all[] = {render, media, always, outside};
  for (const uint32_t offset : all) file.write(offset, 0xffff'f000);
  file.write(reg::RC_CONTROL, reg::field::RC_CONTROL_RC6_ENABLE.mask());
  CHECK(file.read(render) == 0);
  CHECK(file.read(media) == 0);
  CHECK(file.read(always) == 0xffff'f000);
  CHECK(file.read(outside) == 0xffff'f000);
  file.write(media, 0x5000);
  file.write(tail, 0x40);
  CHECK(file.read(tail) == 0);
  CHECK(file.read(media, Initiator::streamer) == 0xffff'f000);
  // Busy engines hold the power, and so does a request.
  idle = false;
  CHECK(file.read(media) == 0xffff'f000);
  idle = true;
  file.write(0xa548, 0x0001'0001);
  CHECK(file.read(0xd58) == 1);
  CHECK(file.read(media) == 0xffff'f000);
  CHECK(file.read(render) == 0xf000);
  CHECK(file.read(tail) == 0x40);
  file.write(0xa548, 0x0001'0000);
  CHECK(file.read(media) == 0);
}

// i915 intel_uncore.c, intel_uncore_fw_domains_init; gt/intel_gt_regs.h.
TEST_CASE("the generations' domains of forcewake") {
  const auto requests = [](const defs::RegisterSet& set) {
    std::set<std::pair<uint32_t, uint32_t>> all;
    for (const defs::WakeRow& domain : set.forcewake) all.emplace(domain.request, domain.acknowledge);
    return all;
  };
  CHECK(requests(defs::gen9::registers) == std::set<std::pair<uint32_t, uint32_t>>{{0xa278, 0xd84}, {0xa188, 0x130044}, {0xa270, 0xd88}});
  CHECK(requests(defs::gen11::registers) == std::set<std::pair<uint32_t, uint32_t>>{{0xa278, 0xd84},
                                                                                    {0xa188, 0x130044},
                                                                                    {0xa540, 0xd50},
                                                                                    {0xa544, 0xd54},
                                                                                    {0xa548, 0xd58},
                                                                                    {0xa54c, 0xd5c},
                                                                                    {0xa560, 0xd70},
                                                                                    {0xa564, 0xd74}});
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Who answers at which offset of Tiger Lake, and when (TGL PRM vol 13, "Force Wake and Steering Table", whose sentences the tests quote). The request bits
// of forcewake: test_forcewake.cpp; the replicated registers: test_steering.cpp.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "hw/mmio/forcewake.h"
#include "hw/mmio/gt_power.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

/// Requests, by the names of the table's "Wake Target".
constexpr uint32_t aon = 0, gt = 0xa188, render = 0xa278, vd0 = 0xa540, vd2 = 0xa548, ve0 = 0xa560;

struct Range {
  uint32_t first, last, wake;
  std::string_view group;  ///< "Replication Group Type"
};
// All rows with a target; neighbours with the same one are one row here. The manual's other rows are blank.
constexpr Range ranges[] = {
    {0x000b00, 0x000bff, aon, "SQIDI"},  {0x000c00, 0x000fff, aon, ""},          {0x001000, 0x001fff, aon, "SQIDI"},
    {0x002000, 0x0026ff, render, ""},    {0x002700, 0x0027ff, gt, ""},           {0x002800, 0x002aff, render, ""},
    {0x002b00, 0x002fff, gt, ""},        {0x003000, 0x003fff, render, ""},       {0x004000, 0x0048ff, gt, ""},
    {0x005200, 0x0053ff, render, ""},    {0x005500, 0x007fff, render, ""},       {0x008000, 0x00813f, gt, ""},
    {0x008140, 0x00814f, render, ""},    {0x008150, 0x00815f, render, "DSS"},    {0x008180, 0x0081ff, aon, ""},
    {0x008200, 0x0082ff, gt, ""},        {0x008300, 0x0084ff, render, ""},       {0x008500, 0x0086ff, gt, ""},
    {0x008700, 0x0087ff, gt, "SQIDI"},   {0x009000, 0x00947f, gt, ""},           {0x0094d0, 0x00951f, render, ""},
    {0x009520, 0x00955f, render, "DSS"}, {0x009560, 0x0095ff, aon, ""},          {0x009800, 0x00afff, gt, ""},
    {0x00b000, 0x00b0ff, render, ""},    {0x00b100, 0x00b3ff, render, "L3BANK"}, {0x00b400, 0x00b47f, gt, ""},
    {0x00c000, 0x00cfff, gt, ""},        {0x00d000, 0x00d7ff, aon, ""},          {0x00d800, 0x00d8ff, render, ""},
    {0x00d900, 0x00dbff, gt, ""},        {0x00dc00, 0x00ddff, render, ""},       {0x00de80, 0x00e8ff, render, "DSS"},
    {0x00f000, 0x00ffff, gt, ""},        {0x014800, 0x014fff, render, ""},       {0x016e00, 0x01bfff, render, ""},
    {0x020000, 0x020fff, vd0, ""},       {0x021000, 0x021fff, vd2, ""},          {0x022000, 0x023fff, gt, ""},
    {0x024000, 0x02407f, aon, ""},       {0x024180, 0x0241ff, gt, ""},           {0x024a00, 0x024a7f, render, "DSS"},
    {0x025200, 0x0252ff, gt, ""},        {0x025600, 0x02567f, vd0, ""},          {0x025680, 0x0256ff, vd2, ""},
    {0x025a00, 0x025a7f, vd0, ""},       {0x025a80, 0x025aff, vd2, ""},          {0x030000, 0x03ffff, gt, ""},
    {0x1c0000, 0x1c2bff, vd0, ""},       {0x1c2d00, 0x1c2dff, vd0, ""},          {0x1c3f00, 0x1c3fff, vd0, ""},
    {0x1c8000, 0x1ca0ff, ve0, ""},       {0x1cbf00, 0x1cbfff, ve0, ""},          {0x1cc000, 0x1ccfff, vd0, ""},
    {0x1d0000, 0x1d2bff, vd2, ""},       {0x1d2d00, 0x1d2dff, vd2, ""},          {0x1d3f00, 0x1d3fff, vd2, ""}};

/// A GT that may sleep, with idle engines.
struct Sleepy {
  Sleepy() {
    quiet_log();
    attach_forcewake(file);
    power.set_idle_query([this] { return idle; });
  }
  void sleep(uint32_t gates) {
    file.write(reg::PG_ENABLE, gates);
    file.write(reg::RC_CONTROL, reg::field::RC_CONTROL_RC6_ENABLE.mask());
  }
  void hold(uint32_t request) { file.write(request, 0x0001'0001); }
  void release(uint32_t request) { file.write(request, 0x0001'0000); }

  LineHost host;
  RegisterFile file{defs::gen12::registers};
  GtPower power{file, host};
  bool idle = true;
};

/// A register of each domain that keeps what is written.
constexpr std::pair<uint32_t, uint32_t> samples[] = {{gt, 0x4000},    {render, 0x6604}, {vd0, 0x1c0038},
                                                     {vd2, 0x1d0038}, {ve0, 0x1c8038},  {aon, 0xb08}};

}  // namespace

TEST_CASE("wake table: each range has the manual's domain and replication group") {
  const defs::RegisterSet& set = defs::gen12::registers;
  for (uint32_t offset = 0; offset < register_space; offset += 4) {
    const auto has = [&](const auto& range) { return offset >= range.first && offset <= range.last; };
    const auto expected = std::ranges::find_if(ranges, has);
    const auto found = std::ranges::find_if(set.ranges, has);
    CAPTURE(offset);
    REQUIRE((expected == std::end(ranges)) == (found == set.ranges.end()));
    if (found == set.ranges.end()) continue;
    REQUIRE(found->wake == expected->wake);
    REQUIRE((found->group ? set.groups[found->group - 1u].name : std::string_view()) == expected->group);
  }
}

// "The following Replication Group Types exist": instances, and where their fuses are.
TEST_CASE("wake table: replication groups") {
  const auto& groups = defs::gen12::registers.groups;
  const struct {
    std::string_view name;
    unsigned instances;
    uint32_t fuse;
    bool enables;
  } rows[] = {{"SQIDI", 2, 0, false}, {"DSS", 6, 0x913c, true}, {"L3BANK", 8, 0x9118, false}};
  REQUIRE(groups.size() == std::size(rows));
  for (size_t i = 0; i < std::size(rows); ++i) {
    CHECK(groups[i].name == rows[i].name);
    CHECK(groups[i].instances == rows[i].instances);
    CHECK(groups[i].fuse == rows[i].fuse);
    CHECK(groups[i].fuse_bit == 0);
    if (groups[i].fuse) CHECK(groups[i].enables == rows[i].enables);
  }
}

// "The following table captures the force-wake and corresponding acknowledgment register locations for the various domains": "Driver ForceWake Req", "Ack".
TEST_CASE_METHOD(Sleepy, "wake table: requests and acknowledges of the driver, and of GuC") {
  std::set<std::pair<uint32_t, uint32_t>> expected = {{gt, 0x130044}, {render, 0xd84}};
  for (uint32_t box = 0; box < 8; ++box) expected.emplace(0xa540 + 4 * box, 0xd50 + 4 * box);
  for (uint32_t box = 0; box < 4; ++box) expected.emplace(0xa560 + 4 * box, 0xd70 + 4 * box);
  std::set<std::pair<uint32_t, uint32_t>> found;
  for (const defs::WakeRow& domain : file.set().forcewake) found.emplace(domain.request, domain.acknowledge);
  CHECK(found == expected);
  for (const auto& [request, acknowledge] : expected) {
    CAPTURE(file.set().name_of(request));
    hold(request);
    CHECK(file.read(acknowledge) == 1);
    file.write(acknowledge, 0);  // read only
    CHECK(file.read(acknowledge) == 1);
    release(request);
    CHECK(file.read(acknowledge) == 0);
  }
  // Of "A27C", "A274" and the status "A2A0[0], [1], [2]": video boxes 0 and 1 with video enhancement 0, render, video boxes 2 and 3 are awake.
  for (const uint32_t request : {0xa27cu, 0xa274u}) {
    file.write(request, 0x5);
    CHECK(file.read(request) == 0x5);
  }
  CHECK(file.read(0xa2a0) == 7);
}

// "MsgCh termination also occurs when the domains are powered down. [...] If reading/writing the registers is needed, then force-wake of the domain is
// required." The gates of PG_ENABLE: i915 gt/intel_rc6.c, gen11_rc6_enable.
TEST_CASE_METHOD(Sleepy, "wake table: an access needs the power of its own domain") {
  for (const auto& [domain, offset] : samples) file.write(offset, 0x5000);
  const auto answers = [&](uint32_t offset) { return file.read(offset) == 0x5000; };
  sleep(reg::field::PG_ENABLE_RENDER.mask() | reg::field::PG_ENABLE_MEDIA.mask());
  for (const auto& [domain, offset] : samples) CHECK(answers(offset) == (domain == aon));
  for (const auto& [held, unused] : samples) {
    if (held == aon) continue;
    CAPTURE(file.set().name_of(held));
    hold(held);
    // What is outside of the domains of render and media has power with any of them.
    for (const auto& [domain, offset] : samples) CHECK(answers(offset) == (domain == held || domain == gt || domain == aon));
    for (const auto& [domain, offset] : samples)
      if (domain != held && domain != gt && domain != aon) file.write(offset, 0);
    release(held);
  }
  idle = false;
  for (const auto& [domain, offset] : samples) CHECK(answers(offset));
}

TEST_CASE_METHOD(Sleepy, "wake table: a domain whose gate is not enabled has power while the GT is awake") {
  for (const auto& [domain, offset] : samples) file.write(offset, 0x5000);
  for (const uint32_t gate : {0u, reg::field::PG_ENABLE_RENDER.mask(), reg::field::PG_ENABLE_MEDIA.mask()}) {
    CAPTURE(gate);
    sleep(gate);
    CHECK(file.read(0x6604) == 0);
    hold(gt);
    CHECK((file.read(0x6604) == 0) == (gate == reg::field::PG_ENABLE_RENDER.mask()));
    CHECK((file.read(0x1c8038) == 0) == (gate == reg::field::PG_ENABLE_MEDIA.mask()));
    release(gt);
    hold(gt), file.write(reg::RC_CONTROL, 0), release(gt);
    CHECK(file.read(0x6604) == 0x5000);
  }
}

// "Force-wake is not required for shadow register accesses coming through MGSR", which is the host's way. Which those are: i915 intel_uncore.c,
// gen12_shadowed_regs.
TEST_CASE_METHOD(Sleepy, "wake table: writes of shadowed registers arrive without power, and reads do not") {
  std::set<uint32_t> shadowed = {0xa008, 0xa00c, 0xa188, 0xa278, 0xc4c8, 0xc4d4, 0xc600};
  for (uint32_t offset = 0xa540; offset <= 0xa56c; offset += 4) shadowed.insert(offset);
  for (const uint32_t engine : {0x2000u, 0x22000u, 0x1c0000u, 0x1c8000u, 0x1d0000u}) {
    shadowed.insert(engine + 0x30);
    for (uint32_t offset = 0x510; offset <= 0x550; offset += 4) shadowed.insert(engine + offset);
  }
  for (const defs::RegisterSpan& span : file.set().shadowed)
    for (uint32_t offset = span.first; offset <= span.last; offset += 4) CHECK(shadowed.erase(offset) == 1);
  CHECK(shadowed.empty());
  sleep(0);
  for (const uint32_t engine : {0x2000u, 0x22000u, 0x1c0000u, 0x1c8000u, 0x1d0000u}) {
    CAPTURE(engine);
    file.write(engine + 0x30, 0x40);
    file.write(engine + 0x38, 0x5000);
    CHECK(file.read(engine + 0x30) == 0);
    CHECK(file.peek(engine + 0x30) == 0x40);
    CHECK(file.peek(engine + 0x38) == 0);
  }
}

// "The MsgCh network has termination points, where cycles to endpoints that are disabled (fused-off, powered off, etc...) are gracefully completed. The
// termination node on the network will sink P cycles, and return dummy completions for NP cycles". The table's boxes are VD0, VD2 and VE0.
TEST_CASE_METHOD(Sleepy, "wake table: boxes that the chip does not have read 0 and ignore writes") {
  constexpr std::pair<uint32_t, uint32_t> absent[] = {{0x1c4000, 0x1c7fff}, {0x1d4000, 0x1dffff}, {0x1e0000, 0x1fffff}};
  for (const auto& [first, last] : absent)
    for (uint32_t offset = first; offset < last; offset += 4) {
      file.write(offset, ~0u);
      REQUIRE(file.read(offset) == 0);
    }
  for (const uint32_t base : {0x1c0000u, 0x1c8000u, 0x1d0000u}) {
    file.write(base + 0x38, 0x5000);
    CHECK(file.read(base + 0x38) == 0x5000);
  }
}

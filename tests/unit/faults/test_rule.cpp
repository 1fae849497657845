// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/registers/registers.h"
#include "hw/faults/names.h"
#include "hw/faults/rule.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::faults;

namespace {

const defs::Platform& kbl() { return *defs::find_platform("kbl"); }
Rule rule(std::string_view text) {
  const Line line = parse_line(text, 1, kbl());
  REQUIRE(line.rule);
  return *line.rule;
}
std::string error(std::string_view text) {
  try {
    parse_line(text, 3, kbl());
  } catch (const PlanError& wrong) { return wrong.what(); }
  return "none";
}

}  // namespace

TEST_CASE("lines of the language") {
  CHECK(!parse_line("", 1, kbl()).rule);
  CHECK(!parse_line("  # on cs.request do hang", 1, kbl()).rule);
  CHECK(parse_line("seed 0x1f # of all", 1, kbl()).seed == 31);

  const Rule hang = rule("on cs.request engine=bcs nth=3   do hang  # why");
  CHECK(hang.point == FaultPoint::request);
  CHECK(hang.unit(static_cast<uint32_t>(EngineId::bcs)));
  CHECK(!hang.unit(static_cast<uint32_t>(EngineId::rcs)));
  CHECK((hang.first == 3 && hang.times == 1));
  CHECK(hang.action == FaultAction::hang);
  CHECK(hang.text == "on cs.request engine=bcs nth=3   do hang");

  const Rule stuck = rule("on mmio.read FORCEWAKE_ACK_RENDER from=2s for=60ms do stuck 0");
  CHECK((stuck.what(reg::FORCEWAKE_ACK_RENDER) && !stuck.what(reg::FORCEWAKE_ACK_MEDIA)));
  CHECK((stuck.from_ns == 2'000'000'000 && stuck.length_ns == 60'000'000));
  CHECK((stuck.action == FaultAction::value && stuck.value == 0));

  CHECK(rule("on cs.csb nth=10 do flip bits=5").value == 5);
  CHECK(rule("on cs.csb do flip").value == 1);
  CHECK(rule("on cs.csb do value=0xffffffffffffffff").value == ~uint64_t{0});
  CHECK(rule("on irq source=rcs.user p=0.5 do drop").chance == uint64_t{1} << 52);
  CHECK(rule("on irq source=rcs.user times=7 do dup").times == 7);
  CHECK(rule("on cs.request do slow 1ms..20ms").longest_ns == 20'000'000);
  CHECK(rule("on hotplug connector=0 every=10ms do raise").period_ns == 10'000'000);
  CHECK(rule("on resume do ones").longest_ns == longest_ns);
  CHECK(rule("on mmio.read * do ones").what(0x1234));
  CHECK(rule("on mmio.read 0x2034 do xor 1").what(0x2034));
  CHECK(rule("on mmio.read RING_HEAD.bcs do freeze").what(0x22034));
  CHECK(rule("on mmio.read PWR_WELL_CTL[1] do and 0xaaaaaaaa").what(reg::PWR_WELL_CTL(1)));
}

TEST_CASE("wrong lines are refused with line, column and what was expected") {
  CHECK(error("at cs.request do hang") == "line 3, column 1: expected 'on' or 'seed', found 'at'");
  CHECK(error("seed x") == "line 3, column 6: expected a number, found 'x'");
  CHECK(error("seed 1 2") == "line 3, column 8: expected the end of the line, found '2'");
  CHECK(error("on cs.request engine=gpu do hang") == "line 3, column 22: expected an engine (rcs, bcs, vcs0, vecs), found 'gpu'");
  CHECK(error("on cs.request nth=3") == "line 3, column 20: expected a key or 'do', found the end of the line");
  CHECK(error("on cs.request do drop") == "line 3, column 18: expected an action of cs.request (hang, spin, slow), found 'drop'");
  CHECK(error("on cs.request pipe=A do hang") ==
        "line 3, column 15: expected a key of cs.request (engine=, nth=, times=, p=, from=, for=) or 'do', found 'pipe=A'");
  CHECK(error("on cs.request do slow 5") == "line 3, column 23: expected a time with its unit (ns, us, ms, s, m), found '5'");
  CHECK(error("on cs.request do slow 9ms..1ms") == "line 3, column 28: expected a time that is not shorter, found '1ms'");
  CHECK(error("on cs.request p=2 do hang") == "line 3, column 17: expected a probability above 0, up to 1, found '2'");
  CHECK(error("on cs.request for=3h do hang") == "line 3, column 19: expected a time with its unit (ns, us, ms, s, m), found '3h'");
  CHECK(error("on cs.csb do flip bits=65") == "line 3, column 24: expected at most 0x40, found '65'");
  CHECK(error("on cs.csb do index") == "line 3, column 19: expected a number, found the end of the line");
  CHECK(error("on mmio.read RING_HEAD do ones") == "line 3, column 14: expected a register, found 'RING_HEAD' (there is RING_HEAD.rcs)");
  CHECK(error("on mmio.read 0x12345 do ones") == "line 3, column 14: expected the offset of a dword below 0x800000, found '0x12345'");
  CHECK(error("on irq source=rcs do drop") ==
        "line 3, column 15: expected an interrupt (ENGINE.EVENT, pipe-A.EVENT, gmbus, guc, hotplug, aux), found 'rcs'");
  CHECK(error("on irq source=rcs.usr do drop") ==
        "line 3, column 15: expected an event (user, error, flush, switch, wait, watchdog), found 'usr'");
  CHECK(error("on irq source=pipe-d.blank do drop") == "line 3, column 15: expected a pipe (A to C), found 'd'");
  CHECK(error("on edid connector=3 do nak") == "line 3, column 19: expected a connector (0 to 2), found '3'");
  CHECK(error("on hotplug do raise") == "line 3, column 4: 'raise' needs every=TIME: the plan is its cause");
  CHECK(error("on hotplug every=1us do raise") == "line 3, column 18: expected at least 100us, found '1us'");
  CHECK(error("on irq every=1ms do drop") == "line 3, column 4: every=TIME is for 'raise' and 'spurious'");
  CHECK(error("on irq every=1ms do raise") == "line 3, column 4: 'raise' needs one source=");
}

TEST_CASE("each point has a line of each of its actions, on every platform") {
  for (const defs::Platform& platform : defs::platforms()) {
    for (const PointRow& point : points()) {
      for (const ActionRow& action : point.actions) {
        std::string text = std::string("on ") + point.name + (point.has_register ? " RING_TAIL.rcs" : "");
        if (point.point == FaultPoint::interrupt && action.action == FaultAction::raise) text += " source=rcs.user";
        if (action.action == FaultAction::raise) text += " every=1ms";
        text += std::string(" do ") + action.name;
        if (action.argument == ArgumentKind::number) text += " 1";
        if (action.argument == ArgumentKind::duration) text += " 1ms";
        CAPTURE(platform.name, text);
        CHECK_NOTHROW(parse_line(text, 1, platform));
      }
    }
  }
}

TEST_CASE("a register of each block is found by the name that sites have") {
  for (const char* name : {"kbl", "icl", "tgl"}) {
    const defs::Platform& platform = *defs::find_platform(name);
    const defs::RegisterSet& set = *platform.registers;
    unsigned found = 0;
    for (const defs::RegisterPlace& place : set.blocks) {
      const uint32_t last = place.offset + set.rows[place.row].block - 4;
      const std::string text = set.name_of(last);
      if (!text.starts_with(set.rows[place.row].name)) continue;  // a row of its own inside the block
      CHECK(register_named(text, platform).value == last);
      ++found;
    }
    CHECK(found > 0);
    CHECK_THROWS(register_named("VIDEO_DIP_DATA_A+0x68000", platform));
  }
}

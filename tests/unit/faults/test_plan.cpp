// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hw/faults/plan.h"
#include "hw/faults/vocabulary.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::faults;

namespace {

/// A plan with a clock that tests move.
struct Rig {
  Plan plan{{.platform = *defs::find_platform("kbl"),
             .clock_ns = [this] { return now; },
             .wake_at = [this](int64_t ns) { alarm = alarm < 0 ? ns : std::min(alarm, ns); },
             .pulse = [this](const Rule& rule, const FaultAnswer&) { pulses.emplace_back(now, rule.point); },
             .fired = [this](const Firing& firing) { firings.push_back(firing); },
             .active = [this](bool on) { active = on; }}};

  FaultAnswer ask(FaultPoint point, uint32_t unit = 0, uint32_t what = 0, uint64_t value = 0) {
    return softgen::ask(active ? &plan : nullptr, {.point = point, .unit = unit, .what = what, .value = value});
  }
  void advance(int64_t ns) {
    const int64_t end = now + ns;
    while (alarm >= 0 && alarm <= end) {
      now = std::max(now, alarm);
      alarm = -1;
      plan.look();
    }
    now = end;
  }
  /// Which of `count` requests fire.
  std::vector<bool> fires(unsigned count, FaultPoint point = FaultPoint::request) {
    std::vector<bool> fired;
    for (unsigned i = 0; i < count; ++i) fired.push_back(static_cast<bool>(ask(point)));
    return fired;
  }

  int64_t now = 1'000'000'000, alarm = -1;
  bool active = false;
  std::vector<std::pair<int64_t, FaultPoint>> pulses;
  std::vector<Firing> firings;
};

constexpr int64_t ms = 1'000'000;

}  // namespace

TEST_CASE("without lines a plan is not asked") {
  Rig rig;
  CHECK(!rig.active);
  rig.plan.load("seed 3\n# nothing\n\n");
  CHECK(!rig.active);
  rig.plan.add("on cs.request do hang");
  CHECK(rig.active);
  CHECK(rig.plan.wants(FaultPoint::request));
  CHECK(!rig.plan.wants(FaultPoint::csb));
  rig.plan.clear();
  CHECK(!rig.active);
  CHECK(!rig.ask(FaultPoint::request));
}

TEST_CASE("nth and times count what the line is about") {
  Rig rig;
  rig.plan.load("on cs.request engine=rcs nth=3 do hang");
  CHECK(!rig.ask(FaultPoint::request, 1));  // of another engine
  CHECK(rig.fires(5) == std::vector<bool>{false, false, true, false, false});
  rig.plan.load("on cs.request nth=2 times=2 do hang");
  CHECK(rig.fires(5) == std::vector<bool>{false, true, true, false, false});
  const auto counts = rig.plan.counts();
  REQUIRE(counts.size() == 1);
  CHECK((counts[0].asked == 5 && counts[0].fired == 2 && counts[0].line == 1));
}

TEST_CASE("the same seed and lines give the same answers") {
  const std::string lines = "seed 7\non cs.request p=0.5 do slow 1ms..9ms\n";
  Rig a, b, other;
  a.plan.load(lines), b.plan.load(lines), other.plan.load("seed 8\non cs.request p=0.5 do slow 1ms..9ms\n");
  std::vector<int64_t> from_a, from_b, from_other;
  for (unsigned i = 0; i < 200; ++i) {
    from_a.push_back(a.ask(FaultPoint::request).time_ns);
    from_b.push_back(b.ask(FaultPoint::request).time_ns);
    from_other.push_back(other.ask(FaultPoint::request).time_ns);
  }
  CHECK(from_a == from_b);
  CHECK(from_a != from_other);
  const auto fired = a.plan.counts()[0].fired;
  CHECK((fired > 60 && fired < 140));
  for (const int64_t time : from_a) CHECK((time == 0 || (time >= 1 * ms && time <= 9 * ms)));
}

TEST_CASE("lines do not disturb each other") {
  Rig alone, behind;
  alone.plan.load("seed 7\non cs.request p=0.3 do hang");
  behind.plan.load("seed 7\non cs.csb p=0.9 do drop\non cs.request p=0.9 engine=bcs do spin\non cs.request p=0.3 do hang");
  for (unsigned i = 0; i < 100; ++i) {
    behind.ask(FaultPoint::csb);
    behind.ask(FaultPoint::request, static_cast<uint32_t>(EngineId::bcs));
    // The second line takes no request of rcs; the third counts those of bcs, too.
    alone.ask(FaultPoint::request);
    CHECK(static_cast<bool>(alone.ask(FaultPoint::request)) == static_cast<bool>(behind.ask(FaultPoint::request)));
  }
}

TEST_CASE("equal lines have streams of their own") {
  Rig rig;
  rig.plan.load("on cs.request p=0.5 times=1 do spin\non cs.csb p=0.5 do drop\non cs.csb p=0.5 do drop");
  std::vector<uint64_t> fired;
  for (unsigned i = 0; i < 64; ++i) rig.ask(FaultPoint::csb);
  // The second line answers only where the first does not.
  const auto counts = rig.plan.counts();
  CHECK((counts[1].asked == 64 && counts[2].asked == 64));
  CHECK(counts[2].fired > 0);
}

TEST_CASE("from and for are guest time since the line was added") {
  Rig rig;
  rig.plan.add("on cs.request from=10ms for=5ms do hang");
  CHECK(!rig.ask(FaultPoint::request));
  rig.advance(10 * ms);
  CHECK(rig.ask(FaultPoint::request));
  rig.advance(5 * ms - 1);
  CHECK(rig.ask(FaultPoint::request));
  rig.advance(1);
  CHECK(!rig.ask(FaultPoint::request));
}

TEST_CASE("a line with every= is its own cause") {
  Rig rig;
  rig.plan.add("on hotplug every=10ms from=5ms for=25ms do raise");
  rig.advance(100 * ms);
  REQUIRE(rig.pulses.size() == 3);
  CHECK(rig.pulses[0].first == 1005 * ms);
  CHECK(rig.pulses[2].first == 1025 * ms);
  CHECK(rig.alarm < 0);
  CHECK(!rig.ask(FaultPoint::hot_plug));
  rig.plan.load("on display.underrun every=1ms times=4 do raise");
  rig.pulses.clear();
  rig.advance(100 * ms);
  CHECK(rig.pulses.size() == 4);
}

TEST_CASE("what waits happens in order, and is bounded") {
  Rig rig;
  std::string order;
  CHECK(rig.plan.later(20 * ms, [&] { order += 'b'; }));
  CHECK(rig.plan.later(10 * ms, [&] { order += 'a'; }));
  CHECK(rig.plan.later(40 * ms, [&] { order += 'd'; }));
  rig.advance(30 * ms);
  CHECK(order == "ab");
  rig.plan.forget_deferred();
  rig.advance(100 * ms);
  CHECK(order == "ab");
  for (size_t i = 0; i < Plan::max_deferred; ++i) CHECK(rig.plan.later(ms, [] {}));
  CHECK(!rig.plan.later(ms, [] {}));
}

TEST_CASE("freeze shows the first value") {
  Rig rig;
  rig.plan.add("on mmio.read 0x2358 nth=2 times=0 do freeze");
  CHECK(!rig.ask(FaultPoint::register_read, 0, 0x2358, 5));
  CHECK(rig.ask(FaultPoint::register_read, 0, 0x2358, 6).value == 6);
  CHECK(rig.ask(FaultPoint::register_read, 0, 0x2358, 7).value == 6);
}

TEST_CASE("a silent device reads as all ones for a while") {
  Rig rig;
  rig.plan.add("on resume do ones 10ms");
  rig.plan.silence(10 * ms);
  CHECK(changed(rig.ask(FaultPoint::register_read, 0, 0x2034, 5), uint32_t{5}) == ~0u);
  rig.advance(10 * ms);
  CHECK(!rig.ask(FaultPoint::register_read, 0, 0x2034, 5));
}

TEST_CASE("firings are logged: the first ones, then at powers of two") {
  Rig rig;
  rig.plan.load("\n\non irq source=rcs.user do drop");
  for (unsigned i = 0; i < 100; ++i) rig.ask(FaultPoint::interrupt, 0, source(Source::engine, 1));
  REQUIRE(rig.firings.size() == 16 + 2);
  CHECK(rig.firings.back().count == 64);
  CHECK((rig.firings[0].line == 3 && rig.firings[0].where == "source=rcs.user"));
  CHECK(rig.plan.log().starts_with("1.000000000 s, line 3, irq source=rcs.user, 1 times: on irq source=rcs.user do drop\n"));
}

TEST_CASE("a wrong plan changes nothing, and plans are bounded") {
  Rig rig;
  rig.plan.load("seed 5\non cs.request do hang");
  CHECK_THROWS_AS(rig.plan.load("on cs.csb do drop\non nothing do drop"), PlanError);
  CHECK_THROWS_WITH(rig.plan.add("on nothing do drop"), Catch::Matchers::StartsWith("line 3, column 4: expected a point (cs.request, "));
  CHECK(rig.ask(FaultPoint::request));
  CHECK(!rig.ask(FaultPoint::csb));
  std::string many;
  for (size_t i = 0; i <= Plan::max_lines; ++i) many += "on cs.csb do drop\n";
  CHECK_THROWS_AS(rig.plan.load(many), PlanError);
  CHECK_THROWS_AS(rig.plan.load(std::string(Plan::max_text + 1, '#')), PlanError);
  CHECK(rig.plan.counts().size() == 1);
}

TEST_CASE("a census counts where units ask, and a plan goes on") {
  Rig rig;
  rig.plan.begin_census();
  CHECK(rig.active);
  CHECK(!rig.ask(FaultPoint::request, static_cast<uint32_t>(EngineId::rcs)));
  rig.plan.add("on cs.request nth=1 do hang");
  CHECK(rig.ask(FaultPoint::request, static_cast<uint32_t>(EngineId::rcs)));
  CHECK(!rig.ask(FaultPoint::register_read, 0, 0x2034, 7));
  const std::vector<SiteCount> sites = rig.plan.end_census();
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].point == "cs.request");
  CHECK(sites[0].where == "engine=rcs");
  CHECK(sites[0].count == 2);
  CHECK(sites[1].point == "mmio.read");
  CHECK(sites[1].where == "RING_HEAD.rcs");
  rig.plan.clear();
  CHECK(!rig.active);
  CHECK(rig.plan.end_census().empty());
}

TEST_CASE("what a plan can say: every word of the vocabulary is one of the language") {
  const defs::Platform& platform = *defs::find_platform("kbl");
  const auto words = nlohmann::json::parse(vocabulary(platform));
  CHECK(words["points"].size() == fault_points);
  CHECK(words["registers"].contains("RING_HEAD.rcs"));
  CHECK(words["registers"]["RING_CTL.rcs"].size() > 2);
  const std::map<std::string, std::string> arguments = {
      {"none", ""}, {"number", " 1"}, {"bits", " bits=1"}, {"duration", " 1ms"}, {"optional", " 1ms"}};
  for (const auto& point : words["points"]) {
    const std::string name = point["name"].get<std::string>() + (point["register"] ? " RING_HEAD.rcs" : "");
    for (const auto& action : point["actions"]) {
      const bool raises = action["name"] == "raise";
      const std::string needs = raises ? (name == "irq" ? " source=gmbus every=1ms" : " every=1ms") : "";
      CHECK_NOTHROW(
          parse_line("on " + name + needs + " do " + action["name"].get<std::string>() + arguments.at(action["argument"]), 1, platform));
    }
    // The first action; points that only raise need a period.
    const auto& action = point["actions"].front();
    const std::string end =
        (action["name"] == "raise" ? " every=1ms do raise" : " do " + action["name"].get<std::string>()) + arguments.at(action["argument"]);
    for (const auto& [key, values] : point["keys"].items())
      for (const auto& value : values)
        CHECK_NOTHROW(parse_line("on " + name + " " + key + "=" + value.get<std::string>() + end, 1, platform));
  }
}

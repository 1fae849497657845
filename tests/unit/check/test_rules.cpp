// SPDX-License-Identifier: GPL-2.0-or-later
// Each rule has a case in which it must report, and one in which it must not.
#include <array>

#include "feed.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::debug::check;

TEST_CASE("rules of class A report what they say, and nothing else") {
  for (const RuleCase& rule_case : encoding_cases()) check_case(rule_case);
}

TEST_CASE("rules of class B about one PIPE_CONTROL report what they say, and nothing else") {
  for (const RuleCase& rule_case : flush_cases()) check_case(rule_case);
}

TEST_CASE("rules of class B about order report what they say, and nothing else") {
  for (const RuleCase& rule_case : order_cases()) check_case(rule_case);
}

TEST_CASE("rules of class F report what they say, and nothing else") {
  for (const RuleCase& rule_case : submission_cases()) check_case(rule_case);
}

TEST_CASE("every rule has a case") {
  const std::set<std::string> covered = rules_with_cases();
  for (const Rule* rule : all_rules()) {
    INFO(rule->id);
    CHECK(covered.contains(rule->id));
  }
}

TEST_CASE("rules of one generation are silent on others") {
  Feed feed("icl");
  feed.flush({{"VF Cache Invalidation Enable", 1}});
  CHECK(feed.found().empty());
}

TEST_CASE("rules of execlists and of their flushes are silent on rings") {
  for (const Rule* rule : all_rules()) {
    INFO(rule->id);
    CHECK(rule->applies_to(*defs::find_platform("ilk")) == !rule->parts);
    if (!rule->parts) CHECK(rule->class_letter() == 'A');
  }
  Feed feed("ilk");
  feed.checker().submitted(EngineId::rcs, std::array<WatchedContext, 2>{});
  feed.flush({{"Post Sync Operation", 2}});  // B11 where there are lists
  CHECK(feed.found().empty());
}

TEST_CASE("a context whose image was changed is not known any more") {
  const auto draw_with = [](uint32_t head) {
    Feed feed;
    feed.begin().draw().checker().context_left(EngineId::rcs, 0x40, true);
    feed.checker().context_entered(feed.entry(head, 0x80));
    feed.command("STATE_BASE_ADDRESS");
    return feed.found().contains("B15");
  };
  CHECK(draw_with(0x40));
  CHECK_FALSE(draw_with(0x20));
}

TEST_CASE("a reset drops what is known of the running context") {
  Feed feed;
  feed.begin().draw().checker().engine_reset(EngineId::rcs);
  feed.checker().context_entered(feed.entry(0x40, 0x80));
  feed.command("STATE_BASE_ADDRESS");
  CHECK_FALSE(feed.found().contains("B15"));
}

TEST_CASE("packets that MI_SET_PREDICATE skips are not judged and change nothing") {
  Feed feed;
  feed.words("PIPE_CONTROL", feed.dwords("PIPE_CONTROL", {{"TLB Invalidate", 1}}), 1, WatchedPacket::Outcome::skipped);
  feed.words("3DPRIMITIVE", feed.dwords("3DPRIMITIVE"), 1, WatchedPacket::Outcome::skipped);
  feed.command("STATE_BASE_ADDRESS");
  CHECK(feed.found().empty());
}

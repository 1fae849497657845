// SPDX-License-Identifier: GPL-2.0-or-later
// A parent and its children on the engines: i915 gt/uc/intel_guc_submission.c, selftest_guc_multi_lrc.c; xe/xe_guc_submit.c. That members come and go together
// is what the comment above guc_create_parallel()'s workarounds expects ("safely preempt all the hw contexts").
#include "tests/unit/guc/group_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

namespace {

constexpr EngineId first = GroupRig::first, second = GroupRig::second;

}  // namespace

TEST_CASE("guc: a parent and its child go to neighbouring engines, with the tails of the work item") {
  GroupRig rig;
  rig.add_group(6);
  rig.append(6, 0x40, 0x1ff8);
  rig.set_mode(6, 1);
  CHECK(rig.mode_done(6, 1));
  CHECK(rig.none_listed());  // __guc_add_request(): "the GuC needs to move the tails, hence the need for another H2G"
  rig.schedule(6);
  REQUIRE(rig.both_listed(6));
  CHECK(rig.tail_in_image(6) == 0x40);
  CHECK(rig.tail_in_image(7) == 0x1ff8);
  CHECK(rig.load(GroupRig::descriptor_of(6)) == 20);  // its head
  CHECK(rig.load(GroupRig::descriptor_of(6) + 12) == 1);
  for (const auto& [engine, list] : rig.engines.lists) CHECK((list.element[0].low & 0xfff) == 0x119);
  CHECK(rig.engines.lists[0].second.element[0].high != rig.engines.lists[1].second.element[0].high);
  rig.take_both();
  rig.complete(first), rig.complete(second);
  CHECK(rig.none_listed());
  rig.schedule(6);  // without an item
  CHECK(rig.none_listed());
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: further items move the tails of running contexts, around the queue's end") {
  GroupRig rig;
  rig.run(6);
  for (uint32_t n = 1; n < 300; ++n) {  // three times around
    rig.submit(6, n * 16);
    REQUIRE(rig.both_listed(6));
    CHECK(rig.tail_in_image(6) == n * 16);
    CHECK(rig.tail_in_image(7) == n * 16 + 8);
    rig.take_both();
  }
  rig.append(6, 0x100, 0x100), rig.append(6, 0x200, 0x208);  // the last of several counts
  rig.schedule(6);
  CHECK(rig.tail_in_image(6) == 0x200);
  CHECK(rig.tail_in_image(7) == 0x208);
  rig.take_both();
  CHECK(rig.none_listed());
}

TEST_CASE("guc: a group waits until all of its engines can take it, and others run meanwhile") {
  GroupRig rig;
  rig.add(1, video, 2), rig.add(2, video, 1), rig.add(3, video, 2);
  rig.set_mode(1, 1);
  rig.take_on(second);
  rig.mode_done(1, 1);
  rig.add_group(6);
  rig.start(6);
  CHECK(rig.none_listed());
  rig.set_mode(2, 1);  // on the engine that has nothing
  CHECK(rig.listed(first) == SubmitRig::lrca_of(2));
  rig.take_on(first);
  rig.set_mode(3, 1);  // behind the group
  CHECK(rig.none_listed());
  rig.complete(second);
  CHECK(rig.both_listed(6));  // what went past it gives way
  rig.take_both();
  CHECK(rig.none_listed());
  rig.complete(first);
  CHECK(rig.listed(first) == SubmitRig::lrca_of(2));
  rig.complete(second);
  CHECK(rig.listed(second) == SubmitRig::lrca_of(3));
}

TEST_CASE("guc: a group does not displace a context of its priority before its quantum is over") {
  GroupRig rig;
  rig.add(1, video, 1), rig.add(2, video, 2);
  rig.set_policies(1, 3, 30'000), rig.set_policies(2, 3, 50'000);
  rig.set_mode(1, 1), rig.set_mode(2, 1);
  rig.mode_done(1, 1), rig.mode_done(2, 1);
  rig.take_both();
  rig.add_group(6);
  rig.start(6);
  rig.advance(30 * ms);
  CHECK(rig.none_listed());
  rig.advance(20 * ms);
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: a context of a higher priority on one engine takes the whole group off, which comes back first") {
  GroupRig rig;
  rig.run(6);
  rig.add(1, video, 2), rig.add(2, video, 1);
  rig.set_policies(1, 1);
  rig.set_mode(2, 1);
  CHECK(rig.none_listed());
  rig.set_mode(1, 1);
  CHECK(rig.listed(second) == SubmitRig::lrca_of(1));
  CHECK(rig.listed(first) == SubmitRig::lrca_of(2));  // which waited there
  rig.take_on(second);
  CHECK(rig.none_listed() == false);
  rig.take_on(first);
  CHECK(rig.none_listed());
  rig.complete(second);
  CHECK(rig.both_listed(6));
  rig.take_both();
  rig.complete(second), rig.complete(first);
  CHECK(rig.listed(first) == SubmitRig::lrca_of(2));
}

TEST_CASE("guc: an engine whose member has to leave goes idle if nothing waits for it") {
  GroupRig rig;
  rig.run(6);
  rig.add(1, video, 2);
  rig.set_policies(1, 1);
  rig.set_mode(1, 1);
  CHECK(rig.listed(second) == SubmitRig::lrca_of(1));
  CHECK(rig.listed(first) == 0u);
  rig.take_both();
  CHECK(rig.none_listed());
  rig.complete(second);
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: groups and contexts of one priority take turns by their quantum, groups as wholes") {
  GroupRig rig;
  rig.add_group(6), rig.add_group(10);
  rig.prepare_queue(6);
  rig.set_policies(6, 3), rig.set_policies(10, 3);
  rig.start(6);
  rig.take_both();
  rig.prepare_queue(10);
  rig.start(10);
  CHECK(rig.none_listed());
  rig.advance(20 * ms);
  REQUIRE(rig.both_listed(10));
  rig.take_on(second);
  CHECK(rig.none_listed() == false);  // the other member has not gone yet
  rig.take_on(first);
  CHECK(rig.none_listed());
  rig.add(1, video, 1);
  rig.set_policies(1, 3);
  rig.set_mode(1, 1);
  rig.advance(20 * ms);
  REQUIRE(rig.both_listed(6));
  rig.take_both();
  rig.advance(20 * ms);
  CHECK(rig.listed(first) == SubmitRig::lrca_of(1));
  CHECK(rig.listed(second) == 0u);
}

TEST_CASE("guc: a group is disabled once all of its images are saved") {
  GroupRig rig;
  rig.run(6);
  rig.set_mode(6, 0);
  CHECK(rig.listed(first) == 0u);
  CHECK(rig.listed(second) == 0u);
  rig.take_on(first);
  CHECK(rig.receive().empty());
  rig.complete(second);  // which it may do by itself
  CHECK(rig.mode_done(6, 0));
  rig.take_on(second);
  CHECK(rig.none_listed());
  rig.append(6, 0x80, 0x88);
  rig.schedule(6);  // __guc_add_request(): "For multi-lrc we still submit the context to move the LRC tails"
  CHECK(rig.tail_in_image(7) == 0x88);
  CHECK(rig.none_listed());
  rig.set_mode(6, 0);  // off already
  CHECK(rig.mode_done(6, 0));
  rig.set_mode(6, 1);
  CHECK(rig.mode_done(6, 1));
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: a group that was disabled with work left goes on when it is enabled") {  // guc_context_unblock()
  GroupRig rig;
  rig.run(6);
  rig.set_mode(6, 0);
  rig.take_both();
  CHECK(rig.mode_done(6, 0));
  rig.set_mode(6, 1);
  CHECK(rig.mode_done(6, 1));
  REQUIRE(rig.both_listed(6));
  rig.set_mode(6, 0);  // in the ports: they have to come and go
  CHECK(rig.receive().empty());
  rig.take_both();
  CHECK(rig.listed(first) == 0u);
  rig.take_both();
  CHECK(rig.mode_done(6, 0));
}

TEST_CASE("guc: a group that waits is disabled at once, and keeps its work") {
  GroupRig rig;
  rig.add(1, video, 1);
  rig.set_mode(1, 1);
  rig.mode_done(1, 1);
  rig.take_on(first);
  rig.add_group(6);
  rig.start(6);
  rig.set_mode(6, 0);
  CHECK(rig.mode_done(6, 0));
  rig.complete(first);
  CHECK(rig.none_listed());
  rig.set_mode(6, 1);
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: a member that does not preempt is reset, the others leave, and the host is notified of the parent") {
  GroupRig rig;
  rig.run(6);
  rig.set_policies(6, 3, 1000, 640'000);
  rig.add(1, video, 2);
  rig.set_policies(1, 2);
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.take_on(first);         // to idle
  rig.engines.lists.clear();  // the reset drops the other
  rig.on_engine[static_cast<size_t>(second)] = {};
  rig.advance(60'000 * ms);
  CHECK(rig.engines.resets == std::vector<EngineId>{second});
  CHECK(rig.got({0x9000'8002, 1}));
  CHECK(rig.got({0x9000'1008, 6}));
  CHECK(rig.receive().empty());
  CHECK(rig.listed(second) == SubmitRig::lrca_of(1));
  rig.take_on(second);
  rig.complete(second);
  CHECK(rig.none_listed());
  rig.submit(6, 0x80);  // __guc_reset_context(): "GuC will implicitly mark the context as non-schedulable"
  CHECK(rig.none_listed());
  rig.set_mode(6, 1);
  CHECK(rig.mode_done(6, 1));
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: the host hears of a reset when no engine has a member's image any more") {
  GroupRig rig;
  rig.run(6);
  rig.set_policies(6, 3, 1000, 640'000);
  rig.set_mode(6, 0);
  rig.engines.lists.clear();
  rig.on_engine = {};
  rig.engines.on_reset = [&] { CHECK(rig.load(BufferRig::to_host + 4) != rig.head); };  // the capture comes before
  rig.advance(60'000 * ms);
  CHECK(rig.engines.resets == std::vector<EngineId>{first, second});
  CHECK(rig.got({0x9000'8002, 1}));
  CHECK(rig.got({0x9000'8002, 1}));
  CHECK(rig.got({0x9000'1008, 6}));  // once
  CHECK(rig.mode_done(6, 0));
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: a member in the port of an engine that is reset for another context goes there again") {
  GroupRig rig;
  rig.add(1, video, 2);
  rig.set_policies(1, 3);
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.take_on(second);
  rig.add_group(6);
  rig.set_policies(6, 2);
  rig.start(6);
  REQUIRE(rig.both_listed(6));
  rig.take_on(first);
  rig.engines.lists.clear();
  rig.on_engine[static_cast<size_t>(second)] = {};
  rig.advance(60'000 * ms);
  CHECK(rig.got({0x9000'8002, 1}));
  CHECK(rig.got({0x9000'1008, 1}));
  CHECK_FALSE(rig.listed(first));
  CHECK(rig.listed(second) == GroupRig::image_of(7));
}

TEST_CASE("guc: work that comes when a member has completed waits for the others, at most for their quantum") {
  GroupRig rig;
  rig.run(6);
  rig.set_policies(6, 3);
  rig.complete(second);
  rig.submit(6, 0x80);
  CHECK(rig.none_listed());
  CHECK(rig.tail_in_image(7) == 0x88);
  rig.complete(first);
  REQUIRE(rig.both_listed(6));
  rig.take_both();
  rig.complete(second);
  rig.submit(6, 0xc0);
  rig.advance(20 * ms);
  CHECK(rig.listed(first) == 0u);
  rig.take_on(first);
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: work that comes in the moment in which members complete is not lost") {
  GroupRig rig;
  rig.run(6);
  rig.submit(6, 0x80);
  rig.complete(first), rig.complete(second);  // before they took the lists
  rig.take_both();
  CHECK(rig.none_listed());
  rig.submit(6, 0xc0), rig.submit(6, 0x100);
  rig.take_both();
  CHECK(rig.both_listed(6));
}

TEST_CASE("guc: a raised priority counts for a group that waits") {
  GroupRig rig;
  rig.add(1, video, 1);
  rig.set_mode(1, 1);
  rig.mode_done(1, 1);
  rig.take_on(first);
  rig.add_group(6);
  rig.start(6);
  CHECK(rig.none_listed());
  rig.set_policies(6, 2);
  CHECK(rig.both_listed(6));
}

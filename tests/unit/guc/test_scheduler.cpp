// SPDX-License-Identifier: GPL-2.0-or-later
// Submission by the GuC, with engines that do what the test says: i915 gt/uc/intel_guc_submission.c.
#include "hw/base/archive.h"
#include "tests/unit/guc/submit_rig.h"

using namespace softgen;
using namespace softgen::guc::test;
using cs::Descriptor;

TEST_CASE("guc: enabling a context submits it, scheduling moves its tail") {
  SubmitRig rig;
  rig.add(7);
  CHECK_FALSE(rig.in_port());
  rig.set_mode(7, 1);
  CHECK(rig.mode_done(7, 1));
  REQUIRE(rig.in_port() == SubmitRig::lrca_of(7));
  const Descriptor given = rig.engines.lists[0].second.element[0];
  CHECK((given.low & 0xfff) == 0x119);                                          // the host's flags
  CHECK(((given.high >> 5 & 0x7ff) > 0 && (given.high >> 5 & 0x7ff) < 0x7ff));  // a context id of the GuC's own
  rig.take();
  rig.send(0, 1, {0x1000, 7});
  CHECK(rig.in_port() == SubmitRig::lrca_of(7));
  rig.send(0, 1, {0x1000, 7});  // once more, while the list waits
  CHECK(rig.engines.lists.size() == 1);
  rig.take();
  CHECK(rig.in_port() == SubmitRig::lrca_of(7));  // it may have been taken before the tail moved again
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.complete();
  CHECK_FALSE(rig.in_port());
  rig.send(0, 1, {0x1000, 7});
  CHECK(rig.in_port() == SubmitRig::lrca_of(7));
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: a context whose tail moved as it completed runs again") {
  SubmitRig rig;
  rig.add(1);
  rig.set_mode(1, 1);
  rig.take();
  rig.send(0, 1, {0x1000, 1});  // in the port when the engine goes idle
  rig.complete();
  CHECK(rig.engines.lists.size() == 1);
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.complete();
  CHECK_FALSE(rig.in_port());
}

TEST_CASE("guc: a context is disabled once its image is saved") {
  SubmitRig rig;
  rig.add(1);
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.take();
  rig.set_mode(1, 0);
  CHECK(rig.receive().empty());
  CHECK(rig.in_port() == 0u);  // preempts to idle
  rig.take();
  CHECK(rig.mode_done(1, 0));
  rig.send(9, 0, {0x1000, 1});
  CHECK(rig.receive() == Message{9 << 16 | 1, failure | 0x0a});
  CHECK_FALSE(rig.in_port());
  rig.set_mode(1, 0);  // off already
  CHECK(rig.mode_done(1, 0));
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.set_mode(1, 0);  // in the port: it has to come and go
  CHECK(rig.receive().empty());
  rig.take();
  CHECK(rig.in_port() == 0u);
  rig.complete();  // which it may do by itself
  CHECK(rig.mode_done(1, 0));
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: no list takes the place of one to idle, even when the context completes before it") {
  SubmitRig rig;
  rig.add(1), rig.add(2);
  rig.set_mode(1, 1);
  rig.take();
  rig.set_mode(1, 0);
  CHECK(rig.in_port() == 0u);
  rig.complete();
  rig.set_mode(2, 1);
  CHECK(rig.engines.lists.size() == 1);
  rig.take();
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
}

TEST_CASE("guc: a disabled context gives way to one that waits") {
  SubmitRig rig;
  rig.add(1), rig.add(2);
  rig.set_mode(1, 1), rig.set_mode(2, 1);
  CHECK(rig.mode_done(1, 1));
  CHECK(rig.mode_done(2, 1));
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.set_mode(1, 0);
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
  rig.take();
  CHECK(rig.mode_done(1, 0));
  rig.set_mode(1, 1), rig.set_mode(1, 0);  // from the queue at once
  CHECK(rig.mode_done(1, 1));
  CHECK(rig.mode_done(1, 0));
}

TEST_CASE("guc: an id is free once the context is off its engine") {
  SubmitRig rig;
  rig.add(1);
  rig.send(0, 1, {0x4503, 1});
  CHECK(rig.got({0x9000'4600, 1}));
  rig.add(1);
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.do_request({0x4502, 1, 1, render, 1, 0, 0, 0, 0, 0, SubmitRig::lrca_of(1) | 0x119, 0});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x0a}});
  rig.take();
  rig.send(0, 1, {0x4503, 1});
  CHECK(rig.receive().empty());
  rig.take();
  CHECK(rig.got({0x9000'4600, 1}));
  rig.do_request({0x4503, 1});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x0a}});
}

TEST_CASE("guc: a higher priority preempts, and the context comes back first") {
  SubmitRig rig;
  for (uint32_t id = 1; id <= 3; ++id) rig.add(id);
  rig.set_policies(3, 1);
  rig.set_mode(1, 1), rig.set_mode(2, 1);
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.set_mode(3, 1);
  CHECK(rig.in_port() == SubmitRig::lrca_of(3));
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.complete();
  CHECK(rig.in_port() == SubmitRig::lrca_of(1));
  rig.take();
  rig.complete();
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
  rig.take();
  rig.set_policies(1, 0);
  rig.send(0, 1, {0x1000, 1});
  CHECK(rig.in_port() == SubmitRig::lrca_of(1));
}

TEST_CASE("guc: a raised priority counts for a context that waits") {  // i915 guc_bump_inflight_request_prio()
  SubmitRig rig;
  rig.add(1), rig.add(2);
  rig.set_mode(1, 1), rig.set_mode(2, 1);
  rig.take();
  rig.set_policies(2, 2);
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
}

TEST_CASE("guc: contexts of one priority take turns by their quantum") {
  SubmitRig rig;
  rig.add(1), rig.add(2);
  rig.set_policies(1, 3, 30'000), rig.set_policies(2, 3, 1000);
  rig.set_mode(1, 1), rig.set_mode(2, 1);
  rig.take();
  CHECK(rig.engines.wakes.back() == rig.host.now + 30 * ms);
  rig.advance(29 * ms);
  CHECK_FALSE(rig.in_port());
  rig.advance(1 * ms);
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
  rig.take();
  CHECK(rig.engines.wakes.back() == rig.host.now + 1 * ms);  // i915's own: IGT gem_exec_schedule@promotion counts on it
  rig.advance(1 * ms);
  CHECK(rig.in_port() == SubmitRig::lrca_of(1));
}

TEST_CASE("guc: an engine that does not preempt in time is reset, and the host notified") {
  SubmitRig rig;
  rig.add(1), rig.add(2);
  rig.set_policies(1, 3), rig.set_policies(2, 2);
  rig.set_mode(1, 1);
  rig.take();
  rig.set_mode(2, 1);
  CHECK(rig.mode_done(1, 1));
  CHECK(rig.mode_done(2, 1));
  CHECK(rig.engines.wakes.back() <= rig.host.now + 3 * 640 * ms);
  rig.advance(3 * 640 * ms - 1);
  CHECK(rig.engines.resets.empty());
  rig.engines.lists.clear();  // the reset drops it
  rig.on_engine = {};
  rig.advance(1);
  CHECK(rig.engines.resets == std::vector<EngineId>{EngineId::rcs});
  CHECK(rig.got({0x9000'8002, 1}));  // no log to capture to
  CHECK(rig.got({0x9000'1008, 1}));
  CHECK(rig.in_port() == SubmitRig::lrca_of(2));
  rig.take();
  rig.complete();
  CHECK_FALSE(rig.in_port());
  rig.send(9, 0, {0x1000, 1});  // sent before the host heard of it: i915 __guc_reset_context(), it is off by itself
  CHECK(rig.receive() == Message{9 << 16 | 1, failure | 0x0a});
  CHECK_FALSE(rig.in_port());
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  CHECK(rig.in_port() == SubmitRig::lrca_of(1));
}

// i915.reset=1: guc_policies_init() says so, and the host resets the chip by itself; IGT gem_reset_stats counts such resets.
TEST_CASE("guc: no engine is reset where the global policies forbid it") {
  constexpr uint32_t policies = ads_at + 0x8000, flags = policies + 76;
  SubmitRig rig;
  rig.store(flags, 1);
  rig.do_request({0x506, policies});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, success}});
  rig.add(1), rig.add(2);
  rig.set_policies(1, 3), rig.set_policies(2, 2);
  rig.set_mode(1, 1);
  rig.take();
  rig.set_mode(2, 1);
  Archive out;
  rig.guc->state(out);
  const std::vector<std::byte> bytes = out.take();
  SubmitRig other;
  Archive in(bytes);
  other.guc->state(in);
  REQUIRE_FALSE(in.failed());
  for (SubmitRig* one : {&rig, &other}) {
    one->advance(10'000 * ms);
    CHECK(one->engines.resets.empty());
  }
  rig.do_request({0x506, 0x1000});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x80}});
}

TEST_CASE("guc: the global policies of the ADS count from the start") {
  constexpr uint32_t policies = ads_at + 0x8000;
  for (const uint32_t flag : {0u, 1u}) {
    SubmitRig rig;
    rig.store(ads_at + 0x1004, policies);
    rig.store(policies + 76, flag);
    rig.reset_guc();
    rig.set_parameters(0);
    REQUIRE(rig.transfer_guc());
    REQUIRE(rig.open() == success);
    rig.add(1), rig.add(2);
    rig.set_policies(1, 3), rig.set_policies(2, 2);
    rig.set_mode(1, 1);
    rig.take();
    rig.set_mode(2, 1);
    rig.advance(10'000 * ms);
    CHECK(rig.engines.resets.size() == 1 - flag);
  }
}

// i915 gt/intel_engine_heartbeat.c: a heartbeat waits that does not get the engine, then has the priority of what hangs, and 3 periods later the chip is
// reset. Where that meets the notification, i915 loses the request (gt/uc/intel_guc_submission.c: __guc_reset_context() twice).
TEST_CASE("guc: an engine is reset well before the host's heartbeats reset the chip") {
  struct Properties {
    uint32_t timeout_ms, heartbeat_ms;
  };
  for (const Properties properties : {Properties{640, 2500}, Properties{250, 500},
                                      Properties{7500, 5000}}) {  // i915's, IGT's for hangs; Linux 6.2's of Tiger Lake's render engine
    SubmitRig rig;
    rig.add(1), rig.add(2);
    rig.set_policies(1, 2, 1000, properties.timeout_ms * 1000), rig.set_policies(2, 3);
    rig.set_mode(1, 1);
    rig.take();
    rig.set_mode(2, 1);
    rig.advance(properties.heartbeat_ms * ms);
    CHECK_FALSE(rig.in_port());
    rig.set_policies(2, 2);
    REQUIRE(rig.in_port() == SubmitRig::lrca_of(2));
    rig.engines.lists.clear();
    rig.on_engine = {};
    rig.advance(3 * properties.heartbeat_ms * ms / 2);  // the other half is the host's: it takes a copy of its memory
    CHECK(rig.engines.resets.size() == 1);
  }
}

TEST_CASE("guc: an engine that gives way before its reset begins is not reset") {
  SubmitRig rig;
  rig.add(1), rig.add(2), rig.add(3, copy);
  rig.set_policies(1, 3), rig.set_policies(2, 2), rig.set_policies(3, 2, 10'000'000);
  rig.set_mode(1, 1);
  rig.take();
  rig.set_mode(3, 1);
  rig.take(EngineId::bcs);
  rig.set_mode(2, 1);
  REQUIRE(rig.in_port() == SubmitRig::lrca_of(2));
  while (!rig.receive().empty()) {}
  rig.engines.on_wake = [&] {  // look() has decided on the reset, and asks to be called for the copy engine's quantum
    rig.engines.on_wake = {};
    rig.take();
  };
  rig.advance(3 * 640 * ms);
  CHECK_FALSE(rig.engines.on_wake);
  CHECK(rig.engines.resets.empty());
  CHECK(rig.receive().empty());
  rig.complete();
  CHECK(rig.in_port() == SubmitRig::lrca_of(1));  // it comes back
}

TEST_CASE("guc: registers that the host lists for an engine outlive its reset") {  // intel_guc_ads.c, guc_mmio_regset_init()
  SubmitRig rig;
  constexpr uint32_t list = buffers_at + 0x30000, mode = 0x2229c, mi_mode = 0x2209c, page = 0x22080, other = 0x22098;
  // mi_mode: a masked register that is not said to be one, as xe_guc_ads.c has RING_MODE.
  const uint32_t rows[][4] = {{mode, 0, 1, 0}, {mi_mode, 0, 0, 0}, {page, 0, 0, 0}, {0x20'0000, 0, 0, 0}, {3, 0, 0, 0}};
  for (uint32_t i = 0; i < 4 * std::size(rows); ++i) rig.store(list + 4 * i, rows[i / 4][i % 4]);
  rig.store(ads_at + (3 * 32 + 0) * 8, list);
  rig.store(ads_at + (3 * 32 + 0) * 8 + 4, std::size(rows));
  rig.engines.on_reset = [&] {
    for (const uint32_t offset : {mode, mi_mode, page, other}) rig.registers.poke(offset, 0);
  };
  const auto hang = [&] {
    rig.write(mode, 0x8 << 16 | 0x8), rig.write(mi_mode, 0x40 << 16 | 0x40), rig.write(page, 0x12000), rig.write(other, 0x77);
    rig.add(1, copy);
    rig.set_policies(1, 3);
    rig.set_mode(1, 1);
    rig.take(EngineId::bcs);
    rig.set_mode(1, 0);
    rig.engines.lists.clear();
    rig.on_engine = {};
    rig.advance(10'000 * ms);
  };
  hang();
  REQUIRE(rig.engines.resets == std::vector<EngineId>{EngineId::bcs});
  CHECK(rig.read(mode) == 0x8);
  CHECK((rig.read(mi_mode) & 0x40) == 0x40);
  CHECK(rig.read(page) == 0x12000);
  CHECK(rig.read(other) == 0);
  rig.store(ads_at + (3 * 32 + 0) * 8 + 4, 0xffff);  // longer than any driver's
  hang();
  CHECK(rig.engines.resets.size() == 2);
  CHECK(rig.read(page) == 0);
}

TEST_CASE(
    "guc: registers are captured before a reset, as the lists in the ADS say") {  // i915 gt/uc/intel_guc_capture.c, guc_capture_fwif.h
  constexpr uint32_t log = buffers_at + 0x40000, state = log + 72, ring = log + 0x1000 + 2 * 4096, ring_bytes = 4096;
  constexpr uint32_t global_list = buffers_at + 0x50000, instance_list = buffers_at + 0x51000, acthd = 0x22074;
  SubmitRig rig;
  const auto start = [&] {
    rig.reset_guc();
    rig.set_parameters(0);
    rig.write(0xc184, 1 | log);  // valid; all sizes 0: one unit of 4 KiB each
    REQUIRE(rig.transfer_guc());
    REQUIRE(rig.open() == success);
    rig.add(5, copy);
    rig.set_policies(5, 3);
  };
  rig.store(ads_at + 0x119c, global_list);
  rig.store(ads_at + 0x109c + 4 * 3, instance_list);
  rig.store(global_list, 1), rig.store(global_list + 4, 0x4000);
  rig.store(instance_list, 2), rig.store(instance_list + 4, acthd), rig.store(instance_list + 20, 0xffff'fffc);
  start();
  const auto hang = [&] {
    rig.set_mode(5, 1);
    rig.take(EngineId::bcs);
    rig.registers.poke(acthd, 0x1234);
    rig.set_mode(5, 0);
    rig.engines.lists.clear();
    rig.on_engine = {};
    while (!rig.receive().empty()) {}
    rig.advance(10'000 * ms);
  };
  hang();
  CHECK(rig.got({0x9000'8002, 0}));
  CHECK(rig.got({0x9000'1008, 5}));
  std::vector<uint32_t> group;
  const uint32_t written = rig.load(state + 20);
  for (uint32_t at = 0; at < written; at += 4) group.push_back(rig.load(ring + at));
  CHECK(group == std::vector<uint32_t>{0,
                                       3,  //
                                       0,
                                       0,
                                       ~0u,
                                       ~0u,
                                       1,
                                       0x4000,
                                       rig.read(0x4000),
                                       0,
                                       0,  //
                                       0,
                                       1 | 3 << 4,
                                       ~0u,
                                       ~0u,
                                       0,  //
                                       0,
                                       2 | 3 << 4,
                                       SubmitRig::lrca_of(5),
                                       5,
                                       1,
                                       acthd,
                                       0x1234,
                                       0,
                                       0});
  CHECK(rig.load(state + 12) == written);
  CHECK((rig.load(state + 28) & 1) == 1);
  unsigned more = 0;
  for (hang(); rig.got({0x9000'8002, 0}); hang()) REQUIRE(++more < 1000);
  CHECK(more == ring_bytes / written - 1);
  rig.store(state + 8, rig.load(state + 20));  // the host has read all: there is room, across the end
  hang();
  CHECK(rig.got({0x9000'8002, 0}));
  rig.store(state + 8, written);
  start();  // as after the host's own reset of the chip: it keeps the log's memory, in which it has read one group
  hang();
  CHECK(rig.got({0x9000'8002, 0}));
  CHECK(rig.load(state + 8) == 0);
  CHECK(rig.load(state + 20) == written);
}

TEST_CASE("guc: a context that is disabled and does not preempt is reset, and done with") {  // i915 guc_context_revoke()
  SubmitRig rig;
  rig.add(1);
  rig.set_mode(1, 1);
  CHECK(rig.mode_done(1, 1));
  rig.take();
  rig.set_policies(1, 3, 1000, 1);
  rig.set_mode(1, 0);
  rig.advance(20 * ms);
  CHECK(rig.engines.resets.size() == 1);
  CHECK(rig.got({0x9000'8002, 1}));  // no log to capture to
  CHECK(rig.got({0x9000'1008, 1}));
  CHECK(rig.mode_done(1, 0));
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: a context of several engines goes to one without work") {
  SubmitRig rig;
  for (uint32_t id = 1; id <= 3; ++id) rig.add(id, video, 3);
  rig.set_mode(1, 1), rig.set_mode(2, 1), rig.set_mode(3, 1);
  REQUIRE(rig.engines.lists.size() == 2);
  CHECK(rig.engines.lists[0].first == EngineId::vcs0);
  CHECK(rig.engines.lists[1].first == EngineId::vcs1);
  rig.take(EngineId::vcs0), rig.take(EngineId::vcs1);
  rig.complete(EngineId::vcs0);
  CHECK(rig.in_port(EngineId::vcs0) == SubmitRig::lrca_of(3));
  rig.add(4, copy);
  rig.set_mode(4, 1);
  CHECK(rig.engines.lists.back().first == EngineId::bcs);
}

TEST_CASE("guc: contexts of several engines take turns on all of them") {  // IGT gem_exec_balancer@fairslice
  SubmitRig rig;
  for (uint32_t id = 1; id <= 3; ++id) rig.add(id, video, 3), rig.set_policies(id, 2);
  for (uint32_t id = 1; id <= 3; ++id) rig.set_mode(id, 1);
  rig.take(EngineId::vcs0), rig.take(EngineId::vcs1);
  CHECK(rig.engines.lists.empty());
  rig.complete(EngineId::vcs1);  // which had no part in the choice when the third came
  REQUIRE(rig.in_port(EngineId::vcs1) == SubmitRig::lrca_of(3));
  rig.take(EngineId::vcs1);
  rig.send(0, 1, {0x1000, 2});
  CHECK(rig.engines.lists.empty());
  rig.advance(20 * ms);  // both quanta are over
  REQUIRE(rig.in_port(EngineId::vcs0) == SubmitRig::lrca_of(2));
  rig.take(EngineId::vcs0);
  REQUIRE(rig.in_port(EngineId::vcs1) == SubmitRig::lrca_of(1));
  rig.take(EngineId::vcs1);
  CHECK(rig.engines.lists.empty());
  rig.add(4, video, 2);
  rig.set_policies(2, 3), rig.set_policies(4, 2);
  rig.set_policies(3, 1);
  CHECK(rig.in_port(EngineId::vcs0) == SubmitRig::lrca_of(3));  // it displaces the lower priority, wherever that is
}

TEST_CASE("guc: registrations that make no sense are refused") {
  SubmitRig rig;
  const auto refused = [&](std::initializer_list<uint32_t> action, uint32_t error) {
    rig.do_request(action);
    return rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | error}};
  };
  CHECK(refused({0x4502, 1, 1, render, 2, 0, 0, 0, 0, 0, 0x119, 0}, 0x60));       // no such instance
  CHECK(refused({0x4502, 1, 1, 5, 1, 0, 0, 0, 0, 0, 0x119, 0}, 0x60));            // no such class
  CHECK(refused({0x4502, 1, 0xffff, render, 1, 0, 0, 0, 0, 0, 0x119, 0}, 0x60));  // no such id
  CHECK(refused({0x4502, 1, 1, render, 1, 0, 0, 0, 0, 0, 0x119, 1}, 0x60));
  CHECK(refused({0x4502, 1, 0x20000}, 0x60));                               // as version 69 has it
  rig.do_request({0x4502, 1, 2, copy, 1, 0, 0, 0, 0, 0, 0x119, 3u << 29});  // xe: the engine's class and instance are in the descriptor
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, success}});
  CHECK(refused({0x1001, 1, 1}, 0x0a));
  CHECK(refused({0x100b, 1, 0x2003 << 16 | 1, 0}, 0x0a));
  rig.add(1);
  CHECK(refused({0x100b, 1, 0x2003 << 16 | 2, 0}, 0x60));
  CHECK(refused({0x1001, 1, 2}, 0x60));
}

TEST_CASE("guc: events of contexts that the host itself submits are not the scheduler's") {
  SubmitRig rig;
  const Descriptor other = Descriptor::from(0x99119);
  rig.guc->switched(EngineId::rcs, {cs::event_idle_to_active, {}, other});
  rig.guc->switched(EngineId::rcs, {cs::event_active_to_idle | cs::event_complete, other, {}});
  CHECK_FALSE(rig.in_port());
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: records show which context an engine has") {  // intel_guc_fwif.h, struct guc_engine_usage_record
  SubmitRig rig;
  constexpr uint32_t table = buffers_at + 0x10000, record = table + (3 * 32 + 0) * 32;
  rig.do_request({0x550a, table, 0});
  rig.add(1, copy);
  rig.set_mode(1, 1);
  rig.take(EngineId::bcs);
  CHECK(rig.load(record) == 1);
  CHECK(rig.load(record + 4) == 19'200'000);
  rig.host.now += 10 * ms;
  rig.complete(EngineId::bcs);
  CHECK(rig.load(record) == ~0u);
  CHECK(rig.load(record + 12) == 192'000);
  rig.reset_guc();  // i915 then adds the new total to what it has
  REQUIRE(rig.transfer_guc());
  REQUIRE(rig.open() == success);
  rig.do_request({0x550a, table, 0});
  CHECK(rig.load(record) == ~0u);
  CHECK(rig.load(record + 12) == 0);
  rig.do_request({0x550a, 0xfedf'f000, 0});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x80}});
}

TEST_CASE("guc: records show how long an engine has had contexts") {  // Linux 7.2 xe/xe_guc_fwif.h, struct guc_engine_activity
  SubmitRig rig;
  constexpr uint32_t metadata = buffers_at + 0x10000, table = buffers_at + 0x11000, record = table + (3 * 32 + 0) * 16;
  rig.do_request({0x550c, metadata, 0, table, 0});
  CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, success}});
  CHECK(rig.load(metadata) == 19'200'000);
  CHECK(rig.load(record) == (0x8000u << 16 | 1));
  CHECK(rig.load(record + 4) == 0);
  const uint32_t changes = rig.load(metadata + 8);
  CHECK(changes != 0);
  rig.add(1, copy);
  rig.set_mode(1, 1);
  rig.take(EngineId::bcs);
  CHECK(rig.load(record) == (0x8000u << 16 | 2));
  CHECK(rig.load(record + 4) == 19'200'000);
  CHECK(rig.load(metadata + 8) == changes + 1);
  rig.host.now += 10 * ms;
  rig.complete(EngineId::bcs);
  CHECK(rig.load(record + 4) == 0);
  CHECK(rig.load(record + 8) == 192'000);
  for (const auto& [meta, records] : {std::pair{0xfedf'f000u, 0xfee0'0000u}, {0xfee0'0000u, table}, {metadata, table + 4}}) {
    rig.do_request({0x550c, meta, 0, records, 0});
    CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x80}});
  }
}

TEST_CASE("guc: the host opts in to features by keys in memory") {  // Linux 7.2 xe/xe_guc.c, xe_guc_opt_in_features_enable()
  SubmitRig rig;
  constexpr uint32_t keys = buffers_at + 0x10000;
  const auto answer = [&](uint32_t address, uint32_t dwords) {
    rig.do_request({0x550e, address, 0, dwords});
    return rig.answers.at(0).at(1);
  };
  rig.store(keys, 0x4001u << 16);
  CHECK(answer(keys, 1) == success);
  CHECK(answer(keys, 0) == (failure | 0x60));
  CHECK(answer(keys, 17) == (failure | 0x60));
  CHECK(answer(0xfee0'0000, 1) == (failure | 0x80));
  rig.store(keys, 0x4003u << 16);  // not of this chip
  CHECK(answer(keys, 1) == (failure | 0x60));
  rig.store(keys, 0x4001u << 16 | 1);
  CHECK(answer(keys, 1) == (failure | 0x60));
}

TEST_CASE("guc: SLPC runs when it is requested, within the host's limits") {  // intel_guc_slpc.c
  SubmitRig rig;
  constexpr uint32_t page = buffers_at + 0x20000;
  const auto event = [&](uint32_t id, uint32_t first, uint32_t second) {
    rig.do_request({0x3003, id << 8 | 2, first, second});
    return rig.answers.at(0).at(1);
  };
  CHECK(event(0, page, 0) == success);
  CHECK(rig.load(page + 4) == 3);
  CHECK(event(5, page, 0) == success);
  CHECK(rig.load(page + 128) == 1);
  const uint32_t chip = rig.read(0x145998), lowest = (chip >> 16 & 0xff) * 3, highest = (chip & 0xff) * 3;
  CHECK(rig.load(page + 132) == (highest | lowest << 8 | highest << 16 | lowest << 24));
  CHECK(rig.read(0xa01c) >> 23 == highest);
  CHECK(event(6, 7, 900) == success);
  CHECK(event(6, 6, 500) == success);
  CHECK(event(5, page, 0) == success);
  CHECK((rig.load(page + 132) & 0xffff) == (54 | 30 << 8));
  CHECK(rig.read(0xa01c) >> 23 == 54);
  CHECK(rig.read(0xa008) >> 23 == 54);
  CHECK(event(6, 32, 0) == (failure | 0x60));
  CHECK(event(0, 0x1000, 0) == (failure | 0x80));
  CHECK(event(9, page, 0) == (failure | 0x20));
  rig.do_request({0x3003, 0 << 8 | 3, page, 0});
  CHECK(rig.answers.at(0).at(1) == (failure | 0x60));
}

TEST_CASE("guc: a saved state has the contexts, and where they are") {
  SubmitRig rig;
  for (uint32_t id = 1; id <= 3; ++id) rig.add(id), rig.set_mode(id, 1), rig.mode_done(id, 1);
  rig.set_policies(1, 3);
  rig.take();
  rig.set_policies(3, 0);
  Archive saved;
  rig.guc->state(saved);
  SubmitRig other;
  for (uint32_t address = buffers_at; address < buffers_at + 0x6000; address += 4) other.store(address, rig.load(address));
  Archive loaded(saved.output());
  other.guc->state(loaded);
  REQUIRE(loaded.error().empty());
  CHECK(other.engines.wakes.size() == 1);  // its quantum runs on
  other.tail = rig.tail, other.head = rig.head, other.on_engine = rig.on_engine;
  other.engines.lists = rig.engines.lists;
  REQUIRE(other.in_port() == SubmitRig::lrca_of(3));
  other.take();
  other.complete();
  CHECK(other.in_port() == SubmitRig::lrca_of(1));
  other.take();
  other.complete();
  CHECK(other.in_port() == SubmitRig::lrca_of(2));
  other.set_mode(1, 0);
  CHECK(other.mode_done(1, 0));
}

TEST_CASE("guc: a GuC reset forgets contexts") {
  SubmitRig rig;
  rig.add(1);
  rig.set_mode(1, 1);
  rig.take();
  rig.reset_guc();
  rig.complete();
  rig.advance(10'000 * ms);
  CHECK_FALSE(rig.in_port());
  CHECK(rig.engines.resets.empty());
}

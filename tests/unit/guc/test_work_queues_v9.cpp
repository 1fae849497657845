// SPDX-License-Identifier: GPL-2.0-or-later
// Firmware 9's work queues, preemption, engine resets, saved state (Linux 4.19 intel_guc_submission.c, intel_guc_fwif.h).
#include "hw/base/archive.h"
#include "tests/unit/guc/v9_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

TEST_CASE("guc 9: an item goes to its engine with the ring's tail") {  // guc_add_request(), guc_wq_item_append()
  Started rig;
  rig.normal.submit(RigV9::copy, 1, 0x40);
  CHECK(rig.normal.head() == 16);
  REQUIRE(rig.in_port(EngineId::bcs) == RigV9::lrca(1));
  const cs::Descriptor given = rig.engines.lists[0].second.element[0];
  CHECK(given.low == (RigV9::lrca(1) | 0x119));
  CHECK(given.high == RigV9::lrca(1) >> 12);  // i915_perf.c: GuC's id of a context is its page
  CHECK(rig.tail(1) == 0x40);
  rig.normal.submit(RigV9::render, 2, 0x3ff8);
  rig.normal.submit(RigV9::enhance, 3, 8);
  CHECK(rig.in_port() == RigV9::lrca(2));
  CHECK(rig.tail(2) == 0x3ff8);
  CHECK(rig.in_port(EngineId::vecs) == RigV9::lrca(3));
  CHECK(rig.engines.lists.size() == 3);
  CHECK(rig.normal.status() == 1);
}

TEST_CASE("guc 9: several items at one ring, across the queue's end") {
  Started rig;
  for (uint32_t round = 0; round < 300; ++round) {
    rig.normal.append(RigV9::render, RigV9::lrca(1), round % 2 * 8);
    rig.normal.append(RigV9::copy, RigV9::lrca(2), round % 2 * 8 + 8);
    rig.normal.ring();
    CHECK(rig.normal.head() == (round + 1) * 32 % 8192);
    rig.take();
    rig.complete();
    rig.take(EngineId::bcs);
    rig.complete(EngineId::bcs);
    CHECK(rig.tail(2) == round % 2 * 8 + 8);
  }
}

TEST_CASE("guc 9: items that are rung for while the bell is removed are taken") {  // "Removing Doorbells" 2
  Started rig;
  rig.normal.append(RigV9::render, RigV9::lrca(1), 8);
  rig.normal.write_line(0, 1);
  CHECK_FALSE(rig.normal.is_valid());
  CHECK(rig.in_port() == RigV9::lrca(1));
  CHECK(rig.send({0x20, 0}) == RigV9::ok);
}

TEST_CASE("guc 9: what runs goes on with a later tail, others wait for their turn") {
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 1, 0x80);  // lite restore
  CHECK(rig.in_port() == RigV9::lrca(1));
  CHECK(rig.tail(1) == 0x80);
  rig.normal.submit(RigV9::render, 2, 0x10);
  rig.normal.submit(RigV9::render, 1, 0xc0);
  CHECK(rig.engines.lists.size() == 1);
  rig.take();
  CHECK_FALSE(rig.in_port());
  CHECK(rig.tail(1) == 0x80);  // in order: its turn is after the other's
  rig.complete();
  CHECK(rig.in_port() == RigV9::lrca(2));
  rig.take();
  rig.complete();
  CHECK(rig.in_port() == RigV9::lrca(1));
  CHECK(rig.tail(1) == 0xc0);
}

TEST_CASE("guc 9: a context whose tail moved as it completed runs again") {
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 1, 0x80);
  rig.complete();
  CHECK(rig.engines.lists.size() == 1);
  rig.take();
  rig.complete();
  CHECK_FALSE(rig.in_port());
}

TEST_CASE("guc 9: a client of higher priority preempts, and what it preempted comes back") {
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 2, 0x40);
  CHECK_FALSE(rig.in_port());
  rig.high.submit(RigV9::render, 3, 0x40);
  CHECK(rig.in_port() == RigV9::lrca(3));
  rig.take();
  CHECK_FALSE(rig.in_port());
  rig.complete();
  CHECK(rig.in_port() == RigV9::lrca(1));
  rig.take();
  rig.complete();
  CHECK(rig.in_port() == RigV9::lrca(2));
}

TEST_CASE(
    "guc 9: a preemption drops the target's items on the engine, and reports") {  // inject_preempt_context(), wait_for_guc_preempt_report()
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 2, 0x40);
  rig.normal.submit(RigV9::copy, 3, 0x40);
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::ok);
  CHECK(rig.high.head() == 16);
  CHECK(rig.report(RigV9::render) == 0);
  CHECK(rig.in_port() == RigV9::lrca(0));
  CHECK(rig.in_port(EngineId::bcs) == RigV9::lrca(3));  // not of this engine
  rig.take();
  CHECK(rig.report(RigV9::render) == 4);
  CHECK(rig.affected(RigV9::render) == 2);
  rig.complete();
  CHECK_FALSE(rig.in_port());  // neither comes back by itself
  rig.normal.submit(RigV9::render, 1, 0x40);
  CHECK(rig.in_port() == RigV9::lrca(1));
}

TEST_CASE("guc 9: a preemption of an idle engine, and of one that is about to take a list") {
  Started rig;
  CHECK(rig.preempt(RigV9::copy, 0) == RigV9::ok);
  rig.take(EngineId::bcs);
  CHECK(rig.report(RigV9::copy) == 4);
  CHECK(rig.affected(RigV9::copy) == 0);
  rig.complete(EngineId::bcs);
  rig.normal.submit(RigV9::render, 1, 0x40);  // in the port
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::ok);
  rig.take();
  CHECK(rig.in_port() == RigV9::lrca(0));
  rig.take();
  CHECK(rig.report(RigV9::render) == 4);
  CHECK(rig.affected(RigV9::render) == 1);
  rig.complete();
  CHECK_FALSE(rig.in_port());
}

TEST_CASE("guc 9: a preemption with nonsense is refused") {
  Started rig;
  const auto preempt = [&](uint32_t stage, uint32_t engine, uint32_t target, uint32_t shared) {
    return rig.send({0x2, stage, 12, engine, 2, target, shared});
  };
  CHECK(preempt(1, 0, 0, RigV9::shared) == RigV9::failed);  // its queue is empty
  rig.high.append(0, RigV9::lrca(0), 0x20);
  CHECK(preempt(7, 0, 0, RigV9::shared) == RigV9::failed);
  CHECK(preempt(1, 5, 0, RigV9::shared) == RigV9::failed);
  CHECK(preempt(1, 0, 1024, RigV9::shared) == RigV9::failed);
  CHECK(preempt(1, 0, 0, 0x1000) == RigV9::failed);
  CHECK(preempt(1, 0, 0, 0xfedf'ff00) == RigV9::failed);
  CHECK_FALSE(rig.in_port());
  CHECK(preempt(1, 0, 0, RigV9::shared) == RigV9::ok);
  CHECK(rig.in_port() == RigV9::lrca(0));
}

TEST_CASE("guc 9: an engine is reset when the host asks for it") {  // intel_guc_reset_engine()
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 2, 0x40);
  rig.high.submit(RigV9::render, 3, 0x40);
  rig.engines.on_reset = [&] { CHECK(rig.read(0xc180) == 3); };  // the answer comes after it
  CHECK(rig.send({0x3, RigV9::render, 0, 0, 0, rig.normal.stage, RigV9::shared}) == RigV9::ok);
  CHECK(rig.engines.resets == std::vector{EngineId::rcs});
  rig.on_engine = {};
  rig.engines.lists.clear();  // what was in the port is gone, too
  rig.normal.submit(RigV9::render, 2, 0x80);
  CHECK(rig.in_port() == RigV9::lrca(2));
  CHECK(rig.tail(2) == 0x80);
  CHECK(rig.send({0x3, 9, 0, 0, 0, rig.normal.stage, RigV9::shared}) == RigV9::failed);
  CHECK(rig.send({0x3, RigV9::render, 0, 0, 0, 99, RigV9::shared}) == RigV9::failed);
}

TEST_CASE("guc 9: a preemption that a reset ends is marked in its client, whose queue rests") {  // inject_preempt_context(): TERMINATED
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::ok);
  CHECK((rig.high.attributes() & 0x80) == 0);
  CHECK(rig.send({0x3, RigV9::render, 0, 0, 0, rig.normal.stage, RigV9::shared}) == RigV9::ok);
  CHECK(rig.high.attributes() == 0x85);
  rig.on_engine = {};
  rig.engines.lists.clear();
  rig.high.submit(RigV9::render, 3, 0x40);
  CHECK_FALSE(rig.in_port());
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::failed);
  rig.high.store_bytes(225, uint8_t{5});
  rig.high.ring();
  CHECK(rig.in_port() == RigV9::lrca(3));
}

TEST_CASE("guc 9: a bad item stops its queue and says where") {  // WQ_STATUS_*
  const auto after = [](auto&& spoil) {
    Started rig;
    rig.normal.append(RigV9::render, RigV9::lrca(1), 0x40);
    spoil(rig.normal);
    rig.normal.ring();
    const uint32_t status = rig.normal.status();
    CHECK(rig.in_port() == RigV9::lrca(1));  // what was before it
    CHECK(rig.load(rig.normal.process() + 20) == (status == 1 ? 0u : 16u));
    rig.normal.ring();
    CHECK(rig.normal.status() == status);
    return status;
  };
  const auto put = [](Client& client, uint32_t header, unsigned dwords) {
    for (unsigned i = 0; i < dwords; ++i) client.put(i ? 0 : header);
    client.rig.store(client.process() + 16, client.queue_tail);
  };
  CHECK(after([&](Client& client) { put(client, 4 | 2 << 16, 3); }) == 1);            // without effect
  CHECK(after([&](Client& client) { put(client, 3 | 3 << 16 | 7 << 10, 4); }) == 4);  // no such engine
  CHECK(after([&](Client& client) { client.store_bytes(12, uint8_t{1}), put(client, 3 | 3 << 16 | 2 << 10, 4); }) ==
        4);                                                                 // not this client's
  CHECK(after([&](Client& client) { put(client, 1 | 3 << 16, 4); }) == 3);  // another kind
  CHECK(after([&](Client& client) { put(client, 3 | 2 << 16, 3); }) == 3);  // a wrong length
  CHECK(after([&](Client& client) { put(client, 3 | 3 << 16, 3); }) == 3);  // cut off
  CHECK(after([&](Client& client) { put(client, 4 | 0x7ff << 16, 2); }) == 3);
}

TEST_CASE("guc 9: a queue with nonsense for head or tail stops") {
  for (const uint32_t offset : {12u, 16u}) {
    for (const uint32_t value : {8192u, 2u, ~0u}) {
      Started rig;
      rig.normal.append(RigV9::render, RigV9::lrca(1), 0x40);
      rig.store(rig.normal.process() + offset, value);
      rig.normal.ring();
      CHECK(rig.normal.status() == 3);
      CHECK_FALSE(rig.in_port());
    }
  }
}

TEST_CASE("guc 9: items for which there is no room wait in their queue") {
  Started rig;
  for (unsigned i = 0; i < 300; ++i) rig.normal.append(RigV9::render, RigV9::lrca(i % 2), 0x40);
  rig.normal.ring();
  CHECK(rig.normal.head() == 257 * 16);  // one in the port, 256 behind it
  unsigned ran = 0;
  for (; rig.in_port(); ++ran) {
    CHECK(rig.in_port() == RigV9::lrca(ran % 2));
    rig.take();
    rig.complete();
  }
  CHECK(ran == 300);
  CHECK(rig.normal.head() == 300 * 16);
}

TEST_CASE("guc 9: one event looks at a bounded number of items, time brings the rest") {
  RigV9 rig;
  rig.load_v9();
  std::vector<Client> clients;
  for (uint32_t i = 0; i < 8; ++i) {
    clients.emplace_back(rig, i, 2, i);
    REQUIRE(clients.back().create() == RigV9::ok);
  }
  for (Client& client : clients) {
    for (unsigned dword = 0; dword < 2047; ++dword) client.put(4);  // items without effect, of a dword each
    rig.store(client.process() + 16, client.queue_tail);
    rig.store(client.line() + 4, 1);
  }
  const auto left = [&] {
    uint32_t dwords = 0;
    for (const Client& client : clients) dwords += 2047 - client.head() / 4;
    return dwords;
  };
  rig.read(0xc000);
  CHECK(left() == 8 * 2047 - 4096);
  rig.guc->look();
  CHECK(left() == 8 * 2047 - 2 * 4096);
  rig.guc->look();
  rig.guc->look();
  CHECK(left() == 0);
  for (const Client& client : clients) CHECK(client.status() == 1);
}

TEST_CASE("guc 9: dropped items that wait in their queue become items without effect") {
  Started rig;
  for (unsigned i = 0; i < 260; ++i) rig.normal.append(RigV9::render, RigV9::lrca(1 + i % 2), 0x40);
  rig.normal.append(RigV9::copy, RigV9::lrca(3), 0x40);
  rig.normal.ring();
  CHECK_FALSE(rig.in_port(EngineId::bcs));
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::ok);
  rig.take();
  rig.take();
  CHECK(rig.report(RigV9::render) == 4);
  CHECK(rig.affected(RigV9::render) == 260);
  CHECK(rig.in_port(EngineId::bcs) == RigV9::lrca(3));  // there is room for it now
  rig.complete();
  CHECK_FALSE(rig.in_port());
}

TEST_CASE("guc 9: without a read of the host the timer sees a ring") {
  Started rig;
  REQUIRE_FALSE(rig.engines.wakes.empty());
  rig.normal.append(RigV9::render, RigV9::lrca(1), 8);
  rig.store(rig.normal.line() + 4, 1);
  CHECK_FALSE(rig.in_port());
  rig.host.now = rig.engines.wakes.back();
  rig.guc->look();
  CHECK(rig.in_port() == RigV9::lrca(1));
}

TEST_CASE("guc 9: its state is saved with work in flight") {
  Started rig;
  rig.normal.submit(RigV9::render, 1, 0x40);
  rig.take();
  rig.normal.submit(RigV9::render, 2, 0x40);
  for (unsigned i = 0; i < 300; ++i) rig.normal.append(RigV9::copy, RigV9::lrca(i % 2), 0x40);
  rig.normal.ring();
  CHECK(rig.preempt(RigV9::render, 0) == RigV9::ok);
  Archive saved;
  rig.guc->state(saved);
  const std::vector<std::byte> bytes = saved.take();
  rig.guc->reset();
  CHECK_FALSE(rig.normal.is_valid());
  Archive loaded(bytes);
  rig.guc->state(loaded);
  REQUIRE_FALSE(loaded.failed());
  CHECK(rig.normal.is_valid());
  rig.take();
  CHECK(rig.report(RigV9::render) == 4);
  rig.complete();
  CHECK_FALSE(rig.in_port());
  rig.take(EngineId::bcs);
  rig.complete(EngineId::bcs);
  CHECK(rig.normal.head() == (2 + 258) * 16);
  for (size_t cut = 0; cut < bytes.size(); cut += 97) {
    Archive part{std::span(bytes).first(cut)};
    rig.guc->state(part);
    CHECK(part.failed());
    rig.guc->reset();
  }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's page fault interface and TLB registers (ILK PRM vol 1 part 2, 1.3.3 and 1.3.4).
#include <algorithm>
#include <cstring>
#include <string_view>

#include "hw/memory/view.h"
#include "tests/unit/cs/table_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::nonsecure;
using ring::start;
using ring::store_dword;

namespace {

constexpr EngineId rcs = EngineId::rcs, vcs = EngineId::vcs0;
constexpr uint32_t free_at = RingMachine::free_at + 0x10'0000;
constexpr uint32_t pfir = 0x2510, pfic = 0x2514, in_service = 1u << 31, page_fault = 1u << 7;
constexpr uint32_t pfd(uint32_t i) { return 0x2580 + 4 * i; }

struct Fixture : Process {
  /// As 1.3.3 says, when all faults are served.
  void end_service() {
    registers.write(pfir, ~0u);
    registers.write(pfic, in_service);
  }
};

}  // namespace

TEST_CASE("Gen5 page faults: a store waits until its page is there") {
  Fixture f;
  f.take_interrupts();
  f.run_user(store_process(0x3008, 5) + store_process(0x3010, 6));
  CHECK(f.registers.read(pfir) == 1);
  CHECK(f.registers.read(pfic) == in_service);
  CHECK(f.registers.read(pfd(0)) == 0x3000);
  CHECK(f.take_interrupts() == page_fault);
  CHECK((f.registers.read(0x44010) & page_fault) != 0);  // 4: table 1-4: "whenever there is a pending PPGTT [...] fault"
  CHECK(f.r.get(softgen::reg::RING_ESR) == 0);
  CHECK(f.registers.read(0x4094) == 0);
  // What comes behind it waits, too.
  f.r.run(store_dword(free_at, 1));
  CHECK(f.read(free_at) == 0);
  f.map(0x3000);
  f.cs->look();
  CHECK(f.read(free_at) == 0);
  f.end_service();
  CHECK(f.read(TableMachine::place(0x3008)) == 5);
  CHECK(f.read(TableMachine::place(0x3010)) == 6);
  CHECK(f.read(free_at) == 1);
  CHECK((f.registers.read(0x44010) & page_fault) == 0);
  CHECK(f.take_interrupts() == 0);
}

TEST_CASE("Gen5 page faults: a write of zero to the control register says nothing") {
  Fixture f;
  f.run_user(store_process(0x3008, 5));
  f.map(0x3000);
  f.registers.write(pfir, ~0u);
  f.registers.write(pfic, 0);
  CHECK(f.registers.read(pfic) == in_service);
  CHECK(f.read(TableMachine::place(0x3008)) == 0);
}

// 1.3.3.2.
TEST_CASE("Gen5 page faults: flags that are left send another interrupt") {
  Fixture f;
  f.run_user(store_process(0x3008, 5));
  f.take_interrupts();
  f.registers.write(pfic, in_service);
  CHECK(f.registers.read(pfic) == in_service);
  CHECK(f.registers.read(pfir) == 1);
  CHECK(f.take_interrupts() == page_fault);
  f.map(0x3000);
  f.end_service();
  CHECK(f.read(TableMachine::place(0x3008)) == 5);
}

TEST_CASE("Gen5 page faults: a page that is still not there faults again") {
  Fixture f;
  f.run_user(store_process(0x3008, 5));
  f.take_interrupts();
  f.end_service();
  CHECK(f.take_interrupts() == page_fault);
  CHECK(f.registers.read(pfir) == 1);
  CHECK(f.registers.read(pfd(0)) == 0x3000);
}

TEST_CASE("Gen5 page faults: commands whose own page is not there") {
  Fixture f;
  const uint32_t batch = f.user_batch(store_dword(free_at, 1) + Dwords{batch_end});
  f.map(0x3000);
  const uint32_t user = f.user_batch(store_process(0x3000, 4) + Dwords{batch_end});
  f.unmap(batch);
  f.unmap(user);
  f.r.run(start(user, nonsecure));
  CHECK(f.registers.read(pfd(0)) == user);
  CHECK(f.r.get(softgen::reg::RING_ESR) == 0);
  f.map(user);
  f.end_service();
  CHECK(f.read(TableMachine::place(0x3000)) == 4);
}

// The command is repeated as a whole; nothing of its first, failed run is left: neither what it wrote nor what it counted.
TEST_CASE("Gen5 page faults: an engine's packet is repeated as if it had not begun") {
  Fixture f;
  for (const uint32_t va : {0x3000u, 0x4000u}) f.map(va);
  f.write(TableMachine::place(0x3000), {100});
  unsigned runs = 0;
  f.engine(rcs).on_execute = [&](const Packet&, EngineEnv& env) {
    ++runs;
    env.view.store<uint32_t>(0x3000, env.view.load<uint32_t>(0x3000) + 1);
    env.registers.add64(0x2350, 10);  // PS_DEPTH_COUNT
    for (uint32_t i = 0; i < 40; ++i) env.view.store<uint32_t>(0x20'0000 + i * 0x1000, i + 1);
    env.view.store<uint32_t>(0x4000, env.view.load<uint32_t>(0x4000) + 1);
    return ExecResult::done;
  };
  f.registers.poke64(0x2350, 7);
  f.run_user({color_header, 0, 0, 0, 0, 1});
  CHECK(runs == 1);
  CHECK(f.read(TableMachine::place(0x3000)) == 100);
  CHECK(f.read(TableMachine::place(0x4000)) == 0);
  CHECK(f.registers.peek64(0x2350) == 7);
  CHECK(f.registers.read(pfir) == ~0u);  // 32 slots
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(f.registers.read(pfd(i)) == 0x20'0000 + i * 0x1000);
    f.map(0x20'0000 + i * 0x1000);
  }
  f.end_service();
  CHECK(runs == 2);
  CHECK(f.registers.read(pfir) == 0xff);
  for (uint32_t i = 32; i < 40; ++i) f.map(0x20'0000 + i * 0x1000);
  f.end_service();
  CHECK(runs == 3);
  CHECK(f.read(TableMachine::place(0x3000)) == 101);
  CHECK(f.read(TableMachine::place(0x4000)) == 1);
  CHECK(f.read(TableMachine::place(0x22'7000)) == 40);
  CHECK(f.registers.peek64(0x2350) == 17);
}

// Preempted in its middle, after it has met a fault: its first half has been taken back, too.
TEST_CASE("Gen5 page faults: a packet that was preempted begins anew") {
  Fixture f;
  f.map(0x3000);
  FakeEngine& engine = f.engine(rcs);
  engine.on_execute = [&](const Packet&, EngineEnv& env) {
    if (engine.context.word == 0) {
      env.view.store<uint32_t>(0x3000, env.view.load<uint32_t>(0x3000) + 1);
      const bool there = env.view.load<uint32_t>(0x5000) == 7;
      engine.context.word = 9;  // where it goes on
      if (!there) return ExecResult::preempted;
    }
    engine.context.word = 0;
    return ExecResult::done;
  };
  f.run_user({color_header, 0, 0, 0, 0, 0});
  CHECK(f.registers.read(pfd(0)) == 0x5000);
  CHECK(engine.context.word == 0);
  f.write(TableMachine::place(0x5000), {7});
  f.map(0x5000);
  f.end_service();
  CHECK(f.read(TableMachine::place(0x3000)) == 1);
  CHECK(f.registers.read(pfic) == 0);
}

TEST_CASE("Gen5 page faults: a fence notifies once, when it has written") {
  Fixture f;
  f.run_user({0x7a00'4102, 0x3000, 9, 0});
  CHECK(f.take_interrupts() == page_fault);
  f.map(0x3000);
  f.end_service();
  CHECK(f.read(TableMachine::place(0x3000)) == 9);
  CHECK(f.take_interrupts() == 1u << 4);
}

TEST_CASE("Gen5 page faults: a reset ends the service") {
  Fixture f;
  f.run_user(store_process(0x3008, 5));
  f.reset_engine(rcs);
  f.registers.reset(1u << static_cast<unsigned>(defs::ResetDomain::render));
  f.interrupts.reset_engines(1u << static_cast<unsigned>(rcs));
  CHECK(f.registers.read(pfic) == 0);
  CHECK(f.registers.read(0x2520) == 0);
  CHECK((f.registers.read(0x44010) & page_fault) == 0);
  Ring again(f);
  again.run(store_dword(free_at, 1));
  CHECK(f.read(free_at) == 1);
}

TEST_CASE(
    "Gen5 page faults: a hostile saved state with a fault in service does no harm to the video streamer, which has no such interface") {
  RingMachine m;
  Ring video(m, vcs);
  video.run({noop, noop});
  const std::vector<std::byte> saved = m.save_state();
  constexpr std::string_view name = "ring";
  const auto same = [](std::byte b, char c) { return b == static_cast<std::byte>(c); };
  unsigned sections = 0;
  for (auto at = std::search(saved.begin(), saved.end(), name.begin(), name.end(), same); at != saved.end();
       at = std::search(at + 1, saved.end(), name.begin(), name.end(), same), ++sections)
    for (size_t behind = name.size(); behind < name.size() + 32; ++behind) {
      auto hostile = saved;
      const size_t place = static_cast<size_t>(at - saved.begin()) + behind;
      if (place + sizeof(mmio::EngineEvents) > hostile.size()) break;
      std::memcpy(&hostile[place], &mmio::engine_event::page_fault, sizeof(mmio::EngineEvents));
      RingMachine other;
      Ring again(other, vcs);
      if (other.load_state(hostile)) again.run({noop});
    }
  CHECK(sections >= 2);
}

TEST_CASE("Gen5 page faults: a saved state keeps a fault in service") {
  Fixture f;
  f.run_user(store_process(0x3008, 5));
  TableMachine other;
  other.continue_from(f);
  CHECK(other.registers.read(pfd(0)) == 0x3000);
  other.map(0x3000);
  other.registers.write(pfir, ~0u);
  other.registers.write(pfic, in_service);
  CHECK(other.read(TableMachine::place(0x3008)) == 5);
}

// 1.3.4: the pages in use, and an extent of 780h bytes.
TEST_CASE("Gen5 page faults: TLBs can be read") {
  Fixture f;
  f.map(0x3000);
  f.map(0x5000);
  for (const uint32_t va : {0x3000u, 0x5000u}) f.write(TableMachine::place(va), {1});  // memory that comes later would drop translations
  f.engine(rcs).on_execute = [](const Packet&, EngineEnv& env) {
    env.view.store<uint32_t>(0x3000, env.view.load<uint32_t>(0x5000));
    env.view.load<uint32_t>(0x7000);  // faults: it is in no TLB
    return ExecResult::done;
  };
  f.run_user({color_header, 0, 0, 0, 0, 1});
  CHECK(f.registers.read(0x251c) == 0x780);
  std::vector<uint32_t> render, commands;
  for (uint32_t offset = 0xb000; offset < 0xb780; offset += 4) {
    const uint32_t entry = f.registers.read(offset);
    if (!(entry & 1)) continue;
    if (offset >= 0xb400) render.push_back(entry);
    else if (offset >= 0xb200 && offset < 0xb218) commands.push_back(entry);
    else FAIL("an entry of another client");
  }
  CHECK(std::ranges::find(render, 0x3001u) != render.end());
  CHECK(std::ranges::find(render, 0x5001u) != render.end());
  CHECK(std::ranges::find(render, 0x7001u) == render.end());
  CHECK(std::ranges::find(render, 0x10'0001u) != render.end());  // the batch
  // "Only the Command Streamer (CS) may contain global GTT entries in its TLB."
  CHECK(std::ranges::find(commands, f.r.start | 3) != commands.end());
}

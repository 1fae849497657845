// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's per-process tables. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include "hw/memory/view.h"
#include "tests/unit/cs/table_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::nonsecure;
using ring::start;
using ring::store_dword;

namespace {

constexpr EngineId rcs = EngineId::rcs;
constexpr uint32_t free_at = RingMachine::free_at + 0x10'0000;
Dwords color(uint32_t value = 0) { return {color_header, 0, 0, 0, 0, value}; }

/// The flat table: 64 KiB of entries at `table_at`, its own pages at TableMachine::place().
struct Flat : TableMachine {
  Ring r{*this};
  void enable(uint32_t steered) { r.run({mi(0x22, 3), 0x20c4, table_at | 1, 0x20c8, 0x3f'0000 | steered}); }
};

}  // namespace

// 2: 1.3.2.4: loaded with a context's restore; 1.3.2.2 and 1.3.2.3: software reads it by index.
TEST_CASE("Gen5 tables: the directory is loaded with a context's restore") {
  TableMachine f;
  Ring r(f);
  f.set_directory(0, TableMachine::table_at | 0xa | 1);
  f.registers.write(0x2500, 0);
  f.registers.write(0x2518, TableMachine::directory_line << 16);
  CHECK(f.registers.read(0x2504) == 0);
  r.run(ring::set_context(0x0180'0000, ring::restore_inhibit));
  CHECK(f.registers.read(0x2504) == 0);
  r.run(ring::set_context(0x0180'0800, ring::restore_inhibit) + ring::set_context(0x0180'0000));
  CHECK(f.registers.read(0x2504) == (TableMachine::table_at | 1));  // 2: 1.3.2.3: 3:1 are not a directory entry's
  f.registers.write(0x2500, 4);
  CHECK(f.registers.read(0x2504) == 0);
  // 2: 1.3.2.4, "Access: RO"; "Default Value: FFFF FFFFh".
  f.registers.write(0x2508, 0);
  CHECK(f.registers.read(0x2508) == ~0u);
}

// 2: 1.3: "all rendering operations (including blit commands) target Per-process virtual memory".
TEST_CASE("Gen5 tables: batches, stores and the engine use the table of two levels") {
  Process f;
  f.map(0x3000);
  uint32_t seen = 0;
  f.engine(rcs).on_execute = [&](const Packet&, EngineEnv& env) {
    seen = env.view.load<uint32_t>(0x3008);
    return ExecResult::done;
  };
  f.run_user(store_process(0x3008, 77) + color());
  CHECK(f.read(TableMachine::place(0x3008)) == 77);
  CHECK(seen == 77);
  CHECK(f.read(0x3008) == 0);
  // A secure batch is in the global table, its engine's packets are not.
  seen = 0;
  f.r.run(start(f.batch(store_dword(free_at, 5) + color() + Dwords{batch_end})));
  CHECK(f.read(free_at) == 5);
  CHECK(seen == 77);
  CHECK(f.r.get(softgen::reg::RING_ESR) == 0);
}

// 2: 1.3: non-secure batches "will not be permitted to access global virtual memory".
TEST_CASE("Gen5 tables: a non-secure batch reaches no global memory") {
  Process f;
  f.map(0x3000);
  constexpr const char* what = "global memory in a non-secure batch";
  f.write(free_at, {1});
  const Dwords fence{0x7a00'4002, free_at | 4, 9, 0};  // PIPE_CONTROL with an immediate write
  f.run_user(store_dword(free_at, 7) + fence + Dwords{mi(0x16, 1u << 22 | 1u << 21 | 1), 8, free_at} + store_process(0x3000, 3));
  CHECK(f.read(free_at) == 1);
  CHECK(f.read(TableMachine::place(0x3000)) == 3);
  CHECK(failure_count(Failure::guest_error, what) == 3);
  f.r.run(store_dword(free_at, 7));
  CHECK(f.read(free_at) == 7);
  f.run_user({0x7a00'4002, 0x3010, 9, 0});
  CHECK(f.read(TableMachine::place(0x3010)) == 9);
}

// 2: 1.3.2.1 and 1.3.2.4: both are restored with the context, which software has prepared.
TEST_CASE("Gen5 tables: MI_SEMAPHORE_MBOX with a register is no access to memory, whatever table it names") {
  Process f;
  constexpr uint32_t by_register = 1u << 18, compare = 1u << 20, gtt = 1u << 22;
  f.run_user({mi(0x16, by_register | compare | gtt | 2u << 16 | 1), 4, 0, 0});
  CHECK(f.r.get(softgen::reg::RING_CTL) & 1u << 10);
}

TEST_CASE("Gen5 tables: each context has its own table") {
  Process f;
  f.map(0x3000);
  f.run_user(store_process(0x3000, 1));
  // The other context's directory is that of another line.
  const uint32_t line = TableMachine::directory_line + 0x40, table = 0x0220'0000, page = 0x0230'0000;
  f.ggtt.set_pte(uint64_t{line} * 16, table | 1);
  for (uint32_t i = 0; i < 0x200; ++i) f.write(table + i * 4, {(page + i * 0x1000) | 1});
  for (uint32_t at = Process::image_at + 0x804; at < Process::image_at + 0xa00; at += 8)
    if (f.read(at) == 0x2518) f.write(at + 4, {0x7040u << 16});
  f.write(page + 0x10'0000, store_process(0x3000, 2) + Dwords{batch_end});
  f.r.run(ring::set_context(Process::image_at + 0x800) + start(0x10'0000, nonsecure));
  CHECK(f.read(page + 0x3000) == 2);
  CHECK(f.read(TableMachine::place(0x3000)) == 1);
  f.r.run(ring::set_context(Process::image_at));
  f.run_user(store_process(0x3000, 3));
  CHECK(f.read(TableMachine::place(0x3000)) == 3);
  CHECK(f.registers.read(0x2518) == TableMachine::directory_line << 16);
}

// 2: 1.3.2.4: "Any access by a process that requires a PD entry in a set that is not enabled in this register will cause a fatal error".
TEST_CASE("Gen5 tables: an entry that the context does not have is fatal") {
  Process f;
  f.restore_with(0x2508, 1);
  f.run_user(store_process(16u << 22, 1));
  CHECK(f.r.get(softgen::reg::RING_ESR) == 1u << 4);
  CHECK(f.registers.read(0x4094) == ((16u << 22) | 1));  // 2: 5.7.1.1, bit 11 clear: the per-process table
  f.r.run(store_dword(free_at, 1));
  CHECK(f.read(free_at) == 0);
  f.reset_engine(rcs);
  Ring again(f);
  again.run(store_dword(free_at, 1));
  CHECK(f.read(free_at) == 1);
}

// 2: 1.3.2: entries are updated "from the command stream by using the MI_UPDATE_GTT command".
TEST_CASE("Gen5 tables: MI_UPDATE_GTT of the per-process table") {
  SECTION("of two levels") {
    Process f;
    f.r.run({mi(0x23, 2), 0x5000, TableMachine::place(0x5000) | 1, TableMachine::place(0x6000) | 1});
    CHECK(f.read(TableMachine::table_at + 5 * 4) == (TableMachine::place(0x5000) | 1));
    f.run_user(store_process(0x6004, 8));
    CHECK(f.read(TableMachine::place(0x6004)) == 8);
    f.r.run({mi(0x23, 1), 5u << 22, 1, noop});
    CHECK(failure_count(Failure::guest_error, "MI_UPDATE_GTT of a page that no per-process table has") == 1);
  }
  SECTION("flat") {
    Flat f;
    f.enable(0);
    f.r.run({mi(0x23, 1), 0x5000, TableMachine::place(0x5000) | 1, noop});
    CHECK(f.read(TableMachine::table_at + 5 * 4) == (TableMachine::place(0x5000) | 1));
  }
  SECTION("where there is none") {
    Flat f;
    f.r.run({mi(0x23, 1), 0x5000, 1, noop});
    CHECK(failure_count(Failure::guest_error, "MI_UPDATE_GTT of a page that no per-process table has") == 1);
  }
}

// 2: 1.2.2.2: "This bit needs to be set in order to change the value for the corresponding location".
TEST_CASE("Gen5 tables: PGTBL_STR2 has a write enable for each bit") {
  Flat f;
  f.registers.write(0x20c8, 0x3f'003f);
  CHECK(f.registers.read(0x20c8) == 0x3f);
  f.registers.write(0x20c8, 0x09'0000);
  CHECK(f.registers.read(0x20c8) == 0x36);
  f.registers.write(0x20c8, 0xffff'ffff);
  CHECK(f.registers.read(0x20c8) == 0x3f);
}

// 2: 3.6.2: which client uses which table.
TEST_CASE("Gen5 tables: clients of the flat table are steered one by one") {
  Flat f;
  struct Seen {
    uint32_t render, vertices, states, constants;
  } seen{};
  f.engine(rcs).on_execute = [&](const Packet&, EngineEnv& env) {
    seen = {env.view.load<uint32_t>(0x3000), env.vertex_view().load<uint32_t>(0x3000), env.state_view().load<uint32_t>(0x3000),
            env.constant_view().load<uint32_t>(0x3000)};
    return ExecResult::done;
  };
  f.map(0x3000);
  f.write(0x3000, {1});
  f.write(TableMachine::place(0x3000), {2});
  const auto look = [&] {
    f.r.run(color());
    return std::array{seen.render, seen.vertices, seen.states, seen.constants};
  };
  CHECK(look() == std::array{1u, 1u, 1u, 1u});
  f.enable(0);
  CHECK(look() == std::array{1u, 1u, 1u, 1u});
  f.enable(1u << 0 | 1u << 1);
  CHECK(look() == std::array{2u, 1u, 1u, 1u});
  f.enable(1u << 3);
  CHECK(look() == std::array{1u, 2u, 1u, 1u});
  f.enable(1u << 4);
  CHECK(look() == std::array{1u, 1u, 2u, 1u});
  CHECK(failure_count(Failure::unimplemented, "Ironlake: sampler and render cache in different tables") == 0);
  f.enable(1u << 1);
  CHECK(look() == std::array{1u, 1u, 1u, 1u});
  CHECK(failure_count(Failure::unimplemented, "Ironlake: sampler and render cache in different tables") > 0);

  SECTION("batches, whatever their security, with what they store and their constants") {
    f.enable(1u << 5);
    const uint32_t flags = GENERATE(0u, nonsecure);
    const uint32_t batch = f.user_batch(color() + store_dword(0x3004, 6) + Dwords{batch_end});
    f.r.run(start(batch, flags));
    CHECK(seen.constants == 2);
    CHECK(seen.render == 1);
    CHECK(f.read(TableMachine::place(0x3004)) == 6);
    CHECK(f.read(0x3004) == 0);
  }
  SECTION("the ring") {
    for (uint32_t at = f.r.start; at < f.r.start + f.r.bytes; at += 0x1000) f.map(at);
    f.enable(1u << 2);  // from its next command on the ring is elsewhere
    const uint32_t from = f.r.tail;
    f.write(TableMachine::place(f.r.start + from), store_dword(0x3004, 6));
    f.r.tail = from + 16;
    f.r.submit();
    CHECK(f.read(TableMachine::place(0x3004)) == 6);
  }
  SECTION("disabled again, everything is in the global table") {
    f.enable(0x3f & ~4u);
    f.r.run({mi(0x22, 1), 0x20c4, 0, noop});
    CHECK(look() == std::array{1u, 1u, 1u, 1u});
  }
}

// 2: 1.2.2.1: "This register is saved and restored per context."
TEST_CASE("Gen5 tables: the flat table's registers are part of a context") {
  Flat f;
  f.r.run(ring::set_context(0x0180'0000, ring::restore_inhibit));
  f.enable(0x21);
  f.r.run(ring::set_context(0x0180'0800, ring::restore_inhibit) + Dwords{mi(0x22, 3), 0x20c4, 0, 0x20c8, 0x3f'0000, noop});
  f.r.run(ring::set_context(0x0180'0000));
  CHECK(f.registers.read(0x20c4) == (TableMachine::table_at | 1));
  CHECK(f.registers.read(0x20c8) == 0x21);
  f.r.run(ring::set_context(0x0180'0800));
  CHECK(f.registers.read(0x20c4) == 0);
  CHECK(f.registers.read(0x20c8) == 0);
}

// 2: 5.7.1.1: the fault register says which table.
TEST_CASE("Gen5 tables: a fault of the flat table is recorded as such") {
  Flat f;
  f.enable(1u << 5);
  f.r.run(start(f.user_batch(store_dword(0x7000, 6) + Dwords{batch_end})));
  CHECK(f.registers.read(0x4094) == 0x7001);
  CHECK(f.registers.read(0x2024) == 0x10);
  CHECK(f.r.get(softgen::reg::RING_ESR) == 1u << 4);
}

TEST_CASE("Gen5 tables: a saved state keeps the directory") {
  Process f;
  f.map(0x3000);
  f.run_user(store_process(0x3000, 1));
  const uint32_t batch = f.user_batch(store_process(0x3004, 2) + Dwords{batch_end});
  TableMachine other;
  other.continue_from(f);
  const uint32_t tail = other.append(f.r.start, f.r.bytes, f.r.tail, start(batch, nonsecure));
  other.set_reg(rcs, softgen::reg::RING_TAIL, tail);
  CHECK(other.read(TableMachine::place(0x3004)) == 2);
}

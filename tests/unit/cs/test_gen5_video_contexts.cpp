// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts and tables of Ironlake's video streamer (ILK PRM vol 1 part 4, 1.1.2 and 1.1.4).
#include "tests/unit/cs/table_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::nonsecure;
using ring::start;
using ring::store_dword;

namespace {

constexpr EngineId vcs = EngineId::vcs0;
constexpr uint32_t free_at = RingMachine::free_at + 0x10'0000;
constexpr uint32_t vcs_base = 0x4000, status_buffer = 0x40, last_written = status_buffer + 60, switched = 1u << 8;
constexpr uint32_t for_semaphore = 2, for_empty_ring = 16;

/// A context as software makes it: an image, and a ring of a page.
struct VideoContext {
  TableMachine& machine;
  uint32_t image, ring, id, tail = 0;
  VideoContext(TableMachine& m, uint32_t number)
      : machine(m), image(0x0180'0000 + number * 0x4000), ring(image + 0x3000), id(number << 12) {
    const uint32_t line = TableMachine::directory_line << 16;
    machine.write(
        image,
        {mi(0x22, 0x11), vcs_base + 0x38, ring, vcs_base + 0x34, 0, vcs_base + 0x30, 0,    vcs_base + 0x3c, 1, vcs_base + 0x114, 1, 0x12390,
         line,           0x12220,         ~0u,  0x12224,         0, vcs_base + 0x38, ring, batch_end});
  }
  void emit(const Dwords& commands) {
    tail = machine.append(ring, 4096, tail, commands);
    machine.write(image + 4 * 6, {tail});
  }
  void submit(uint32_t flags = 0) {
    machine.registers.write(0x12700, image | flags | 1);
    machine.registers.write(0x12704, id);
  }
};

struct Fixture : TableMachine {
  Ring r{*this, vcs};
  Fixture() {
    set_directory(0, table_at | 1);
    registers.write(0x1229c, 0x0200'0200);
    r.set(softgen::reg::RING_CTL, 0);
  }
  uint32_t status(uint32_t slot) { return read(status_page(vcs) + status_buffer + slot * 4); }
  uint32_t last() { return read(status_page(vcs) + last_written); }
};

}  // namespace

TEST_CASE("Gen5 video contexts: one is submitted, and runs with its own table") {
  Fixture f;
  f.take_interrupts();
  f.map(0x3000);
  VideoContext c(f, 1);
  const uint32_t batch = f.user_batch(Dwords{mi(0x20, 2), 0, 0x3004, 6, batch_end});
  c.emit(store_dword(free_at, 5) + start(batch, nonsecure));
  c.submit();
  CHECK(f.read(free_at) == 5);
  CHECK(f.read(TableMachine::place(0x3004)) == 6);
  CHECK(f.registers.read(0x127c0) == (c.image | 1));
  CHECK(f.registers.read(0x127c4) == c.id);
  CHECK(f.registers.read(0x12390) == TableMachine::directory_line << 16);
  CHECK(f.take_interrupts() == switched);
  CHECK(f.last() == 0);
  CHECK(f.engine(vcs).resets > 0);  // 1.1.8.3: MFX Context Restore Inhibit
  // 1.1.4.1: "must not be written directly".
  f.registers.write(0x127c0, 0);
  CHECK(f.registers.read(0x127c0) == (c.image | 1));
}

// Table 1-1, bit 4.
TEST_CASE("Gen5 video contexts: an empty ring lets the next one in") {
  Fixture f;
  VideoContext first(f, 1), second(f, 2);
  first.emit(store_dword(free_at, 1));
  first.submit();
  f.engine(vcs).context.word = 11;
  second.emit(store_dword(free_at, 2));
  second.submit();
  CHECK(f.read(free_at) == 2);
  CHECK(f.last() == 1);
  CHECK(f.status(1) == (first.id | for_empty_ring));
  CHECK(f.engine(vcs).context.word == 0);
  // Back: HEAD and the engine's state are those it was left with.
  first.machine.write(first.image, {0x1100'0000u | 15});
  const uint32_t saved = first.tail;
  for (uint32_t at = first.image + 4; at < first.image + 0x80; at += 8)
    if (f.read(at) == vcs_base + 0x30) {
      first.tail = f.append(first.ring, 4096, saved, store_dword(free_at + 4, 3));
      f.write(at + 4, {first.tail});
    }
  first.submit();
  CHECK(f.read(free_at) == 2);
  CHECK(f.read(free_at + 4) == 3);
  CHECK(f.engine(vcs).context.word == 11);
  CHECK(f.status(2) == (second.id | for_empty_ring));
}

// 1.1.4.2: "this can only be triggered when arbitration is enabled or if the current context runs dry".
TEST_CASE("Gen5 video contexts: a context is left at an arbitration point") {
  Fixture f;
  VideoContext first(f, 1), second(f, 2);
  second.emit(store_dword(free_at + 4, 2));
  const bool arbitration = GENERATE(true, false);
  // It waits for a semaphore that is never written: a switch by table 1-1, bit 1.
  const Dwords waits{mi(0x16, 1u << 22 | 1u << 20 | 1), 5, free_at, noop};
  first.emit(arb(arbitration) + Dwords{noop} + waits + store_dword(free_at + 8, 1));
  first.submit();
  f.take_interrupts();
  second.submit();
  if (!arbitration) {
    CHECK(f.read(free_at + 4) == 0);
    return;
  }
  CHECK(f.read(free_at + 4) == 2);
  CHECK(f.status(1) == (first.id | for_semaphore));
  CHECK(f.take_interrupts() == switched);
  // It goes on where it waited.
  f.write(free_at, {6});
  first.submit();
  CHECK(f.read(free_at + 8) == 1);
}

TEST_CASE("Gen5 video contexts: MI_ARB_CHECK is an arbitration point") {
  Fixture f;
  VideoContext first(f, 1), second(f, 2);
  second.emit(store_dword(free_at + 4, 2));
  // Its own commands submit the next one, so that it is pending at the second MI_ARB_CHECK.
  const Dwords submits{mi(0x22, 3), 0x12700, second.image | 1, 0x12704, second.id, noop};
  first.emit(submits + store_dword(free_at, 1) + Dwords{arb_check, noop} + store_dword(free_at + 8, 1));
  first.submit();
  CHECK(f.read(free_at) == 1);
  CHECK(f.read(free_at + 4) == 2);
  CHECK(f.read(free_at + 8) == 0);
  CHECK(f.status(1) == first.id);
  first.submit();
  CHECK(f.read(free_at + 8) == 1);
}

// Tables 1-2 and 1-3: twelve entries, then it wraps.
TEST_CASE("Gen5 video contexts: the status buffer wraps") {
  Fixture f;
  VideoContext a(f, 1), b(f, 2);
  for (unsigned i = 0; i < 14; ++i) {
    VideoContext& c = i % 2 ? b : a;
    c.submit();
    CHECK(f.last() == i % 12);
    if (i) CHECK(f.status(i % 12) == ((i % 2 ? a : b).id | for_empty_ring));
  }
}

// Table 1-4, bit 8: "Per-Process Virtual Address Space Enable bit needs to be set for this interrupt to occur."
TEST_CASE("Gen5 video contexts: no interrupt without per-process tables") {
  Fixture f;
  f.registers.write(0x1229c, 0x0200'0000);
  f.take_interrupts();
  VideoContext c(f, 1);
  c.emit(store_dword(free_at, 5));
  c.submit();
  CHECK(f.read(free_at) == 5);
  CHECK(f.take_interrupts() == 0);
}

// 1.1.2.2, "Force PD Restore".
TEST_CASE("Gen5 video contexts: the directory is taken again where the descriptor says so") {
  Fixture f;
  VideoContext c(f, 1);
  c.submit();
  f.set_directory(0, 0x0220'0001);
  f.write(0x0220'0000 + 3 * 4, {0x0230'0001});
  f.map(0x3000);
  const uint32_t flags = GENERATE(0u, 2u);
  // A secure batch: the directory in the chip says where the store goes.
  c.emit({mi(0x20, 2), 0, 0x3004, 6});
  c.submit(flags);
  CHECK(f.read(flags ? 0x0230'0004 : TableMachine::place(0x3004)) == 6);
  CHECK(f.read(flags ? TableMachine::place(0x3004) : 0x0230'0004) == 0);
}

TEST_CASE("Gen5 video contexts: an image of nothing, and a reset") {
  Fixture f;
  f.registers.write(0x12700, 0x0190'0001);
  f.registers.write(0x12704, 0);
  VideoContext c(f, 1);
  c.emit(store_dword(free_at, 5));
  c.submit();
  CHECK(f.read(free_at) == 5);
  f.reset_engine(vcs);
  CHECK(f.registers.read(0x127c0) == 0);
  Ring again(f, vcs);
  again.run(store_dword(free_at, 6));
  CHECK(f.read(free_at) == 6);
}

TEST_CASE("Gen5 video contexts: a saved state") {
  Fixture f;
  VideoContext c(f, 1);
  c.emit(store_dword(free_at, 5));
  c.submit();
  TableMachine other;
  other.continue_from(f);
  CHECK(other.registers.read(0x127c0) == (c.image | 1));
  VideoContext next(other, 2);
  next.emit(store_dword(free_at, 6));
  next.submit();
  CHECK(other.read(free_at) == 6);
  CHECK(other.read(RingMachine::status_page(vcs) + last_written) == 1);
}

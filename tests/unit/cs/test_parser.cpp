// SPDX-License-Identifier: GPL-2.0-or-later
// The walk itself, with visitors that do not execute.
#include "hw/cs/printer.h"
#include "hw/defs/gen9/set.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;
using cs::CommandRange;
using cs::Cursor;
using cs::ParseEnd;

namespace {

constexpr auto render = defs::EngineClass::render;

struct Walker : Machine {
  memory::View view{memory, nullptr};
  std::vector<uint32_t> buffer;
  Walker() { view.set_space(memory::AddressSpace::ggtt(ggtt)); }
  cs::ParseMemory parse_memory() { return {view, view, buffer}; }
  static Cursor at(uint64_t address) {
    Cursor cursor;
    cursor.batch[0] = {.address = address, .active = true};
    return cursor;
  }
};

}  // namespace

TEST_CASE("printing follows batches and names fields") {
  Walker w;
  const uint32_t inner = w.batch(store(0x1000, 7) + Dwords{batch_end});
  const uint32_t outer = w.batch(start_batch(inner, false, true) + Dwords{user_interrupt, batch_end});
  const std::string text = cs::print_commands(Walker::at(outer), w.parse_memory(), defs::gen9::commands, render);
  CHECK(text.find("MI_BATCH_BUFFER_START (3 dwords)") != std::string::npos);
  CHECK(text.find("Second Level Batch Buffer: 1 (Second level batch)") != std::string::npos);
  CHECK(text.find("Address: 0x1000") != std::string::npos);
  CHECK(text.find("Immediate Data: 7") != std::string::npos);
  CHECK(text.find("MI_STORE_DATA_IMM") < text.find("MI_USER_INTERRUPT"));
}

TEST_CASE("printing is bounded and stops at an unknown command") {
  Walker w;
  const uint32_t loop = w.allocate(1);
  w.write(loop, Dwords{noop} + start_batch(loop));
  const std::string text =
      cs::print_commands(Walker::at(loop), w.parse_memory(), defs::gen9::commands, render, {.max_commands = 10, .fields = false});
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  const uint32_t bad = w.batch({noop, 0xdead'beef, noop});
  CHECK(cs::print_commands(Walker::at(bad), w.parse_memory(), defs::gen9::commands, render).find("unknown command 0xdeadbeef") !=
        std::string::npos);
  CHECK(cs::print_commands(Walker::at(0xf000'0000), w.parse_memory(), defs::gen9::commands, render).find("no memory") != std::string::npos);
}

TEST_CASE("ranges of commands") {
  Walker w;
  const uint32_t inner = w.batch(store(0x1000, 7) + Dwords{batch_end});
  const uint32_t outer = w.batch(Dwords{noop} + start_batch(inner, false, true) + Dwords{user_interrupt, batch_end});
  CHECK(cs::command_ranges(Walker::at(outer), w.parse_memory(), defs::gen9::commands, render) ==
        std::vector<CommandRange>{{outer, 16, false}, {inner, 20, false}, {outer + 16, 8, false}});
}

TEST_CASE("a ring is walked across its end, up to TAIL") {
  Walker w;
  const uint32_t ring = w.allocate(1);
  const Dwords command = store(0x1000, 7);
  Cursor cursor;
  cursor.ring = {.start = ring, .size = 4096, .head = 4096 - 8, .tail = 8};
  w.write(ring + 4096 - 8, {command[0], command[1]});
  w.write(ring, {command[2], command[3]});
  CHECK(cs::print_commands(cursor, w.parse_memory(), defs::gen9::commands, render).find("Immediate Data: 7") != std::string::npos);
  cursor.ring.tail = 4;
  CHECK(cs::print_commands(cursor, w.parse_memory(), defs::gen9::commands, render).empty());
}

TEST_CASE("the longest packet possible") {
  Walker w;
  const uint32_t at = w.allocate(20);
  w.write(at, mi(0x20, 0x3ff | global));  // 1025 dwords
  w.write(at + 1025 * 4, batch_end);
  CHECK(cs::command_ranges(Walker::at(at), w.parse_memory(), defs::gen9::commands, render) ==
        std::vector<CommandRange>{{at, 1026 * 4, false}});
}

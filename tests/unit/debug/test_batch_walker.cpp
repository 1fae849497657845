// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/batch_walker.h"

#include <string>
#include <vector>

#include "hw/defs/gen11/set.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::debug;

namespace {

constexpr uint32_t batch_start = 0x18800001, second_level = 1 << 22, predicated = 1 << 15, batch_end = 0x05000000, noop = 0;
constexpr uint32_t store_data_imm = 0x10000002;

/// GGTT pages 1..15 backed by the physical pages of the same number.
struct Machine : memory::test::Mapped, BatchObserver {
  std::vector<std::string> seen, problems;
  size_t limit = 1000;

  Machine() : Mapped(0x1000, 0x10000) {}
  void put(uint64_t address, std::vector<uint32_t> dwords) { memory.write(address, dwords.data(), dwords.size() * 4); }
  void packet(const WalkedPacket& packet) override {
    if (seen.size() < limit)
      seen.push_back(std::to_string(packet.address) + " " + (packet.command ? packet.command->name : "?") + " " +
                     std::to_string(static_cast<int>(packet.level)) + (packet.position ? " pocs" : ""));
  }
  void problem(uint64_t address, const std::string& what) override { problems.push_back(std::to_string(address) + " " + what); }
  BatchWalker walker(BatchWalker::Limits limits = {}, const defs::CommandSet& commands = defs::gen9::commands) {
    return {commands, defs::EngineClass::render, view, nullptr, *this, limits};
  }
};

}  // namespace

TEST_CASE("a ring that calls a batch continues after it") {
  Machine m;
  m.put(0x1000, {batch_start, 0x2000, 0, noop, noop});
  m.put(0x2000, {noop, batch_end, noop});
  m.walker().ring(0x1000, 4096, 0, 16);
  CHECK(m.seen ==
        std::vector<std::string>{"4096 MI_BATCH_BUFFER_START 0", "8192 MI_NOOP 1", "8196 MI_BATCH_BUFFER_END 1", "4108 MI_NOOP 0"});
  CHECK(m.problems.empty());
}

TEST_CASE("a batch of the position-only streamer is looked into, and the walk comes back to RCS's commands") {
  constexpr uint32_t posh_start = 1 << 21;
  Machine m;
  m.put(0x1000, {batch_start, 0x2000, 0, noop});
  m.put(0x2000, {batch_start | posh_start | predicated, 0x3000, 0, noop, batch_end});
  m.put(0x3000, {store_data_imm, 0, 0, 0, batch_end});
  m.walker({}, defs::gen11::commands).ring(0x1000, 4096, 0, 16);
  CHECK(m.seen == std::vector<std::string>{"4096 MI_BATCH_BUFFER_START 0", "8192 MI_BATCH_BUFFER_START 1", "12288 MI_STORE_DATA_IMM 2 pocs",
                                           "12304 MI_BATCH_BUFFER_END 2 pocs", "8204 MI_NOOP 1", "8208 MI_BATCH_BUFFER_END 1",
                                           "4108 MI_NOOP 0"});
  CHECK(m.problems.empty());
}

TEST_CASE("a ring wraps") {
  Machine m;
  m.put(0x1ff8, {noop, noop});
  m.walker().ring(0x1000, 4096, 0xff8, 8);
  CHECK(m.seen == std::vector<std::string>{"8184 MI_NOOP 0", "8188 MI_NOOP 0", "4096 MI_NOOP 0", "4100 MI_NOOP 0"});
}

TEST_CASE("second level returns, first level jumps, predicated starts are not followed") {
  Machine m;
  m.put(0x1000, {batch_start | second_level, 0x2000, 0, batch_start | predicated, 0x5000, 0, batch_start, 0x3000, 0, noop});
  m.put(0x2000, {batch_end});
  m.put(0x3000, {batch_end});
  m.walker().batch(0x1000, false);
  CHECK(m.seen == std::vector<std::string>{"4096 MI_BATCH_BUFFER_START 1", "8192 MI_BATCH_BUFFER_END 2", "4108 MI_BATCH_BUFFER_START 1",
                                           "4120 MI_BATCH_BUFFER_START 1", "12288 MI_BATCH_BUFFER_END 1"});
}

TEST_CASE("a batch that jumps to itself ends with a problem") {
  Machine m;
  m.put(0x1000, {batch_start, 0x1000, 0});
  m.walker({.packets = 10}).batch(0x1000, false);
  REQUIRE(m.problems.size() == 1);
  CHECK(m.seen.size() == 10);
}

TEST_CASE("two batches that call each other end too") {
  Machine m;
  m.put(0x1000, {batch_start | second_level, 0x2000, 0});
  m.put(0x2000, {batch_start | second_level, 0x1000, 0});
  m.walker({.packets = 500}).batch(0x1000, false);
  CHECK(m.problems.size() == 1);
}

TEST_CASE("unmapped commands, and packets that end in unmapped memory, are problems") {
  Machine m;
  m.walker().batch(0x100000, false);
  CHECK(m.problems == std::vector<std::string>{"1048576 command in unmapped memory"});
  m.put(0xfffc, {store_data_imm});
  m.walker().batch(0xfffc, false);
  REQUIRE(m.problems.size() == 2);
  CHECK(m.problems[1] == "65532 command in unmapped memory");
  CHECK(m.seen.empty());
}

TEST_CASE("a packet may not be longer than the rest of the ring") {
  Machine m;
  m.put(0x1000, {store_data_imm});
  m.walker().ring(0x1000, 4096, 0, 8);
  CHECK(m.problems == std::vector<std::string>{"4096 the command 0x10000002 is longer than what is left of the ring"});
}

TEST_CASE("commands outside memory") {
  Machine m;
  const uint32_t good[] = {noop, batch_end}, cut[] = {noop, store_data_imm, 0};
  m.walker().commands(good);
  CHECK(m.seen.size() == 2);
  m.walker().commands(cut);
  CHECK(m.problems.size() == 1);
}

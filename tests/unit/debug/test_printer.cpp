// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/printer.h"

#include <random>

#include "hw/defs/gen11/set.h"
#include "hw/defs/gen12/set.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::debug;

namespace {

WalkedPacket packet_of(std::span<const uint32_t> dwords, uint64_t address = 0x1000) {
  return {address, BatchLevel::first, true, defs::gen9::commands.find(defs::EngineClass::render, dwords[0]), dwords};
}

}  // namespace

TEST_CASE("fields by type: bool, enum, address, fixed, groups") {
  defs::gen9::PIPE_CONTROL flush;
  flush.command_streamer_stall_enable = true;
  flush.post_sync_operation = defs::gen9::PIPE_CONTROL::PostSyncOperation::WRITE_TIMESTAMP;
  flush.address = 0xfffe'0000'1238;
  const Json node = packet_json(packet_of(flush.pack()), softgen::defs::gen9::registers);
  CHECK(node["command"] == "PIPE_CONTROL");
  CHECK(node["fields"]["Command Streamer Stall Enable"] == true);
  CHECK(node["fields"]["Post Sync Operation"]["name"] == "Write Timestamp");
  CHECK(node["fields"]["Address"] == "0xfffe00001238");

  const uint32_t imm[] = {0x11000003, 0x7034, 0x60000060, 0x2580, 0x10001};
  const Json lri = packet_json(packet_of(imm), softgen::defs::gen9::registers);
  CHECK(lri["fields"]["repeat"].size() == 2);
  CHECK(lri["fields"]["repeat"][1]["Data DWord"] == 0x10001);
  CHECK(lri["registers"][0]["offset"] == "0x7034");
}

TEST_CASE("an unknown command is printed as such, also with colours") {
  const uint32_t dwords[] = {0x7f000000, 0};
  const Json node = packet_json(packet_of(dwords), softgen::defs::gen9::registers);
  CHECK(node["command"].is_null());
  CHECK(node_text(node, false) == "0x00001000  unknown command 0x7f000000\n");
  CHECK(node_text(node, true).find("\x1b[") != std::string::npos);
}

TEST_CASE("a blend state pointer leads to blend state under the dynamic base") {
  memory::SparseMemory memory(1 << 22);
  memory::Ggtt ggtt;
  for (uint64_t page = 1; page < 8; page++) ggtt.set_pte(page, page << 12 | 1);
  memory::View view(memory, nullptr);
  view.set_space(memory::AddressSpace::ggtt(ggtt));
  ContextState state;
  FollowOptions options{.platform = defs::find_platform("kbl")};
  std::vector<Json> nodes;
  PacketPrinter printer(&view, state, options, [&](Json node) { nodes.push_back(std::move(node)); });

  defs::gen9::STATE_BASE_ADDRESS bases;
  bases.dynamic_state_base_address = 0x2000;
  bases.dynamic_state_base_address_modify_enable = true;
  bases.surface_state_base_address = 0x5000;  // not modified
  printer.packet(packet_of(bases.pack()));
  CHECK(state.dynamic == 0x2000);
  CHECK(state.surface == 0);

  const uint32_t blend[] = {0x80000000, 0, 0xb};
  memory.write(0x2040, blend, sizeof blend);
  const uint32_t pointer[] = {0x78240000, 0x41};
  printer.packet(packet_of(pointer));
  REQUIRE(nodes.size() == 2);
  const Json target = nodes[1]["points_to"][0];
  CHECK(target["address"] == "0x00002040");
  CHECK(target["fields"]["Alpha To Coverage Enable"] == true);
  CHECK(target["fields"]["Entry"].size() == 8);

  const uint32_t nowhere[] = {0x78240000, 0x80000041};
  printer.packet(packet_of(nowhere));
  CHECK(nodes[2]["points_to"][0]["problem"] == "0x80002040 is not mapped");
}

TEST_CASE("gen12: 3DSTATE_CONSTANT_ALL leads to the ranges of its mask") {
  memory::test::Mapped mapped(0, 0x10000);
  ContextState state;
  state.dynamic = 0x4000;
  FollowOptions options{.platform = defs::find_platform("tgl")};
  std::vector<Json> nodes;
  PacketPrinter printer(&mapped.view, state, options, [&](Json node) { nodes.push_back(std::move(node)); });
  // Stages VS and PS; ranges 0 and 3, of which the last one is empty.
  const std::vector<uint32_t> dwords{0x786d0004 | 0b10001u << 8, 0b1001u << 16, 0x1000 | 3, 0, 0x2000, 0};
  printer.packet({0x1000, BatchLevel::first, true, defs::gen12::commands.find("3DSTATE_CONSTANT_ALL"), dwords});
  REQUIRE(nodes.size() == 1);
  REQUIRE(nodes[0]["points_to"].size() == 1);
  const Json range = nodes[0]["points_to"][0];
  CHECK((range["what"] == "VS PS constant buffer 0" && range["data"] == "0x00005000" && range["bytes"] == 96));
}

namespace {

/// Bits of all kinds: any pointer, pointers into the first 32 KiB, and few bits, so that counts and enables come on and off.
uint32_t random_dword(std::mt19937& random) {
  switch (random() % 3) {
    case 0: return random();
    case 1: return random() & 0x7fff;
    default: return random() & random() & random();
  }
}

}  // namespace

// A field's name that the packet's set does not have throws: this checks the names in StateFollower and ContextState against all sets.
TEST_CASE("random packets of every set print without harm") {
  memory::test::Mapped mapped(0, 0x10000);
  std::mt19937 random(11);
  std::vector<uint32_t> state_bytes(0x10000 / 4);
  for (const defs::CommandSet* set : {&defs::gen9::commands, &defs::gen11::commands, &defs::gen12::commands}) {
    defs::Platform platform = *defs::find_platform("kbl");
    platform.commands = set;
    FollowOptions options{.platform = &platform};
    ContextState state;
    for (int round = 0; round < 12; round++) {
      for (uint32_t& dword : state_bytes) dword = random_dword(random);
      mapped.memory.write(0, state_bytes.data(), state_bytes.size() * 4);
      PacketPrinter printer(&mapped.view, state, options, [](const Json& node) { node_text(node, true); });
      for (const defs::Command& command : set->commands) {
        for (unsigned length : {1u, 2u, unsigned{command.dwords}, command.dwords + 40u}) {
          INFO(set->name << " " << command.name << ", " << length << " dwords, round " << round);
          std::vector<uint32_t> dwords(length);
          for (uint32_t& dword : dwords) dword = random_dword(random);
          dwords[0] = command.match | (random() & ~command.mask);
          CHECK_NOTHROW(printer.packet({0x1000, BatchLevel::first, true, &command, dwords}));
          state.surface &= 0xffff, state.dynamic &= 0xffff, state.instruction &= 0xffff;
        }
      }
    }
  }
}

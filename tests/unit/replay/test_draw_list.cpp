// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of softgen-replay --list, of packets from the captures gl_tri and gl_csonly; by the names that both sets have.
#include "hw/replay/draw_list.h"

#include "hw/defs/gen11/set.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;

namespace {

/// Lines of a draw and a walker, behind their addresses.
std::vector<std::string> lines(const defs::CommandSet& set, uint32_t header_bits = 0) {
  constexpr uint32_t table = 0x1040, target = 0x1080;
  const uint32_t surface[] = {0x331df03f, 0x04000010, 0x003f003f, 0x000000ff, 0x00000000, 0x00000f00, 0x00400005, 0x09770000,
                              0xffc00000, 0xfffffffe, 0xffc04000, 0xfffffffe, 0x3e008081, 0x3e808081, 0x3f008081, 0x3f800000};
  memory::test::Mapped mapped{0x1000};
  mapped.view.write(target, surface, sizeof surface);
  mapped.view.store(table, target);
  mapped.view.store(table + 4, 0x1001u);  // not a surface state's address: the targets end here
  debug::ContextState state;
  std::vector<std::string> seen;
  replay::DrawList list(set, mapped.view, state, 0, [&](const std::string& line) { seen.push_back(line.substr(line.find("  ", 12) + 2)); });
  const auto packet = [&](std::vector<uint32_t> dwords) {
    list.packet({0x10000000, debug::BatchLevel::first, true, set.find(defs::EngineClass::render, dwords[0]), dwords});
  };
  packet({0x784b0000, 4});
  packet({0x782a0000, table});
  packet({0x7b000005 | header_bits, 0, 3, 0, 1, 0, 0});
  packet({0x7105000d | header_bits, 0, 0, 0, 0x40000003, 0, 0, 0x40, 0, 0, 1, 0, 1, 0xffff, 0xffffffff});
  CHECK(list.draws() == 1);
  CHECK(list.walkers() == 1);
  CHECK(list.problems() == 0);
  return seen;
}

}  // namespace

TEST_CASE("a draw says its topology, amount and targets, a walker its width and groups") {
  for (const defs::CommandSet* set : {&defs::gen9::commands, &defs::gen11::commands}) {
    INFO(set->name);
    CHECK(lines(*set) == std::vector<std::string>{
                             "3DPRIMITIVE 3DPRIM_TRILIST 3 vertices, 1 instances surfaces 0xfffeffc00000 64x64 R8G8B8A8_UNORM",
                             "GPGPU_WALKER SIMD16 groups 64x1x1",
                         });
    constexpr uint32_t indirect = 1u << 10;
    CHECK(lines(*set, indirect) == std::vector<std::string>{
                                       "3DPRIMITIVE 3DPRIM_TRILIST indirect surfaces 0xfffeffc00000 64x64 R8G8B8A8_UNORM",
                                       "GPGPU_WALKER SIMD16 groups indirect",
                                   });
  }
}

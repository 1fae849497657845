// SPDX-License-Identifier: GPL-2.0-or-later
#include <random>

#include "hw/base/log.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/state_store.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using defs::CommandId;
using render::StateStore;

namespace {

bool put(StateStore& store, std::vector<uint32_t> dwords) {
  const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::render, dwords[0]);
  REQUIRE(command);
  return store.accept({0x1000, command, dwords});
}

std::vector<uint32_t> get(const StateStore& store, CommandId id, unsigned index = 0) {
  const auto packet = store.packet(id, index);
  return {packet.begin(), packet.end()};
}

}  // namespace

TEST_CASE("the last packet of a state command is kept, an action is not") {
  StateStore store{defs::gen9::commands};
  CHECK(store.packet(CommandId::_3DSTATE_WM).empty());
  CHECK(put(store, {0x78140000, 5}));
  CHECK(put(store, {0x78140000, 7}));
  CHECK(get(store, CommandId::_3DSTATE_WM) == std::vector<uint32_t>{0x78140000, 7});
  CHECK_FALSE(put(store, {0x7b000005, 0, 0, 0, 0, 0, 0}));
}

TEST_CASE("vertex buffers are merged by index, and keep their address without Address Modify Enable") {
  StateStore store{defs::gen9::commands};
  CHECK(put(store, {0x78080003, 2u << 26 | 1u << 14 | 16, 0x1000, 0, 64}));
  CHECK(put(store, {0x78080003, 2u << 26 | 32, 0x2000, 0, 128}));
  const auto all = get(store, CommandId::_3DSTATE_VERTEX_BUFFERS);
  REQUIRE(all.size() == 1 + 33 * 4);
  CHECK(std::vector(all.begin() + 9, all.begin() + 13) == std::vector<uint32_t>{2u << 26 | 32, 0x1000, 0, 128});
  CHECK((all[1] >> 13 & 1) == 1);
}

TEST_CASE("packets for different elements do not replace each other") {
  StateStore store{defs::gen9::commands};
  for (uint32_t i = 0; i < 4; ++i) CHECK(put(store, {0x79180006, i << 29, i, 0, 0, 0, 0, 0}));
  for (uint32_t i = 0; i < 4; ++i) CHECK(get(store, CommandId::_3DSTATE_SO_BUFFER, i)[2] == i);
  CHECK(put(store, {0x78490001, 63, 0}));  // element 63 of 34: dropped
  CHECK(store.packet(CommandId::_3DSTATE_VF_INSTANCING, 33).empty());
}

TEST_CASE("STATE_BASE_ADDRESS changes the bases whose modify bits are set") {
  StateStore store{defs::gen9::commands};
  std::vector<uint32_t> first(19), second(19);
  first[0] = second[0] = 0x61010011;
  for (uint32_t i = 1; i < 19; ++i) first[i] = i << 12 | 1;
  second[4] = 0xabc001;
  second[6] = 0xdef000;
  put(store, first);
  put(store, second);
  const auto merged = get(store, CommandId::STATE_BASE_ADDRESS);
  CHECK(merged[4] == 0xabc001);
  CHECK(merged[5] == 0);
  CHECK(merged[6] == first[6]);
  CHECK(merged[18] == first[18]);
}

TEST_CASE("PIPELINE_SELECT obeys its mask") {
  StateStore store{defs::gen9::commands};
  put(store, {0x69040302});
  CHECK((get(store, CommandId::PIPELINE_SELECT)[0] & 3) == 2);
  put(store, {0x69040001});
  CHECK((get(store, CommandId::PIPELINE_SELECT)[0] & 3) == 2);
}

TEST_CASE("a saved context is restored, and a damaged one is harmless") {
  StateStore store{defs::gen9::commands}, other{defs::gen9::commands};
  put(store, {0x78140000, 5});
  put(store, {0x78100007, 1, 2, 3, 4, 5, 6, 7, 8});
  std::vector<std::byte> image(store.saved_size());
  store.save(image);
  other.restore(image);
  CHECK(get(other, CommandId::_3DSTATE_VS) == get(store, CommandId::_3DSTATE_VS));
  // The RCS image has 20 pages after the register state (i915 gt/intel_lrc.c, GEN9_LR_CONTEXT_RENDER_SIZE).
  CHECK(image.size() < 20 * 4096);

  const unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  quiet_log();
  for (std::byte& b : image) b = static_cast<std::byte>(random());
  other.restore(image);
  for (const defs::Command& command : defs::gen9::commands.commands)
    for (unsigned index = 0; index < 34; ++index) CHECK(other.packet(command.id, index).size() <= 257 + 3);
}

TEST_CASE("a palette that is loaded in part keeps its other entries") {
  StateStore store{defs::gen9::commands};
  CHECK(put(store, {0x79020002, 1, 2, 3}));
  CHECK(put(store, {0x79020000, 7}));
  const auto palette = get(store, CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0);
  CHECK(std::vector(palette.begin() + 1, palette.end()) == std::vector<uint32_t>{7, 2, 3});
}

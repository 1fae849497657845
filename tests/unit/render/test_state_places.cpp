// SPDX-License-Identifier: GPL-2.0-or-later
// The state packets that Ice Lake's context images have places for (hw/defs/gen11/context.def): to the image and back.
#include "hw/defs/context.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen11/set.h"
#include "hw/defs/ids.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/mmio/register_file.h"
#include "hw/render/render_engine.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using defs::CommandId;
using render::StateStore;

namespace {

using Dwords = std::vector<uint32_t>;

const defs::CommandSet& commands = defs::gen11::commands;

const defs::ContextLayout& layout(EngineId id) { return defs::gen11::context_images.of(id); }

Packet packet_of(std::span<const uint32_t> dwords) {
  const defs::Command* command = commands.find(defs::EngineClass::render, dwords[0]);
  REQUIRE(command);
  return {0x1000, command, dwords};
}

/// How many packets a command keeps, and the bits that name one.
struct Elements {
  uint32_t count = 1, shift = 0;
};
Elements elements_of(CommandId id) {
  switch (id) {
    case CommandId::_3DSTATE_VF_INSTANCING: return {34, 0};
    case CommandId::_3DSTATE_SO_BUFFER: return {4, 29};
    case CommandId::_3DSTATE_CHROMA_KEY: return {4, 30};
    default: return {};
  }
}

/// Of the most dwords that the place has room for, each another value.
Dwords pattern(const defs::Command& command, const defs::ContextPacket& place, uint32_t element) {
  const Elements elements = elements_of(command.id);
  Dwords packet(command.variable ? place.dwords : command.dwords);
  for (uint32_t i = 1; i < packet.size(); ++i) packet[i] = place.first << 12 | element << 6 | (i & 63);
  packet[0] = command.match | (command.length_high ? static_cast<uint32_t>(packet.size() - 2) << command.length_low : 0);
  if (elements.count > 1) packet[1] = (packet[1] & 0x1fff'ff00) | element << elements.shift;
  if (command.id == CommandId::_3DSTATE_VERTEX_BUFFERS)
    for (uint32_t i = 0; i < 33; ++i) packet[1 + 4 * i] = i << 26 | 1u << 14 | i;
  if (command.id == CommandId::STATE_BASE_ADDRESS)
    for (uint32_t i = 1; i < packet.size(); ++i) packet[i] |= 1;  // Modify Enable
  if (command.id == CommandId::PIPELINE_SELECT) packet[0] |= 0x302;
  return packet;
}

const defs::Command& command_of(CommandId id) { return *std::ranges::find(commands.commands, id, &defs::Command::id); }

/// A store with every packet of these places.
StateStore full(const defs::ContextLayout& layout) {
  StateStore store(commands);
  store.place(layout.packets);
  for (const defs::ContextPacket& place : layout.packets)
    for (uint32_t i = 0; i < elements_of(place.command).count; ++i)
      REQUIRE(store.accept(packet_of(pattern(command_of(place.command), place, i))));
  return store;
}

Dwords page_of(const StateStore& store, const defs::ContextLayout& layout) {
  Dwords page(layout.list_dwords);
  store.save_packets(page);
  return page;
}

/// As a restore walks through an image.
void restore(StateStore& store, const defs::ContextLayout& layout, std::span<const uint32_t> page) {
  store.reset();
  for (const defs::ContextPacket& place : layout.packets) {
    size_t at = place.first;
    const size_t end = at + place.dwords;
    while (at < end) {
      if (page[at] == 0) {
        ++at;
        continue;
      }
      const size_t length = defs::command_length(commands.find(defs::EngineClass::render, page[at]), page[at]);
      store.restore_packet(packet_of(page.subspan(at, length)));
      at += length;
    }
    CHECK(at == end);
  }
}

Dwords get(const StateStore& store, CommandId id, unsigned index = 0) {
  const auto packet = store.packet(id, index);
  return {packet.begin(), packet.end()};
}

}  // namespace

TEST_CASE("every state packet of a context image comes back from its place") {
  const defs::ContextLayout& layout = ::layout(GENERATE(EngineId::rcs, EngineId::pocs));
  const StateStore store = full(layout);
  const Dwords page = page_of(store, layout);
  StateStore other(commands);
  other.place(layout.packets);
  restore(other, layout, page);
  CHECK(page_of(other, layout) == page);
  for (const defs::ContextPacket& place : layout.packets) {
    CAPTURE(command_of(place.command).name);
    CHECK((page[place.first] & command_of(place.command).mask) == command_of(place.command).match);
    for (uint32_t i = 0; i < elements_of(place.command).count; ++i) {
      const Dwords packet = pattern(command_of(place.command), place, i);
      CHECK(get(other, place.command, i) == packet);
      CHECK(get(store, place.command, i) == packet);
    }
  }
}

TEST_CASE("the places hold all state that a context's own block does not") {
  StateStore store(commands);
  store.place(layout(EngineId::rcs).packets);
  // 3DSTATE_PTBR_*_BASE_ADDRESS of the render engine, which records nothing, and 3DSTATE_URB_CLEAR; each with its length.
  CHECK(store.saved_size() == (3 * (1 + 3) + (1 + 2)) * 4 + 4 * 8);
  const Dwords clear = {0x791d'0000, 5};
  store.accept(packet_of(clear));
  std::vector<std::byte> block(store.saved_size());
  store.save(block);
  StateStore other(commands);
  other.place(layout(EngineId::rcs).packets);
  other.restore(block);
  CHECK(get(other, CommandId::_3DSTATE_URB_CLEAR) == clear);
}

TEST_CASE("packets that say a part of their state are whole in an image") {
  const defs::ContextLayout& layout = ::layout(EngineId::rcs);
  StateStore store(commands), other(commands);
  store.place(layout.packets), other.place(layout.packets);
  const auto put = [&](const Dwords& packet) { REQUIRE(store.accept(packet_of(packet))); };
  put({0x7808'0003, 2u << 26 | 1u << 14 | 16, 0x1000, 0, 64});
  put({0x7808'0003, 2u << 26 | 32, 0x2000, 0, 128});  // the address stays
  put({0x6904'0302}), put({0x6904'0001});             // the second one's mask bits are zero
  put({0x7902'0002, 1, 2, 3}), put({0x7902'0000, 7});
  put({0x7849'0001, 5 | 1u << 8, 9});
  Dwords base(22);
  base[0] = 0x6101'0014, base[19] = 0x5001, base[21] = 0x6000;
  put(base);
  base[19] = 0x7000;
  put(base);
  restore(other, layout, page_of(store, layout));
  const Dwords buffers = get(other, CommandId::_3DSTATE_VERTEX_BUFFERS);
  CHECK(Dwords(buffers.begin() + 9, buffers.begin() + 13) == Dwords{2u << 26 | 1u << 14 | 32, 0x1000, 0, 128});
  CHECK((get(other, CommandId::PIPELINE_SELECT)[0] & 3) == 2);
  const Dwords palette = get(other, CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0);
  CHECK(palette == Dwords{0x7902'0002, 7, 2, 3});
  CHECK(get(other, CommandId::_3DSTATE_VF_INSTANCING, 5) == Dwords{0x7849'0001, 5 | 1u << 8, 9});
  CHECK(get(other, CommandId::_3DSTATE_VF_INSTANCING, 6) == Dwords{0x7849'0001, 6, 0});
  CHECK(get(other, CommandId::STATE_BASE_ADDRESS)[19] == 0x5001);  // bindless samplers, Gen11's
  CHECK(get(other, CommandId::_3DSTATE_CLIP).empty());
}

TEST_CASE("a packet of an image starts nothing") {
  memory::test::Mapped memory(0x1000, 0x2000);
  mmio::RegisterFile registers{defs::gen11::registers};
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = memory.view, .ggtt = memory.view, .registers = registers, .stop = stop};
  render::RenderEngine engine(commands, render::make_state_decoder<defs::Gen11>(), eu::gen11_isa());
  engine.place_packets(layout(EngineId::rcs).packets);
  registers.poke(reg::SO_WRITE_OFFSET(0), 0x40);
  // Stream Offset Write Enable, and an offset.
  const Dwords buffer = {0x7918'0006, 1u << 31 | 1u << 21, 0, 0, 0, 0, 0, 0x80};
  engine.reset_context();
  engine.restore_packet(packet_of(buffer));
  CHECK(registers.peek(reg::SO_WRITE_OFFSET(0)) == 0x40);
  CHECK(get(engine.state(), CommandId::_3DSTATE_SO_BUFFER) == buffer);
  CHECK(engine.execute(packet_of(buffer), env) == ExecResult::done);
  CHECK(registers.peek(reg::SO_WRITE_OFFSET(0)) == 0x80);
}

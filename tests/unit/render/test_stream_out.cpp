// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"
#include "hw/defs/gen9/set.h"
#include "hw/mmio/register_file.h"
#include "hw/render/stream_out.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr uint32_t buffer = 0x10000, offsets = 0x20000;

struct Fixture : memory::test::Mapped {
  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  StateStore store{defs::gen9::commands};
  State state;
  std::array<uint32_t, 16> dwords[3];
  std::vector<Vertex> vertices;

  Fixture() : Mapped({buffer, offsets}) {
    for (uint32_t v = 0; v < 3; ++v) {
      for (uint32_t i = 0; i < 16; ++i) dwords[v][i] = 100 * (v + 1) + i;
      vertices.push_back({0, Vue(dwords[v])});
    }
  }
  void put(std::vector<uint32_t> dw) {
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::render, dw[0]);
    REQUIRE(command);
    REQUIRE(store.accept({0, command, dw}));
    state.refresh(store);
  }
  /// Buffer 0 with `size` bytes; stream 0 writes slot 1's x and y, a hole of one, slot 2's z.
  void set_up(uint32_t size, uint32_t pitch, uint32_t flags = 0) {
    put({0x79180006, 1u << 31 | flags, buffer, 0, size / 4 - 1, offsets, 0, 0xffffffff});
    put({0x781e0003, 1u << 31 | 1u << 25 | flags_streamout, 1, pitch, 0});
    put({0x79170000 | 7, 1, 3, 1u << 4 | 3, 0, 1u << 11 | 1, 0, 2u << 4 | 4, 0});
  }
  uint32_t flags_streamout = 0;
  static Object triangle(bool reversed = false) {
    Object o{};
    o.vertices = {0, 1, 2};
    o.count = 3;
    o.reversed = reversed;
    return o;
  }
  std::vector<uint32_t> memory_dwords(size_t count) {
    std::vector<uint32_t> result(count);
    view.read(buffer, result.data(), count * 4);
    return result;
  }
};

}  // namespace

TEST_CASE("declared components are written consecutively, holes leave memory unchanged") {
  Fixture t;
  t.view.fill(buffer, 0xee, 64);
  t.set_up(64, 16);
  Object object = Fixture::triangle();
  StreamOut so(t.state, t.registers, t.view);
  so.write({ObjectType::triangle, t.vertices, {&object, 1}});
  so.finish();
  const uint32_t hole = 0xeeeeeeee;
  CHECK(t.memory_dwords(13) == std::vector<uint32_t>{104, 105, hole, 110, 204, 205, hole, 210, 304, 305, hole, 310, hole});
  CHECK(t.registers.peek(reg::SO_WRITE_OFFSET(0)) == 48);
  CHECK(t.registers.peek64(reg::SO_NUM_PRIMS_WRITTEN(0)) == 1);
  CHECK(t.registers.peek64(reg::SO_PRIM_STORAGE_NEEDED(0)) == 1);
}

TEST_CASE("an object is written as a whole or not at all; storage needed goes on counting") {
  Fixture t;
  t.set_up(48 + 32, 16);
  std::array objects = {Fixture::triangle(), Fixture::triangle()};
  StreamOut so(t.state, t.registers, t.view);
  so.write({ObjectType::triangle, t.vertices, objects});
  so.finish();
  CHECK(t.memory_dwords(13)[12] == 0);
  CHECK(t.registers.peek64(reg::SO_NUM_PRIMS_WRITTEN(0)) == 1);
  CHECK(t.registers.peek64(reg::SO_PRIM_STORAGE_NEEDED(0)) == 2);
}

TEST_CASE("odd triangles of a strip are rotated by the reorder mode") {
  for (const bool trailing : {false, true}) {
    Fixture t;
    t.flags_streamout = trailing ? 1u << 26 : 0;
    t.set_up(64, 16);
    Object object = Fixture::triangle(true);
    StreamOut so(t.state, t.registers, t.view);
    so.write({ObjectType::triangle, t.vertices, {&object, 1}});
    const auto written = t.memory_dwords(9);
    CHECK(written[0] == (trailing ? 204u : 104u));
    CHECK(written[4] == (trailing ? 104u : 304u));
    CHECK(written[8] == (trailing ? 304u : 204u));
  }
}

TEST_CASE("offsets are loaded from memory and saved at the end of a draw") {
  Fixture t;
  constexpr uint32_t offset_write = 1u << 21, offset_address = 1u << 20;
  t.view.store<uint32_t>(offsets, 16);
  t.set_up(128, 16, offset_write | offset_address);
  const Packet packet{0, gen9::commands.find("3DSTATE_SO_BUFFER"), t.store.packet(defs::CommandId::_3DSTATE_SO_BUFFER)};
  load_stream_offset(t.state.decoder->stream_offset(packet), t.registers, t.view);
  CHECK(t.registers.peek(reg::SO_WRITE_OFFSET(0)) == 16);
  Object object = Fixture::triangle();
  StreamOut so(t.state, t.registers, t.view);
  so.write({ObjectType::triangle, t.vertices, {&object, 1}});
  so.finish();
  CHECK(t.view.load<uint32_t>(offsets) == 64);
  CHECK(t.memory_dwords(5)[4] == 104);
}

TEST_CASE("only the selected stream is rendered while the stage is on") {
  Fixture t;
  t.flags_streamout = 2u << 27;
  t.set_up(64, 16);
  CHECK_FALSE(StreamOut(t.state, t.registers, t.view).renders(0));
  CHECK(StreamOut(t.state, t.registers, t.view).renders(2));
  t.put({0x781e0003, 1u << 30, 0, 0, 0});  // Rendering Disable counts without it, too
  CHECK_FALSE(StreamOut(t.state, t.registers, t.view).renders(0));
}

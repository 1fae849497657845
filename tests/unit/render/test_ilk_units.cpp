// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of Ironlake's pipeline by themselves: what is kept of packets, the URB, the windowizer's table, the clipper's tests, payloads.
#include <array>
#include <cstring>
#include <random>
#include <string_view>

#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/render/ilk/clip_test.h"
#include "hw/render/ilk/depth_case.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/state_reader.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::ilk;
namespace gen5 = defs::gen5;

namespace {

template <typename P>
void keep(StateStore& store, const P& packet) {
  const auto dwords = packet.pack();
  REQUIRE(store.accept({0, gen5::commands.find(defs::EngineClass::render, dwords[0]), dwords}));
}

gen5::URB_FENCE fences(uint32_t vs, uint32_t gs, uint32_t clip, uint32_t sf, uint32_t vfe, uint32_t cs) {
  gen5::URB_FENCE f;
  f.vs_fence = vs, f.gs_fence = gs, f.clip_fence = clip, f.sf_fence = sf, f.vfe_fence = vfe, f.cs_fence = cs;
  return f;
}

Grf numbered(uint32_t first) {
  Grf reg;
  for (uint32_t i = 0; i < 8; ++i) reg.dw[i] = first + i;
  return reg;
}

}  // namespace

TEST_CASE("Ironlake's store: fences of units that are reallocated, bases that are modified, vertex buffers by index", "[ilk]") {
  StateStore store(gen5::commands);
  auto fence = fences(256, 256, 300, 700, 700, 732);
  fence.vs_unit_urb_reallocation_request = fence.gs_unit_urb_reallocation_request = fence.clip_unit_urb_reallocation_request = true;
  fence.sf_unit_urb_reallocation_request = fence.vfe_unit_urb_reallocation_request = fence.cs_unit_urb_reallocation_request = true;
  keep(store, fence);
  auto other = fences(1, 2, 3, 4, 5, 1000);
  other.cs_unit_urb_reallocation_request = true;
  keep(store, other);
  const UrbRegions urb = read_urb(store);
  CHECK((urb.vs.first == 0 && urb.vs.rows == 256));
  CHECK((urb.gs.first == 256 && urb.gs.rows == 0));
  CHECK((urb.clip.first == 256 && urb.clip.rows == 44));
  CHECK((urb.sf.first == 300 && urb.sf.rows == 400));
  CHECK((urb.cs.first == 700 && urb.cs.rows == 300));

  gen5::STATE_BASE_ADDRESS bases;
  bases.general_state_base_address = 0x1000, bases.surface_state_base_address = 0x2000, bases.instruction_base_address = 0x3000;
  bases.general_state_base_address_modify_enable = bases.surface_state_base_address_modify_enable = true;
  keep(store, bases);
  bases.surface_state_base_address = 0x5000, bases.general_state_base_address_modify_enable = false;
  bases.instruction_base_address_modify_enable = true;
  keep(store, bases);
  const ShaderBases read = read_bases(store);
  CHECK(read.general_state == 0x1000);
  CHECK(read.surface_state == 0x5000);
  CHECK(read.instruction == 0x3000);

  const auto buffer = [](uint32_t index, uint32_t address) {
    gen5::VERTEX_BUFFER_STATE b;
    b.vertex_buffer_index = index, b.buffer_starting_address = address, b.end_address = address + 0xff, b.buffer_pitch = 16;
    return b.pack();
  };
  for (const auto& [index, address] : {std::pair{3u, 0x100u}, {0u, 0x200u}, {16u, 0x300u}}) {
    std::vector<uint32_t> packet{0x78080003};
    for (const uint32_t dw : buffer(index, address)) packet.push_back(dw);
    REQUIRE(store.accept({0, gen5::commands.find("3DSTATE_VERTEX_BUFFERS"), packet}));
  }
  const auto kept = store.packet(defs::CommandId::_3DSTATE_VERTEX_BUFFERS);
  REQUIRE(kept.size() == 1 + 17 * 4);
  const auto at = [&](unsigned i) { return gen5::VERTEX_BUFFER_STATE::unpack(kept.subspan(1 + 4 * i, 4)); };
  CHECK(at(3).buffer_starting_address == 0x100);
  CHECK(at(0).buffer_starting_address == 0x200);
  CHECK(at(16).buffer_starting_address == 0x300);
  CHECK(at(5).null_vertex_buffer);
  // The image of a context has 2 KiB, of which 200h are registers and some a header (hw/cs/ring/contexts.h).
  CHECK(store.saved_size() <= 2048 - 0x200 - 64);
}

TEST_CASE("Ironlake's fences that do not ascend, or leave the URB, give nothing", "[ilk]") {
  quiet_log();
  StateStore store(gen5::commands);
  auto fence = fences(500, 400, 300, 1023, 100, 1500);
  fence.vs_unit_urb_reallocation_request = fence.gs_unit_urb_reallocation_request = fence.clip_unit_urb_reallocation_request = true;
  fence.sf_unit_urb_reallocation_request = fence.vfe_unit_urb_reallocation_request = fence.cs_unit_urb_reallocation_request = true;
  keep(store, fence);
  const UrbRegions urb = read_urb(store);
  CHECK(urb.vs.rows == 500);
  CHECK(urb.gs.rows == 0);
  CHECK(urb.clip.rows == 0);
  CHECK(urb.sf.rows == 723);
  CHECK(urb.cs.rows == 0);
  ThreadUnit unit;
  unit.entries = 100, unit.entry_rows = 8;
  CHECK(UrbEntries(urb.vs, unit, 2, "VS").count() == 62);
  CHECK(UrbEntries(urb.gs, unit, 1, "GS").count() == 0);
  const UrbEntries entries({10, 30}, unit, 1, "SF");
  CHECK(entries.count() == 3);
  for (unsigned i = 0; i < 100; ++i) CHECK((entries.handle(i) >= 10 && entries.handle(i) + 8 <= 40));
}

TEST_CASE("URB writes of Ironlake place registers by their swizzle, and stay in the URB", "[ilk]") {
  Urb urb;
  Grf header{};
  header.dw[0] = 4, header.dw[1] = 8;
  const std::array<Grf, 4> payload{header, numbered(100), numbered(200), numbered(300)};
  const auto word = [&](uint32_t row, uint32_t dw) { return urb.dwords(row, dw, 1)[0]; };
  SECTION("one after the other") {
    urb_write(urb, {.offset = 1}, payload, 1);
    CHECK((word(4, 8) == 100 && word(4, 15) == 107 && word(5, 0) == 200 && word(5, 8) == 300));
    CHECK(word(4, 7) == 0);
  }
  SECTION("interleaved") {
    urb_write(urb, {.swizzle = UrbMessage::Swizzle::interleave}, payload, 2);
    CHECK((word(4, 0) == 100 && word(4, 4) == 200 && word(4, 8) == 300));
    CHECK((word(8, 0) == 104 && word(8, 7) == 207 && word(8, 11) == 307));
  }
  SECTION("interleaved, of one vertex") {
    urb_write(urb, {.swizzle = UrbMessage::Swizzle::interleave}, payload, 1);
    CHECK(word(4, 0) == 100);
    CHECK(word(8, 0) == 0);
  }
  SECTION("transposed: d/dx, d/dy, -, constant of each component") {
    urb_write(urb, {.swizzle = UrbMessage::Swizzle::transpose, .offset = 4}, payload, 1);
    for (uint32_t c = 0; c < 8; ++c) {
      const uint32_t at = 32 + 4 * c;
      CHECK((word(4, at) == 100 + c && word(4, at + 1) == 200 + c && word(4, at + 2) == 0 && word(4, at + 3) == 300 + c));
    }
  }
  SECTION("beyond the end") {
    std::array<Grf, 4> far = payload;
    for (const uint32_t handle : {1023u, 1024u, 0xffffffffu}) {
      far[0].dw[0] = far[0].dw[1] = handle;
      for (const auto swizzle : {UrbMessage::Swizzle::none, UrbMessage::Swizzle::interleave, UrbMessage::Swizzle::transpose})
        urb_write(urb, {.swizzle = swizzle, .offset = 63}, far, 2);
    }
    std::array<uint32_t, 16> out;
    out.fill(7);
    urb.read(0xffffffff, 0, out);
    CHECK(out == std::array<uint32_t, 16>{});
  }
}

TEST_CASE("the windowizer's table is Mesa's", "[ilk]") {
  // A row of wm_iz_table each: mode, then source depth present, to target, destination depth, destination stencil (Mesa 22.3.6).
  constexpr std::string_view rows[64] = {"P0000", "P0000", "P0000", "P0000", "P0000", "N1100", "N0100", "N0100", "P0000", "P0000", "C0110",
                                         "C0110", "P0000", "N1100", "C0110", "C0110", "P0000", "P0000", "P0000", "P0000", "P0000", "N1100",
                                         "N0100", "N0100", "P0000", "P0000", "C0110", "C0110", "P0000", "N1100", "C0110", "C0110", "P0000",
                                         "P0000", "P0000", "P0000", "P0000", "N1101", "N0101", "N0101", "P0000", "P0000", "C0111", "C0111",
                                         "P0000", "N1101", "C0111", "C0111", "P0000", "C0001", "P0000", "C0101", "P0000", "C1101", "C0101",
                                         "C0101", "P0000", "C1111", "C0111", "C0111", "P0000", "C1111", "C0111", "C0111"};
  for (unsigned i = 0; i < 64; ++i) {
    INFO(i);
    const DepthCase found = depth_case({.kills = (i & 1) != 0,
                                        .computes_depth = (i & 2) != 0,
                                        .depth_write = (i & 4) != 0,
                                        .depth_test = (i & 8) != 0,
                                        .stencil_write = (i & 16) != 0,
                                        .stencil_test = (i & 32) != 0});
    const char mode = found.mode == DepthMode::before_thread ? 'P' : found.mode == DepthMode::after_thread ? 'N' : 'C';
    CHECK(mode == rows[i][0]);
    CHECK(found.source_depth == (rows[i][1] == '1'));
    CHECK(found.source_to_target == (rows[i][2] == '1'));
    CHECK(found.stored_depth == (rows[i][3] == '1'));
    CHECK(found.stored_stencil == (rows[i][4] == '1'));
  }
}

TEST_CASE("Ironlake's outcodes are those of clip coordinates, whatever the sign of W", "[ilk]") {
  std::mt19937 random(7);
  INFO("seed 7");
  std::uniform_real_distribution<float> value(-3, 3);
  ClipUnitState state;
  state.xy = state.z = true;
  for (unsigned i = 0; i < 5000; ++i) {
    float x = value(random), y = value(random), z = value(random), w = value(random);
    if (std::abs(w) < 0.01f) continue;
    state.d3d = i % 2;
    const std::array<float, 8> vertex{0, 0, 0, 0, x / w, y / w, z / w, 1 / w};
    std::array<uint32_t, 8> dwords;
    std::memcpy(dwords.data(), vertex.data(), sizeof dwords);
    const float margin = 1e-4f;
    const std::array<float, 6> inside{w - z, state.d3d ? z : z + w, w - y, w + y, w - x, w + x};
    if (std::ranges::any_of(inside, [&](float d) { return std::abs(d) < margin; })) continue;
    unsigned expected = 0;
    for (unsigned n = 0; n < 6; ++n) expected |= inside[n] < 0 ? 1u << n : 0;
    const Outcodes codes = outcodes(Vue(dwords), state);
    CHECK(codes.outside == expected);
    CHECK(codes.clip == expected);
    CHECK(codes.negative_w == (w < 0));
  }
}

TEST_CASE("user planes of Ironlake's clipper", "[ilk]") {
  ClipUnitState state;
  state.user_flags = 0x0f;
  const auto decide = [&](std::array<uint32_t, 3> flags) {
    std::array<std::array<uint32_t, 8>, 3> dwords{};
    std::array<Vue, 3> vertices;
    for (unsigned i = 0; i < 3; ++i) {
      const float one = 1;
      std::memcpy(&dwords[i][7], &one, 4);
      dwords[i][3] = flags[i];
      vertices[i] = Vue(dwords[i]);
    }
    return clip_decision(vertices, state);
  };
  CHECK(decide({1, 1, 3}).fate == ClipFate::rejected);
  CHECK(decide({1, 2, 0}).fate == ClipFate::accepted);
  CHECK(decide({0x10, 0x10, 0x10}).fate == ClipFate::accepted);
  state.user_must_clip = true;
  CHECK(decide({1, 2, 0}).fate == ClipFate::thread);
  CHECK(decide({1, 2, 0}).user == 3);
  CHECK(decide({0, 0x10, 0}).fate == ClipFate::accepted);
}

TEST_CASE("payloads of Ironlake have 128 registers at most", "[ilk]") {
  quiet_log();
  ThreadUnit unit;
  unit.grf_start = 15, unit.constant_length = 63, unit.read_length = 63, unit.scratch_base = 0x40000, unit.scratch_bytes = 4096;
  unit.samplers = 0x1220, unit.binding_table = 0x3300;
  Payload payload;
  payload.begin(unit, 3);
  CHECK(payload[0].dw[3] == (0x1220u | 2));
  CHECK(payload[0].dw[4] == 0x3300);
  CHECK(payload[0].dw[5] == (0x43000u | 3));
  payload.add_constants(unit, {});
  CHECK(payload.size() == 78);
  for (unsigned i = 0; i < 6; ++i) payload.add_vertex(unit, {});
  CHECK(payload.size() == 128);
  CHECK(payload.registers().size() == 128);
}

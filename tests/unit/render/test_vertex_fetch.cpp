// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen11/set.h"
#include "hw/defs/gen9/set.h"
#include "hw/memory/view.h"
#include "hw/render/vertex_fetch.h"
#include "hw/render/vertex_stage.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using render::DrawCall;
using render::StateStore;
using render::Vec4;
using render::VertexFetch;
using render::test::State;

namespace {

constexpr uint64_t vertices = 0x10000, indices = 0x20000;

/// State made of packets, memory identity-mapped by a GGTT.
struct Fixture : memory::test::Mapped {
  const defs::CommandSet& commands;
  StateStore store{commands};
  State state;

  explicit Fixture(const defs::CommandSet& set = defs::gen9::commands,
                   std::unique_ptr<render::StateDecoder> decoder = render::make_state_decoder<defs::Gen9>())
      : Mapped({vertices, indices}), commands(set), state(std::move(decoder)) {}
  void put(std::vector<uint32_t> dw) {
    const defs::Command* command = commands.find(defs::EngineClass::render, dw[0]);
    REQUIRE(command);
    REQUIRE(store.accept({0, command, dw}));
    state.refresh(store);
  }
  void vertex_buffer(uint32_t pitch, uint32_t size) { put({0x78080003, 1u << 14 | pitch, static_cast<uint32_t>(vertices), 0, size}); }
  /// One element of buffer 0 with all four components from the source.
  void element(uint32_t format, uint32_t offset, uint32_t controls = 0x11110000) {
    put({0x78090001, 1u << 25 | format << 16 | offset, controls});
  }
  void index_buffer(uint32_t format, uint32_t size) { put({0x780a0003, format << 8, static_cast<uint32_t>(indices), 0, size}); }
  Vec4 fetch(const DrawCall& draw, uint32_t index, uint32_t instance = 0) {
    VertexFetch fetch(state, view, draw);
    std::vector<Vec4> out(fetch.slots());
    fetch.fetch(index, instance, out);
    return out[0];
  }
};

uint32_t f(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint32_t r32g32_float = 0x085, r8g8b8a8_unorm = 0x0c7;

}  // namespace

TEST_CASE("elements are converted, and missing components are 0, 0, 1") {
  Fixture t;
  const float data[] = {1.5f, -2, 3, 4};
  t.view.write(vertices, data, sizeof data);
  t.vertex_buffer(8, sizeof data);
  t.element(r32g32_float, 0);
  CHECK(t.fetch({}, 1) == Vec4{f(3), f(4), 0, f(1)});
  t.element(r32g32_float, 0, 0x1u << 28 | 0x3u << 24 | 0x2u << 20 | 0x4u << 16);  // source, 1.0, 0, 1
  CHECK(t.fetch({}, 0) == Vec4{f(1.5f), f(1), 0, 1});
  t.element(r8g8b8a8_unorm, 0);
  t.view.store<uint32_t>(vertices, 0xff00'00ff);
  CHECK(t.fetch({}, 0) == Vec4{f(1), 0, 0, f(1)});
}

TEST_CASE("an element that does not lie in its buffer reads as zero") {
  Fixture t;
  t.view.store<uint64_t>(vertices + 8, ~0ull);
  t.vertex_buffer(8, 12);
  t.element(r32g32_float, 0);
  CHECK(t.fetch({}, 1) == Vec4{0, 0, 0, 0});
  CHECK(t.fetch({}, ~0u) == Vec4{0, 0, 0, 0});
}

TEST_CASE("instanced elements step, and start at Start Instance Location") {
  Fixture t;
  const float data[] = {10, 0, 11, 0, 12, 0};
  t.view.write(vertices, data, sizeof data);
  t.vertex_buffer(8, sizeof data);
  t.element(r32g32_float, 0);
  t.put({0x78490001, 1u << 8, 2});  // element 0, step rate 2
  DrawCall draw;
  draw.start_instance = 1;
  CHECK(t.fetch(draw, 99, 1)[0] == f(11));
  CHECK(t.fetch(draw, 99, 2)[0] == f(12));
}

TEST_CASE("indices of each size, cuts, and reads outside the buffer") {
  Fixture t;
  t.view.store<uint64_t>(indices, 0xffff'0005'0004'0003);
  t.put({0x780c0100, 0xffff});  // indexed cut index
  DrawCall draw;
  draw.indexed = true;
  t.index_buffer(1, 8);
  VertexFetch words(t.state, t.view, draw);
  CHECK(words.index(0) == 3);
  CHECK(words.index(2) == 5);
  CHECK(words.index(3) == VertexFetch::cut);
  CHECK(words.index(4) == 0);
  t.index_buffer(0, 8);
  VertexFetch bytes(t.state, t.view, draw);
  CHECK(bytes.index(4) == 5);
  draw.indexed = false;
  draw.start_vertex = 7;
  CHECK(VertexFetch(t.state, t.view, draw).index(2) == 9);
}

TEST_CASE("system values: VertexID without Start Vertex, with Base Vertex left out") {
  Fixture t;
  t.vertex_buffer(8, 64);
  t.element(r32g32_float, 0);
  t.put({0x784a0000, 1u << 31 | 2u << 29 | 1u << 15 | 3u << 13});  // InstanceID in component 2, VertexID in 3, both of element 0
  DrawCall draw;
  draw.start_vertex = 5;
  CHECK(t.fetch(draw, 7, 4) == Vec4{0, 0, 4, 2});
  draw.indexed = true;
  draw.base_vertex = 100;
  CHECK(t.fetch(draw, 7, 4) == Vec4{0, 0, 4, 7});
}

TEST_CASE("64-bit components pass unchanged, in one slot or two") {
  Fixture t;
  const double data[] = {1.5, -2.25, 3, 4};
  t.view.write(vertices, data, sizeof data);
  t.vertex_buffer(32, sizeof data);
  const auto fetch = [&] {
    VertexFetch fetch(t.state, t.view, {});
    std::vector<Vec4> out(fetch.slots());
    fetch.fetch(0, 0, out);
    return out;
  };
  constexpr uint32_t r64g64b64_passthru = 0x1bd;
  t.element(r64g64b64_passthru, 0, 0x1112u << 16);  // x, y, z, 0
  const auto wide = fetch();
  REQUIRE(wide.size() == 2);
  double value[4];
  std::memcpy(value, wide.data(), sizeof value);
  CHECK(std::vector<double>(value, value + 4) == std::vector<double>{1.5, -2.25, 3, 0});
  t.element(r64g64b64_passthru, 0, 0x1200u << 16);  // x, 0, nothing else
  const auto narrow = fetch();
  REQUIRE(narrow.size() == 1);
  std::memcpy(value, narrow.data(), 16);
  CHECK(value[0] == 1.5);
  CHECK(value[1] == 0);
}

TEST_CASE("many indices at once equal single ones") {
  Fixture t;
  t.ggtt.set_pte((indices >> 12) + 1, (indices + 0x1000) | 1);
  std::mt19937 random(7);
  for (uint64_t at = 0; at < 0x2000; at += 4) t.view.store<uint32_t>(indices + at, static_cast<uint32_t>(random()));
  for (unsigned round = 0; round < 300; ++round) {
    const uint32_t format = random() % 3, offset = 0xf00 + random() % 0x100, size = random() % 0x400;
    t.put({0x780a0003, format << 8, static_cast<uint32_t>(indices + offset), 0, size});
    DrawCall draw;
    draw.indexed = random() % 8;
    draw.start_vertex = random() % 16;
    VertexFetch fetch(t.state, t.view, draw);
    std::vector<uint32_t> together(random() % 200);
    const uint32_t first = random() % 64;
    fetch.indices(first, together);
    CAPTURE(round, format, offset, size);
    for (uint32_t i = 0; i < together.size(); ++i) REQUIRE(together[i] == fetch.index(first + i));
  }
}

TEST_CASE("an element with edge flags is not stored") {
  Fixture t;
  const float data[] = {0, 1};
  t.view.write(vertices, data, sizeof data);
  t.vertex_buffer(4, sizeof data);
  t.put({0x78090001, 1u << 25 | 1u << 15 | 0xd8u << 16, 0x12220000});
  VertexFetch fetch(t.state, t.view, {});
  CHECK(fetch.slots() == 0);
  CHECK(fetch.has_edge_flags());
  CHECK_FALSE(fetch.edge_flag(0, 0));
  CHECK(fetch.edge_flag(1, 0));
}

namespace {

/// Two pages of random vertices.
struct RandomVertices : Fixture {
  explicit RandomVertices(unsigned seed) : random(seed) {
    ggtt.set_pte((vertices >> 12) + 1, (vertices + 0x1000) | 1);
    for (uint64_t at = 0; at < 0x2000; at += 4) view.store<uint32_t>(vertices + at, any());
  }
  uint32_t any() { return static_cast<uint32_t>(random()); }
  std::mt19937 random;
};

}  // namespace

TEST_CASE("eight vertices at once equal single ones, for all formats, steps and alignments") {
  constexpr unsigned seed = 31;
  INFO("seed " << seed);
  RandomVertices t(seed);
  const auto any = [&] { return t.any(); };
  unsigned formats = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    const uint32_t format = any() % 0x200;
    const surface::Format* f = surface::find_format(format);
    if (!f || !f->is(surface::use_vertex)) continue;
    ++formats;
    const auto control = [&] { return any() % 4 ? 1u : any() % 5; };
    const bool wide = f->numeric == surface::Numeric::raw64;
    uint32_t controls = 0;
    for (unsigned c = 0; c < 4; ++c) controls |= (wide ? any() % 3 : control()) << (28 - 4 * c);
    t.vertex_buffer(any() % 64, 0x1000 + any() % 0x1000);
    t.element(format, any() % 32, controls);
    t.put({0x78490001, (any() & 1) << 8, any() % 3});
    t.put({0x784a0000, (any() & 1) << 31 | (any() % 4) << 29 | (any() & 1) << 15 | (any() % 4) << 13});
    DrawCall draw;
    draw.indexed = any() & 1;
    draw.base_vertex = static_cast<int32_t>(any() % 8);
    draw.start_vertex = any() % 8;
    VertexFetch fetch(t.state, t.view, draw);
    std::vector<render::VertexName> names(1 + any() % 8);
    for (auto& n : names) n = {any() % 256, any() % 4};
    const size_t offset = any() % 4;
    std::vector<Grf> registers(fetch.slots() * 4 + offset);
    std::vector<Grf*> to;
    for (size_t c = 0; c < fetch.slots() * 4; ++c) to.push_back(any() % 8 ? &registers[c] : nullptr);
    VertexFetch(fetch, t.view).fetch_lanes(names, to, offset);
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<Vec4> alone(fetch.slots());
      fetch.fetch(names[i].index, names[i].instance, alone);
      for (size_t c = 0; c < to.size(); ++c)
        if (to[c]) REQUIRE(to[c][offset].dw[i] == alone[c / 4][c % 4]);
    }
  }
  CHECK(formats > 500);
}

TEST_CASE("component packing counts elements, and components of 64 bits in 64-bit formats") {
  Fixture t;
  constexpr uint32_t r64g64_passthru = 0x021, r64g64b64a64_passthru = 0x1bc, r32g32b32a32_float = 0x000;
  const auto element = [](uint32_t format) { return 1u << 25 | format << 16; };
  t.put({0x78090005, element(r64g64_passthru), 0x11000000, element(r64g64b64a64_passthru), 0x11110000, element(r32g32b32a32_float),
         0x11110000});
  const auto delivered = [&] { return VertexFetch(t.state, t.view, {}).delivered(); };
  CHECK(delivered().size() == 16);  // without packing
  t.put({0x780c0000 | 1u << 9, 0});
  t.put({0x78550003, 0x5 << 8 | 0x3 << 4 | 0x2, 0, 0, 0});
  CHECK(delivered() == std::vector<uint8_t>{2, 3, 4, 5, 6, 7, 12, 14});
}

TEST_CASE("elements of one buffer are where each of them alone would be") {
  constexpr unsigned seed = 32;
  INFO("seed " << seed);
  RandomVertices t(seed);
  const auto any = [&] { return t.any(); };
  constexpr std::array<uint32_t, 5> formats = {0x000, 0x040, r32g32_float, 0x0d8,
                                               r8g8b8a8_unorm};  // R32G32B32A32_FLOAT, R32G32B32_FLOAT, R32_FLOAT
  for (unsigned round = 0; round < 500; ++round) {
    INFO("round " << round);
    t.vertex_buffer(16 + any() % 48, 0x1000 + any() % 0x1000);
    const auto element = [&] { return 1u << 25 | formats[any() % formats.size()] << 16 | any() % 40; };
    t.put({0x78090005, element(), 0x11110000, element(), 0x11130000, element(), 0x11110000});
    t.put({0x78490001, (any() % 8 == 0 ? 1u : 0u) << 8 | any() % 3, any() % 3});
    DrawCall draw;
    draw.indexed = any() & 1;
    VertexFetch fetch(t.state, t.view, draw);
    REQUIRE(fetch.slots() == 3);
    std::vector<render::VertexName> names(any() % 4 ? 8 : 1 + any() % 8);
    const uint32_t first = any() % 120, step = any() % 3;
    for (auto& n : names) n = {step ? first + step * static_cast<uint32_t>(&n - names.data()) : any() % 140, 0};
    std::vector<Grf> registers(12);
    std::vector<Grf*> to;
    for (Grf& reg : registers) to.push_back(&reg);
    VertexFetch together(fetch, t.view);
    together.fetch_lanes(names, to);
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<Vec4> alone(3);
      fetch.fetch(names[i].index, names[i].instance, alone);
      for (size_t c = 0; c < to.size(); ++c) REQUIRE(registers[c].dw[i] == alone[c / 4][c % 4]);
    }
    REQUIRE(together.bytes() == fetch.bytes());
  }
}

TEST_CASE("vertices close together are numbered in the order in which they come first") {
  constexpr unsigned seed = 33;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  render::NearNumbers numbers;
  CHECK_FALSE(numbers.clear(3, 0, 0xffffffff));
  for (unsigned round = 0; round < 200; ++round) {
    INFO("round " << round);
    const auto low = static_cast<uint32_t>(random()), range = static_cast<uint32_t>(1 + random() % 500);
    std::vector<uint32_t> indices(1 + random() % 300);
    for (uint32_t& index : indices) index = low % 0xf0000000 + static_cast<uint32_t>(random() % range);
    const auto [min, max] = std::minmax_element(indices.begin(), indices.end());
    REQUIRE(numbers.clear(indices.size(), *min, *max));
    const auto instance = static_cast<uint32_t>(random() % 2);
    std::vector<uint32_t> now = indices, found;
    std::vector<render::VertexName> order(indices.size() + 1);
    const size_t count = numbers.number(now, instance, order.data());
    for (size_t i = 0; i < indices.size(); ++i) {
      auto at = std::find(found.begin(), found.end(), indices[i]);
      if (at == found.end()) at = found.insert(at, indices[i]);
      REQUIRE(now[i] == static_cast<uint32_t>(at - found.begin()));
    }
    REQUIRE(count == found.size());
    for (size_t i = 0; i < count; ++i) REQUIRE((order[i].index == found[i] && order[i].instance == instance));
  }
}

TEST_CASE("Gen11: extended parameters, the vertex location and the first instance replace components") {
  Fixture t(defs::gen11::commands, render::make_state_decoder<defs::Gen11>());
  const uint32_t data[] = {10, 11, 12, 13};
  t.view.write(vertices, data, sizeof data);
  t.vertex_buffer(16, sizeof data);
  t.element(0x002, 0);  // R32G32B32A32_UINT
  DrawCall draw{
      .vertex_count = 1, .start_vertex = 0, .instance_count = 1, .start_instance = 7, .base_vertex = -3, .extended = {100, 101, 102}};
  CHECK(t.fetch(draw, 0) == Vec4{10, 11, 12, 13});
  // Parameter 0 to component 0, 1 to 1, 2 to 3, of element 0.
  t.put({0x78560001, 1u << 31 | 1u << 29 | 1u << 15, 1u << 15 | 3u << 13});
  CHECK(t.fetch(draw, 0) == Vec4{100, 101, 12, 102});
  // The same places, from the vertex location and from the first instance.
  t.put({0x78560001, 1u << 31 | 1u << 29 | 1u << 28 | 1u << 15 | 1u << 12, 0});
  CHECK(t.fetch(draw, 0) == Vec4{0, 7, 12, 13});
  draw.indexed = true;
  CHECK(t.fetch(draw, 3)[0] == static_cast<uint32_t>(-3));
}

TEST_CASE("Gen11: VertexID counts from the vertex location when 3DSTATE_VF says so") {
  for (const bool offset : {false, true}) {
    Fixture t(defs::gen11::commands, render::make_state_decoder<defs::Gen11>());
    t.vertex_buffer(16, 64);
    t.element(0x002, 0);
    t.put({0x780c0000 | (offset ? 1u << 11 : 0), 0});
    t.put({0x784a0000, 1u << 15});  // VertexID to component 0 of element 0
    CHECK(t.fetch({.vertex_count = 9, .start_vertex = 5, .instance_count = 1}, 6)[0] == (offset ? 6 : 1));
    CHECK(t.fetch({.indexed = true, .vertex_count = 9, .instance_count = 1, .base_vertex = 20}, 6)[0] == (offset ? 26 : 6));
  }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "hw/base/host_cpu.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/clip.h"
#include "hw/render/raster.h"
#include "hw/render/setup.h"
#include "tests/catch.h"
#include "tests/unit/render/decoded.h"

using namespace softgen::render;
using namespace softgen::render::test;

namespace {

struct Corner {
  std::array<uint32_t, 16> dwords{};
  Corner(float x, float y, float z, float w, float attribute = 0) {
    const float values[] = {x, y, z, w};
    for (unsigned i = 0; i < 4; ++i) dwords[4 + i] = std::bit_cast<uint32_t>(values[i]);
    dwords[8] = std::bit_cast<uint32_t>(attribute);
  }
  Vue vue() const { return Vue(dwords); }
};

/// 64x64 pixels, y downwards, no cull.
RasterState raster_64() {
  RasterState r;
  r.sample_positions[0] = {128, 128};
  r.clip.enable = r.clip.xy = r.clip.guardband = r.clip.z_near = r.clip.z_far = true;
  auto& v = r.viewports[0];
  v.transform.m00 = v.transform.m30 = 32;
  v.transform.m11 = v.transform.m31 = 32;
  v.transform.m22 = v.transform.m32 = 0.5;
  v.transform.guardband_x0 = v.transform.guardband_y0 = -8;
  v.transform.guardband_x1 = v.transform.guardband_y1 = 8;
  v.rect = {0, 0, 64, 64};
  return r;
}

unsigned coverage(const PreparedObject& o, int x, int y) {
  unsigned n = 0;
  for (const Coverage& part : o.parts) {
    bool inside = x >= part.bounds.x0 && x < part.bounds.x1 && y >= part.bounds.y0 && y < part.bounds.y1;
    for (unsigned e = 0; inside && e < part.edge_count; ++e) inside = part.edges[e].at(x * 256 + 128, y * 256 + 128) >= 0;
    n += inside;
  }
  return n;
}

Object triangle() { return {{0, 1, 2}, 3, false, 0, 0}; }

State no_cull() {
  StateStore store{softgen::defs::gen9::commands};
  const uint32_t raster[] = {0x78500003, 1u << 16, 0, 0, 0};  // CULLMODE_NONE
  store.accept({0, softgen::defs::gen9::commands.find("3DSTATE_RASTER"), raster});
  State state;
  state.refresh(store);
  return state;
}

/// The single object of a primitive of `type`.
PreparedObject prepared(Setup& setup, ObjectType type, const Object& object, std::span<const Vue> vertices) {
  static PreparedObjects kept;  // what the result's lists lie in
  const size_t before = kept.objects.size();
  setup.prepare(type, object, vertices, kept);
  REQUIRE(kept.objects.size() == before + 1);
  return kept.objects.back();
}

/// Pixels covered, by the rasterizer; each must be covered once.
std::set<std::pair<int, int>> covered(const PreparedObject& o, const RasterState& raster) {
  std::set<std::pair<int, int>> pixels;
  for (const Coverage& part : o.parts) {
    PartRaster(part, raster).each_quad({0, 0, 64, 64}, [&](uint32_t x, uint32_t y, const QuadCoverage& quad) {
      for (unsigned i = 0; i < 4; ++i)
        if (quad[i]) REQUIRE(pixels.emplace(static_cast<int>(x + (i & 1)), static_cast<int>(y + (i >> 1))).second);
      return true;
    });
  }
  return pixels;
}

/// Clip coordinates of a place on the 64x64 screen.
float clip_of(double pixel) { return static_cast<float>(pixel / 32 - 1); }

std::set<std::pair<int, int>> line(Setup& setup, const RasterState& raster, double x0, double y0, double x1, double y1) {
  const Corner a(clip_of(x0), clip_of(y0), 0, 1), b(clip_of(x1), clip_of(y1), 0, 1);
  const std::array vues = {a.vue(), b.vue()};
  return covered(prepared(setup, ObjectType::line, {{0, 1}, 2, false, 0, 0}, vues), raster);
}

/// A state with these packets.
State state_of(std::initializer_list<std::pair<const char*, std::vector<uint32_t>>> packets) {
  StateStore store{softgen::defs::gen9::commands};
  for (const auto& [name, dwords] : packets) store.accept({0, softgen::defs::gen9::commands.find(name), dwords});
  State state;
  state.refresh(store);
  return state;
}

}  // namespace

TEST_CASE("triangles that share edges cover each pixel once") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const unsigned seed = 42;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> inside(-0.9f, 0.9f);
  for (int n = 0; n < 50; ++n) {
    // A fan around a random point fills the square exactly.
    const Corner centre(inside(random), inside(random), 0, 1);
    const std::array corners = {Corner(-1, -1, 0, 1), Corner(1, -1, 0, 1), Corner(1, 1, 0, 1), Corner(-1, 1, 0, 1)};
    std::array<PreparedObject, 4> objects;
    for (unsigned i = 0; i < 4; ++i) {
      const std::array vues = {centre.vue(), corners[i].vue(), corners[(i + 1) % 4].vue()};
      objects[i] = prepared(setup, ObjectType::triangle, triangle(), vues);
    }
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        unsigned total = 0;
        for (const auto& o : objects) total += coverage(o, x, y);
        REQUIRE(total == 1);
      }
  }
}

// SKL PRM vol 2a, 3DSTATE_SAMPLE_PATTERN, 1x Sample0; dEQP-VK.pipeline.*.sample_locations_ext.*.samples_1.
TEST_CASE("a single sample is at the pattern's position, without multisample rasterization at the centre") {
  DrawState state;
  state.multisample.positions[0] = {0.125f, 0.875f};
  const RasterState centered(state, Stage::vs);
  CHECK(centered.sample_positions[0] == std::array<int32_t, 2>{128, 128});
  CHECK_FALSE(centered.off_center);

  state.multisample.rasterization = true;
  const RasterState moved(state, Stage::vs);
  CHECK(moved.sample_positions[0] == std::array<int32_t, 2>{32, 224});
  CHECK(moved.off_center);
  RasterState raster = raster_64();
  raster.sample_positions = moved.sample_positions, raster.off_center = moved.off_center;
  const State all = no_cull();
  Setup setup(all, raster, Stage::vs);
  const auto pixels = [&](double left, double top, double size) {
    const std::array corners = {Corner(clip_of(left), clip_of(top), 0, 1), Corner(clip_of(left + size), clip_of(top), 0, 1),
                                Corner(clip_of(left), clip_of(top + size), 0, 1)};
    const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
    return covered(prepared(setup, ObjectType::triangle, triangle(), vues), raster);
  };
  CHECK(pixels(10, 20.75, 0.3) == std::set<std::pair<int, int>>{{10, 20}});
  CHECK(pixels(11.2, 20.2, 1.2).count({11, 20}) == 0);  // its centre is inside
}

TEST_CASE("a triangle through the eye plane is clipped, its planes are those of the whole") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const std::array corners = {Corner(-0.5f, -0.5f, 0, 1), Corner(0.5f, -0.5f, 0, 1), Corner(0, 2, 0, -0.5f)};
  const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
  const PreparedObject o = prepared(setup, ObjectType::triangle, triangle(), vues);
  // At the first vertex' place on the screen the barycentrics are those of the first vertex, and W is 1.
  const double x = 16, y = 16, w = 1 / o.one_over_w.at(x, y);
  CHECK(o.perspective[0].at(x, y) * w == Approx(0).margin(1e-9));
  CHECK(o.perspective[1].at(x, y) * w == Approx(0).margin(1e-9));
  CHECK(w == Approx(1));
}

TEST_CASE("objects outside are rejected, objects in the guard band are not clipped") {
  const RasterState raster = raster_64();
  ClippedPolygon polygon;
  const auto clip = [&](Corner a, Corner b, Corner c) {
    const std::array vues = {a.vue(), b.vue(), c.vue()};
    return clip_object(raster, vues, raster.viewports[0], polygon);
  };
  CHECK(clip({9, 0, 0, 1}, {10, 0, 0, 1}, {9, 1, 0, 1}) == ClipResult::rejected);
  CHECK(clip({2, 0, 0, 1}, {3, 0, 0, 1}, {2, 1, 0, 1}) == ClipResult::accepted);
  CHECK(clip({0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 3, 1}) == ClipResult::clipped);
  for (unsigned i = 0; i < polygon.count; ++i) CHECK(polygon.vertices[i].position[2] <= polygon.vertices[i].position[3] + 1e-9);
  CHECK(clip({NAN, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}) == ClipResult::rejected);
}

TEST_CASE("coverage by blocks equals coverage by pixels") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-1.5f, 1.5f);
  for (int n = 0; n < 200; ++n) {
    const std::array corners = {Corner(place(random), place(random), 0, 1), Corner(place(random), place(random), 0, 1),
                                Corner(place(random), place(random), 0, 1)};
    const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
    PreparedObjects prepared;
    setup.prepare(ObjectType::triangle, triangle(), vues, prepared);
    for (const PreparedObject& o : prepared.objects) {
      const auto pixels = covered(o, raster);
      for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) REQUIRE(pixels.count({x, y}) == coverage(o, x, y));
    }
  }
}

TEST_CASE("conservative rasterization covers touched pixels; inner coverage has those entirely inside") {
  const State state = no_cull();
  RasterState raster = raster_64();
  raster.conservative = true;
  Setup setup(state, raster, Stage::vs);
  const Corner a(clip_of(10.25), clip_of(10.25), 0, 1), b(clip_of(14.25), clip_of(10.25), 0, 1), c(clip_of(10.25), clip_of(14.25), 0, 1);
  const std::array vues = {a.vue(), b.vue(), c.vue()};
  const PreparedObject o = prepared(setup, ObjectType::triangle, triangle(), vues);
  const auto pixels = covered(o, raster);
  for (const auto& p : {std::pair{10, 10}, std::pair{13, 10}, std::pair{10, 13}}) CHECK(pixels.count(p) == 1);
  CHECK(pixels.count({9, 12}) == 0);
  CHECK(pixels.count({14, 14}) == 0);
  const PartRaster part(o.parts[0], raster);
  CHECK(part.inner(11, 11));
  CHECK_FALSE(part.inner(10, 10));
}

TEST_CASE("conservative rasterization draws triangles without an area, as back-facing ones with the provoking vertex' attributes") {
  RasterState raster = raster_64();
  raster.conservative = true;
  const auto drawn = [&](uint32_t cull, std::array<std::pair<double, double>, 3> places) {
    const State state = state_of({{"3DSTATE_RASTER", {0x78500003, cull << 16, 0, 0, 0}}});
    Setup setup(state, raster, Stage::vs);
    const auto corner = [&](unsigned i) { return Corner(clip_of(places[i].first), clip_of(places[i].second), 0, 1); };
    const std::array corners = {corner(0), corner(1), corner(2)};
    const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
    Object object = triangle();
    object.provoking = 2;
    PreparedObjects out;
    setup.prepare(ObjectType::triangle, object, vues, out);
    return out;
  };
  using Pixels = std::set<std::pair<int, int>>;
  constexpr uint32_t none = 1, front = 2, back = 3;
  constexpr std::array<std::pair<double, double>, 3> point{{{10.25, 12.25}, {10.25, 12.25}, {10.2505, 12.25}}};
  constexpr std::array<std::pair<double, double>, 3> segment{{{8.5, 8.25}, {12.5, 9.75}, {10.5, 9}}};
  for (const uint32_t cull : {none, front}) {
    const PreparedObjects at_point = drawn(cull, point);
    REQUIRE(at_point.objects.size() == 1);
    const PreparedObject& o = at_point.objects[0];
    CHECK(covered(o, raster) == Pixels{{10, 12}});
    CHECK_FALSE(o.front);
    CHECK(o.linear()[0].at(10.5, 12.5) == 0);
    CHECK(o.linear()[1].at(10.5, 12.5) == 1);
    CHECK_FALSE(PartRaster(o.parts[0], raster).inner(10, 12));
    const PreparedObjects along = drawn(cull, segment);
    REQUIRE(along.objects.size() == 1);
    CHECK(covered(along.objects[0], raster) == Pixels{{8, 8}, {9, 8}, {10, 8}, {10, 9}, {11, 9}, {12, 9}});
  }
  CHECK(drawn(back, point).objects.empty());
  raster.conservative = false;
  CHECK(drawn(none, point).objects.empty());
}

TEST_CASE("a depth bias of n is n steps of the buffer, below its clamp; with Legacy Global Depth Bias Enable it is n itself") {
  const auto bias = [](uint32_t format, float constant, float clamp, bool legacy = false) {
    StateStore store{softgen::defs::gen9::commands};
    const uint32_t buffer[] = {0x78050006, 1u << 29 | format << 18, 0, 0, 0, 0, 0, 0};
    const uint32_t raster[] = {0x78500003, 1u << 16 | 1u << 9, std::bit_cast<uint32_t>(constant), 0, std::bit_cast<uint32_t>(clamp)};
    const uint32_t sf[] = {0x78130002, uint32_t{legacy} << 11, 0, 0};
    store.accept({0, softgen::defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
    store.accept({0, softgen::defs::gen9::commands.find("3DSTATE_RASTER"), raster});
    store.accept({0, softgen::defs::gen9::commands.find("3DSTATE_SF"), sf});
    State state;
    state.refresh(store);
    const RasterState clip = raster_64();
    Setup setup(state, clip, Stage::vs);
    const std::array corners = {Corner(-0.5f, -0.5f, 0, 1), Corner(0.5f, -0.5f, 0, 1), Corner(0, 0.5f, 0, 1)};
    const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
    return prepared(setup, ObjectType::triangle, triangle(), vues).depth_bias;
  };
  constexpr uint32_t d32 = 1, d24 = 3, d16 = 5;
  CHECK(bias(d24, 3, 0) * 16777215 == Approx(3));
  CHECK(bias(d24, -2, 0) * 16777215 == Approx(-2));
  CHECK(bias(d16, 1, 0) * 65535 == Approx(1));
  CHECK(bias(d16, 9, 1e-5f) == Approx(1e-5));
  for (const uint32_t format : {d16, d24, d32}) CHECK(bias(format, 0.25f, 0, true) == 0.25);
  CHECK(bias(d24, 0.25f, 0.125f, true) == 0.125);
}

TEST_CASE("the depth plane of three equal depths is exactly constant") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const unsigned seed = 21;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) { return static_cast<float>(low + (high - low) * random() / 0xffffffffu); };
  for (int i = 0; i < 2000; ++i) {
    // Also with a vertex behind the eye: the triangle is clipped, and its plane is that of the whole triangle.
    const bool perspective = i & 1;
    const auto depth = static_cast<float>(static_cast<int>(random() % 4095) - 2047) / 2048;
    std::vector<Corner> corners;
    for (unsigned k = 0; k < 3; ++k) {
      // In steps for which depth * w is exact.
      const float w = perspective ? std::round(number(k ? -1 : 1, 4) * 64) / 64 : 1;
      corners.emplace_back(number(-1, 1) * w, number(-1, 1) * w, depth * w, w);
    }
    const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
    PreparedObjects out;
    setup.prepare(ObjectType::triangle, triangle(), vues, out);
    for (const PreparedObject& o : out.objects) {
      REQUIRE(o.z.a == 0);
      REQUIRE(o.z.b == 0);
      REQUIRE(o.z.c == 0.5 + 0.5 * depth);
    }
  }
}

TEST_CASE("thin lines cover the pixels whose diamond they leave") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  using Pixels = std::set<std::pair<int, int>>;
  CHECK(line(setup, raster, 10.5, 5.5, 13.5, 5.5) == Pixels{{10, 5}, {11, 5}, {12, 5}});
  CHECK(line(setup, raster, 13.5, 5.5, 10.5, 5.5) == Pixels{{11, 5}, {12, 5}, {13, 5}});
  CHECK(line(setup, raster, 5.5, 10.5, 5.5, 12.5) == Pixels{{5, 10}, {5, 11}});
  // Starting beyond the centre but within the diamond; ending in a diamond beyond the centre.
  CHECK(line(setup, raster, 10.75, 5.5, 12.75, 5.5) == Pixels{{10, 5}, {11, 5}});
  CHECK(line(setup, raster, 10.5, 10.5, 14.5, 12.5).size() == 4);
  CHECK(line(setup, raster, 10.5, 10.5, 10.75, 10.5).empty());
  // A closed fan of segments meets without a gap and without a pixel twice.
  const Pixels first = line(setup, raster, 10.5, 10.5, 20.25, 16.75), second = line(setup, raster, 20.25, 16.75, 31.5, 12.125);
  for (const auto& p : second) CHECK(first.count(p) == 0);
  CHECK(first.size() + second.size() == 21);
}

TEST_CASE(
    "attributes of lines run along the major axis, so that the pixels of a wide line's column are alike; a smooth line's run along it") {
  const RasterState raster = raster_64();
  const auto along = [&](const State& state, double x1, double y1) {
    Setup setup(state, raster, Stage::vs);
    const Corner a(clip_of(8.5), clip_of(8.5), 0, 1), b(clip_of(x1), clip_of(y1), 0, 1);
    const std::array vues = {a.vue(), b.vue()};
    return prepared(setup, ObjectType::line, {{0, 1}, 2, false, 0, 0}, vues).perspective[0];
  };
  const State wide = state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16, 0, 0, 0}}, {"3DSTATE_SF", {0x78130002, 5u << (12 + 7), 0, 0}}});
  const Plane2 x_major = along(wide, 24.5, 16.5), y_major = along(wide, 4.5, 40.5);
  CHECK(x_major.b == 0);
  CHECK(x_major.at(16.5, 3) == Approx(0.5));
  CHECK(y_major.a == 0);
  CHECK(y_major.at(3, 16.5) == Approx(0.25));
  const State smooth =
      state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16 | 1u << 2, 0, 0, 0}}, {"3DSTATE_SF", {0x78130002, 5u << (12 + 7), 0, 0}}});
  const Plane2 across = along(smooth, 24.5, 16.5);
  CHECK(across.at(16.5 - 2, 12.5 + 4) == Approx(0.5));
}

TEST_CASE("the outline of a quad has four sides, and the stipple continues along a strip") {
  const State state =
      state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16 | 1u << 5 | 1u << 3, 0, 0, 0}}, {"3DSTATE_WM", {0x78140000, 1u << 3}}});
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const std::array corners = {Corner(clip_of(8.5), clip_of(8.5), 0, 1), Corner(clip_of(16.5), clip_of(8.5), 0, 1),
                              Corner(clip_of(16.5), clip_of(16.5), 0, 1)};
  const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
  PreparedObjects drawn;
  const auto& sides = drawn.objects;
  Object half = triangle();
  half.edges = 0b011;
  setup.prepare(ObjectType::triangle, half, vues, drawn);
  REQUIRE(sides.size() == 2);
  CHECK(covered(sides[0], raster).count({12, 8}) == 1);
  CHECK(covered(sides[1], raster).count({16, 12}) == 1);
  REQUIRE(sides[0].stipple);
  CHECK(std::floor(sides[0].stipple->at(8.5, 8.5)) == 0);
  CHECK(std::floor(sides[0].stipple->at(15.5, 8.5)) == 7);
  CHECK(std::floor(sides[1].stipple->at(16.5, 8.5)) == 8);
}

TEST_CASE("smooth lines fade over a pixel") {
  const State state =
      state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16 | 1u << 2, 0, 0, 0}}, {"3DSTATE_SF", {0x78130002, 2u << (12 + 7), 0, 0}}});
  const RasterState raster = raster_64();
  Setup setup(state, raster, Stage::vs);
  const Corner a(clip_of(8), clip_of(16), 0, 1), b(clip_of(24), clip_of(16), 0, 1);
  const std::array vues = {a.vue(), b.vue()};
  const PreparedObject o = prepared(setup, ObjectType::line, {{0, 1}, 2, false, 0, 0}, vues);
  REQUIRE(o.fade);
  CHECK(o.fade->at(16.5, 15.5) == Approx(1));
  CHECK(o.fade->at(16.5, 17) == Approx(0.5));
  CHECK(o.fade->at(16.5, 17.5) == Approx(0));
  CHECK(o.fade->at(8, 16) == Approx(0.5));
  CHECK(covered(o, raster).count({16, 16}) == 1);
  // Width 0: the thinnest line, whatever else is enabled.
  const State thin = state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16 | 1u << 2, 0, 0, 0}}, {"3DSTATE_SF", {0x78130002, 0, 0, 0}}});
  Setup thinnest(thin, raster, Stage::vs);
  const PreparedObject t = prepared(thinnest, ObjectType::line, {{0, 1}, 2, false, 0, 0}, vues);
  CHECK(!t.fade);
  CHECK(covered(t, raster).size() == 16);
}

TEST_CASE("triangles of a mesh are set up as if each were alone") {
  constexpr unsigned seed = 11;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-3, 3), depth(-0.2f, 1.2f), w(0.1f, 3);
  const State state = state_of({{"3DSTATE_RASTER", {0x78500003, 3u << 16 | 1u << 21, 0, 0, 0}},
                                {"3DSTATE_SBE", {0x781f0004, 2u << 22 | 1u << 11 | 1u << 5, 0, 0, 0, 0}}});
  unsigned drawn = 0, rejected = 0;
  const auto tables = all_setup_kernels();
  for (unsigned round = 0; round < 150; ++round) {
    INFO("round " << round << ", kernels " << round % tables.count);
    RasterState raster = raster_64();
    raster.clip.xy = random() % 4, raster.clip.z_far = random() % 4, raster.clip.guardband = random() % 4, raster.clip.d3d = random() % 2;
    Setup alone(state, raster, Stage::vs), together(state, raster, Stage::vs, *tables.tables[round % tables.count]);
    std::vector<Corner> corners;
    std::vector<Vertex> vertices;
    for (int i = 0; i < 32; ++i)
      corners.emplace_back(place(random), place(random), depth(random),
                           random() % 8   ? w(random)
                           : random() % 2 ? -w(random)
                                          : NAN,
                           place(random));
    for (const Corner& c : corners) vertices.push_back({0, c.vue()});
    PreparedObjects each, all;
    std::vector<Object> objects;
    const bool list = round % 2;
    std::vector<uint32_t> numbers;
    for (int i = 0; i < 64; ++i) {
      Object o = triangle();
      for (unsigned k = 0; k < 3; ++k) o.vertices[k] = static_cast<uint32_t>(random() % vertices.size());
      o.reversed = !list && random() % 2;
      o.provoking = static_cast<uint8_t>(list ? round % 3 : random() % 3);
      o.primitive_id = 5 + static_cast<uint32_t>(i);
      objects.push_back(o);
      numbers.insert(numbers.end(), o.vertices.begin(), o.vertices.begin() + 3);
      const std::array vues = {vertices[o.vertices[0]].vue, vertices[o.vertices[1]].vue, vertices[o.vertices[2]].vue};
      alone.prepare(ObjectType::triangle, o, vues, each);
    }
    if (list) together.prepare_list(numbers, static_cast<uint8_t>(round % 3), 5, vertices, all);
    else together.prepare_all(ObjectType::triangle, objects, vertices, all);
    REQUIRE(alone.primitives() == together.primitives());
    REQUIRE(each.objects.size() == all.objects.size());
    drawn += static_cast<unsigned>(all.objects.size()), rejected += 64u - static_cast<unsigned>(all.objects.size());
    for (size_t i = 0; i < all.objects.size(); ++i) {
      const PreparedObject &a = each.objects[i], &b = all.objects[i];
      REQUIRE(a.parts.size() == b.parts.size());
      REQUIRE(std::memcmp(&a.bounds, &b.bounds, sizeof a.bounds) == 0);
      for (size_t p = 0; p < a.parts.size(); ++p)
        for (unsigned e = 0; e < 3; ++e) REQUIRE(a.parts[p].edges[e].c == b.parts[p].edges[e].c);
      REQUIRE(std::memcmp(&a.perspective, &b.perspective, sizeof a.perspective) == 0);
      REQUIRE(std::memcmp(&a.z, &b.z, sizeof a.z) == 0);
      REQUIRE(std::memcmp(&a.linear(), &b.linear(), sizeof a.linear()) == 0);
      REQUIRE(std::memcmp(&a.one_over_w, &b.one_over_w, sizeof a.one_over_w) == 0);
      REQUIRE(a.depth_bias == b.depth_bias);
      REQUIRE(a.layer == b.layer);
      REQUIRE(a.front == b.front);
      REQUIRE(a.attributes.size() == b.attributes.size());
      for (size_t k = 0; k < a.attributes.size(); ++k)
        REQUIRE(std::memcmp(&a.attributes[k], &b.attributes[k], sizeof(AttributeSetup)) == 0);
    }
  }
  CHECK(drawn > 500);
  CHECK(rejected > 500);
}

// A vertex may have any float as point width, and the limits of 3DSTATE_CLIP may be reversed or zero.
TEST_CASE("point widths are in hardware's range, whatever their vertices and the limits have") {
  const RasterState raster = raster_64();
  constexpr float infinity = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();
  constexpr uint32_t eighths = 8;
  const auto pixels = [&](float width, uint32_t least, uint32_t most) {
    const State state = state_of({{"3DSTATE_RASTER", {0x78500003, 1u << 16, 0, 0, 0}},
                                  {"3DSTATE_CLIP", {0x78120002, 0, 0, least * eighths << 17 | most * eighths << 6}}});
    Setup setup(state, raster, Stage::vs);
    Corner corner(clip_of(32), clip_of(32), 0, 1);
    corner.dwords[3] = std::bit_cast<uint32_t>(width);
    const std::array vues = {corner.vue()};
    const PreparedObject o = prepared(setup, ObjectType::point, {{0}, 1, false, 0, 0}, vues);
    const Coverage& square = o.parts[0];
    CHECK(square.edges[0].c + square.edges[1].c <= 256 * 256);  // from the left edge to the right one
    return covered(o, raster).size();
  };
  for (const float width : {1e3f, 1e10f, 1e17f, 1e30f, infinity}) {
    CAPTURE(width);
    CHECK(pixels(width, 0, 0) == 64 * 64);
    CHECK(pixels(width, 0, 8) == 64);
    CHECK(pixels(width, 16, 8) == 64);  // the maximum has priority
  }
  for (const float width : {-infinity, -1.0f, 0.0f, no_number}) {
    CAPTURE(width);
    CHECK(pixels(width, 0, 0) == 1);
    CHECK(pixels(width, 4, 8) == (width < 0 || width == 0 ? 16 : 1));
  }
  CHECK(pixels(2, 4, 8) == 16);
}

TEST_CASE("replicas have positions, viewports and slices of their own, and share the attributes behind the positions") {
  const RasterState raster = [] {
    RasterState r = raster_64();
    r.viewports[1] = r.viewports[0];
    r.viewports[1].rect = {32, 0, 64, 64};
    r.viewport_count = 2;
    return r;
  }();
  State state = no_cull();
  state.setup.replication = {.positions = 3, .replicas = 0b101, .viewport = {0, 0, 1}, .array_index = {5, 6, 7}};
  state.setup.attributes = 1;
  state.setup.force_read_offset = state.setup.force_read_length = true;
  state.setup.read_offset = 2, state.setup.read_length = 1;  // behind header and three positions
  Setup setup(state, raster, Stage::vs);
  // Position i of a triangle at the upper left is moved i pixels to the right.
  std::array<std::array<uint32_t, 20>, 3> corners{};
  constexpr double places[3][2] = {{0, 0}, {40, 0}, {0, 40}};
  std::array<Vertex, 3> vertices;
  for (unsigned v = 0; v < 3; ++v) {
    corners[v][1] = 1;  // slice
    for (unsigned i = 0; i < 3; ++i) {
      const float position[] = {clip_of(places[v][0] + i), clip_of(places[v][1]), 0, 1};
      std::memcpy(&corners[v][4 + 4 * i], position, sizeof position);
    }
    corners[v][16] = std::bit_cast<uint32_t>(3.0f);
    vertices[v] = {v, Vue(corners[v])};
  }
  PreparedObjects out;
  const Object object = triangle();
  setup.prepare_all(ObjectType::triangle, {&object, 1}, vertices, out);
  REQUIRE(out.objects.size() == 2);
  const PreparedObject &first = out.objects[0], &second = out.objects[1];
  CHECK((first.viewport == 0 && first.layer == 6 && second.viewport == 1 && second.layer == 8));
  CHECK((first.bounds.x0 == 0 && first.bounds.x1 == 40 && second.bounds.x0 == 32 && second.bounds.x1 == 42));
  for (const PreparedObject& one : out.objects) CHECK(one.attributes.begin()->registers[0].dw[3] == std::bit_cast<uint32_t>(3.0f));
  CHECK(setup.primitives() == 2);
}

TEST_CASE("clip distances of replicas lie behind the last position") {
  RasterState raster = raster_64();
  raster.clip.clip_distances = 1;
  State state = no_cull();
  state.setup.replication = {.positions = 2, .replicas = 0b11};
  Setup setup(state, raster, Stage::vs);
  std::array<std::array<uint32_t, 16>, 3> corners{};
  constexpr float places[3][2] = {{-1, -1}, {1, -1}, {-1, 1}};
  std::array<Vue, 3> vues;
  for (const float distance : {-1.0f, 1.0f}) {
    for (unsigned v = 0; v < 3; ++v) {
      for (unsigned i = 0; i < 2; ++i) {
        const float position[] = {places[v][0], places[v][1], 0, 1};
        std::memcpy(&corners[v][4 + 4 * i], position, sizeof position);
      }
      corners[v][12] = std::bit_cast<uint32_t>(distance);
      vues[v] = Vue(corners[v]);
    }
    PreparedObjects out;
    setup.prepare(ObjectType::triangle, triangle(), vues, out);
    CHECK(out.objects.size() == (distance < 0 ? 0 : 2));
  }
}

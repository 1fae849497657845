// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <random>

#include "hw/render/clip.h"
#include "hw/render/setup.h"
#include "tests/catch.h"

using namespace softgen::render;

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
  r.clip_enable = r.xy_clip = r.guardband = r.z_near_clip = r.z_far_clip = true;
  auto& v = r.viewports[0];
  v.transform.viewport_matrix_element_m00 = v.transform.viewport_matrix_element_m30 = 32;
  v.transform.viewport_matrix_element_m11 = v.transform.viewport_matrix_element_m31 = 32;
  v.transform.viewport_matrix_element_m22 = v.transform.viewport_matrix_element_m32 = 0.5;
  v.transform.x_min_clip_guardband = v.transform.y_min_clip_guardband = -8;
  v.transform.x_max_clip_guardband = v.transform.y_max_clip_guardband = 8;
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
  StateStore store;
  const uint32_t raster[] = {0x78500003, 1u << 16, 0, 0, 0};  // CULLMODE_NONE
  store.accept({0, softgen::defs::find_command("3DSTATE_RASTER"), raster});
  State state;
  state.refresh(store);
  return state;
}

}  // namespace

TEST_CASE("triangles that share edges cover each pixel once") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  const Setup setup(state, raster, Stage::vs);
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
      REQUIRE(setup.prepare(ObjectType::triangle, triangle(), vues, objects[i]));
    }
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        unsigned total = 0;
        for (const auto& o : objects) total += coverage(o, x, y);
        REQUIRE(total == 1);
      }
  }
}

TEST_CASE("a triangle through the eye plane is clipped, its planes are those of the whole") {
  const State state = no_cull();
  const RasterState raster = raster_64();
  const Setup setup(state, raster, Stage::vs);
  const std::array corners = {Corner(-0.5f, -0.5f, 0, 1), Corner(0.5f, -0.5f, 0, 1), Corner(0, 2, 0, -0.5f)};
  const std::array vues = {corners[0].vue(), corners[1].vue(), corners[2].vue()};
  PreparedObject o;
  REQUIRE(setup.prepare(ObjectType::triangle, triangle(), vues, o));
  // At the first vertex' place on the screen the barycentrics are those of the first vertex, and W is 1.
  const double x = 16, y = 16, w = 1 / o.one_over_w.at(x, y);
  CHECK(o.perspective[0].at(x, y) * w == Approx(0).margin(1e-9));
  CHECK(o.perspective[1].at(x, y) * w == Approx(0).margin(1e-9));
  CHECK(w == Approx(1));
}

TEST_CASE("what lies outside is rejected, what lies in the guard band is not clipped") {
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Records of more than one draw and of more than one tile pass, and records that are not as they should be: pictures equal those of the same scenes
// without position-only shading.
#include <bit>

#include "tests/catch.h"
#include "tests/posh/runner.h"

using namespace softgen;
using namespace softgen::posh::test;

namespace {

/// Triangles of which each second one lies outside.
std::vector<Vertex> every_second(const Scene& scene, unsigned count) {
  std::vector<Vertex> list;
  for (unsigned i = 0; i < count; ++i) {
    const float x = static_cast<float>(i * 29 % 120) + (i % 2 ? 400.f : 4.f), y = static_cast<float>(i * 43 % 120) + 4;
    for (const Vertex& corner : {scene.at(x, y - 4, i), scene.at(x + 4, y + 4, i), scene.at(x - 4, y + 4, i)}) list.push_back(corner);
  }
  return list;
}

/// Small triangles over the whole target.
Scene scattered(const Scene::Form& form) {
  Scene scene(form);
  std::vector<Vertex> list;
  for (unsigned i = 0; i < 60; ++i) {
    const float x = static_cast<float>(i * 41 % form.width), y = static_cast<float>(i * 59 % form.height);
    for (const Vertex& corner : {scene.at(x, y - 12, i), scene.at(x + 12, y + 12, i), scene.at(x - 12, y + 12, i)}) list.push_back(corner);
  }
  scene.vertices(list);
  scene.topology(Topology::_3DPRIM_TRILIST);
  for (uint32_t start = 0; start < 180; start += 45) scene.draw({.count = 45, .start = start});
  return scene;
}

constexpr posh::Passes four_passes{.width = 64, .height = 64, .columns = 2, .rows = 2};

}  // namespace

TEST_CASE("draws of one record, with state between them") {
  Scene scene;
  for (const auto mode : {gen11::_3DSTATE_RASTER::CullMode::CULLMODE_NONE, gen11::_3DSTATE_RASTER::CullMode::CULLMODE_BACK,
                          gen11::_3DSTATE_RASTER::CullMode::CULLMODE_FRONT, gen11::_3DSTATE_RASTER::CullMode::CULLMODE_BOTH}) {
    scene.raster.cull_mode = mode;
    scene.add(scene.raster);
    scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 10));
  }
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 40);
  CHECK(counts.skipped == 5 + 5 + 10 + 10);
}

TEST_CASE("draws without objects, and of which none is seen") {
  Scene scene;
  scene.vertices(every_second(scene, 6));
  scene.topology(Topology::_3DPRIM_TRILIST);
  for (const Scene::Range& range :
       {Scene::Range{.count = 0}, {.count = 2}, {.count = 3, .start = 3}, {.count = 9, .instances = 0}, {.count = 3}, {.count = 18}})
    scene.draw(range);
  check_same(scene, 1 + 1 + 6, 1 + 3);
}

TEST_CASE("records one after the other, in the same memory") {
  Scene scene;
  for (unsigned i = 0; i < 5; ++i) {
    scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 4 + 2 * i));
    scene.flush();
  }
  check_same(scene, 40, 20);
}

TEST_CASE("vertices that the render engine writes before it draws them") {
  Scene scene;
  const std::vector<Vertex> hidden{scene.at(400, 30, 0), scene.at(420, 60, 0), scene.at(380, 60, 0)};
  const std::vector<Vertex> seen{scene.at(40, 30, 0), scene.at(60, 60, 0), scene.at(20, 60, 0)};
  scene.topology(Topology::_3DPRIM_TRILIST);
  const uint64_t first = scene.vertices(hidden), second = scene.vertices(seen);
  const auto move = [&scene](uint64_t at, const std::vector<Vertex>& to) {
    for (size_t i = 0; i < to.size(); ++i) scene.store(at + i * sizeof(Vertex), std::bit_cast<uint32_t>(to[i].x));
  };
  scene.draw({.count = 3});
  move(second, hidden);
  scene.draw({.count = 3});
  move(second, {scene.at(100, 0), scene.at(120, 0), scene.at(80, 0)});
  scene.draw({.count = 3});
  scene.bind(first, hidden.size());
  move(first, seen);
  scene.draw({.count = 3});
  check_same(scene, 4, 1);
}

TEST_CASE("tile passes") {
  const Scene scene = scattered({});
  const Counts counts = check_same(scene, {.passes = four_passes});
  CHECK(counts.recorded == 60);
  CHECK(counts.skipped > 100);  // of 240: an object is in one tile, two or four
  CHECK(counts.skipped < 180);
}

TEST_CASE("tile passes beyond the target, and of a part of the last tile") {
  const Scene scene = scattered({.width = 96, .height = 80});
  const Counts counts = check_same(scene, {.passes = {.width = 64, .height = 64, .columns = 16, .rows = 16}});
  CHECK(counts.recorded == 60);
}

TEST_CASE("tile passes with four samples a pixel, blending and depth") {
  const Counts samples = check_same(scattered({.samples = 4}), {.passes = four_passes});
  CHECK(samples.skipped > 100);
  Scene blended = scattered({});
  blended.blending();
  blended.draw({.count = 90, .start = 30});
  check_same(blended, {.passes = four_passes});
  const Counts depth = check_same(scattered({.depth = true}), {.passes = four_passes});
  CHECK(depth.skipped > 100);
}

TEST_CASE("tile passes of strips in instances") {
  Scene scene;
  std::vector<Vertex> strip;
  for (unsigned i = 0; i < 30; ++i) strip.push_back(scene.at(static_cast<float>(i / 2) * 10 - 6, i % 2 ? 6.f : 20.f, i));
  scene.vertices(strip);
  scene.indices(
      {0, 1, 2, 3, 4, 5, 6, 7, 0xffff, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0xffff, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29});
  scene.offsets({{0, 0, 0, 0}, {0.3f, 0.5f, 0, 0}, {-0.2f, 1.2f, 0, 0}, {0.1f, 1.6f, 0, 0}}, 1);
  scene.topology(Topology::_3DPRIM_TRISTRIP);
  scene.draw({.count = 32, .instances = 4, .indexed = true});
  const Counts counts = check_same(scene, {.passes = four_passes});
  CHECK(counts.recorded == 4 * (6 + 7 + 11));
  CHECK(counts.skipped > counts.recorded);
}

TEST_CASE("a record of many pages") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 5000));
  check_same(scene, 5000, 2500);
}

TEST_CASE("a pool that is too small: what finds no place is drawn") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 5000));
  const Counts two = check_same(scene, {.pool_pages = 2});
  CHECK(two.recorded == 5000);
  CHECK(two.skipped > 900);
  CHECK(two.skipped < 1100);
  CHECK(check_same(scene, {.pool_pages = 0}).skipped == 0);
}

TEST_CASE("pages that are not of the pool, or are taken twice") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 400));
  CHECK(check_same(scene, {.free_page = 64}).skipped == 0);
  CHECK(check_same(scene, {.free_page = 0xffff'ffff}).skipped == 0);
  CHECK(check_same(scene, {.free_page = 5}).skipped == 200);
}

TEST_CASE("a record that is read without waiting for it") {
  Scene scene;
  for (unsigned i = 0; i < 6; ++i) scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 100));
  CHECK(check_same(scene, {.awaited = false}).recorded == 600);
}

TEST_CASE("a record that is read, but not used") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, every_second(scene, 20));
  check_same(scene, 20, 0, {.visibility = false});
}

TEST_CASE("the render engine goes on behind a marker") {
  // Recorded: first part, marker, second part. Rendered: the second part alone.
  Scene all, second;
  const auto parts = every_second(all, 40);
  for (Scene* scene : {&all, &second}) {
    scene->vertices(parts);
    scene->topology(Topology::_3DPRIM_TRILIST);
  }
  second.draw({.count = 60, .start = 60});
  const Picture expected = plain_picture(second);
  all.draw({.count = 60});
  all.draw({.count = 60, .start = 60});
  const bool found = GENERATE(true, false);
  for (const How how : {How{.threads = 0}, How{.threads = 2}, How{.threads = 2, .preempted = true}}) {
    CAPTURE(found, how.threads, how.preempted);
    Machine machine(how);
    Rendering rendering(machine, all);
    const WorkCounts before = work_counts();
    const auto batches = rendering.split({});
    posh::Stream stored, read;
    stored.marker(7);
    read.marker(found ? 7 : 8);
    run(machine, machine.new_context(true),
        ring_of(machine, {with_piece(machine, batches.position, 1, stored), with_piece(machine, batches.render, 0, read, true)}));
    CHECK((rendering.picture() == expected));
    if (found) CHECK(counts_since(before).skipped == 10);
  }
}

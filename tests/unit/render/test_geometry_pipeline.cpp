// SPDX-License-Identifier: GPL-2.0-or-later
// Batches of a draw without shaders: vertices pass the pipeline unchanged.
#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/render/geometry_pipeline.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::render;

namespace {

struct Fixture : memory::test::Mapped {
  DrawState state;
  StopFlag stop;
  KernelLoader kernels{eu::gen9_isa(), nullptr};
  Urb urb;
  eu::Thread thread;
  VertexScratch scratch;
  GeometryWorker worker{view, state, stop, nullptr, kernels, urb, thread, scratch};

  Fixture() : Mapped({0x1000}) {}
};

DrawCall points(uint32_t count, uint32_t instances = 1) {
  return {.topology = Topology::point_list, .vertex_count = count, .instance_count = instances};
}

}  // namespace

TEST_CASE("batches are of 2048 objects, in the order of the primitives, across instances") {
  Fixture f;
  const DrawCall call = points(1000, 5);
  GeometryPipeline geometry(f.worker, call);
  uint32_t number = 0;
  std::vector<size_t> sizes;
  while (const auto batch = geometry.next()) {
    sizes.push_back(batch->size());
    CHECK(batch->type == ObjectType::point);
    CHECK(batch->vertices.size() == batch->size());
    for (const Object& object : batch->objects) {
      REQUIRE(object.primitive_id == number % 1000);
      REQUIRE(object.instance == number / 1000);
      ++number;
    }
  }
  CHECK(sizes == std::vector<size_t>{2048, 2048, 904});
  CHECK(geometry.counts().ia_primitives == 5000);
  CHECK(geometry.counts().ia_vertices == 5000);
  CHECK_FALSE(geometry.next());
}

TEST_CASE("batches that were drawn before a preemption are repeated without vertices") {
  Fixture f;
  const DrawCall call = points(5000);
  GeometryPipeline geometry(f.worker, call);
  geometry.skip(1);
  const auto first = geometry.next();
  REQUIRE(first);
  CHECK(first->size() == 2048);
  CHECK(first->vertices.empty());
  const auto second = geometry.next();
  REQUIRE(second);
  CHECK(second->vertices.size() == 2048);
  CHECK(second->objects[0].primitive_id == 2048);
}

TEST_CASE("a reset ends the batches") {
  Fixture f;
  const DrawCall call = points(5000);
  GeometryPipeline geometry(f.worker, call);
  CHECK(geometry.next());
  f.stop.request(StopFlag::reset);
  CHECK_FALSE(geometry.next());
}

TEST_CASE("unshaded batches have indices as vertices; triangle lists are not assembled") {
  Fixture f;
  const DrawCall loop{.topology = Topology::line_strip, .vertex_count = 16386, .instance_count = 1};
  GeometryPipeline strip(f.worker, loop);
  strip.leave_unshaded();
  const auto first = strip.next(), second = first ? strip.next() : first;
  REQUIRE(second);
  CHECK(second->size() == 1);
  CHECK(second->vertices.empty());
  CHECK(second->objects[0].vertices[0] == 16384);
  CHECK(second->objects[0].vertices[1] == 16385);
  CHECK_FALSE(strip.next());

  const DrawCall list{.topology = Topology::triangle_list, .vertex_count = 3 * 20000 + 2, .instance_count = 1};
  GeometryPipeline triangles(f.worker, list);
  triangles.leave_unshaded();
  const auto one = triangles.next(), other = triangles.next();
  REQUIRE(one);
  REQUIRE(other);
  CHECK(one->triangles.first == 0);
  CHECK(one->triangles.count == 16384);
  CHECK(other->triangles.first == 16384);
  CHECK(other->triangles.count == 20000 - 16384);
  CHECK_FALSE(triangles.next());
  CHECK(triangles.counts().ia_primitives == 20000);
  CHECK(triangles.counts().ia_vertices == 3 * 20000 + 2);
}

TEST_CASE("a stage without output still processes all batches") {
  Fixture f;
  quiet_log();
  f.state.stages[static_cast<size_t>(Stage::gs)].enable = true;  // in an unsupported dispatch mode
  const DrawCall call = points(5000);
  GeometryPipeline geometry(f.worker, call);
  CHECK_FALSE(geometry.next());
  CHECK(geometry.counts().ia_primitives == 5000);
  CHECK(geometry.counts().gs_primitives == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Draws through hull shader, tessellator and domain shader. Where domain points lie follows from Direct3D's tessellator with whole factors: each edge
// in as many equal parts. Payloads and the patch header: SKL PRM vol 7, "Hull Shader (HS) Stage", "Patch URB Entry", "Domain Shader (DS) Stage".
#include <algorithm>
#include <array>
#include <random>

#include "tests/catch.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using namespace softgen::render::test;
using eu::Opcode;
using eu::RegType;
using eu::test::grf;
using eu::test::scalar;
using Topology = gen9::PrimitiveTopologyType;
using Te = gen9::_3DSTATE_TE;
using HullMode = gen9::_3DSTATE_HS::DispatchMode;
using Picture = std::vector<std::string>;

namespace {

/// Dwords 0 to 7 of a patch's entry. Of quads dword 7 down to 4 are the edges u=0, v=0, u=1, v=1, 3 and 2 the inside; of triangles 7 to 5 and 4;
/// of isolines 6 is the number of lines, 7 that of their segments.
using PatchHeader = std::array<float, 8>;
PatchHeader quad(float u0, float v0, float u1, float v1, float inside_u, float inside_v) {
  return {0, 0, inside_v, inside_u, v1, u1, v0, u0};
}
PatchHeader triangle(float edges, float inside) { return {0, 0, 0, 0, inside, edges, edges, edges}; }
PatchHeader isolines(float lines, float segments) { return {0, 0, 0, 0, 0, 0, lines, segments}; }

constexpr unsigned patch_data_owords = 2, corner = 40, corner_step = 4;

/// The patch's handles are in register `patch`, eight of them; its one control point is from register `point` on. Writes the header, and the
/// point's position behind it.
Code write_patch(const PatchHeader& header, unsigned patch, unsigned point) {
  Code code{copy(message, patch)};
  for (unsigned i = 0; i < header.size(); ++i) code.push_back(load(message + 1 + i, header[i]));
  code.push_back(urb_write(static_cast<unsigned>(header.size()), 0));
  for (unsigned i = 0; i < corner_step; ++i) code.push_back(copy(message + 1 + i, point + i));
  code.push_back(urb_write(corner_step, patch_data_owords, true));
  return code;
}

void set_hull(Scene& scene, const PatchHeader& header, HullMode mode) {
  gen9::_3DSTATE_HS hs;
  hs.enable = hs.statistics_enable = true;
  hs.dispatch_mode = mode;
  if (mode == HullMode::DISPATCH_MODE_8_PATCH) {
    // Handles of the patches in g1, of their control points in g2.
    hs.include_vertex_handles = true;
    hs.dispatch_grf_start_register_for_urb_data = 3;
    constexpr unsigned position_oword = 1;
    hs.kernel_start_pointer =
        scene.kernel(Code{copy(message, 2), urb_read(corner, corner_step, position_oword)} + write_patch(header, 1, corner));
  } else {
    // The handle in g0.0; the vertex, its position in the upper half, in g1.
    hs.dispatch_grf_start_register_for_urb_data = 1;
    hs.vertex_urb_entry_read_length = 1;
    const auto spread = [](unsigned to, unsigned from, unsigned dword) {
      return eu::test::op(Opcode::mov, 8, grf(to, RegType::ud), scalar(from, RegType::ud, dword));
    };
    Code code{spread(30, 0, 0)};
    for (unsigned i = 0; i < corner_step; ++i) code.push_back(spread(corner + i, 1, 4 + i));
    hs.kernel_start_pointer = scene.kernel(code + write_patch(header, 30, corner));
  }
  scene.set(hs);
}

/// A domain point of the unit square becomes a vertex of a square of `side` pixels, whose upper left corner is the patch's control point.
void set_domain(Scene& scene, float side, bool by_w = false) {
  constexpr unsigned u = 1, v = 2, w = 3, entries = 4, patch = 5, position = 10, attribute = 14;
  const auto f = [](unsigned reg) { return grf(reg, RegType::f); };
  const auto to_corner = [&](unsigned i) {
    return eu::test::op(Opcode::add, 8, f(position + i), f(position + i), scalar(patch, RegType::f, i));
  };
  const float scale = scene.distance(side);
  Code code = scaled(position, u, scale, 0) + scaled(position + 1, v, scale, 0);
  if (by_w) {
    // v = 1 - w - u
    code = scaled(position, u, scale, 0) + scaled(position + 1, w, -scale, scale) + scaled(20, u, -scale, 0) +
           Code{eu::test::op(Opcode::add, 8, f(position + 1), f(position + 1), f(20))};
  }
  code = code + Code{to_corner(0),       to_corner(1),           load(position + 2, 0),  load(position + 3, 1),
                     load(attribute, 1), load(attribute + 1, 0), load(attribute + 2, 0), load(attribute + 3, 1)};
  gen9::_3DSTATE_DS ds;
  ds.enable = ds.statistics_enable = true;
  ds.dispatch_mode = gen9::_3DSTATE_DS::DispatchMode::DISPATCH_MODE_SIMD8_SINGLE_PATCH;
  ds.compute_w_coordinate_enable = by_w;
  ds.dispatch_grf_start_register_for_urb_data = patch;
  ds.patch_urb_entry_read_offset = 1;
  ds.patch_urb_entry_read_length = 1;
  ds.kernel_start_pointer = scene.kernel(code + write_vertex(entries, position, attribute, 0, true));
  scene.set(ds);
}

void set_tessellator(Scene& scene, Te::TEDomain domain, Te::OutputTopology output,
                     Te::Partitioning partitioning = Te::Partitioning::INTEGER) {
  Te te;
  te.te_enable = true;
  te.te_domain = domain;
  te.output_topology = output;
  te.partitioning = partitioning;
  te.maximum_tessellation_factor_odd = 63;
  te.maximum_tessellation_factor_not_odd = 64;
  scene.set(te);
}

struct Counts {
  uint64_t hull, domain, objects;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) { return out << c.hull << " " << c.domain << " " << c.objects; }
Counts counts(Scene& scene) {
  return {scene.count(reg::HS_INVOCATION_COUNT(0)), scene.count(reg::DS_INVOCATION_COUNT(0)), scene.count(reg::CL_INVOCATION_COUNT(0))};
}

constexpr auto eight = HullMode::DISPATCH_MODE_8_PATCH, single = HullMode::DISPATCH_MODE_SINGLE_PATCH;

}  // namespace

TEST_CASE("a quad's triangles cover each of its pixels once") {
  for (const HullMode mode : {eight, single}) {
    for (const unsigned factor : {1u, 2u, 3u, 8u}) {
      CAPTURE(static_cast<int>(mode), factor);
      Scene scene;
      scene.count_coverage();
      const auto of = static_cast<float>(factor);
      set_hull(scene, quad(of, of, of, of, of, of), mode);
      set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW);
      set_domain(scene, 16);
      scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0, 0)});
      CHECK(std::ranges::count(scene.pixels(), 0xff000001u) == 256);
      CHECK(counts(scene) == Counts{1, (factor + 1) * (factor + 1), 2 * factor * factor});
    }
  }
}

TEST_CASE("each edge of a quad has its factor's points, the inside its own") {
  for (const HullMode mode : {eight, single}) {
    Scene scene;
    set_hull(scene, quad(1, 2, 3, 4, 2, 2), mode);
    set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_POINT);
    set_domain(scene, 12);
    scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0.5f, 0.5f)});
    Picture expected(16, std::string(16, '.'));
    expected[0] = "R.....R.....R...";   // v = 0 in two
    expected[4] = expected[8] =         // u = 1 in three
        "............R...";             //
    expected[6] = "......R.........";   // inside
    expected[12] = "R..R..R..R..R...";  // v = 1 in four
    CHECK(scene.picture() == expected);
    CHECK(counts(scene) == Counts{1, 11, 11});
  }
}

TEST_CASE("isolines: so many lines of so many segments, from v = 0 on") {
  Scene scene;
  set_hull(scene, isolines(3, 2), eight);
  set_tessellator(scene, Te::TEDomain::ISOLINE, Te::OutputTopology::OUTPUT_LINE);
  set_domain(scene, 12);
  scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0.5f, 1.5f)});
  Picture expected(16, std::string(16, '.'));
  for (const unsigned row : {1u, 5u, 9u}) expected[row] = "RRRRRRRRRRRR....";
  CHECK(scene.picture() == expected);
  CHECK(counts(scene) == Counts{1, 9, 6});
}

TEST_CASE("a triangle's domain, its third coordinate among the payload") {
  Scene plain, tessellated;
  plain.count_coverage();
  plain.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(16, 0), red(0, 16)});
  tessellated.count_coverage();
  set_hull(tessellated, triangle(4, 4), eight);
  set_tessellator(tessellated, Te::TEDomain::TRI, Te::OutputTopology::OUTPUT_TRI_CCW);
  set_domain(tessellated, 16, true);
  tessellated.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0, 0)});
  CHECK(tessellated.pixels() == plain.pixels());
  // The edges' points, then a ring in two parts and the point within.
  CHECK(counts(tessellated).domain == 12 + 6 + 1);
}

TEST_CASE("a factor of zero culls the patch, and not the one beside it") {
  Scene scene;
  set_hull(scene, quad(1, 0, 1, 1, 1, 1), eight);
  set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW);
  set_domain(scene, 4);
  scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0, 0), red(8, 8)});
  CHECK(scene.picture() == Picture(16, std::string(16, '.')));
  CHECK(counts(scene) == Counts{2, 0, 0});
}

TEST_CASE("more patches than a thread of the hull shader takes") {
  for (const HullMode mode : {eight, single}) {
    Scene scene;
    set_hull(scene, quad(1, 1, 1, 1, 1, 1), mode);
    set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW);
    set_domain(scene, 1);
    std::vector<SceneVertex> corners;
    Picture expected(16, std::string(16, '.'));
    for (unsigned i = 0; i < 11; ++i) {
      const unsigned y = i * 7 % 16;
      corners.push_back(red(static_cast<float>(i), static_cast<float>(y)));
      expected[y][i] = 'R';
    }
    scene.draw(Topology::_3DPRIM_PATCHLIST_1, corners);
    CHECK(scene.picture() == expected);
    CHECK(counts(scene) == Counts{11, 44, 22});
  }
}

TEST_CASE("a patch whose vertices outgrow the URB is drawn in pieces") {
  Scene scene(64);
  scene.count_coverage();
  set_hull(scene, quad(64, 64, 64, 64, 64, 64), eight);
  set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW);
  set_domain(scene, 64);
  gen9::_3DSTATE_URB_DS urb;
  urb.ds_urb_entry_allocation_size = 15;  // 1 KiB: 65 x 65 of them are more than 4 MiB
  scene.set(urb);
  scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0, 0)});
  CHECK(std::ranges::count(scene.pixels(), 0xff000001u) == 64 * 64);
  CHECK(counts(scene) == Counts{1, 65 * 65, 2 * 64 * 64});
}

TEST_CASE("any number of threads, and either mode of the hull shader, draws the same bits") {
  constexpr uint32_t size = 256;
  std::mt19937 random(9);
  std::uniform_real_distribution<float> place(-10, size - 10);
  std::vector<SceneVertex> corners;
  for (unsigned i = 0; i < 60; ++i) corners.push_back(red(place(random), place(random)));
  const auto picture = [&](unsigned threads, HullMode mode, const Generation& generation = gen9_scenes) {
    Scene scene(size, threads, generation);
    scene.count_coverage();
    set_hull(scene, quad(3.5f, 7.25f, 1, 5.5f, 9.75f, 4), mode);
    set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW, Te::Partitioning::ODD_FRACTIONAL);
    set_domain(scene, 40.5f);
    scene.draw(Topology::_3DPRIM_PATCHLIST_1, corners);
    return scene.pixels();
  };
  const auto expected = picture(0, eight);
  CHECK(std::ranges::count(expected, 0u) < size * size);
  CHECK(picture(2, eight) == expected);
  CHECK(picture(0, single) == expected);
  CHECK(picture(2, single) == expected);
  CHECK(picture(0, eight, gen12_scenes) == expected);
}

TEST_CASE("Gen12: instances of a hull shader of eight patches meet at a barrier") {
  // Instance 1 writes the factors behind the patch's data; after the barrier both put them into its header.
  constexpr unsigned number = 20, kept = 48, kept_oword = 4, handles = 1, points = 2, factors = 8;
  Scene scene(16, 0, gen12_scenes);
  gen9::_3DSTATE_HS hs;
  hs.enable = hs.statistics_enable = hs.include_vertex_handles = true;
  hs.dispatch_mode = eight;
  hs.instance_count = 1;
  hs.dispatch_grf_start_register_for_urb_data = 3;
  // The instance's number is in r0.2 22:16.
  eu::Instruction is_1 = eu::test::op_imm(Opcode::and_, 8, grf(number, RegType::ud), scalar(0, RegType::ud, 2), RegType::ud, 0x7f0000);
  is_1.cond_mod = static_cast<uint8_t>(eu::CondMod::nz);
  Code code{is_1, copy(message, handles)};
  for (unsigned i = 0; i < factors; ++i) code.push_back(load(message + 1 + i, quad(2, 2, 2, 2, 2, 2)[i]));
  code.push_back(urb_write(factors, kept_oword));
  code.back().pred_control = 1;
  eu::Instruction arrive = urb_write(0, 0), wait;
  arrive.cond_mod = 3;  // the gateway
  arrive.descriptor = 1u << 25 | 4;
  wait.opcode = Opcode::sync;
  wait.src[0] = eu::test::null();
  wait.cond_mod = static_cast<uint8_t>(eu::SyncFunction::bar);
  code = code + Code{arrive,
                     wait,
                     urb_read(kept, factors, kept_oword),
                     copy(message, points),
                     urb_read(corner, corner_step, 1),
                     copy(message, handles)};
  for (unsigned i = 0; i < factors; ++i) code.push_back(copy(message + 1 + i, kept + i));
  code.push_back(urb_write(factors, 0));
  for (unsigned i = 0; i < corner_step; ++i) code.push_back(copy(message + 1 + i, corner + i));
  code.push_back(urb_write(corner_step, patch_data_owords, true));
  hs.kernel_start_pointer = scene.kernel(code);
  scene.set(hs);
  gen9::_3DSTATE_URB_HS urb;
  urb.hs_urb_entry_allocation_size = 1;
  scene.set(urb);
  scene.count_coverage();
  set_tessellator(scene, Te::TEDomain::QUAD, Te::OutputTopology::OUTPUT_TRI_CW);
  set_domain(scene, 8);
  scene.draw(Topology::_3DPRIM_PATCHLIST_1, {red(0, 0), red(8, 0), red(0, 8)});
  CHECK(std::ranges::count(scene.pixels(), 0xff000001u) == 3 * 64);
  CHECK(counts(scene) == Counts{3, 27, 24});
}

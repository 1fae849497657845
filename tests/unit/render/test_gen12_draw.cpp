// SPDX-License-Identifier: GPL-2.0-or-later
// Tiger Lake's draws, from packets and its own instructions to pixels.
#include "hw/base/log.h"
#include "hw/defs/gen12/all.h"
#include "tests/catch.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using namespace softgen::render::test;
namespace gen12 = defs::gen12;
using Topology = gen9::PrimitiveTopologyType;
using eu::Opcode;
using eu::RegType;
using eu::test::grf;
using eu::test::scalar;

namespace {

/// Red, green and blue are the three lower bytes of dword `dword` of register `reg`.
Code paint_dword(unsigned width, unsigned reg, unsigned dword) {
  const unsigned registers = width / 8;
  Code code;
  for (unsigned c = 0; c < 3; ++c) {
    const eu::Operand to = grf(message + c * registers, RegType::f);
    code.push_back(eu::test::op(Opcode::mov, width, to, scalar(reg, RegType::ub, 4 * dword + c)));
    code.push_back(eu::test::op_imm(Opcode::mul, width, to, to, RegType::f, std::bit_cast<uint32_t>(1 / 255.f)));
  }
  code.push_back(eu::test::mov_imm(width, grf(message + 3 * registers, RegType::f), RegType::f, std::bit_cast<uint32_t>(1.0f)));
  code.push_back(write_target(width));
  return code;
}

}  // namespace

TEST_CASE("Gen12: vertices and pixels by its instructions") {
  Scene scene(16, 0, gen12_scenes);
  scene.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(16, 0), red(0, 16)});
  Scene other;
  other.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(16, 0), red(0, 16)});
  CHECK(scene.pixels() == other.pixels());
  CHECK(scene.pixel(0, 0) == 0xff0000ff);
}

// As Mesa 25's anv with INTEL_SIMD_DEBUG=fs2x8: kernel 0 is of two objects, kernel 2 of sixteen pixels.
TEST_CASE("Gen12: with dual SIMD8 dispatch the kernel for sixteen pixels shades them all") {
  Scene scene(16, 0, gen12_scenes);
  gen12::_3DSTATE_PS ps;
  ps.kernel_start_pointer_0 = scene.kernel(paint(8, 0, 0, 1));
  ps.kernel_start_pointer_2 = scene.kernel(paint(16, 1, 0, 0));
  ps._8_pixel_dispatch_enable = ps._16_pixel_dispatch_enable = ps.dual_simd8_dispatch_enable = true;
  ps.dispatch_grf_start_register_for_constant_setup_data_0 = ps.dispatch_grf_start_register_for_constant_setup_data_2 = first_constant;
  scene.set(ps);
  scene.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(16, 0), red(0, 16)});
  CHECK(scene.pixel(0, 0) == 0xff0000ff);
  ps._16_pixel_dispatch_enable = false;
  scene.set(ps);
  const uint64_t before = failure_count(Failure::unimplemented, "pixel shader dispatch");
  scene.draw(Topology::_3DPRIM_TRILIST, {red(16, 0), red(16, 16), red(0, 16)});
  CHECK(scene.pixel(15, 15) == 0);
  CHECK(failure_count(Failure::unimplemented, "pixel shader dispatch") == before + 1);
}

TEST_CASE("a pixel's thread has facing and topology of its object in r0.0, on Gen12 in r1.1") {
  constexpr uint32_t back = 0x80u << 8, trilist = 4, opaque = 0xff000000;
  for (const unsigned width : {8u, 16u})
    for (const bool gen12 : {false, true}) {
      CAPTURE(width, gen12);
      Scene scene(16, 0, gen12 ? gen12_scenes : gen9_scenes);
      const auto painted = [&](unsigned reg, unsigned dword) {
        scene.pixel_shader(width, paint_dword(width, reg, dword));
        scene.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(8, 0), red(0, 16), red(16, 0), red(8, 0), red(16, 16)});
        return std::pair{scene.pixels()[0], scene.pixels()[15]};
      };
      const auto said = painted(gen12 ? 1 : 0, gen12 ? 1 : 0), nothing = painted(gen12 ? 0 : 1, gen12 ? 0 : 1);
      CHECK(std::pair{said.first ^ said.second, said.first | said.second} == std::pair{back, back | trilist | opaque});
      CHECK(nothing == std::pair{opaque, opaque});
    }
}

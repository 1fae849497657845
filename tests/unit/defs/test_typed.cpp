// SPDX-License-Identifier: GPL-2.0-or-later
#include <random>
#include <vector>

#include "hw/defs/command.h"
#include "hw/defs/gen9/all.h"
#include "tests/catch.h"

using namespace softgen::defs;

TEST_CASE("3DSTATE_VS unpacks what iris writes") {
  // Bytes of the gl_tri capture's layout: kernel 0x12340, SIMD8 dispatch, one constant register, statistics on.
  gen9::_3DSTATE_VS vs;
  vs.kernel_start_pointer = 0xffff'0001'2340;
  vs.maximum_number_of_threads = 335;
  vs.enable = true;
  const auto dwords = vs.pack();
  CHECK(dwords.size() == 9);
  CHECK(dwords[0] == 0x78100007);
  CHECK(dwords[1] == 0x0001'2340);
  CHECK(dwords[2] == 0xffff);
  CHECK(dwords[7] >> 23 == 335);
  const auto back = gen9::_3DSTATE_VS::unpack(dwords);
  CHECK(back.kernel_start_pointer == vs.kernel_start_pointer);
  CHECK(back.maximum_number_of_threads == 335);
  CHECK(back.enable);
}

TEST_CASE("a short packet unpacks as if zeros followed") {
  const uint32_t header[] = {0x78100007};
  CHECK(gen9::_3DSTATE_VS::unpack(header).kernel_start_pointer == 0);
  CHECK(gen9::RENDER_SURFACE_STATE::unpack({}).surface_base_address == 0);
}

TEST_CASE("fixed point, floats and nested structures survive") {
  gen9::SAMPLER_STATE sampler;
  sampler.texture_lod_bias = -1.5f;
  sampler.min_lod = 2.25f;
  const auto packed = sampler.pack();
  const auto back = gen9::SAMPLER_STATE::unpack(packed);
  CHECK(back.texture_lod_bias == -1.5f);
  CHECK(back.min_lod == 2.25f);

  gen9::CC_VIEWPORT viewport;
  viewport.minimum_depth = 0.25f;
  viewport.maximum_depth = 0.75f;
  CHECK(gen9::CC_VIEWPORT::unpack(viewport.pack()).maximum_depth == 0.75f);

  gen9::_3DSTATE_CONSTANT_PS constants;
  constants.constant_body.read_length[2] = 7;
  constants.constant_body.buffer[2] = 0xffff'fffe'1234'5660;
  const auto body = gen9::_3DSTATE_CONSTANT_PS::unpack(constants.pack()).constant_body;
  CHECK(body.read_length[2] == 7);
  CHECK(body.buffer[2] == 0xffff'fffe'1234'5660);
  CHECK(body.read_length[1] == 0);
}

namespace {

/// Unpacks random dwords and packs the result: unpacking that again must give the same packet. Bits that no field covers may differ.
template <typename T>
void round_trip(std::mt19937& random) {
  std::array<uint32_t, T::dwords> dwords;
  for (uint32_t& dword : dwords) dword = random();
  const auto packed = T::unpack(dwords).pack();
  CHECK(T::unpack(packed).pack() == packed);
}

}  // namespace

TEST_CASE("random packets survive unpack and pack") {
  std::mt19937 random(7);
  for (int i = 0; i < 100; i++) {
    round_trip<gen9::PIPE_CONTROL>(random);
    round_trip<gen9::_3DSTATE_SBE>(random);
    round_trip<gen9::_3DSTATE_SBE_SWIZ>(random);
    round_trip<gen9::_3DSTATE_PS>(random);
    round_trip<gen9::XY_FAST_COPY_BLT>(random);
    round_trip<gen9::STATE_BASE_ADDRESS>(random);
    round_trip<gen9::MFX_QM_STATE>(random);
    round_trip<gen9::BLEND_STATE_ENTRY>(random);
    round_trip<gen9::SAMPLER_STATE>(random);
  }
}

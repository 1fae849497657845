// SPDX-License-Identifier: GPL-2.0-or-later
// LOD messages: OpenGL's and Vulkan's query of the level that a sample would take (OpenGL 4.6, 8.14 "Texture Minification"; deqp-vk's texturequerylod).
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

constexpr uint32_t lod_message = 9;
enum Mips : uint32_t { none = 0, nearest = 1, linear = 3 };

struct Fixture : test::MessageFixture {
  /// Red and green of a quad whose pixels are `step` texels apart, of a surface of six levels; levels from `lowest` to `highest` are allowed.
  std::array<float, 2> query(Mips mips, float step, float lowest, float highest) {
    set(defs::gen9::SurfaceFormat::R8G8B8A8_UNORM, test::SurfaceState::AuxiliarySurfaceMode::AUX_NONE, 0, 0);
    view.store<uint32_t>(test::surface_at + 5 * sizeof(uint32_t), 5);
    const auto u4_8 = [](float lod) { return static_cast<uint32_t>(lod * 256); };
    const StateDwords dwords{static_cast<uint32_t>(mips) << 20, u4_8(lowest) << 20 | u4_8(highest) << 8, 0, 2u << 6 | 2u << 3 | 2};
    view.write(test::sampler_at, dwords.data(), sizeof dwords);
    for (unsigned lane = 0; lane < 8; ++lane) {
      registers[2].dw[lane] = std::bit_cast<uint32_t>(static_cast<float>(lane & 1) * step / 32);
      registers[3].dw[lane] = std::bit_cast<uint32_t>(static_cast<float>(lane >> 1 & 1) * step / 32);
    }
    const auto answer = sent(lod_message);
    return {std::bit_cast<float>(answer[0]), std::bit_cast<float>(answer[1])};
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a LOD message answers the level that the mip filter takes, and the level of detail without clamps") {
  const float three = std::log2(3.0f);  // 1.585
  CHECK(query(linear, 3, 0, 14)[0] == Approx(three).margin(1.0 / 256));
  CHECK(query(nearest, 3, 0, 14)[0] == 2);
  CHECK(query(nearest, 2.5f, 0, 14)[0] == 1);
  CHECK(query(nearest, 3, 0, 0.25f)[0] == 0);
  CHECK(query(nearest, 1, 2.75f, 14)[0] == 3);
  CHECK(query(none, 3, 0, 14)[0] == 0);
  for (const Mips mips : {none, nearest, linear}) CHECK(query(mips, 3, 0, 0.25f)[1] == Approx(three).margin(1.0 / 256));
}

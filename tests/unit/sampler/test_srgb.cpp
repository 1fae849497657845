// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE, SRGB DECODE: textures of sRGB formats as textures of the same codes in UNORM.
#include <cstring>
#include <random>

#include "hw/defs/gen11/all.h"
#include "hw/surface/block.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

using F = defs::gen9::SurfaceFormat;
constexpr uint32_t lod_type = 2;

struct Fixture : test::MessageFixture {
  Sampler gen11{decode_state<defs::Gen11>};

  explicit Fixture(unsigned filter) {
    std::mt19937 random(9);
    for (uint64_t at = test::texels_at; at < test::texels_at + 0x1000; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(random()));
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned r = 2; r < 6; ++r) registers[r].dw[i] = std::bit_cast<uint32_t>(static_cast<float>(random() % 997) / 997);
    filter_ = filter;
  }
  void sampler(bool skip) {
    const StateDwords dwords{filter_ << 17 | filter_ << 14, 0, skip ? 2u : 0u, 2u << 6 | 2u << 3 | 2};
    view.write(test::sampler_at, dwords.data(), sizeof dwords);
  }
  /// Four components of eight samples, and whether a function would answer such messages directly with the same bits.
  std::array<Grf, 4> samples(F format, bool skip, uint32_t type) {
    set(format, test::SurfaceState::AuxiliarySurfaceMode::AUX_NONE, 0, 0);
    sampler(skip);
    sent(gen11, type);
    std::array<Grf, 4> out;
    std::memcpy(out.data(), registers + 10, sizeof out);
    DirectAnswer answer;
    gen11.direct(form(type), env, answer);
    if (answer.function) {
      std::memset(registers + 10, 0xaa, sizeof out);
      REQUIRE(answer.function(answer, registers, 0xff, env));
      CHECK(std::memcmp(out.data(), registers + 10, sizeof out) == 0);
    }
    return out;
  }

 private:
  unsigned filter_;
};

bool same(const std::array<Grf, 4>& a, const std::array<Grf, 4>& b) { return std::memcmp(a.data(), b.data(), sizeof a) == 0; }

}  // namespace

TEST_CASE("a sampler that skips the decoding of sRGB gives what the UNORM format gives") {
  struct Pair {
    F srgb, unorm;
  };
  const Pair pair = GENERATE(values<Pair>({{F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_UNORM},
                                           {F::R8G8B8X8_UNORM_SRGB, F::R8G8B8X8_UNORM},
                                           {F::B8G8R8A8_UNORM_SRGB, F::B8G8R8A8_UNORM},
                                           {F::B8G8R8X8_UNORM_SRGB, F::B8G8R8X8_UNORM},
                                           {F::L8_UNORM_SRGB, F::L8_UNORM},
                                           {F::BC1_UNORM_SRGB, F::BC1_UNORM},
                                           {F::BC7_UNORM_SRGB, F::BC7_UNORM},
                                           {F::ETC2_EAC_SRGB8_A8, F::ETC2_EAC_RGBA8}}));
  const unsigned filter = GENERATE(0u, 1u);
  Fixture f(filter);
  for (const uint32_t type : {lod_type, 24u}) {
    const auto skipped = f.samples(pair.srgb, true, type);
    CHECK(same(skipped, f.samples(pair.unorm, false, type)));
    CHECK(same(skipped, f.samples(pair.unorm, true, type)));
    CHECK_FALSE(same(skipped, f.samples(pair.srgb, false, type)));
  }
}

TEST_CASE("a load of an sRGB texel is linear, whatever a sampler says") {
  Fixture f(0);
  for (unsigned r = 2; r < 6; ++r) f.registers[r] = {};
  const auto linear = f.samples(F::R8G8B8A8_UNORM_SRGB, false, test::ld_type);
  CHECK(same(linear, f.samples(F::R8G8B8A8_UNORM_SRGB, true, test::ld_type)));
  CHECK(std::bit_cast<float>(linear[0].dw[0]) == surface::srgb8_to_linear(f.view.load<uint8_t>(test::texels_at)));
}

TEST_CASE("texels of ASTC's sRGB formats that are not decoded are their 8 bits") {
  // Void extent of 8000h, ff00h, 0, ffffh.
  const unsigned char block[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x80, 0x00, 0xff, 0, 0, 0xff, 0xff};
  surface::BlockTexels texels;
  surface::decode_block(surface::without_srgb(*surface::find_format(F::ASTC_LDR_2D_4X4_U8SRGB)), reinterpret_cast<const std::byte*>(block),
                        texels);
  CHECK(texels[0] == surface::Float4{128 / 255.0f, 1.0f, 0.0f, 1.0f});
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/block.h"

#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "tests/catch.h"

using namespace softgen;
using namespace softgen::surface;

namespace {

BlockTexels decoded(SurfaceFormat code, std::initializer_list<unsigned> bytes) {
  std::byte block[16] = {};
  size_t i = 0;
  for (const unsigned b : bytes) block[i++] = static_cast<std::byte>(b);
  BlockTexels out;
  decode_block(*find_format(code), block, out);
  return out;
}

}  // namespace

TEST_CASE("BC1: four colours, or three and black, transparent or not") {
  // End points white and black; texels 0 to 3 take the four indices.
  const auto four = decoded(SurfaceFormat::BC1_UNORM, {0xff, 0xff, 0x00, 0x00, 0xe4, 0, 0, 0});
  CHECK(four[0] == Float4{1, 1, 1, 1});
  CHECK(four[1] == Float4{0, 0, 0, 1});
  CHECK(four[2][0] == 170 / 255.0f);
  CHECK(four[3][0] == 85 / 255.0f);
  const auto three = decoded(SurfaceFormat::BC1_UNORM, {0x00, 0x00, 0xff, 0xff, 0xe4, 0, 0, 0});
  CHECK(three[1] == Float4{1, 1, 1, 1});
  CHECK(three[2][0] == 128 / 255.0f);
  CHECK(three[3] == Float4{0, 0, 0, 0});
  CHECK(decoded(SurfaceFormat::DXT1_RGB, {0x00, 0x00, 0xff, 0xff, 0xe4, 0, 0, 0})[3] == Float4{0, 0, 0, 1});
  // BC3's colours never take the three-colour form.
  CHECK(decoded(SurfaceFormat::BC3_UNORM, {255, 255, 0, 0, 0, 0, 0, 0, 0x00, 0x00, 0xff, 0xff, 0xe4, 0, 0, 0})[3][0] == 170 / 255.0f);
}

TEST_CASE("BC2 and BC3 alpha, BC4 and BC5 channels") {
  const auto explicit_alpha = decoded(SurfaceFormat::BC2_UNORM, {0x10, 0x32, 0, 0, 0, 0, 0, 0xf0, 0xff, 0xff, 0, 0, 0, 0, 0, 0});
  CHECK(explicit_alpha[1][3] == 17 / 255.0f);
  CHECK(explicit_alpha[3][3] == 51 / 255.0f);
  CHECK(explicit_alpha[15][3] == 1.0f);
  // Indices 0 to 7 in the first eight texels: octal 76543210.
  const auto ramp = decoded(SurfaceFormat::BC4_UNORM, {255, 0, 0x88, 0xc6, 0xfa, 0, 0, 0});
  for (int k = 2; k < 8; ++k) CHECK(ramp[static_cast<size_t>(k)][0] == Approx((8 - k) / 7.0));
  const auto six = decoded(SurfaceFormat::BC4_SNORM, {0x81, 0x7f, 0x88, 0xc6, 0xfa, 0, 0, 0});
  CHECK(six[0][0] == -1.0f);
  CHECK(six[1][0] == 1.0f);
  CHECK(six[2][0] == Approx(-0.6));
  CHECK(six[6][0] == -1.0f);
  CHECK(six[7][0] == 1.0f);
  const auto two = decoded(SurfaceFormat::BC5_UNORM, {255, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0});
  CHECK(two[5] == Float4{1.0f, 51 / 255.0f, 0.0f, 1.0f});
}

TEST_CASE("sRGB block formats read linear") {
  const auto texels = decoded(SurfaceFormat::BC1_UNORM_SRGB, {0xef, 0x7b, 0x00, 0x00, 0, 0, 0, 0});
  CHECK(texels[0][0] == srgb8_to_linear(123));
}

TEST_CASE("ASTC: a void extent is one colour, a reserved mode is magenta") {
  const auto constant = decoded(SurfaceFormat::ASTC_LDR_2D_6X5_FLT16,
                                {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x80, 0xff, 0xff, 0, 0, 0xff, 0xff});
  CHECK(constant[29] == Float4{0.5f, 1.0f, 0.0f, 1.0f});
  const auto bad = decoded(SurfaceFormat::ASTC_LDR_2D_4X4_FLT16, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(bad[0] == Float4{1.0f, 0.0f, 1.0f, 1.0f});
}

TEST_CASE("ASTC: blocks of HDR formats are halves") {
  constexpr auto hdr = SurfaceFormat::ASTC_HDR_2D_4X4_FLT16, ldr = SurfaceFormat::ASTC_LDR_2D_4X4_FLT16;
  const std::initializer_list<unsigned> halves{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                               0x00, 0x44, 0x00, 0xc0, 0xff, 0x7b, 0x00, 0x3c};
  CHECK(decoded(hdr, halves)[7] == Float4{4.0f, -2.0f, 65504.0f, 1.0f});
  CHECK(decoded(ldr, halves)[7] == Float4{1.0f, 0.0f, 1.0f, 1.0f});
  const std::initializer_list<unsigned> codes{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x80, 0xff, 0xff, 0x02, 0, 0xff, 0x80};
  CHECK(decoded(hdr, codes)[0] == Float4{0.5f, 1.0f, 0x1p-15f, 0x407p-11f});  // without the bits that halves lack
  CHECK(decoded(ldr, codes)[0] == Float4{0x8001p-16f, 1.0f, 0x1p-15f, 0x80ffp-16f});
  // A grid of 4x4 weights of two bits, one partition, luminances 78h and 80h of a large range; only the first weight is not zero.
  const std::initializer_list<unsigned> luminance{0x42, 0x40, 0xf0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0};
  const auto texels = decoded(hdr, luminance);
  CHECK(texels[0] == Float4{2.0f, 2.0f, 2.0f, 1.0f});
  CHECK(texels[1] == Float4{1.0f, 1.0f, 1.0f, 1.0f});
  CHECK(decoded(ldr, luminance)[1] == Float4{1.0f, 0.0f, 1.0f, 1.0f});
}

// Sums over random blocks. The decoders gave the same texels as Mesa 22.3.6's (texcompress_bptc, _etc, _astc)
// on 200,000 random blocks of each format when these were taken.
TEST_CASE("block decoders give the values that were compared with Mesa's") {
  constexpr unsigned seed = 20261121;
  INFO("seed " << seed);
  const auto sum = [&](const std::function<void(const uint8_t*, uint64_t&)>& decode) {
    std::mt19937 random(seed);
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < 4000; ++i) {
      uint8_t block[16];
      for (auto& b : block) b = static_cast<uint8_t>(random());
      if (i % 2) block[0] = static_cast<uint8_t>(1u << random() % 8);
      decode(block, hash);
    }
    return hash;
  };
  const auto add = [](uint64_t& hash, const auto& values, size_t bytes) {
    const auto* p = reinterpret_cast<const uint8_t*>(values.data());
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3;
  };
  const auto bc7 = sum([&](const uint8_t* b, uint64_t& h) {
    blocks::Texels8 t;
    blocks::decode_bc7(b, t);
    add(h, t, sizeof t);
  });
  const auto bc6h = sum([&](const uint8_t* b, uint64_t& h) {
    std::array<std::array<uint16_t, 3>, 16> t;
    for (const bool s : {false, true}) {
      blocks::decode_bc6h(b, s, t);
      add(h, t, sizeof t);
    }
  });
  const auto etc = sum([&](const uint8_t* b, uint64_t& h) {
    blocks::Texels8 t;
    for (const bool punch : {false, true}) {
      blocks::decode_etc2(b, punch, t);
      blocks::decode_eac_alpha(b + 8, t);
      add(h, t, sizeof t);
    }
  });
  const auto astc = sum([&](const uint8_t* b, uint64_t& h) {
    std::array<std::array<uint16_t, 4>, max_block_texels> t;
    for (const unsigned w : {4u, 6u, 12u}) {
      blocks::decode_astc(b, w, w, w == 6 ? blocks::AstcTexels::unorm8 : blocks::AstcTexels::unorm16, t);
      add(h, t, w * w * 8);
    }
  });
  // As libastcenc 4.2.0 (Debian 12) decodes them, on 360,000 random blocks when this was taken; its error colour is a NaN.
  const auto astc_hdr = sum([&](const uint8_t* b, uint64_t& h) {
    std::array<std::array<uint16_t, 4>, max_block_texels> t;
    for (const unsigned w : {4u, 6u, 12u}) {
      blocks::decode_astc(b, w, w, blocks::AstcTexels::half, t);
      add(h, t, w * w * 8);
    }
  });
  CHECK(astc_hdr == 0xd0c23069b0307e01);
  CHECK(bc7 == 0x7efade7230518377);
  CHECK(bc6h == 0x51a4ca4e28019127);
  CHECK(etc == 0x83d6220238a724a5);
  CHECK(astc == 0xad446da9b251eace);
}

TEST_CASE("FXT1: the four modes") {
  const auto byte = [](int v) { return static_cast<float>(v) / 255.0f; };
  // Black and white, indices 0, 3, 6, 7; the right half begins with 6.
  const auto high = decoded(SurfaceFormat::FXT1, {0x98, 0x0f, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f});
  CHECK(high[0] == Float4{0, 0, 0, 1});
  CHECK(high[1] == Float4{byte(128), byte(128), byte(128), 1});
  CHECK(high[2] == Float4{1, 1, 1, 1});
  CHECK(high[3] == Float4{0, 0, 0, 0});
  CHECK(high[4] == Float4{1, 1, 1, 1});
  // Red, blue.
  const auto chroma = decoded(SurfaceFormat::FXT1, {0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 0x0f, 0, 0, 0, 0, 0x40});
  CHECK(chroma[0] == Float4{1, 0, 0, 1});
  CHECK(chroma[1] == Float4{0, 0, 1, 1});
  // Alpha from 1 to 0 in thirds; the right half's own colour is clear.
  const auto alpha = decoded(SurfaceFormat::FXT1, {0x1c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x03, 0x70});
  CHECK(alpha[0] == Float4{0, 0, 0, 1});
  CHECK(alpha[1] == Float4{0, 0, 0, 0});
  CHECK(alpha[2] == Float4{0, 0, 0, byte(170)});
  CHECK(alpha[4] == Float4{0, 0, 0, 0});
  // The second green is 1 of 63; the first one loses that bit by the first texel's index.
  const auto mixed = decoded(SurfaceFormat::FXT1, {0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa0});
  CHECK(mixed[0] == Float4{0, byte(3), 0, 1});
  CHECK(mixed[1] == Float4{0, byte(4), 0, 1});
  CHECK(mixed[2] == Float4{0, 0, 0, 1});
}

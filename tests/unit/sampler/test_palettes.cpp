// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>

#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler::test;

TEST_CASE("messages see the texture palettes as they were last loaded") {
  const uint32_t type = GENERATE(sample_type, ld_type);
  MessageFixture f;
  f.set(defs::gen9::SurfaceFormat::P8_UNORM_PALETTE0, SurfaceState::AuxiliarySurfaceMode::AUX_NONE, 0, 0);
  f.view.fill(texels_at, 7, 32 * 128);
  CHECK(f.sent(type) == std::array<uint32_t, 2>{0, 0});
  TexturePalettes palettes{};
  palettes[0][7] = 0x00ff'0000, palettes[1][7] = 0x0000'ff00;
  f.unit.set_palettes(palettes);
  CHECK(f.sent(type) == std::array<uint32_t, 2>{one, 0});
  DirectAnswer answer;
  f.unit.direct(f.form(type), f.env, answer);
  CHECK_FALSE(answer.function);
  palettes[0][7] = 0x0000'ff00;
  f.unit.set_palettes(palettes);
  CHECK(f.sent(type) == std::array<uint32_t, 2>{0, one});
}

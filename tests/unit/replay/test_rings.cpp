// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of Ironlake: ring writes run, and crocus' batches end in llvmpipe's pictures (tests/golden/captures/ilk/README.md).
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "hw/replay/player.h"
#include "tests/catch.h"

using namespace softgen;

namespace {

constexpr uint32_t size = 64, target = 0x23000, pitch = 512, tile_rows = 8;

/// X tiles, of which the target is one wide, and bit 6 swizzled by bits 9 and 10.
uint32_t address(uint32_t x, uint32_t y) {
  const uint32_t at = y / tile_rows * pitch * tile_rows + y % tile_rows * pitch + 4 * x;
  return target + (at ^ ((at >> 9 ^ at >> 10) & 1) << 6);
}

std::vector<char> reference(const std::string& name) {
  std::ifstream file(std::string(CAPTURES) + "/ilk/ref/" + name + ".rgba", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("replay: crocus' captures of Ironlake end in their pictures") {
  // Not gl2_tex: its texture was written as on a machine that does not swizzle.
  const std::string name = GENERATE("tri", "gouraud", "depth", "blend");
  const unsigned threads = GENERATE(0u, 2u);
  CAPTURE(name, threads);
  replay::Player player({.threads = threads});
  const auto result = player.run(std::string(CAPTURES) + "/ilk/gl2_" + name + ".aub.xz");
  CHECK(result.error == "");
  CHECK(result.submissions == 1);
  CHECK(result.draws == (name == "depth" ? 4 : 2));
  REQUIRE(player.memory());
  const std::vector<char> expected = reference(name);
  REQUIRE(expected.size() == size_t{4} * size * size);
  unsigned far = 0;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x)
      for (uint32_t c = 0; c < 4; ++c) {
        const int ours = player.memory()->load<uint8_t>(address(x, y) + c), theirs = static_cast<uint8_t>(expected[(y * size + x) * 4 + c]);
        far += std::abs(ours - theirs) > 2;
      }
  CHECK(far <= 16);  // edges: the references are llvmpipe's
}

TEST_CASE("replay: pictures of Ironlake's targets are refused in a sentence") {
  replay::Player player({.png_folder = "pictures"});
  CHECK(player.run(std::string(CAPTURES) + "/ilk/gl2_tri.aub.xz").error == "platform ilk: --png does not know its render targets yet");
}

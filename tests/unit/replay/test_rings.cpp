// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of Ironlake: ring writes run, and crocus' batches end in llvmpipe's pictures (tests/golden/captures/ilk/README.md).
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "hw/replay/player.h"
#include "hw/replay/print_mode.h"
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

TEST_CASE("replay: pictures of Ironlake's targets, at each flush and at the end") {
  char folder[] = "/tmp/softgen-pictures.XXXXXX";
  REQUIRE(mkdtemp(folder));
  replay::Player player({.png_folder = folder});
  const auto result = player.run(std::string(CAPTURES) + "/ilk/gl2_depth.aub.xz");
  CHECK(result.error == "");
  REQUIRE_FALSE(result.pictures.empty());
  CHECK(result.pictures.back() == std::string(folder) + "/draw0003_rt0_23000.png");
  CHECK(std::filesystem::file_size(result.pictures.back()) > 100);
  std::filesystem::remove_all(folder);
}

TEST_CASE("replay: Ironlake's captures are printed with unit states and kernels, and listed with targets") {
  const std::string path = std::string(CAPTURES) + "/ilk/gl2_depth.aub.xz";
  const auto printed = [&](replay::PrintOptions::Form form) {
    std::FILE* const out = std::tmpfile();
    REQUIRE(out);
    const replay::PrintResult result = replay::print_capture(path, {.form = form}, out);
    CHECK(result.error == "");
    CHECK(result.unknown + result.unknown_instructions + result.problems == 0);
    CHECK(result.draws == 4);
    std::string text(static_cast<size_t>(std::ftell(out)), 0);
    std::rewind(out);
    REQUIRE(std::fread(text.data(), 1, text.size(), out) == text.size());
    std::fclose(out);
    return text;
  };
  const std::string text = printed(replay::PrintOptions::Form::text);
  for (const char* part : {"WM_STATE at 0x", "WM_STATE kernel at 0x", "VS_STATE kernel at 0x",
                           "PS Binding Table entry 0: RENDER_SURFACE_STATE", "vertex buffer 0 at 0x", "3DPRIM_"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(printed(replay::PrintOptions::Form::list).find("0x23000 64x64 R8G8B8A8_UNORM") != std::string::npos);
}

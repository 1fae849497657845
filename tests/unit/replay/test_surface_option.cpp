// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/surface_option.h"

#include "hw/defs/command.h"
#include "hw/defs/gen9/set.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::replay;

TEST_CASE("--dump and --surface arguments") {
  CHECK(parse_dump("0xfffffffefffd9000,16384").address == 0xfffefffd9000);
  CHECK(parse_dump("16,0x10").size == 16);
  for (const char* bad : {"", "1", "1,2,3", "x,1", "1,-1", "1,0x80000000", "1,99999999999999999999"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_dump(bad), BadArgument);
  }
  const auto s = parse_surface(defs::gen9::commands, "0x1000,R8G8B8A8_UNORM,64x32,256,y");
  CHECK(s.width == 64);
  CHECK(s.height == 32);
  CHECK(s.tiling == surface::Tiling::y);
  for (const char* bad : {"", "0,R8_UNORM,64,256,y", "0,NONSENSE,1x1,4,x", "0,R8_UNORM,0x1,4,x", "0,R8_UNORM,1x1,0,x", "0,R8_UNORM,1x1,4,q",
                          "0,BC1_UNORM,4x4,8,x", "0,R8_UNORM,70000x1,4,x"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_surface(defs::gen9::commands, bad), BadArgument);
  }
}

TEST_CASE("texels by the format's name") {
  memory::SparseMemory memory(1 << 20);
  memory::Ggtt ggtt;
  ggtt.set_pte(1, 0x1001);
  memory::View view(memory, nullptr);
  view.set_space(memory::AddressSpace::ggtt(ggtt));
  struct Row {
    const char* format;
    uint64_t texel;
    uint32_t rgba;  ///< R in the low byte
  };
  const Row rows[] = {
      {"R8G8B8A8_UNORM", 0x44332211, 0x44332211},
      {"B8G8R8A8_UNORM", 0x44332211, 0x44112233},
      {"B8G8R8X8_UNORM_SRGB", 0x00332211, 0xff112233},
      {"B5G6R5_UNORM", 0xf800, 0xff0000ff},
      {"R10G10B10A2_UNORM", 0xc00003ff, 0xff0000ff},
      {"R8_UNORM", 0x80, 0xff000080},
      {"L8_UNORM", 0x80, 0xff808080},
      {"R32_FLOAT", 0x3f800000, 0xff0000ff},
      {"R16G16_FLOAT", 0x38003c00, 0xff0080ff},
      {"R11G11B10_FLOAT", 0x3c0, 0xff0000ff},
      {"R16G16B16A16_UNORM", 0xffff00000000ffff, 0xff0000ff},
      {"R8G8B8A8_UINT", 0x01020304, 0x01020304},
      {"R8_SNORM", 0x80, 0xff000000},
      {"R16_SINT", 0x0123, 0xff0000ff},
  };
  for (const Row& row : rows) {
    INFO(row.format);
    memory.write(0x1000, &row.texel, 8);
    const surface::Format* format = debug::picture_format(defs::gen9::commands, row.format);
    REQUIRE(format);
    const auto pixels = debug::read_picture(view, {0x1000, format, 1, 1, 64, surface::Tiling::linear});
    const uint32_t rgba = pixels[0] | pixels[1] << 8 | pixels[2] << 16 | static_cast<uint32_t>(pixels[3]) << 24;
    CHECK(rgba == row.rgba);
  }
}

TEST_CASE("a format without texels is no picture") {
  CHECK_FALSE(debug::picture_format(defs::gen9::commands, "YCRCB_NORMAL"));
  CHECK_FALSE(debug::picture_format(defs::gen9::commands, "BC1_UNORM"));
  CHECK_FALSE(debug::picture_format(defs::gen9::commands, "RAW"));
  CHECK_FALSE(debug::picture_format(0x1ff));
}

TEST_CASE("hw/defs and hw/surface name the same formats") {
  for (uint32_t code = 0; code < 0x200; code++) {
    const surface::Format* format = surface::find_format(code);
    const char* name = defs::gen9::commands.surface_formats.name_of(code);
    INFO(code);
    CHECK((format != nullptr) == (name != nullptr));
    if (format && name) CHECK(format->name == name);
  }
}

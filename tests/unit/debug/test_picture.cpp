// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/picture.h"

#include "hw/defs/gen9/set.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::debug;

// A capture may name any format for a target; vertex formats have elements of up to 32 bytes.
TEST_CASE("pictures are made of texels of at most 16 bytes, whatever format code a surface has") {
  constexpr uint32_t codes = 1024;
  constexpr uint64_t base = 0x10000;
  memory::test::Mapped mapped(base, base + 0x2000);
  mapped.view.fill(base, 0xff, 0x2000);
  unsigned found = 0;
  for (uint32_t code = 0; code < codes; ++code) {
    const surface::Format* const format = picture_format(code);
    if (!format) continue;
    CAPTURE(format->name);
    REQUIRE(format->block_bytes() <= 16);
    PictureSource source;
    source.address = base, source.format = format, source.width = source.height = 4, source.pitch = 64;
    CHECK(read_picture(mapped.view, source).size() == 64);
    ++found;
  }
  CHECK(found > 100);
  CHECK_FALSE(picture_format(defs::gen9::commands, "R64G64B64A64_FLOAT"));
  CHECK_FALSE(picture_format(defs::gen9::commands, "R64G64B64_FLOAT"));
}

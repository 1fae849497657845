// SPDX-License-Identifier: GPL-2.0-or-later
// Decoded pictures for people, and which packets begin and end them.
#include "hw/replay/video_pictures.h"

#include <array>
#include <cstdint>

#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;

namespace {

constexpr uint64_t first = 0x1'0000, end = 0x3'0000;

struct Rig : memory::test::Mapped {
  Rig() : Mapped(first, end) { quiet_log(); }

  media::PictureTarget target{
      .base = first, .pitch = 128, .width = 6, .height = 4, .chroma_row = 32, .tiling = surface::Tiling::y, .interleaved = true};

  void store(uint32_t byte, uint32_t row, uint8_t value) {
    view.store<uint8_t>(target.base + surface::offset(target.tiling, 1, byte, row, target.pitch), value);
  }
  /// All samples: luma, Cb, Cr.
  void fill(uint8_t luma, uint8_t cb, uint8_t cr) {
    const uint32_t bytes = target.wide ? 2 : 1;
    for (uint32_t y = 0; y < target.height; ++y)
      for (uint32_t x = 0; x < target.width; ++x) {
        store((x + 1) * bytes - 1, y, luma);
        store((x + 1) * bytes - 1, target.chroma_row + y / 2, x % 2 ? cr : cb);
      }
  }
  std::array<int, 4> color_at(uint32_t x, uint32_t y) {
    const std::vector<uint8_t> picture = replay::read_video(view, target);
    REQUIRE(picture.size() == size_t{4} * target.width * target.height);
    const uint8_t* texel = &picture[size_t{4} * (y * target.width + x)];
    return {texel[0], texel[1], texel[2], texel[3]};
  }
};

}  // namespace

TEST_CASE("video pictures: limited range of BT.601 becomes RGB") {
  Rig rig;
  rig.fill(16, 128, 128);
  CHECK(rig.color_at(5, 3) == std::array{0, 0, 0, 255});
  rig.fill(235, 128, 128);
  CHECK(rig.color_at(0, 0) == std::array{255, 255, 255, 255});
  rig.fill(81, 90, 240);  // BT.601's red, to the nearest codes
  CHECK(rig.color_at(2, 1) == std::array{254, 0, 0, 255});
  rig.store(4, 3, 235);
  CHECK(rig.color_at(4, 3)[1] > rig.color_at(3, 3)[1]);
}

TEST_CASE("video pictures: of 16-bit samples the upper byte, of unknown chroma none") {
  Rig rig;
  rig.target.wide = true;
  rig.fill(235, 128, 128);
  CHECK(rig.color_at(5, 3) == std::array{255, 255, 255, 255});
  rig.target.wide = false, rig.target.interleaved = false;
  rig.fill(126, 90, 240);
  CHECK(rig.color_at(1, 1) == std::array{128, 128, 128, 255});
}

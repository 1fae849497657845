// SPDX-License-Identifier: GPL-2.0-or-later
#include <random>

#include "hw/display/clocks.h"
#include "hw/display/skl/clocks.h"
#include "hw/display/timing.h"
#include "tests/catch.h"

using namespace softgen::display;

namespace {

// CEA 1920x1080 at 60 Hz: 2200 x 1125 at 148.5 MHz.
Timing full_hd() { return decode_timing(1919 | 2199 << 16, 1079 | 1124 << 16, 1079 | 1124 << 16, false, 148'500'000); }

}  // namespace

TEST_CASE("timing registers hold counts less one") {
  const Timing t = full_hd();
  CHECK(t.hactive == 1920);
  CHECK(t.htotal == 2200);
  CHECK(t.vactive == 1080);
  CHECK(t.vtotal == 1125);
  CHECK(t.vblank_start == 1080);
  CHECK(t.valid());
  CHECK(t.refresh_mhz() == 60000);
}

TEST_CASE("a raster that cannot run is not valid") {
  Timing t = full_hd();
  t.pixel_clock_hz = 0;
  CHECK_FALSE(t.valid());
  CHECK(t.refresh_mhz() == 0);
  CHECK_FALSE(decode_timing(0, 0, 0, false, 600'000'000).valid());  // 600 million frames a second
  CHECK_FALSE(decode_timing(1919 | 1000 << 16, 1079 | 1124 << 16, 1079 | 1124 << 16, false, 148'500'000).valid());
  CHECK_FALSE(decode_timing(1919 | 2199 << 16, 1079 | 1124 << 16, 2000, false, 148'500'000).valid());
  CHECK_FALSE(decode_timing(0x1fff | 0x1fffu << 16, 0x1fff | 0x1fffu << 16, 0x1fff, false, 25'000'000).valid());  // below 1 Hz
}

TEST_CASE("blanks start at the first blank line and keep the exact rate") {
  Raster raster;
  raster.start(full_hd(), 5'000);
  CHECK(raster.line(5'000) == 0);
  CHECK(raster.blanks(5'000) == 0);
  CHECK(raster.blank_time(0) == 5'000 + 16'000'000);  // 1080 / 1125 of 1/60 s
  CHECK(raster.line(raster.blank_time(0)) == 1080);
  CHECK(raster.line(raster.blank_time(0) - 1) == 1079);
  // An hour later not a nanosecond is lost.
  CHECK(raster.blank_time(216'000) == 5'000 + 16'000'000 + 3'600'000'000'000);
}

TEST_CASE("blank_time is the first instant of its blank, for odd rates too") {
  std::mt19937 random(20);
  for (int i = 0; i < 200; i++) {
    const uint32_t hactive = 1 + random() % 4000, vactive = 2 + random() % 3000;
    const uint32_t htotal = hactive + random() % 400, vtotal = vactive + 1 + random() % 100;
    const bool interlaced = random() & 1;
    const uint64_t clock = uint64_t{htotal} * vtotal * (2 + random() % 100) / (1 + random() % 2) + random() % 1000;
    Raster raster;
    const Timing t = decode_timing((hactive - 1) | (htotal - 1) << 16, (vactive - 1) | (vtotal - 1) << 16, vactive - 1, interlaced, clock);
    if (!t.valid()) continue;
    raster.start(t, random());
    const uint64_t index = random() % 100'000;
    const int64_t at = raster.blank_time(index);
    INFO("htotal " << htotal << " vtotal " << vtotal << " clock " << clock);
    CHECK(raster.blanks(at) == index + 1);
    CHECK(raster.blanks(at - 1) == index);
    CHECK(raster.line(at) == t.blank_line() % t.lines());
  }
}

TEST_CASE("an interlaced raster has one blank per field") {
  const Timing t = decode_timing(1919 | 2199 << 16, 1079 | 1124 << 16, 1079 | 1124 << 16, true, 74'250'000);
  CHECK(t.lines() == 562);
  CHECK(t.blank_line() == 540);
  CHECK(t.refresh_mhz() == 60053);  // half a line is not modelled
}

TEST_CASE("WRPLL and link rates decode as the driver computes them") {
  Dpll pll;
  CHECK(port_clock_hz(pll) == 0);
  pll.enabled = true;
  pll.control = 1 | 2 << 1;
  CHECK(port_clock_hz(pll) == 162'000'000);
  // 148.5 MHz: DCO 8910 MHz = 371.25 * 24 MHz, / (5 * 2 * 6): P 2, Q 3 (mode), K 2.
  pll.control = 1 | 1 << 5;
  pll.cfgcr1 = 1u << 31 | 8192u << 9 | 371;
  pll.cfgcr2 = 3u << 8 | 1u << 7 | 1u << 5 | 1u << 2;
  CHECK(port_clock_hz(pll) == 148'500'000);
  pll.cfgcr1 &= 0x7fffffff;
  CHECK(port_clock_hz(pll) == 0);
  pll.cfgcr1 = 1u << 31 | 371;
  pll.cfgcr2 = 3u << 2;  // reserved divider
  CHECK(port_clock_hz(pll) == 0);
  CHECK(hdmi_pixel_clock_hz(185'625'000, 10) == 148'500'000);
  CHECK(hdmi_pixel_clock_hz(222'750'000, 12) == 148'500'000);
  CHECK(dp_pixel_clock_hz(270'000'000, 11, 20) == 148'500'000);
  CHECK(dp_pixel_clock_hz(270'000'000, 11, 0) == 0);
  Dpll dpll0;
  CHECK(cdclk_hz(0, dpll0) == 24'000'000);
  dpll0.enabled = true;
  dpll0.control = 1 | 2 << 1;
  CHECK(cdclk_hz(2u << 26, dpll0) == 337'500'000);
}

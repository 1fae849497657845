// SPDX-License-Identifier: GPL-2.0-or-later
// What all displays from Ice Lake on do, each with its own numbers of wells, ports and PLLs.
#include <string_view>

#include "tests/catch.h"
#include "tests/unit/display/icl_machine.h"
#include "tests/unit/display/tgl_machine.h"

using namespace softgen;
using test::frame_ns;
using test::IclMachine;
using test::LitOf;
using test::TglMachine;

TEMPLATE_TEST_CASE("hdr: wells follow their requests at once", "", IclMachine, TglMachine) {
  TestType m;
  constexpr unsigned wells = TestType::wells;
  const auto distributed = [](unsigned count) { return 0x88000000 | ((1u << count) - 1) << (27 - count); };
  CHECK(m.read(reg::FUSE_STATUS) == distributed(0));
  uint32_t on = 0;
  for (unsigned well = 0; well < wells; well++) {
    m.set(reg::PWR_WELL_CTL(1), 2u << 2 * well);
    CHECK(m.read(reg::PWR_WELL_CTL(1)) >> 2 * well == 3);
    on |= 1u << 2 * well;
  }
  CHECK(m.read(reg::PWR_WELL_CTL(0)) == on);
  CHECK(m.read(reg::FUSE_STATUS) == distributed(wells));
  m.clear(reg::PWR_WELL_CTL(1), 2u << 2 * (wells - 1));
  const uint32_t others = (1u << 2 * (wells - 1)) - 1;
  CHECK(m.read(reg::PWR_WELL_CTL(1)) == others);
  CHECK(m.read(reg::FUSE_STATUS) == distributed(wells - 1));
  m.set(reg::PWR_WELL_CTL_AUX(1), 2u << 2 * TestType::last_aux_well);
  CHECK(m.read(reg::PWR_WELL_CTL_AUX(1)) == 3u << 2 * TestType::last_aux_well);
  m.set(reg::PWR_WELL_CTL_DDI(1), 2u << 2 * (TestType::ports - 1));
  CHECK(m.read(reg::PWR_WELL_CTL_DDI(1)) == 3u << 2 * (TestType::ports - 1));
  CHECK(m.read(reg::PWR_WELL_CTL(1)) == others);
}

TEMPLATE_TEST_CASE("hdr: PLLs, slices and buffers follow their requests at once", "", IclMachine, TglMachine) {
  TestType m;
  m.write(reg::CDCLK_PLL_ENABLE, 26);
  CHECK(m.read(reg::CDCLK_PLL_ENABLE) == 26);
  m.write(reg::CDCLK_PLL_ENABLE, 1u << 31 | 26);
  CHECK(m.read(reg::CDCLK_PLL_ENABLE) == (3u << 30 | 26));
  for (const uint32_t pll : TestType::plls) {
    CAPTURE(m.registers.set().name_of(pll));
    m.set(pll, 1u << 27);
    CHECK(m.read(pll) == 3u << 26);
    m.set(pll, 1u << 31);
    CHECK(m.read(pll) == (3u << 30 | 3u << 26));
    m.clear(pll, 1u << 31);
    CHECK(m.read(pll) == 3u << 26);
    m.clear(pll, 1u << 27);
    CHECK(m.read(pll) == 0);
  }
  for (const uint32_t slice : {reg::DBUF_CTL, reg::DBUF_CTL_S2}) {
    m.set(slice, 1u << 31);
    CHECK(m.read(slice) == 3u << 30);
    m.clear(slice, 1u << 31);
    CHECK(m.read(slice) == 0);
  }
  for (unsigned port = 0; port < TestType::ports; port++) {
    CHECK(m.read(reg::DDI_BUF_CTL(port)) == 1u << 7);
    m.set(reg::DDI_BUF_CTL(port), 1u << 31);
    CHECK(m.read(reg::DDI_BUF_CTL(port)) == 1u << 31);
    m.clear(reg::DDI_BUF_CTL(port), 1u << 31);
    CHECK(m.read(reg::DDI_BUF_CTL(port)) == 1u << 7);
  }
}

TEMPLATE_TEST_CASE("hdr: every register with a display hook in the table has one", "", IclMachine, TglMachine) {
  TestType m;
  for (const std::string& name : m.registers.missing_hooks()) {
    for (const defs::Register& row : m.registers.set().rows) {
      if (row.hook && std::string_view(row.hook) == "display") CHECK(name.substr(0, name.find('[')) != row.name);
    }
  }
}

TEMPLATE_TEST_CASE("hdr: what is written to a combo PHY's group shows in its lanes", "", IclMachine, TglMachine) {
  TestType m;
  uint32_t number = 0;
  for (const uint32_t phy : TestType::combo_phys) {
    CHECK((m.read(phy + 0x10c) & 0x1f000000) == 0);  // COMP_DW3: a process and voltage that i915 knows
    m.write(phy + 0x604, 0x400 + number);
    m.write(phy + 0x684, 0x600 + number++);
  }
  number = 0;
  for (const uint32_t phy : TestType::combo_phys) {
    CAPTURE(phy);
    for (uint32_t lane = 0; lane < 4; lane++) {
      CHECK(m.read(phy + 0x804 + lane * 0x100) == 0x400 + number);
      CHECK(m.read(phy + 0x884 + lane * 0x100) == 0x600 + number);
    }
    m.write(phy + 0x984, 7);
    CHECK(m.read(phy + 0x884) == 0x600 + number++);
  }
}

TEMPLATE_TEST_CASE("hdr: a mode on each connector, and its picture", "", IclMachine, TglMachine) {
  TestType m;
  m.power_up();
  for (const auto& route : TestType::routes) {
    CAPTURE(route.pipe);
    sg_pipe_mode mode;
    m.display.mode(route.pipe, &mode);
    CHECK_FALSE(mode.active);
    m.set_mode(route.pipe, route.port);
    m.display.mode(route.pipe, &mode);
    REQUIRE(mode.active);
    CHECK(mode.connector == route.connector);
    CHECK(mode.width == 1920);
    CHECK(mode.height == 1080);
    CHECK(mode.refresh_mhz == 60000);
    m.fill(0x100000, 1920 * 1080, 0x102030 + route.pipe);
    m.set_plane(0x100000, {}, route.pipe);
    CHECK(m.picture(route.pipe)[1079 * 1920 + 1919] == 0xff102030 + route.pipe);
  }
}

// TGL PRM vol 13, "Terminology", Double Buffered: "Read gives the unbuffered value (written value) unless specified otherwise. Written values will update to take
// effect after a certain point. Some have a specific arming sequence where a write to another register is required before the update can take place."
TEMPLATE_TEST_CASE("hdr: a plane's registers read as written, and take effect together at the blank after PLANE_SURF", "", IclMachine,
                   TglMachine) {
  LitOf<TestType> m;
  constexpr uint32_t red = 0x100000, green = 0x1000000;
  m.fill(red, 1920 * 1080, 0xff0000);
  m.fill(green, 1920 * 1080, 0x00ff00);
  m.set_plane(red, {});
  CHECK(m.at(0, 0) == 0xff0000);
  const uint32_t format = m.read(reg::PLANE_CTL(0, 0)), size = m.read(reg::PLANE_SIZE(0, 0));
  m.write(reg::PLANE_SIZE(0, 0), 63 | 63 << 16);
  m.write(reg::PLANE_POS(0, 0), 100 | 100 << 16);
  CHECK(m.read(reg::PLANE_SIZE(0, 0)) == (63 | 63 << 16));
  CHECK(m.read(reg::PLANE_POS(0, 0)) == (100 | 100 << 16));
  CHECK(m.at(0, 0) == 0xff0000);  // frames pass, and it is not armed
  CHECK(m.at(0, 0) == 0xff0000);
  m.write(reg::PLANE_SURF(0, 0), green);
  CHECK(m.read(reg::PLANE_SURF(0, 0)) == green);
  CHECK(m.read(reg::PLANE_SURFLIVE(0, 0)) == red);  // the second stage
  CHECK(m.at(100, 100) == 0x00ff00);
  CHECK(m.at(0, 0) == 0);
  CHECK(m.read(reg::PLANE_SURFLIVE(0, 0)) == green);
  CHECK(m.read(reg::PLANE_CTL(0, 0)) == format);
  CHECK(m.read(reg::PLANE_SIZE(0, 0)) != size);
}

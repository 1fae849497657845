// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/power.h"
#include "hw/display/pll.h"
#include "tests/catch.h"
#include "tests/unit/display/icl_machine.h"

using namespace softgen;
using test::frame_ns;
using test::IclMachine;

using Lit = test::LitOf<IclMachine>;

TEST_CASE("icl: PLLs decode as the driver computes them") {
  using namespace display;
  const auto combo = [](const ComboDividers& dividers) { return combo_pll_hz(icl_reference_hz, dividers); };
  CHECK(combo({.integer = 371, .fraction = 8192, .pdiv = 1, .kdiv = 2, .qdiv = 3}) == 148'500'000);
  // DisplayPort at 5.4 GHz (i915 icl_dp_combo_pll_24MHz_values).
  CHECK(combo({.integer = 0x151, .fraction = 0x4000, .pdiv = 2, .kdiv = 1}) == 540'000'000);
  CHECK(combo({.integer = 371, .pdiv = 3, .kdiv = 2}) == 0);
  CHECK(combo({.integer = 371, .pdiv = 1, .kdiv = 2, .qdiv = 0}) == 0);
  const auto type_c = [](const TypeCDividers& dividers) { return type_c_pll_hz(icl_reference_hz, dividers); };
  CHECK(type_c({.predivider = 2, .feedback = 154, .fraction = 0x2c0000, .hsdiv = 2, .dsdiv = 2}) == 148'500'000);
  CHECK(type_c({.predivider = 2, .feedback = 154, .hsdiv = 2, .dsdiv = 2}) == 147'840'000);
  CHECK(type_c({.feedback = 154}) == 0);
}

TEST_CASE_METHOD(IclMachine, "icl: a combo PLL's divider Q counts where it is on, a Type-C PLL's fraction likewise") {
  power_up();
  set_mode(0, 1);
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK(mode.refresh_mhz == 60000);
  write(reg::gen11::DPLL_CFGCR1(1), read(reg::gen11::DPLL_CFGCR1(1)) & ~(1u << 9));
  display.mode(0, &mode);
  CHECK(mode.refresh_mhz == 180000);
  set_mode(1, 2);
  clear(reg::MG_PLL_DIV0(0), 1u << 30);
  display.mode(1, &mode);
  CHECK(mode.refresh_mhz == 59733);
}

TEST_CASE_METHOD(IclMachine, "icl: without its PLL a pipe stands still") {
  power_up();
  for (const Route& route : routes) set_mode(route.pipe, route.port);
  clear(reg::DPLL_ENABLE(1), 1u << 31);
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
  set(reg::DPCLKA_CFGCR0, 1u << 12);
  display.mode(1, &mode);
  CHECK_FALSE(mode.active);
  write(reg::PORT_CLK_SEL(3), 0);
  display.mode(2, &mode);
  CHECK_FALSE(mode.active);
}

TEST_CASE_METHOD(IclMachine, "icl: what i915 compares with what it wrote reads back") {
  for (unsigned plane = 0; plane < 7; plane++) {
    for (const auto reg :
         {reg::PLANE_BUF_CFG, reg::PLANE_WM, reg::PLANE_WM_7, reg::PLANE_WM_TRANS, reg::PLANE_COLOR_CTL, reg::PLANE_CUS_CTL}) {
      for (unsigned pipe = 0; pipe < 3; pipe++) {
        write(reg(pipe, plane), 0x87ff07ff - plane - pipe);
        CHECK(read(reg(pipe, plane)) == 0x87ff07ff - plane - pipe);
      }
    }
  }
  for (const uint32_t offset :
       {reg::DC_STATE_EN, reg::NDE_RSTWRN_OPT, reg::MBUS_ABOX_CTL, reg::CDCLK_CTL, reg::PIPE_CHICKEN(2), reg::TRANS_CLK_SEL(2)}) {
    write(offset, 0x5a5a5a5a);
    CHECK(read(offset) == 0x5a5a5a5a);
  }
}

TEST_CASE_METHOD(IclMachine, "icl: plugging monitors: live state, long pulse, interrupt") {
  CHECK(read(reg::SDEISR) == 1u << 17);
  write(reg::SHOTPLUG_CTL_DDI, 8u << 4);
  write(reg::SHOTPLUG_CTL_TC, 8);
  write(reg::SDEIER, ~0u);
  write(reg::SDEIMR, 0);
  display.plug(1, true);
  CHECK(read(reg::SDEISR) == (1u << 17 | 1u << 24));
  CHECK(read(reg::SDEIIR) == 1u << 24);
  CHECK(read(reg::SHOTPLUG_CTL_TC) == 0xa);
  CHECK(host.level);
  write(reg::SHOTPLUG_CTL_TC, 0xa);
  CHECK(read(reg::SHOTPLUG_CTL_TC) == 8);
  write(reg::SDEIIR, ~0u);
  display.plug(2, true);  // its detection is off
  CHECK(read(reg::SDEIIR) == 0);
  CHECK(read(reg::SDEISR) == (1u << 17 | 3u << 24));
  display.plug(0, false);
  CHECK(read(reg::SDEIIR) == 1u << 17);
  CHECK(read(reg::SHOTPLUG_CTL_DDI) == 0xa0);
  CHECK(read(reg::SDEISR) == 3u << 24);
}

TEST_CASE_METHOD(IclMachine, "icl: DDC of a Type-C port, by GMBUS and by hand") {
  host.monitor_pin = 9;
  host.eeprom[3] = 0x5a;
  write(reg::GMBUS0, 9);
  write(reg::GMBUS1, 1u << 30 | 3u << 25 | 4u << 16 | 3u << 8 | 0x50u << 1 | 1);
  CHECK((read(reg::GMBUS3) & 0xff) == 0x5a);
  write(reg::GPIO_CTL(9), 0x1 | 0x2 | 0x4);
  CHECK_FALSE(read(reg::GPIO_CTL(9)) & 0x10);
  CHECK(read(reg::GPIO_CTL(9)) & 0x1000);
}

TEST_CASE_METHOD(IclMachine, "icl: Type-C PHYs are ready, and taken by the display") {
  CHECK((read(reg::PORT_TX_DFLEXDPPMS) & 0xf) == 0xf);
  CHECK(read(reg::PORT_TX_DFLEXDPSP) == 0x0f0f0f0f);  // all lanes, nothing plugged in by Type-C
  CHECK(read(reg::PORT_TX_DFLEXDPCSSS) == 0);
  write(reg::PORT_TX_DFLEXDPCSSS, 1);
  CHECK(read(reg::PORT_TX_DFLEXDPCSSS) == 1);
}

TEST_CASE_METHOD(IclMachine, "icl: AUX channels report that no sink is connected") {
  write(reg::DE_PORT_IER, ~0u);
  write(reg::DE_PORT_IMR, 0);
  write(reg::DDI_AUX_CTL(5), 1u << 31 | 1u << 29 | 4u << 20);
  CHECK((read(reg::DDI_AUX_CTL(5)) & 0xd0000000) == (1u << 30 | 1u << 28));
  CHECK(read(reg::DE_PORT_IIR) == 1u << 28);
}

TEST_CASE_METHOD(IclMachine, "icl: YCbCr 4:2:0 needs half the clock") {
  power_up();
  write(reg::PIPE_MISC(0), 1u << 27 | 1u << 11);
  set_mode();
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK(mode.refresh_mhz == 120000);
}

TEST_CASE_METHOD(Lit, "icl: vertical blanks and flips of all planes are interrupts") {
  unmask_pipe(1u | 1u << 3 | 1u << 16 | 1u << 18);
  set_plane(0x100000, {}, 0, 0);
  set_plane(0x100000, {.width = 64, .height = 64}, 0, 4);
  run_for(frame_ns);
  CHECK(take_iir() == (1u | 1u << 3 | 1u << 16));
  set_plane(0x100000, {.width = 64, .height = 64}, 0, 6);
  run_for(frame_ns);
  CHECK(take_iir() == (1u | 1u << 18));
  CHECK(read(reg::PLANE_SURFLIVE(0, 6)) == 0x100000);
}

TEST_CASE_METHOD(Lit, "icl: seven planes, one over the other") {
  fill(0x100000, 1920 * 1080, 0x000010);
  set_plane(0x100000, {});
  for (unsigned plane = 1; plane < 7; plane++) {
    const uint32_t surface = 0x2000000 + plane * 0x10000;
    fill(surface, 64 * 64, 0x80000000 | plane * 0x10 << 8);
    // Opaque, then premultiplied by the driver, then by the hardware.
    const uint32_t alpha = plane < 3 ? 0 : plane < 5 ? 2 : 3;
    set_plane(surface, {.width = 64, .height = 64, .x = 32 * plane, .y = 0, .stride = 64 * 4 / 64, .color = 1 << 13 | alpha << 4}, 0,
              plane);
  }
  CHECK(at(0, 0) == 0x000010);
  CHECK(at(40, 0) == 0x001000);             // plane 2 alone
  CHECK(at(70, 0) == 0x002000);             // plane 3 hides plane 2
  CHECK(at(100, 0) == 0x003000 + 0x1000);   // plane 4 over plane 3: half of 0x20
  CHECK(at(130, 63) == 0x004000 + 0x1804);  // plane 5 over 4 over 1
  CHECK(at(162, 0) == 0x002800 + 0x2004);   // plane 6's green counts half
  CHECK(at(250, 0) == 0x003008);            // plane 7 over plane 1
  CHECK(at(256, 0) == 0x000010);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/unit/display/tgl_machine.h"

using namespace softgen;
using test::frame_ns;
using test::TglMachine;

using Lit = test::LitOf<TglMachine>;

TEST_CASE_METHOD(TglMachine, "tgl: a Dekel PHY's aperture shows the bank that its index names") {
  for (unsigned tc = 0; tc < 6; tc++) {
    CAPTURE(tc);
    const uint32_t aperture = 0x168000 + tc * 0x1000, index = tc < 4 ? 0x1010a0 : 0x1010a4;
    for (uint32_t bank = 0; bank < 4; bank++) {
      write(index, bank << 8 * (tc % 4));
      write(aperture + 0x2c0, 0x100 * tc + bank);
      write(aperture + 0xffc, 0x200 * tc + bank);
    }
    for (uint32_t bank = 0; bank < 4; bank++) {
      write(index, bank << 8 * (tc % 4));
      CHECK(read(aperture + 0x2c0) == 0x100 * tc + bank);
      CHECK(read(aperture + 0xffc) == 0x200 * tc + bank);
      CHECK(read(aperture + 0x36c) == (bank == 2 ? 1u << 15 : 0u));  // the microcontroller's health
    }
  }
  display.reset();
  registers.reset();
  CHECK(read(0x1682c0) == 0);
  CHECK(read(0x168000) == 0);
}

TEST_CASE_METHOD(TglMachine, "tgl: a pipe's clock is its port's PLL") {
  power_up();
  for (const Route& route : routes) set_mode(route.pipe, route.port);
  sg_pipe_mode mode;
  clear(reg::DPLL_ENABLE(1), 1u << 31);
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
  // The fraction of a Type-C port's PLL, changed in another bank, and in its own.
  write_dekel(0, reg::DKL_PLL_BIAS(0), 1, 0);
  display.mode(3, &mode);
  CHECK(mode.refresh_mhz == 60000);
  write_dekel(0, reg::DKL_PLL_BIAS(0), 2, 0);
  display.mode(3, &mode);
  CHECK(mode.refresh_mhz == 59888);
  write(reg::PORT_CLK_SEL(4), 0);
  display.mode(2, &mode);
  CHECK_FALSE(mode.active);
}

TEST_CASE_METHOD(TglMachine, "tgl: DDI C and no DDI run a raster, and no connector shows it") {
  power_up();
  set_mode(1, 2);
  sg_pipe_mode mode;
  display.mode(1, &mode);
  CHECK(mode.width == 1920);
  CHECK_FALSE(mode.active);
  CHECK(mode.connector == -1);
  write(reg::TRANS_DDI_FUNC_CTL(1), 1u << 31);
  display.mode(1, &mode);
  CHECK(mode.width == 0);
}

TEST_CASE_METHOD(Lit, "tgl: pipe D has its own interrupts, planes, scalers and colours") {
  set_mode(3, 3);
  unmask_pipe(1u << 0 | 1u << 18, 3);
  fill(0x100000, 1920 * 1080, 0x808080);
  set_plane(0x100000, {}, 3, 6);
  run_for(frame_ns);
  CHECK(host.level);
  CHECK((read(reg::DISPLAY_INT_CTL) & 0xf0000) == 1u << 19);
  CHECK(take_iir(3) == (1u << 0 | 1u << 18));
  CHECK((take_iir(2)) == 0);
  write(reg::GAMMA_MODE(3), 1u << 30);
  for (unsigned i = 0; i < 256; i++) write(reg::LGC_PALETTE(3, i), i == 0x80 ? 0x123456 : 0);
  CHECK((picture(3)[0] & 0xffffff) == 0x123456);
}

TEST_CASE_METHOD(Lit, "tgl: compressed pictures are shown as memory has them") {
  fill(0x100000, 1920 * 1080, 0x00665544);
  for (const uint32_t control : {1u << 15, 1u << 15 | 1u << 13, 1u << 4}) {
    write(reg::PLANE_CC_VAL(0, 0), 0xffffffff);
    set_plane(0x100000, {.stride = 1920 * 4 / 128, .control = control | 4u << 10});
    CHECK(at(5, 0) == 0x665544);
  }
}

TEST_CASE_METHOD(Lit, "tgl: pairs of a fast clear have the plane's clear colour") {
  constexpr uint32_t base = 0x100000, distance = 0x900000, render_decompression = 1u << 15, clear_color_disable = 1u << 13,
                     y_tiles = 4u << 10;
  fill(base, 1920 * 1080, 0x00665544);
  // The first eight pixels by four rows of two tiles that follow each other.
  const uint8_t clear = 0x0f;
  for (const uint32_t tile : {0u, 1u}) memory.write(base + distance + 16 * tile, &clear, sizeof(clear));
  write(reg::PLANE_AUX_DIST(0, 0), distance);
  write(reg::PLANE_CC_VAL(0, 0), 0x00123456);
  set_plane(base, {.stride = 1920 * 4 / 128, .control = render_decompression | y_tiles});
  CHECK(at(0, 0) == 0x123456);
  CHECK(at(7, 3) == 0x123456);
  CHECK(at(8, 0) == 0x665544);
  CHECK(at(0, 4) == 0x665544);
  CHECK(at(32, 0) == 0x123456);
  CHECK(at(40, 0) == 0x665544);
  set_plane(base, {.stride = 1920 * 4 / 128, .control = render_decompression | clear_color_disable | y_tiles});
  CHECK(at(0, 0) == 0x665544);
}

TEST_CASE_METHOD(TglMachine, "tgl: what i915 compares with what it wrote, or reads as 0, reads back so") {
  for (unsigned transcoder = 0; transcoder < 4; transcoder++) {
    CHECK(read(reg::gen12::PSR_IIR(transcoder)) == 0);
    CHECK(read(reg::gen12::PSR_STATUS(transcoder)) == 0);
    CHECK(read(reg::TRANS_VRR_CTL(transcoder)) == 0);
    write(reg::TRANS_VRR_STATUS(transcoder), ~0u);
    CHECK(read(reg::TRANS_VRR_STATUS(transcoder)) == 0);
    for (const uint32_t offset : {reg::gen12::DP_TP_CTL(transcoder), reg::TRANS_CLK_SEL(transcoder), reg::PIPE_CHICKEN(transcoder),
                                  reg::CUR_BUF_CFG(transcoder), reg::PLANE_WM(transcoder, 6), reg::PLANE_BUF_CFG(transcoder, 0)}) {
      write(offset, 0x12345678);
      CHECK(read(offset) == 0x12345678);
    }
  }
  CHECK(read(reg::DSSM) >> 29 == 1);
  // Three FIAs, four lanes a port, nothing plugged in by Type-C.
  for (const uint32_t fia : {0x163000u, 0x16e000u, 0x16f000u}) {
    CHECK((read(fia + 0x890) & 3) == 3);
    CHECK((read(fia + 0x8a0) & 0xf0f) == 0xf0f);
    CHECK((read(fia + 0x8a0) & 0x6060) == 0);
  }
  CHECK((read(0x1638a0) & 1u << 4));
}

TEST_CASE("tgl: AUX channels end with their own bits of DE_PORT") {
  TglMachine m;
  m.write(reg::DE_PORT_IER, ~0u);
  m.write(reg::DE_PORT_IMR, 0);
  for (unsigned port = 0; port < 9; port++) {
    m.write(reg::DDI_AUX_CTL(port), 1u << 31 | 1u << 29);
    CHECK((m.read(reg::DDI_AUX_CTL(port)) & (1u << 31 | 1u << 28)) == 1u << 28);
    CHECK(m.read(reg::DE_PORT_IIR) == (port < 3 ? 1u << port : 1u << (port + 5)));
    m.write(reg::DE_PORT_IIR, ~0u);
  }
}

TEST_CASE("tgl: monitors are seen in SDEISR, and plugged with a long pulse") {
  TglMachine m(1);
  CHECK(m.read(reg::SDEISR) == 1u << 17);
  m.write(reg::SHOTPLUG_CTL_TC, 0x88);
  m.write(reg::SDEIER, ~0u);
  m.write(reg::SDEIMR, 0);
  m.display.plug(2, true);
  CHECK(m.read(reg::SDEISR) == (1u << 17 | 1u << 25));
  CHECK(m.read(reg::SDEIIR) == 1u << 25);
  CHECK(m.read(reg::SHOTPLUG_CTL_TC) == 0xa8);
}

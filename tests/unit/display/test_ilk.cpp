// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>
#include <string_view>

#include "tests/catch.h"
#include "tests/unit/display/ilk_machine.h"

using namespace softgen;
using test::frame_ns;
using test::IlkLit;
using test::IlkMachine;
namespace field = reg::field;

TEST_CASE_METHOD(IlkMachine, "ilk: every register that the display is to give a behaviour has one") {
  const std::vector<std::string> missing = registers.missing_hooks();
  for (const defs::Register& row : registers.set().rows) {
    if (!row.hook || std::string_view(row.hook) != "display") continue;
    defs::for_each_instance(registers.set(), row, [&](uint32_t offset) {
      CAPTURE(registers.set().name_of(offset));
      CHECK(std::ranges::find(missing, registers.set().name_of(offset)) == missing.end());
    });
  }
}

TEST_CASE_METHOD(IlkMachine, "ilk: a link trains in two steps, and a monitor shows the pipe at the end of all") {
  CHECK((read(reg::FDI_TX_CTL(0)) & 1u << 14));  // its PLL is always on
  start_pipe(0);
  CHECK((read(reg::PIPECONF(0)) & 1u << 30));
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
  CHECK(train(0, 0));
  CHECK(train(0, 1));
  CHECK(read(reg::FDI_RX_IIR(0)) == 0);
  start_port(0, reg::PCH_HDMIC);
  CHECK((read(reg::PCH_TRANSCONF(0)) & 1u << 30));
  display.mode(0, &mode);
  CHECK(mode.active);
  CHECK(mode.connector == 1);
  CHECK(mode.width == 1920);
  CHECK(mode.height == 1080);
  CHECK(mode.refresh_mhz == 60000);
  clear(reg::PCH_TRANSCONF(0), on);
  CHECK((read(reg::PCH_TRANSCONF(0)) & 1u << 30) == 0);
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
}

TEST_CASE_METHOD(IlkMachine, "ilk: a link does not lock while its ends differ, or while the event is masked") {
  start_pipe(0);
  write(reg::FDI_RX_IMR(0), 0);
  write(reg::FDI_TX_CTL(0), on | 1u << 28);
  write(reg::FDI_RX_CTL(0), on | 1u << 13);
  CHECK(read(reg::FDI_RX_IIR(0)) == 0);
  write(reg::FDI_TX_CTL(0), on);
  CHECK(read(reg::FDI_RX_IIR(0)) == 1u << 8);
  write(reg::FDI_RX_IIR(0), ~0u);
  write(reg::FDI_RX_IMR(0), ~0u);
  write(reg::FDI_TX_CTL(0), on);
  CHECK(read(reg::FDI_RX_IIR(0)) == 0);
  write(reg::FDI_RX_IMR(0), 0);
  write(reg::FDI_RX_CTL(0), on);  // without its PLL
  CHECK(read(reg::FDI_RX_IIR(0)) == 0);
}

TEST_CASE_METHOD(IlkMachine, "ilk: ports B, C and D drive either pipe") {
  const uint32_t ports[] = {reg::PCH_HDMIB, reg::PCH_HDMIC, reg::PCH_HDMID};
  for (unsigned pipe = 0; pipe < 2; pipe++) {
    for (int port = 0; port < 3; port++) {
      set_mode(pipe, ports[port]);
      sg_pipe_mode mode;
      display.mode(pipe, &mode);
      CHECK(mode.connector == port);
      clear(ports[port], on);
      display.mode(pipe, &mode);
      CHECK_FALSE(mode.active);
    }
  }
}

TEST_CASE_METHOD(IlkMachine, "ilk: straps say that HDMI ports are there, and nothing else") {
  for (const uint32_t port : {reg::PCH_HDMIB, reg::PCH_HDMIC, reg::PCH_HDMID}) {
    write(port, 0);
    CHECK(read(port) == 4);
  }
  for (const uint32_t port : {reg::PCH_DP_B, reg::PCH_DP_C, reg::PCH_DP_D}) {
    write(port, ~0u);
    CHECK((read(port) & 4) == 0);
  }
  write(reg::PCH_LVDS, 2);
  CHECK(read(reg::PCH_LVDS) == 0);
  write(reg::PCH_ADPA, on | 1u << 16);
  CHECK(read(reg::PCH_ADPA) == 0);
}

TEST_CASE_METHOD(IlkMachine, "ilk: a plugged monitor pulses its line, and shows at once") {
  CHECK((read(reg::SDEISR) & field::SDEISR_PORT_C_HOTPLUG.mask()));
  write(reg::SDEIER, ~0u);
  write(reg::SDEIMR, 0);
  write(reg::PCH_PORT_HOTPLUG, 1u << 20);
  display.plug(2, true);
  CHECK((read(reg::SDEISR) & field::SDEISR_PORT_D_HOTPLUG.mask()));
  CHECK((read(reg::SDEIIR) & field::SDEISR_PORT_D_HOTPLUG.mask()));
  CHECK(field::PCH_PORT_HOTPLUG_PORT_D_HOTPLUG_STATUS.of(read(reg::PCH_PORT_HOTPLUG)) == 2);
}

TEST_CASE_METHOD(IlkLit, "ilk: blanks are counted and raised, and lines are read one behind the raster") {
  write(reg::DEIMR, ~(1u << 7));
  write(reg::DEIIR, ~0u);
  const uint32_t before = read(reg::PIPE_FRMCNT(0));
  run_for(10 * frame_ns);
  CHECK(read(reg::PIPE_FRMCNT(0)) == before + 10);
  CHECK((read(reg::DEIIR) & 1u << 7));
  CHECK(host.level);
  const uint32_t line = read(reg::PIPE_SCANLINE(0));
  run_for(100 * test::line_ns);
  CHECK((read(reg::PIPE_SCANLINE(0)) + 1125 - line) % 1125 >= 99);
}

// ILK PRM vol 1 part 2, 5.3.7.3: 1920x1080 at 60 Hz of 2200x1125.
TEST_CASE_METHOD(IlkLit, "ilk: the times of events and conditions that a streamer waits for") {
  using Kind = PipeWait::Kind;
  constexpr uint32_t lines = 1125, htotal = 2200;
  constexpr int64_t line_ns = 1'000'000'000 / 60 / lines;
  const auto next = [&](const PipeWait& what) { return display.next(what).value_or(-1) - host.now; };
  const auto near = [](int64_t ns, int64_t wanted) { return ns >= wanted - 200 && ns <= wanted + 200; };
  // From a blank on.
  host.now = *display.next({.kind = Kind::vertical_blank});
  run_for(0);
  CHECK(near(next({.kind = Kind::vertical_blank}), 1'000'000'000 / 60));
  CHECK(near(next({.kind = Kind::horizontal_blank}), line_ns * 1920 / htotal));
  CHECK(near(next({.kind = Kind::scan_line, .lines = {.first = 10, .last = 20}}), line_ns * (lines - 1080 + 10)));
  host.now += line_ns * (lines - 1080 + 12);
  CHECK_FALSE(display.next({.kind = Kind::scan_line, .lines = {.first = 10, .last = 20}}));
  const int64_t left = next({.kind = Kind::scan_line, .lines = {.first = 10, .last = 20, .outside = true}});
  CHECK(left > 7 * line_ns);
  CHECK(left < 10 * line_ns);
  // No such lines, and no such pipe.
  CHECK_FALSE(display.next({.kind = Kind::scan_line, .lines = {.first = 20, .last = 10}}));
  CHECK_FALSE(display.next({.kind = Kind::scan_line, .lines = {.first = 10, .last = 5000}}));
  CHECK_FALSE(display.next({.kind = Kind::scan_line, .lines = {.first = 0, .last = lines - 1, .outside = true}}));
  CHECK_FALSE(display.next({.kind = Kind::vertical_blank, .pipe = 1}));
  CHECK_FALSE(display.next({.kind = Kind::vertical_blank, .pipe = 9}));
  // A flip is pending until the blank.
  CHECK_FALSE(display.next({.kind = Kind::flip}));
  write(reg::DSPSURF(0), 0x200'0000);
  CHECK(display.next({.kind = Kind::flip}) == display.next({.kind = Kind::vertical_blank}));
  CHECK_FALSE(display.next({.kind = Kind::flip, .plane = 1}));
  run_for(frame_ns);
  CHECK_FALSE(display.next({.kind = Kind::flip}));
}

TEST_CASE_METHOD(IlkLit, "ilk: a write of SURF flips at the blank, or at once") {
  write(reg::DEIMR, ~(1u << 26));
  set_plane();
  run_for(frame_ns);
  write(reg::DEIIR, ~0u);
  const uint32_t flips = read(reg::PIPE_FLIPCNT(0));
  write(reg::DSPSURF(0), 0x900000);
  CHECK(read(reg::DSPSURFLIVE(0)) == surface);
  CHECK((read(reg::DEIIR) & 1u << 26) == 0);
  run_for(frame_ns);
  CHECK(read(reg::DSPSURFLIVE(0)) == 0x900000);
  CHECK((read(reg::DEIIR) & 1u << 26));
  write(reg::DEIIR, ~0u);
  set_plane(6, 1u << 9);
  CHECK(read(reg::DSPSURFLIVE(0)) == surface);
  CHECK((read(reg::DEIIR) & 1u << 26));
  CHECK(read(reg::PIPE_FLIPCNT(0)) == flips + 2);
}

TEST_CASE_METHOD(IlkLit, "ilk: formats of the primary plane") {
  struct Row {
    uint32_t format, pixel, shown;
  };
  const Row rows[] = {{6, 0x00123456, 0x123456}, {14, 0x00123456, 0x563412}, {10, 0x3ff00000, 0xff0000},
                      {8, 0x3ff00000, 0x0000ff}, {5, 0x0000f800, 0xff0000},  {7, 0xff123456, 0x123456}};
  for (const Row& row : rows) {
    CAPTURE(row.format);
    put(surface, row.pixel);
    set_plane(row.format);
    show();
    CHECK(at(0, 0) == row.shown);
  }
  set_plane(13);
  show();
  CHECK(at(0, 0) == 0);
}

TEST_CASE_METHOD(IlkLit, "ilk: an indexed plane goes through the palette") {
  put(surface, 0x02);
  write(reg::LGC_PALETTE(0, 2), 0xabcdef);
  set_plane(2, 0, width);
  show();
  CHECK(at(0, 0) == 0xabcdef);
}

TEST_CASE_METHOD(IlkLit, "ilk: linear offset, and turned by 180 degrees") {
  put(surface + 5 * width * 4 + 3 * 4, 0x112233);
  write(reg::DSPLINOFF(0), 5 * width * 4 + 3 * 4);
  set_plane();
  show();
  CHECK(at(0, 0) == 0x112233);
  // Software points to the last pixel.
  write(reg::DSPLINOFF(0), (height - 1) * width * 4 + (width - 1) * 4);
  set_plane(6, 1u << 15);
  show();
  CHECK(at(width - 1 - 3, height - 1 - 5) == 0x112233);
}

// i915 gt/intel_ggtt_fencing.c: bit 6 is exclusive-ored with bits 9 and 10 of the address.
TEST_CASE_METHOD(IlkLit, "ilk: X tiles are swizzled, as engines and fences write them") {
  constexpr uint32_t stride = 8192, tile_bytes = 4096, tile_width = 512, tile_height = 8;
  const auto place = [&](uint32_t x, uint32_t y) {
    const uint32_t column = x * 4, tile = y / tile_height * (stride / tile_width) + column / tile_width;
    const uint32_t within = y % tile_height * tile_width + column % tile_width;
    return surface + tile * tile_bytes + (within ^ ((within >> 9 ^ within >> 10) & 1) << 6);
  };
  for (uint32_t y = 0; y < 20; y++)
    for (uint32_t x = 0; x < 300; x++) put(place(x, y), x << 8 | y);
  write(reg::DSPTILEOFF(0), 1u << 16 | 7);
  set_plane(6, 1u << 10, stride);
  show();
  unsigned wrong = 0;
  for (uint32_t y = 0; y < 19; y++)
    for (uint32_t x = 0; x < 293; x++) wrong += at(x, y) != ((x + 7) << 8 | (y + 1));
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(IlkLit, "ilk: the sprite lies over the primary plane, scales, and has a key") {
  constexpr uint32_t pixels = 0x2000000;
  for (uint32_t i = 0; i < 64; i++) put(pixels + i * 4, i % 8 < 4 ? 0xff0000 : 0x00ff00);
  set_plane();
  write(reg::DVSSTRIDE(0), 8 * 4);
  write(reg::DVSPOS(0), 20u << 16 | 10);
  write(reg::DVSSIZE(0), 7u << 16 | 7);
  write(reg::DVSCNTR(0), on | 2u << 25);
  write(reg::DVSSURF(0), pixels);
  show();
  CHECK(at(9, 20) == 0);
  CHECK(at(10, 20) == 0xff0000);
  CHECK(at(17, 27) == 0x00ff00);
  CHECK(at(18, 27) == 0);
  write(reg::DVSSCALE(0), on | 7u << 16 | 7);
  write(reg::DVSSIZE(0), 31u << 16 | 31);
  write(reg::DVSSURF(0), pixels);
  show();
  CHECK(at(10, 20) == 0xff0000);
  CHECK(at(41, 51) == 0x00ff00);
  CHECK(at(42, 51) == 0);
  // Source key: pixels of its colour are not shown.
  write(reg::DVSKEYVAL(0), 0xff0000);
  write(reg::DVSKEYMAX(0), 0xff0000);
  write(reg::DVSKEYMSK(0), 0xffffff);
  write(reg::DVSSCALE(0), 0);
  write(reg::DVSSIZE(0), 7u << 16 | 7);
  write(reg::DVSCNTR(0), on | 2u << 25 | 1u << 22);
  write(reg::DVSSURF(0), pixels);
  show();
  CHECK(at(10, 20) == 0);
  CHECK(at(17, 27) == 0x00ff00);
  CHECK(read(reg::DVSSURFLIVE(0)) == pixels);
}

TEST_CASE_METHOD(IlkLit, "ilk: a sprite that shrinks by more than a sixteenth, or is too large, is not shown") {
  constexpr uint32_t pixels = 0x2000000;
  for (uint32_t i = 0; i < 2048; i++) put(pixels + i * 4, 0xffffff);
  write(reg::DVSSTRIDE(0), 2048 * 4);
  write(reg::DVSCNTR(0), on | 2u << 25);
  for (const auto& [size, scale, shown] : {std::tuple{63u, on | 1023u << 16, true}, {62u, on | 1023u << 16, false}, {2048u, 0u, false}}) {
    write(reg::DVSSIZE(0), size);
    write(reg::DVSSCALE(0), scale);
    write(reg::DVSSURF(0), pixels);
    show();
    CHECK((at(0, 0) != 0) == shown);
  }
}

TEST_CASE_METHOD(IlkLit, "ilk: cursors of both pipes") {
  for (unsigned pipe = 0; pipe < 2; pipe++) CHECK(reg::CURCNTR(pipe) == 0x70080 + pipe * 0x40);
  constexpr uint32_t pixels = 0x2000000;
  for (uint32_t i = 0; i < 64 * 64; i++) put(pixels + i * 4, 0xff0000ff);
  set_plane();
  write(reg::CURCNTR(0), 0x27);
  write(reg::CURPOS(0), 30u << 16 | 1u << 15 | 4);
  write(reg::CURBASE(0), pixels);
  show();
  CHECK(at(0, 30) == 0x0000ff);
  CHECK(at(59, 93) == 0x0000ff);
  CHECK(at(60, 93) == 0);
  CHECK(read(reg::CURSURFLIVE(0)) == pixels);
}

TEST_CASE_METHOD(IlkLit, "ilk: palettes of 8 and 10 bits, and the conversion before or after") {
  put(surface, 0x800000);
  set_plane(6, 1u << 30);
  for (unsigned i = 0; i < 256; i++) write(reg::LGC_PALETTE(0, i), (255 - i) * 0x010101);
  show();
  CHECK(at(0, 0) == 0x7fffff);
  for (unsigned i = 0; i < 1024; i++) write(reg::PREC_PALETTE(0, i), i << 20 | (1023 - i) << 10);
  write(reg::PIPECONF(0), on | 1u << 24);
  show();
  CHECK(at(0, 0) == 0x80ff00);
  // Red and blue change places before the palette.
  set_plane(6, 1u << 30 | 1u << 24);
  write(reg::CSC_COEFF(0, 1), 0x7800u << 16);
  write(reg::CSC_COEFF(0, 2), 0x7800);
  write(reg::CSC_COEFF(0, 4), 0x7800u << 16);
  write(reg::CSC_MODE_ILK(0), 2);
  show();
  CHECK((at(0, 0) >> 16) == 0);
}

TEST_CASE_METHOD(IlkLit, "ilk: the panel fitter scales the pipe's picture") {
  for (uint32_t y = 0; y < 540; y++)
    for (uint32_t x = 0; x < 960; x++) put(surface + (y * 960 + x) * 4, 0x00ff00);
  write(reg::PIPE_SRCSZ(0), 959 << 16 | 539);
  write(reg::PF_CTL(0), on | 1u << 23);
  write(reg::PF_WIN_POS(0), 0);
  write(reg::PF_WIN_SZ(0), width << 16 | height);
  set_plane(6, 0, 960 * 4);
  show();
  CHECK(at(0, 0) == 0x00ff00);
  CHECK(at(width - 1, height - 1) == 0x00ff00);
}

TEST_CASE_METHOD(IlkLit, "ilk: the CRC changes with the picture, and its event comes with the blank") {
  set_plane();
  write(reg::DEIMR, ~(1u << 2));
  write(reg::PIPE_CRC_CTL_ILK(0), on | 2u << 28);
  const auto crc = [&] {
    for (int i = 0; i < 3; i++) {
      write(reg::DEIIR, ~0u);
      run_for(frame_ns);
      read(reg::PIPE_CRC_RES_1_ILK(0));
    }
    CHECK((read(reg::DEIIR) & 1u << 2));
    return read(reg::PIPE_CRC_RES_1_ILK(0));
  };
  const uint32_t black = crc();
  CHECK(crc() == black);
  put(surface, 1);
  CHECK(crc() != black);
}

TEST_CASE_METHOD(IlkMachine, "ilk: infoframes read back as they were written, each dword after the one before") {
  for (uint32_t kind : {0u, 3u}) {
    write(reg::TVIDEO_DIP_CTL(1), kind << 19);
    for (uint32_t i = 0; i < 8; i++) write(reg::TVIDEO_DIP_DATA(1), kind << 8 | i);
  }
  for (uint32_t kind : {0u, 3u}) {
    write(reg::TVIDEO_DIP_CTL(1), kind << 19);
    for (uint32_t i = 0; i < 8; i++) CHECK(read(reg::TVIDEO_DIP_DATA(1)) == (kind << 8 | i));
    CHECK((read(reg::TVIDEO_DIP_CTL(1)) & 0xf) == 8);
  }
  write(reg::TVIDEO_DIP_CTL(0), 0);
  CHECK(read(reg::TVIDEO_DIP_DATA(0)) == 0);
}

TEST_CASE_METHOD(IlkLit, "ilk: a saved display goes on where it was") {
  put(surface, 0x445566);
  set_plane();
  write(reg::TVIDEO_DIP_CTL(0), 0);
  write(reg::TVIDEO_DIP_DATA(0), 0x82);
  run_for(frame_ns);
  IlkMachine other;
  other.take_state(*this);
  other.put(surface, 0x445566);
  other.show();
  CHECK(other.at(0, 0) == 0x445566);
  other.write(reg::TVIDEO_DIP_CTL(0), 0);
  CHECK(other.read(reg::TVIDEO_DIP_DATA(0)) == 0x82);
}

TEST_CASE_METHOD(IlkLit, "ilk: compression counts its segments while it is on") {
  CHECK(read(reg::ILK_DPFC_STATUS) == 0);
  write(reg::ILK_DPFC_CONTROL, on);
  CHECK(read(reg::ILK_DPFC_STATUS) == height / 4);
}

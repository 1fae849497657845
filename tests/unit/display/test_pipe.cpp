// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/unit/display/machine.h"

using namespace softgen;
using test::frame_ns;
using test::line_ns;

namespace {

constexpr uint32_t vblank = 1, flip_done = 1u << 3, crc_done = 1u << 28;

struct Running : test::Machine {
  Running() {
    power_up();
    set_mode();
    started = host.now;
  }
  int64_t blank_time(int64_t index) const { return started + 16'000'000 + index * 50'000'000 / 3 + (index * 50'000'000 % 3 != 0); }
  int64_t started;
};

}  // namespace

TEST_CASE_METHOD(test::Machine, "power, PLL and buffer states follow their requests at once") {
  CHECK((read(reg::FUSE_STATUS) & 0x0e000000) == 0x08000000);
  write(reg::PWR_WELL_CTL(1), 2u << 28);
  CHECK(read(reg::PWR_WELL_CTL(1)) == 3u << 28);
  CHECK(read(reg::PWR_WELL_CTL(0)) == 1u << 28);
  CHECK((read(reg::FUSE_STATUS) & 0x0e000000) == 0x0c000000);
  write(reg::LCPLL1_CTL, 1u << 31);
  CHECK(read(reg::LCPLL1_CTL) == 3u << 30);
  CHECK(read(reg::DPLL_STATUS) == 1);
  write(reg::WRPLL_CTL(1), 1u << 31);
  CHECK(read(reg::DPLL_STATUS) == (1u | 1u << 24));
  CHECK(read(reg::DDI_BUF_CTL(1)) == 0x80);
  write(reg::DDI_BUF_CTL(1), 1u << 31 | 0x80);
  CHECK(read(reg::DDI_BUF_CTL(1)) == 1u << 31);
  write(reg::DBUF_CTL, 1u << 31);
  CHECK(read(reg::DBUF_CTL) == 3u << 30);
  write(reg::DBUF_CTL, 0);
  CHECK(read(reg::DBUF_CTL) == 0);
}

TEST_CASE_METHOD(Running, "a mode is active when transcoder, clock and port are enabled") {
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK(mode.active);
  CHECK(mode.connector == 0);
  CHECK(mode.width == 1920);
  CHECK(mode.height == 1080);
  CHECK(mode.refresh_mhz == 60000);
  CHECK(read(reg::TRANS_CONF(0)) == 3u << 30);
  write(reg::DDI_BUF_CTL(1), 0);
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
  write(reg::TRANS_CONF(0), 0);
  CHECK(read(reg::TRANS_CONF(0)) == 0);
  display.mode(1, &mode);
  CHECK_FALSE(mode.active);
  CHECK(mode.connector == -1);
  display.mode(7, &mode);
  CHECK_FALSE(mode.active);
}

TEST_CASE_METHOD(Running, "an idle pipe needs no timer, and its counters still move") {
  unmask_pipe(0);
  run_for(10 * frame_ns);
  CHECK(fired == 0);
  CHECK(host.timers[0] == -1);
  CHECK(read(reg::PIPE_FRMCNT(0)) == 10);
}

TEST_CASE_METHOD(Running, "vblank interrupts come at the exact rate and stop when masked") {
  unmask_pipe(vblank);
  CHECK(host.timers[0] == blank_time(0));
  for (int i = 0; i < 60; i++) {
    run_until(blank_time(i) - 1);
    CHECK(take_iir() == 0);
    run_until(blank_time(i));
    CHECK(take_iir() == vblank);
    CHECK(read(reg::PIPE_FRMCNT(0)) == static_cast<uint32_t>(i + 1));
  }
  CHECK(host.now == started + 16'000'000 + 59 * 1'000'000'000ll / 60 + 1);
  unmask_pipe(0);
  CHECK(host.timers[0] == -1);
  run_for(3 * frame_ns);
  // Frames that passed while masked raise nothing when it is unmasked.
  unmask_pipe(vblank);
  CHECK(take_iir() == 0);
  CHECK(host.timers[0] == blank_time(63));
}

TEST_CASE_METHOD(Running, "the scan line counts from the top, offset by two lines on HDMI") {
  host.now = started;
  CHECK((read(reg::PIPE_SCANLINE(0)) + 2) % 1125 == 0);
  host.now = started + 100 * line_ns + 10;
  CHECK(read(reg::PIPE_SCANLINE(0)) == 98);
  host.now = blank_time(0);
  CHECK(read(reg::PIPE_SCANLINE(0)) + 2 == 1080);
  CHECK(read(reg::PIPE_SCANLINE(1)) == 0);
}

TEST_CASE_METHOD(Running, "time stamps are of the last blank, in microseconds") {
  run_until(blank_time(2) + 500'000);
  CHECK(read(reg::PIPE_FRMCNT(0)) == 3);
  CHECK(read(reg::PIPE_FRMTMSTMP(0)) == blank_time(2) / 1000);
  CHECK(read(reg::TIMESTAMP_CTR) == host.now / 1000);
}

TEST_CASE_METHOD(Running, "PLANE_SURF arms: registers take effect together at the blank") {
  set_plane(0x100000);
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0);
  // Written, but not armed again.
  write(reg::PLANE_STRIDE(0, 0), 77);
  CHECK(host.timers[0] == blank_time(0));
  const unsigned before = host.changes[0];
  unmask_pipe(flip_done);
  run_until(blank_time(0));
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0x100000);
  CHECK(take_iir() == flip_done);
  CHECK(read(reg::PIPE_FLIPCNT(0)) == 1);
  CHECK(host.changes[0] > before);
  // Latched: nothing more to wait for.
  CHECK(host.timers[0] == -1);
  CHECK(read(reg::PLANE_STRIDE(0, 0)) == 77);
}

TEST_CASE_METHOD(Running, "an asynchronous flip does not wait") {
  set_plane(0x100000);
  run_until(blank_time(0));
  unmask_pipe(flip_done);
  take_iir();
  write(reg::PLANE_CTL(0, 0), 1u << 31 | 4u << 24 | 1u << 9);
  write(reg::PLANE_SURF(0, 0), 0x200000);
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0x200000);
  CHECK(take_iir() == flip_done);
}

TEST_CASE_METHOD(test::Machine, "a pipe that is off takes registers at once") {
  power_up();
  set_plane(0x300000, 1);
  CHECK(read(reg::PLANE_SURFLIVE(1, 0)) == 0x300000);
  CHECK(host.timers[1] == -1);
}

TEST_CASE_METHOD(Running, "stopping a pipe completes what was armed and keeps the count") {
  run_until(blank_time(4));
  set_plane(0x100000);
  write(reg::TRANS_CONF(0), 0);
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0x100000);
  CHECK(read(reg::PIPE_FRMCNT(0)) == 5);
  CHECK(host.timers[0] == -1);
  host.now += 10 * frame_ns;
  CHECK(read(reg::PIPE_FRMCNT(0)) == 5);
  CHECK(read(reg::PIPE_SCANLINE(0)) == 0);
}

TEST_CASE_METHOD(Running, "a blank waits for an update that began in time") {
  unmask_pipe(vblank);
  host.now = blank_time(0) - 300'000;
  read(reg::PIPE_SCANLINE(0));
  CHECK(read(reg::PIPE_FRMCNT(0)) == 0);
  // The virtual CPU is away for 9 ms, and again for 7 ms after its first write.
  run_for(9'000'000);
  set_plane(0x100000);
  run_for(7'000'000);
  CHECK(take_iir() == 0);
  CHECK(read(reg::PIPE_SCANLINE(0)) + 2 == 1079);
  write(reg::PLANE_SURF(0, 0), 0x200000);
  read(reg::PIPE_SCANLINE(0));
  CHECK(read(reg::PIPE_FRMCNT(0)) == 0);
  run_for(400'000);
  CHECK(take_iir() == vblank);
  CHECK(read(reg::PIPE_FRMCNT(0)) == 1);
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0x200000);
  // The grid has not moved.
  CHECK(host.timers[0] == blank_time(1));
}

TEST_CASE_METHOD(Running, "an update that never ends holds a blank for a bounded time") {
  unmask_pipe(vblank);
  host.now = blank_time(0) - 300'000;
  read(reg::PIPE_SCANLINE(0));
  read(reg::PIPE_FRMCNT(0));
  set_plane(0x100000);
  run_until(blank_time(0) + 19'900'000);
  CHECK(take_iir() == 0);
  run_for(200'000);
  CHECK(take_iir() & vblank);
}

TEST_CASE_METHOD(Running, "an update that is announced but does not follow holds a blank for a short time") {
  unmask_pipe(vblank);
  host.now = blank_time(0) - 300'000;
  for (int i = 0; i < 100; i++) {
    read(reg::PIPE_SCANLINE(0));
    read(reg::PIPE_FRMCNT(0));
    run_for(120'000);
  }
  CHECK(take_iir() == vblank);
}

TEST_CASE_METHOD(Running, "an update of the cursor alone holds a blank until it ends") {
  unmask_pipe(vblank);
  host.now = blank_time(0) - 300'000;
  read(reg::PIPE_SCANLINE(0));
  read(reg::PIPE_FRMCNT(0));
  run_for(1'000'000);
  write(reg::CUR_BASE(0), 0x300000);
  CHECK(take_iir() == 0);
  read(reg::PIPE_SCANLINE(0));
  CHECK(read(reg::PIPE_FRMCNT(0)) == 0);
  run_for(400'000);
  CHECK(take_iir() == vblank);
}

TEST_CASE_METHOD(Running, "i915's counting of blanks holds no blank") {
  unmask_pipe(vblank);
  host.now = blank_time(0) - 300'000;
  read(reg::PIPE_FRMCNT(0));
  read(reg::PIPE_SCANLINE(0));
  read(reg::PIPE_FRMCNT(0));
  run_until(blank_time(0));
  CHECK(take_iir() == vblank);
}

TEST_CASE_METHOD(Running, "polling the frame counter does not stop it") {
  int64_t polls = 0;
  while (read(reg::PIPE_FRMCNT(0)) < 5 && polls < 100'000) {
    polls++;
    host.now += 10'000;
  }
  CHECK(host.now - blank_time(4) <= 10'000);
}

TEST_CASE_METHOD(Running, "while CRCs are read no frame is skipped, even if the host is late") {
  unmask_pipe(vblank | crc_done);
  write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  run_until(blank_time(0));
  host.now = blank_time(5) + 1000;  // stalled
  for (uint32_t frame = 1; frame <= 6; frame++) {
    CHECK(host.timers[0] > host.now);
    CHECK(take_iir() == (vblank | crc_done));
    read(reg::PIPE_CRC_RES(0, 0));
    CHECK(read(reg::PIPE_FRMCNT(0)) == frame);
    run_for(1'000'000);
  }
  CHECK(host.timers[0] == blank_time(6));
  CHECK(take_iir() == 0);
  // Software that never reads them does not stop the pipe for ever.
  run_until(blank_time(200));
  CHECK(read(reg::PIPE_FRMCNT(0)) >= 100);
}

TEST_CASE_METHOD(Running, "the CRC is of the frame that ends, with the vblank that ends it") {
  const uint32_t red = 0xff0000;
  memory.write(0x100000, &red, 4);
  set_plane(0x100000);
  unmask_pipe(vblank | crc_done);
  write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  run_until(blank_time(0));
  CHECK(take_iir() == (vblank | crc_done));
  const uint32_t black = read(reg::PIPE_CRC_RES(0, 0));
  take_iir();
  run_until(blank_time(1));
  const uint32_t with_red = read(reg::PIPE_CRC_RES(0, 0));
  CHECK(with_red != black);
  take_iir();
  run_until(blank_time(2));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == with_red);
  write(reg::PLANE_CTL(0, 0), 0);
  write(reg::PLANE_SURF(0, 0), 0);
  take_iir();
  run_until(blank_time(3));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == with_red);
  take_iir();
  run_until(blank_time(4));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == black);
  take_iir();
  write(reg::PIPE_CRC_CTL(0), 0);
  run_until(blank_time(5));
  CHECK(take_iir() == vblank);
}

TEST_CASE_METHOD(Running, "an asynchronous flip shows in the rows that come after it") {
  const std::vector<uint32_t> white(1920 * 1080, 0xffffff);
  constexpr uint64_t black_at = 0x100000, white_at = 0x1000000;
  memory.write(white_at, white.data(), white.size() * 4);
  set_plane(black_at);
  unmask_pipe(vblank | crc_done);
  write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  run_until(blank_time(0));
  read(reg::PIPE_CRC_RES(0, 0));
  run_until(blank_time(1));
  const uint32_t black = read(reg::PIPE_CRC_RES(0, 0));
  write(reg::PLANE_CTL(0, 0), 1u << 31 | 4u << 24 | 1u << 9);
  // Between frames: nothing of the one before is left.
  write(reg::PLANE_SURF(0, 0), static_cast<uint32_t>(white_at));
  run_until(blank_time(2));
  const uint32_t all_white = read(reg::PIPE_CRC_RES(0, 0));
  CHECK(all_white != black);
  const auto flip_at_row = [&](int64_t frame, int64_t row, uint64_t surface) {
    run_until(started + frame * 50'000'000 / 3 + row * line_ns + line_ns / 2);
    write(reg::PLANE_SURF(0, 0), static_cast<uint32_t>(surface));
  };
  flip_at_row(3, 400, black_at);
  // Software may draw into the surface of rows that were shown.
  const std::vector<uint32_t> red(400 * 1920, 0xff0000);
  memory.write(white_at, red.data(), red.size() * 4);
  run_until(blank_time(3));
  memory.write(white_at, white.data(), red.size() * 4);
  const uint32_t black_below = read(reg::PIPE_CRC_RES(0, 0));
  CHECK(black_below != black);
  CHECK(black_below != all_white);
  flip_at_row(3, 1085, white_at);
  flip_at_row(4, 400, black_at);
  run_until(blank_time(4));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == black_below);
  run_until(blank_time(5));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == black);
  // There and back: what is shown at the end is what was shown before, and the frame is neither.
  flip_at_row(6, 100, white_at);
  flip_at_row(6, 101, black_at);
  run_until(blank_time(6));
  const uint32_t white_row = read(reg::PIPE_CRC_RES(0, 0));
  CHECK(white_row != black);
  CHECK(white_row != all_white);
  run_until(blank_time(7));
  CHECK(read(reg::PIPE_CRC_RES(0, 0)) == black);
}

TEST_CASE_METHOD(Running, "two pipes run apart") {
  set_mode(1);
  const int64_t second = host.now;
  unmask_pipe(vblank, 0);
  unmask_pipe(vblank, 1);
  run_until(second + 16'000'000);
  CHECK(take_iir(1) == vblank);
  sg_pipe_mode mode;
  display.mode(1, &mode);
  CHECK(mode.active);
  CHECK(mode.connector == 1);
}

TEST_CASE_METHOD(Running, "the precision palette is accessed by its index") {
  write(reg::PAL_PREC_INDEX(0), 1u << 15 | 1022);
  write(reg::PAL_PREC_DATA(0), 0x11);
  write(reg::PAL_PREC_DATA(0), 0x22);
  write(reg::PAL_PREC_INDEX(0), 1023);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x22);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x22);
  write(reg::PAL_PREC_INDEX(0), 1u << 15 | 1022);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x11);
  CHECK(read(reg::PAL_PREC_INDEX(0)) == (1u << 15 | 1023));
}

TEST_CASE_METHOD(Running, "hostile timings stop the pipe instead of the host") {
  unmask_pipe(vblank);
  write(reg::TRANS_HTOTAL(0), 0);
  write(reg::TRANS_VTOTAL(0), 0);
  write(reg::TRANS_VBLANK(0), 0);
  CHECK(host.timers[0] == -1);
  sg_pipe_mode mode;
  display.mode(0, &mode);
  CHECK_FALSE(mode.active);
}

TEST_CASE_METHOD(Running, "an interrupt handler may access the registers of its pipe and port") {
  // A message aimed at our own BAR. Every way that an interrupt of the display is raised: timer, register access, plug, GMBUS.
  unsigned calls = 0;
  host.on_interrupt = [&](bool level) {
    if (!level) return;
    calls++;
    read(reg::PIPE_FRMCNT(0));
    write(reg::PLANE_SURF(0, 0), 0x100000);
    read(reg::GMBUS2);
    write(reg::DE_PIPE_IIR(0), ~0u);
    write(reg::SDEIIR, ~0u);
  };
  unmask_pipe(vblank | flip_done);
  run_until(blank_time(0));
  CHECK(calls >= 1);
  calls = 0;
  host.now = blank_time(3);
  read(reg::PIPE_FRMCNT(0));
  CHECK(calls >= 1);
  calls = 0;
  write(reg::SHOTPLUG_CTL, 1u << 12);
  write(reg::SDEIER, ~0u);
  write(reg::SDEIMR, 0);
  display.plug(1, true);
  CHECK(calls >= 1);
  calls = 0;
  write(reg::GMBUS0, 5);
  write(reg::GMBUS4, 0x1f);
  write(reg::GMBUS1, 1u << 30 | 3u << 25 | 1u << 16 | 0x50u << 1 | 1);
  CHECK(calls >= 1);
  CHECK_FALSE(host.level);
}

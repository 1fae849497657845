// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/unit/display/machine.h"

using namespace softgen;
using test::frame_ns;

namespace {

struct Shown : test::Machine {
  Shown() : canvas(1920 * 1080) {
    power_up();
    set_mode();
    set_plane(0x100000);
    run_for(frame_ns);
  }
  sg_dirty_rect draw(bool full = false) {
    sg_dirty_rect dirty;
    display.draw(0, canvas.data(), 1920 * 4, full, &dirty);
    return dirty;
  }
  void paint(uint32_t x, uint32_t y, uint32_t value) { memory.write(0x100000 + (y * 1920 + x) * 4, &value, 4); }
  std::vector<uint32_t> canvas;
};

bool same(const sg_dirty_rect& r, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  return r.x == x && r.y == y && r.width == width && r.height == height;
}

}  // namespace

TEST_CASE_METHOD(Shown, "draw gives the box of what changed") {
  CHECK(same(draw(true), 0, 0, 1920, 1080));
  CHECK(same(draw(), 0, 0, 0, 0));
  paint(100, 50, 0x123456);
  paint(110, 70, 0x654321);
  CHECK(same(draw(), 100, 50, 11, 21));
  CHECK(canvas[50 * 1920 + 100] == 0xff123456);
  // A flip to another surface, taken at the blank.
  write(reg::PLANE_SURF(0, 0), 0x1000000);
  CHECK(same(draw(), 0, 0, 0, 0));
  run_for(frame_ns);
  CHECK(same(draw(), 100, 50, 11, 21));
  CHECK(canvas[50 * 1920 + 100] == 0xff000000);
}

TEST_CASE_METHOD(Shown, "a picture that stands still is compared less often, and a change still shows") {
  draw(true);
  for (int i = 0; i < 64; i++) draw();
  paint(5, 5, 0xffffff);
  int draws = 1;
  while (draw().width == 0 && draws < 10) draws++;
  CHECK(draws <= 4);
  // Any register change is seen by the very next draw.
  for (int i = 0; i < 64; i++) draw();
  write(reg::CUR_CTL(0), 0x27);
  write(reg::CUR_POS(0), 10 | 10 << 16);
  const std::vector<uint32_t> white(64 * 64, 0xffffffff);
  memory.write(0x2000000, white.data(), white.size() * 4);
  write(reg::CUR_BASE(0), 0x2000000);
  run_for(frame_ns);
  CHECK(same(draw(), 10, 10, 64, 64));
}

TEST_CASE_METHOD(Shown, "limited range on the wire is full range on the screen") {
  paint(0, 0, 0xffffff);
  write(reg::CSC_COEFF(0, 0), 0x0dc0u << 16);
  write(reg::CSC_COEFF(0, 2), 0x0dc0);
  write(reg::CSC_COEFF(0, 5), 0x0dc0u << 16);
  for (unsigned i = 0; i < 3; i++) write(reg::CSC_POSTOFF(0, i), 257);
  write(reg::CSC_MODE(0), 0);
  write(reg::PLANE_CTL(0, 0), 1u << 31 | 4u << 24 | 1u << 23);
  write(reg::PLANE_SURF(0, 0), 0x100000);
  run_for(frame_ns);
  draw(true);
  CHECK(canvas[0] == 0xffebebeb);  // no infoframe: a DVI monitor takes it as it comes
  write(reg::VIDEO_DIP_AVI_DATA(0, 1), 1u << 2 << 24);
  write(reg::VIDEO_DIP_CTL(0), 1u << 12);
  draw(true);
  CHECK(canvas[0] == 0xffffffff);
  CHECK(canvas[1] == 0xff000000);
}

TEST_CASE_METHOD(test::Machine, "the VGA core shows until the driver takes over") {
  CHECK(display.is_vga());
  power_up();
  CHECK_FALSE(display.is_vga());
  registers.reset();
  interrupts.reset();
  display.reset();
  CHECK(display.is_vga());
}

TEST_CASE_METHOD(test::Machine, "plugging a monitor: live state, long pulse, interrupt") {
  CHECK(read(reg::SDEISR) == 1u << 21);
  write(reg::SHOTPLUG_CTL, 1u << 4 | 1u << 12);
  write(reg::SDEIER, ~0u);
  write(reg::SDEIMR, 0);
  display.plug(1, true);
  CHECK(read(reg::SDEISR) == 3u << 21);
  CHECK(read(reg::SDEIIR) == 1u << 22);
  CHECK(read(reg::SHOTPLUG_CTL) == (1u << 4 | 1u << 12 | 2u << 8));
  CHECK(host.level);
  write(reg::SHOTPLUG_CTL, read(reg::SHOTPLUG_CTL));
  CHECK(read(reg::SHOTPLUG_CTL) == (1u << 4 | 1u << 12));
  write(reg::SDEIIR, ~0u);
  display.plug(1, true);
  CHECK(read(reg::SDEIIR) == 0);
  // Detection off on DDI D: only the live state.
  display.plug(2, true);
  CHECK(read(reg::SDEIIR) == 0);
  CHECK(read(reg::SDEISR) == 7u << 21);
  display.plug(0, false);
  CHECK(read(reg::SDEIIR) == 1u << 21);
  display.plug(9, true);
  CHECK(read(reg::SDEISR) == 6u << 21);
}

TEST_CASE_METHOD(test::Machine, "AUX channels answer that nobody is there") {
  write(reg::DE_PORT_IER, ~0u);
  write(reg::DE_PORT_IMR, 0);
  write(reg::DDI_AUX_CTL(1), 1u << 31 | 1u << 30 | 1u << 29 | 1u << 28 | 1u << 25 | 4u << 20);
  CHECK((read(reg::DDI_AUX_CTL(1)) & 0xd2000000) == (1u << 30 | 1u << 28));
  CHECK(read(reg::DE_PORT_IIR) == 1u << 25);
  write(reg::DDI_AUX_CTL(1), 1u << 30 | 1u << 28 | 1u << 25);
  CHECK((read(reg::DDI_AUX_CTL(1)) & 0x52000000) == 0);
}

TEST_CASE_METHOD(test::Machine, "every register that promises display behaviour has it") {
  for (const std::string& name : registers.missing_hooks()) {
    for (const defs::Register& row : defs::registers()) {
      if (row.hook && std::string_view(row.hook) == "display") CHECK(name.substr(0, name.find('[')) != row.name);
    }
  }
}

TEST_CASE_METHOD(test::Machine, "GMBUS through its registers") {
  host.eeprom[3] = 0x5a;
  write(reg::SDEIER, ~0u);
  write(reg::SDEIMR, ~(1u << 17));
  write(reg::GMBUS0, 5);
  write(reg::GMBUS4, 1);
  write(reg::GMBUS1, 1u << 30 | 3u << 25 | 4u << 16 | 3u << 8 | 0x50u << 1 | 1);
  CHECK(read(reg::SDEIIR) == 1u << 17);
  CHECK((read(reg::GMBUS3) & 0xff) == 0x5a);
  write(reg::GPIO_CTL(4), 0x1 | 0x2 | 0x4);
  CHECK_FALSE(read(reg::GPIO_CTL(4)) & 0x10);
  CHECK(read(reg::GPIO_CTL(4)) & 0x1000);
}

TEST_CASE_METHOD(Shown, "save and load carry a running display over") {
  paint(3, 4, 0xabcdef);
  unmask_pipe(1);
  write(reg::PLANE_SURF(0, 0), 0x2000000);  // armed, not latched
  write(reg::PAL_PREC_INDEX(0), 5);
  write(reg::PAL_PREC_DATA(0), 0x1234);
  Archive out;
  registers.state(out);
  interrupts.state(out);
  display.state(out);
  const auto bytes = out.take();

  test::Machine other(0);
  other.host.now = host.now;
  Archive in(bytes);
  other.registers.state(in);
  other.interrupts.state(in);
  other.display.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(other.host.timers[0] == host.timers[0]);
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 0)) == 0x100000);
  CHECK(other.read(reg::SDEISR) == read(reg::SDEISR));
  run_for(frame_ns);
  other.run_for(frame_ns);
  for (uint32_t offset : {reg::PIPE_FRMCNT(0), reg::PIPE_SCANLINE(0), reg::PLANE_SURFLIVE(0, 0), reg::PIPE_FLIPCNT(0), reg::PAL_PREC_DATA(0),
                          reg::DE_PIPE_IIR(0), reg::TRANS_CONF(0), reg::PIPE_FRMTMSTMP(0)}) {
    INFO(defs::register_name(offset));
    CHECK(other.read(offset) == read(offset));
  }
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 0)) == 0x2000000);
}

TEST_CASE_METHOD(Shown, "a damaged state is refused or harmless") {
  Archive out;
  display.state(out);
  auto bytes = out.take();
  for (size_t i = 0; i < bytes.size(); i += 61) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0xff};
    test::Machine other;
    Archive in(damaged);
    other.display.state(in);
    other.run_for(frame_ns);
    sg_dirty_rect dirty;
    sg_pipe_mode mode;
    other.display.mode(0, &mode);
    std::vector<uint32_t> pixels(size_t{mode.width} * mode.height);
    if (!pixels.empty() && i % 2440 == 0) other.display.draw(0, pixels.data(), mode.width * 4, true, &dirty);
  }
}

TEST_CASE_METHOD(Shown, "a reset leaves no trace") {
  unmask_pipe(1);
  write(reg::GMBUS0, 5);
  registers.reset();
  interrupts.reset();
  display.reset();
  test::Machine fresh;
  for (uint32_t offset = 0; offset < mmio::register_space; offset += 4) {
    if (offset == reg::TIMESTAMP_CTR || offset == reg::MASTER_INT_CTL) continue;
    const uint32_t now = registers.peek(offset), then = fresh.registers.peek(offset);
    if (now != then) FAIL(defs::register_name(offset) << ": " << now << " instead of " << then);
  }
  CHECK(read(reg::PIPE_FRMCNT(0)) == 0);
  CHECK(read(reg::PLANE_SURFLIVE(0, 0)) == 0);
  CHECK(read(reg::SDEISR) == 1u << 21);
  CHECK(host.timers[0] == -1);
  Archive a, b;
  display.state(a);
  fresh.display.state(b);
  CHECK(a.output() == b.output());
}

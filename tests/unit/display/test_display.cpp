// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <string_view>

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
    display.draw(0, canvas.data(), {1920, 1080}, 1920 * 4, full, &dirty);
    return dirty;
  }
  void paint(uint32_t x, uint32_t y, uint32_t value) { memory.write(0x100000 + (y * 1920 + x) * 4, &value, 4); }
  std::vector<uint32_t> canvas;
};

bool same(const sg_dirty_rect& r, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  return r.x == x && r.y == y && r.width == width && r.height == height;
}

}  // namespace

TEST_CASE_METHOD(Shown, "draw returns the bounding box of changes") {
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

TEST_CASE_METHOD(Shown, "a static picture is compared less often, and a change is still shown") {
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

TEST_CASE_METHOD(test::Machine, "AUX channels report that no sink is connected") {
  write(reg::DE_PORT_IER, ~0u);
  write(reg::DE_PORT_IMR, 0);
  write(reg::DDI_AUX_CTL(1), 1u << 31 | 1u << 30 | 1u << 29 | 1u << 28 | 1u << 25 | 4u << 20);
  CHECK((read(reg::DDI_AUX_CTL(1)) & 0xd2000000) == (1u << 30 | 1u << 28));
  CHECK(read(reg::DE_PORT_IIR) == 1u << 25);
  write(reg::DDI_AUX_CTL(1), 1u << 30 | 1u << 28 | 1u << 25);
  CHECK((read(reg::DDI_AUX_CTL(1)) & 0x52000000) == 0);
}

TEST_CASE_METHOD(test::Machine, "every register with a display hook in the table has one") {
  for (const std::string& name : registers.missing_hooks()) {
    for (const defs::Register& row : softgen::defs::gen9::registers.rows) {
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

TEST_CASE_METHOD(Shown, "a running display survives save and load") {
  paint(3, 4, 0xabcdef);
  unmask_pipe(1);
  write(reg::PLANE_SURF(0, 0), 0x2000000);  // armed, not latched
  write(reg::PAL_PREC_INDEX(0), 5);
  write(reg::PAL_PREC_DATA(0), 0x1234);
  test::Machine other(0);
  other.take_state(*this);
  CHECK(other.host.timers[0] == host.timers[0]);
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 0)) == 0x100000);
  CHECK(other.read(reg::SDEISR) == read(reg::SDEISR));
  run_for(frame_ns);
  other.run_for(frame_ns);
  for (uint32_t offset : {reg::PIPE_FRMCNT(0), reg::PIPE_SCANLINE(0), reg::PLANE_SURFLIVE(0, 0), reg::PIPE_FLIPCNT(0),
                          reg::PAL_PREC_DATA(0), reg::DE_PIPE_IIR(0), reg::TRANS_CONF(0), reg::PIPE_FRMTMSTMP(0)}) {
    INFO(softgen::defs::gen9::registers.name_of(offset));
    CHECK(other.read(offset) == read(offset));
  }
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 0)) == 0x2000000);
}

TEST_CASE_METHOD(Shown, "a picture of another size than the surface is not drawn") {
  // The guest changes the mode, on an engine's thread, between the front end's question for it and the drawing.
  sg_pipe_mode mode;
  write(reg::TRANS_HTOTAL(0), 63 | 2199 << 16);
  display.mode(0, &mode);
  REQUIRE(mode.width == 64);
  std::vector<uint32_t> pixels(size_t{mode.width} * mode.height, 0x12345678);
  write(reg::TRANS_HTOTAL(0), 1919 | 2199 << 16);
  for (bool full : {true, false}) {
    sg_dirty_rect dirty;
    display.draw(0, pixels.data(), {mode.width, mode.height}, mode.width * 4, full, &dirty);
    CHECK(same(dirty, 0, 0, 0, 0));
  }
  CHECK(std::all_of(pixels.begin(), pixels.end(), [](uint32_t pixel) { return pixel == 0x12345678; }));
  CHECK(same(draw(true), 0, 0, 1920, 1080));
}

TEST_CASE_METHOD(test::Machine, "sleep states are counted when firmware is loaded and the display is off") {
  const auto counts = [&] { return std::pair(read(reg::DMC_DC5_COUNT), read(reg::DMC_DC6_COUNT)); };
  using Counts = std::pair<uint32_t, uint32_t>;
  write(reg::DC_STATE_EN, 2);
  CHECK(counts() == Counts{0, 0});
  write(reg::DMC_RAM, 0x1234);
  write(reg::DC_STATE_EN, 0);
  CHECK(counts() == Counts{0, 0});
  write(reg::DC_STATE_EN, 1);
  CHECK(counts() == Counts{1, 0});
  write(reg::DC_STATE_EN, 2);
  CHECK(counts() == Counts{2, 1});
  test::light(*this);
  write(reg::DC_STATE_EN, 2);
  CHECK(counts() == Counts{2, 1});
}

namespace {

/// Offsets in a display's saved state of the first pipe's fields, in the order of Pipe::state().
struct Saved {
  explicit Saved(display::Display& display) {
    Archive out;
    display.state(out);
    bytes = out.take();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    running = text.find("display.pipe") + 12 + 4;
  }
  static constexpr size_t hactive = 1, htotal = 5, vactive = 9, vtotal = 13, vblank_start = 17, clock = 21, start = 30, blanks_done = 38;
  template <typename T>
  Saved& set(size_t field, T value) {
    std::memcpy(bytes.data() + running + field, &value, sizeof value);
    return *this;
  }
  template <typename T>
  T get(size_t field) const {
    T value;
    std::memcpy(&value, bytes.data() + running + field, sizeof value);
    return value;
  }
  /// Empty when a display at time `now` takes it; that display's clock then runs for ten frames.
  std::string load(int64_t now) const {
    test::Machine other;
    other.host.now = now;
    other.unmask_pipe(1);
    Archive in(bytes);
    other.display.state(in);
    if (!in.failed()) {
      const unsigned before = other.fired;
      other.run_for(10 * frame_ns);
      CHECK(other.fired - before <= 11);
    }
    return in.error();
  }
  std::vector<std::byte> bytes;
  size_t running = 0;
};

}  // namespace

TEST_CASE_METHOD(Shown, "a saved raster that is impossible is refused with a message") {
  run_for(5 * frame_ns);
  read(reg::PIPE_FRMCNT(0));
  const Saved saved(display);
  REQUIRE(saved.get<uint32_t>(Saved::hactive) == 1920);
  REQUIRE(saved.get<uint64_t>(Saved::clock) == 148'500'000);
  REQUIRE(saved.get<int64_t>(Saved::start) < host.now);
  const uint64_t blanks = saved.get<uint64_t>(Saved::blanks_done);
  REQUIRE(blanks >= 5);
  CHECK(saved.load(host.now) == "");

  CHECK(Saved(saved).set(Saved::hactive, 1u << 31).set(Saved::htotal, 1u << 31).set(Saved::clock, uint64_t{1} << 52).load(host.now) != "");
  CHECK(Saved(saved).set(Saved::htotal, 8193u).load(host.now) != "");
  CHECK(Saved(saved).set(Saved::vtotal, 8193u).load(host.now) != "");
  CHECK(Saved(saved).set(Saved::vactive, 4097u).set(Saved::vblank_start, 4097u).set(Saved::vtotal, 4100u).load(host.now) != "");
  CHECK(Saved(saved).set(Saved::clock, uint64_t{0}).load(host.now) != "");
  for (int64_t start : {host.now + 1, INT64_MAX, INT64_MIN, int64_t{-1}}) CHECK(Saved(saved).set(Saved::start, start).load(host.now) != "");
  for (uint64_t done : {blanks + 1, uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} - 1})
    CHECK(Saved(saved).set(Saved::blanks_done, done).load(host.now) != "");
  CHECK(Saved(saved).set(Saved::blanks_done, uint64_t{0}).load(host.now) == "");
}

TEST_CASE_METHOD(Shown, "no deadline lies in the past") {
  unmask_pipe(1);
  // A host that is late, and one whose clock stands still while it runs its timers.
  host.now = host.timers[0] + 10 * frame_ns + 3;
  for (int i = 0; i < 5; i++) {
    display.timer_expired(0);
    CHECK(host.timers[0] > host.now);
  }
  read(reg::PIPE_SCANLINE(0));
  read(reg::PIPE_FRMCNT(0));
  CHECK(host.timers[0] > host.now);
}

TEST_CASE_METHOD(Shown, "planes that Gen9 cannot show are not shown") {
  const auto lit = [&](uint32_t x, uint32_t y) {
    draw(true);
    return canvas[y * 1920 + x] != 0xff000000;
  };
  const std::vector<uint32_t> white(4096, 0xffffffff);
  for (uint32_t y = 0; y < 64; y++) memory.write(0x100000 + y * 1920 * 4, white.data(), 1920 * 4);
  draw(true);
  REQUIRE(lit(0, 0));

  SECTION("planes wider than 5120, or 4096 where tiled in Y, or higher than 4096") {
    const struct {
      uint32_t width, height, tiling;
      bool shown;
    } rows[] = {{5120, 4096, 0, true}, {5121, 1080, 0, false}, {1920, 4097, 0, false}, {4096, 1080, 4, true}, {4097, 1080, 4, false}};
    for (const auto& row : rows) {
      CAPTURE(row.width, row.height, row.tiling);
      write(reg::PLANE_STRIDE(0, 0), row.tiling ? 60 : 120);
      write(reg::PLANE_SIZE(0, 0), (row.width - 1) | (row.height - 1) << 16);
      write(reg::PLANE_CTL(0, 0), 1u << 31 | 4u << 24 | row.tiling << 10);
      write(reg::PLANE_SURF(0, 0), 0x100000);
      run_for(frame_ns);
      CHECK(lit(0, 0) == row.shown);
    }
  }
  SECTION("a scaler that shrinks by 3 does nothing, one that shrinks by less does") {
    const auto scaled_to = [&](uint32_t width, uint32_t height) {
      write(reg::PS_CTRL(0, 0), 1u << 31 | 1u << 25);
      write(reg::PS_WIN_POS(0, 0), 0);
      write(reg::PS_WIN_SZ(0, 0), width << 16 | height);
      run_for(frame_ns);
      return !lit(1900, 5);
    };
    CHECK(scaled_to(641, 361));
    CHECK_FALSE(scaled_to(640, 361));
    CHECK_FALSE(scaled_to(641, 360));
    CHECK_FALSE(scaled_to(4097, 1080));
  }
  SECTION("rasters larger than 5120 x 4096 do not run") {
    sg_pipe_mode mode;
    const auto runs = [&](uint32_t width, uint32_t height) {
      write(reg::TRANS_HTOTAL(0), (width - 1) | (width + 79) << 16);
      write(reg::TRANS_VTOTAL(0), (height - 1) | (height + 9) << 16);
      write(reg::TRANS_VBLANK(0), (height - 1) | (height + 9) << 16);
      display.mode(0, &mode);
      return mode.active;
    };
    CHECK(runs(5120, 4096));
    CHECK_FALSE(runs(5121, 100));
    CHECK_FALSE(runs(640, 4097));
    CHECK(runs(640, 480));
  }
}

TEST_CASE_METHOD(test::Machine, "pipe C has one scaler") {
  power_up();
  set_mode(2);
  set_plane(0x100000, 2);
  const std::vector<uint32_t> white(1920 * 64, 0xffffffff);
  memory.write(0x100000, white.data(), white.size() * 4);
  std::vector<uint32_t> canvas(1920 * 1080);
  for (unsigned scaler : {0u, 1u}) {
    for (unsigned i : {0u, 1u}) {
      write(reg::PS_CTRL(2, i), i == scaler ? 1u << 31 | 1u << 25 : 0);
      write(reg::PS_WIN_SZ(2, i), 960 << 16 | 540);
    }
    run_for(2 * frame_ns);
    sg_dirty_rect dirty;
    display.draw(2, canvas.data(), {1920, 1080}, 1920 * 4, true, &dirty);
    CHECK(canvas[1500] == (scaler == 0 ? 0xff000000 : 0xffffffff));
  }
}

TEST_CASE_METHOD(Shown, "a damaged state is refused or is harmless") {
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
    if (!pixels.empty() && i % 2440 == 0) other.display.draw(0, pixels.data(), {mode.width, mode.height}, mode.width * 4, true, &dirty);
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
    if (now != then) FAIL(softgen::defs::gen9::registers.name_of(offset) << ": " << now << " instead of " << then);
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Frames composed on the display's thread: the bits are the same as without it, and no caller waits.
#include <chrono>
#include <condition_variable>
#include <future>

#include "hw/iface/quiet_host.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/catch.h"
#include "tests/unit/display/machine.h"

using namespace softgen;
using test::frame_ns;

namespace {

constexpr uint32_t vblank = 1, flip_done = 1u << 3, crc_done = 1u << 28;
constexpr auto a_minute = std::chrono::minutes(1);

/// A host for threads: calls by the display's thread can be waited for.
class ThreadHost final : public QuietHost {
 public:
  int64_t clock_ns() override {
    std::lock_guard lock(mutex);
    return now;
  }
  void timer_set(unsigned id, int64_t deadline) override {
    std::lock_guard lock(mutex);
    timers[id] = deadline;
  }
  void interrupt(bool on) override {
    std::lock_guard lock(mutex);
    level = on;
    changed.notify_all();
  }
  void display_ready(unsigned) override {
    std::lock_guard lock(mutex);
    ready++;
    changed.notify_all();
  }
  void set_time(int64_t time) {
    std::lock_guard lock(mutex);
    now = time;
  }
  int64_t timer(unsigned id) {
    std::lock_guard lock(mutex);
    return timers[id];
  }
  bool is_high() {
    std::lock_guard lock(mutex);
    return level;
  }
  /// A thread that reports one level may also report the next, which this one's register access made.
  bool wait_level(bool high) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, a_minute, [&] { return level == high; });
  }
  bool wait_ready(unsigned count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, a_minute, [&] { return ready >= count; });
  }

 private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t now = 1'000'000;
  std::array<int64_t, SG_TIMER_COUNT> timers{};
  bool level = false;
  unsigned ready = 0;
};

/// Memory that blocks the composing thread until it is released.
class SlowMemory final : public HostMemory {
 public:
  HostSpan resolve(uint64_t gpa, Access access) override {
    {
      std::unique_lock lock(mutex);
      if (held) {
        asked = true;
        changed.notify_all();
        changed.wait(lock, [&] { return !held; });
      }
    }
    return memory.resolve(gpa, access);
  }
  void mark_dirty(uint64_t, uint64_t) override {}
  void hold() {
    std::lock_guard lock(mutex);
    held = true, asked = false;
    advance_epoch();
  }
  void let_go() {
    std::lock_guard lock(mutex);
    held = false;
    changed.notify_all();
  }
  /// False: the thread has not arrived within a minute.
  bool wait_asked() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, a_minute, [&] { return asked; });
  }
  memory::SparseMemory memory{64 << 20};

 private:
  std::mutex mutex;
  std::condition_variable changed;
  bool held = false, asked = false;
};

struct Threaded {
  Threaded()
      : interrupts(registers, host),
        part(display::skl({registers, interrupts, host, memory, ggtt}, {.pipes = 3, .connected = 1, .threaded = true})),
        display(*part) {
    for (uint64_t page = 0; page < 16384; page++) ggtt.set_pte(page, (page << 12) | 1);
    write(reg::MASTER_INT_CTL, 1u << 31);
    test::light(*this);
    started = host.clock_ns();
    for (uint32_t y = 0; y < 1080; y += 7) {
      const uint32_t pixel = y * 0x010203;
      memory.memory.write(0x100000 + (y * 1920 + y) * 4, &pixel, 4);
    }
    test::show_plane(*this, 0x100000);
    write(reg::DE_PIPE_IER(0), ~0u);
    write(reg::DE_PIPE_IMR(0), ~(vblank | flip_done | crc_done));
  }
  ~Threaded() { memory.let_go(); }
  uint32_t read(uint32_t offset) { return registers.read(offset); }
  void write(uint32_t offset, uint32_t value) { registers.write(offset, value); }
  int64_t blank_time(int64_t index) const { return started + 16'000'000 + index * 50'000'000 / 3 + (index * 50'000'000 % 3 != 0); }
  void go_to(int64_t time) {
    host.set_time(time);
    host.timer_set(0, -1);  // it expires
    display.timer_expired(0);
  }
  uint32_t take_iir() {
    const uint32_t iir = read(reg::DE_PIPE_IIR(0));
    write(reg::DE_PIPE_IIR(0), iir);
    return iir;
  }

  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  ThreadHost host;
  mmio::Gen8Interrupts interrupts;
  SlowMemory memory;
  memory::Ggtt ggtt;
  std::unique_ptr<display::Display> part;
  display::Display& display;
  int64_t started = 0;
};

/// The same without a thread.
struct Alone : test::Machine {
  Alone() {
    test::light(*this);
    for (uint32_t y = 0; y < 1080; y += 7) {
      const uint32_t pixel = y * 0x010203;
      memory.write(0x100000 + (y * 1920 + y) * 4, &pixel, 4);
    }
    test::show_plane(*this, 0x100000);
    unmask_pipe(vblank | flip_done | crc_done);
  }
};

}  // namespace

TEST_CASE("CRCs and pictures composed on the thread equal those of the caller") {
  Threaded threaded;
  Alone alone;
  const int64_t start = alone.host.now;
  REQUIRE(start == threaded.started);
  alone.write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  threaded.write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  for (int frame = 0; frame < 4; frame++) {
    INFO("frame " << frame);
    alone.run_until(threaded.blank_time(frame));
    threaded.go_to(threaded.blank_time(frame));
    REQUIRE(threaded.host.wait_level(true));
    CHECK(threaded.take_iir() == alone.take_iir());
    REQUIRE(threaded.host.wait_level(false));
    CHECK(threaded.read(reg::PIPE_CRC_RES(0, 0)) == alone.read(reg::PIPE_CRC_RES(0, 0)));
    CHECK(threaded.read(reg::PIPE_FRMCNT(0)) == alone.read(reg::PIPE_FRMCNT(0)));
    CHECK(threaded.read(reg::PLANE_SURFLIVE(0, 0)) == alone.read(reg::PLANE_SURFLIVE(0, 0)));
    CHECK(threaded.host.timer(0) == alone.host.timers[0]);
  }
  std::vector<uint32_t> one(1920 * 1080), other(1920 * 1080);
  sg_dirty_rect dirty;
  alone.display.draw(0, one.data(), {1920, 1080}, 1920 * 4, true, &dirty);
  threaded.display.refresh(0, true);
  REQUIRE(threaded.host.wait_ready(1));
  uint32_t width, height;
  threaded.display.picture_size(0, &width, &height);
  CHECK((width == 1920 && height == 1080));
  threaded.display.draw(0, other.data(), {1920, 1080}, 1920 * 4, true, &dirty);
  CHECK((one == other));
  threaded.display.draw(0, other.data(), {1920, 1080}, 1920 * 4, false, &dirty);
  CHECK(dirty.width == 0);
}

TEST_CASE("nothing waits while a CRC is computed; the blank is reported together with it") {
  Threaded m;
  m.go_to(m.blank_time(0));
  CHECK(m.take_iir() == (vblank | flip_done));
  REQUIRE(m.host.wait_level(false));
  m.write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  m.memory.hold();
  m.go_to(m.blank_time(1));
  REQUIRE(m.memory.wait_asked());
  // Register accesses of this pipe and others, a flip, the front end's calls: each returns while the thread is in the middle of the frame.
  CHECK(m.read(reg::PIPE_FRMCNT(0)) == 1);
  CHECK(m.read(reg::PIPE_SCANLINE(0)) + 2 == 1079);
  CHECK(m.read(reg::PIPE_FRMCNT(1)) == 0);
  m.write(reg::PLANE_SURF(0, 0), 0x200000);
  sg_pipe_mode mode;
  m.display.mode(0, &mode);
  CHECK(mode.active);
  m.display.refresh(0, true);
  CHECK(m.take_iir() == 0);
  CHECK_FALSE(m.host.is_high());
  CHECK(m.host.timer(0) == -1);
  m.memory.let_go();
  REQUIRE(m.host.wait_level(true));
  CHECK(m.take_iir() == (vblank | flip_done | crc_done));
  CHECK(m.read(reg::PIPE_FRMCNT(0)) == 2);
  CHECK(m.read(reg::PLANE_SURFLIVE(0, 0)) == 0x200000);
  m.read(reg::PIPE_CRC_RES(0, 0));
  CHECK(m.host.timer(0) == m.blank_time(2));
  REQUIRE(m.host.wait_ready(1));
}

TEST_CASE("an asynchronous flip is done when the CRC has the rows that showed the surface before") {
  Threaded m;
  m.go_to(m.blank_time(0));
  m.take_iir();
  REQUIRE(m.host.wait_level(false));
  m.write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  m.write(reg::PLANE_CTL(0, 0), 1u << 31 | 4u << 24 | 1u << 9);
  m.memory.hold();
  m.host.set_time(m.started + 50'000'000 / 3 + 8'000'000);
  m.write(reg::PLANE_SURF(0, 0), 0x200000);
  REQUIRE(m.memory.wait_asked());
  CHECK(m.read(reg::PLANE_SURFLIVE(0, 0)) == 0x200000);
  CHECK((m.take_iir() & flip_done) == 0);
  SECTION("the rows end") {
    m.memory.let_go();
    REQUIRE(m.host.wait_level(true));
    CHECK((m.take_iir() & (flip_done | crc_done)) == flip_done);
  }
  SECTION("the CRC is turned off") {
    m.write(reg::PIPE_CRC_CTL(0), 0);
    CHECK((m.take_iir() & flip_done) != 0);
  }
  SECTION("the state is saved and restored") {
    Archive out;
    m.display.state(out);
    const std::vector<std::byte> saved = out.take();
    Alone other;
    other.host.now = m.host.clock_ns();
    other.take_iir();
    Archive in(saved);
    other.display.state(in);
    CHECK(in.error() == "");
    CHECK((other.take_iir() & flip_done) != 0);
  }
}

TEST_CASE("a CRC that was turned off delays no blank") {
  Threaded m;
  m.go_to(m.blank_time(0));
  m.take_iir();
  m.write(reg::PIPE_CRC_CTL(0), 1u << 31 | 4u << 28);
  m.memory.hold();
  m.go_to(m.blank_time(1));
  REQUIRE(m.memory.wait_asked());
  SECTION("disabled: the blank comes at once") {
    m.write(reg::PIPE_CRC_CTL(0), 0);
    CHECK(m.take_iir() == vblank);
    CHECK(m.read(reg::PIPE_FRMCNT(0)) == 2);
  }
  SECTION("pipe off") {
    m.write(reg::TRANS_CONF(0), 0);
    m.write(reg::TRANS_CONF(0), 1u << 31);
    CHECK(m.host.timer(0) > m.blank_time(1));
  }
  SECTION("reset") {
    m.registers.reset();
    m.interrupts.reset();
    m.display.reset();
    CHECK(m.host.timer(0) == -1);
  }
  m.memory.let_go();
  // The result in progress is dropped: the register keeps its reset value.
  m.display.refresh(0, true);
  REQUIRE(m.host.wait_ready(1));
  CHECK(m.registers.peek(reg::PIPE_CRC_RES(0, 0)) == 0);
}

TEST_CASE("a change of the memory map waits for a row, not for a frame") {
  Threaded m;
  m.go_to(m.blank_time(0));
  m.memory.hold();
  m.display.refresh(0, true);
  REQUIRE(m.memory.wait_asked());
  auto held = std::async(std::launch::async, [&] { m.display.hold_memory(); });
  m.memory.let_go();
  REQUIRE(held.wait_for(a_minute) == std::future_status::ready);
  // The thread does not touch memory until it is released; the picture is finished after that.
  m.memory.hold();
  m.memory.let_go();
  m.display.release_memory();
  REQUIRE(m.host.wait_ready(1));
}

TEST_CASE("the display can be destroyed in the middle of a frame") {
  auto m = std::make_unique<Threaded>();
  m->go_to(m->blank_time(0));
  m->memory.hold();
  m->display.refresh(0, true);
  REQUIRE(m->memory.wait_asked());
  m->memory.let_go();
  auto ended = std::async(std::launch::async, [&] { m.reset(); });
  REQUIRE(ended.wait_for(a_minute) == std::future_status::ready);
}

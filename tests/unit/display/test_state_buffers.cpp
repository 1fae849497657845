// SPDX-License-Identifier: GPL-2.0-or-later
// Display state buffers (DSB), on Tiger Lake's pipes.
#include "tests/catch.h"
#include "tests/unit/display/tgl_machine.h"

using namespace softgen;
using test::frame_ns;
using test::line_ns;

namespace {

constexpr uint32_t list_at = 0x200000, enable = 1u << 31, wait_for_blank = 1u << 28, busy = 1;
/// Registers with no behaviour that the lists write.
constexpr uint32_t first = reg::PIPE_CHICKEN(0), second = reg::PIPE_MBUS_DBOX_CTL(0);

struct Dsb : test::LitOf<test::TglMachine> {
  Dsb& word(uint32_t data, uint32_t control) {
    const uint32_t words[2] = {data, control};
    memory.write(list_at + bytes, words, sizeof(words));
    bytes += sizeof(words);
    return *this;
  }
  Dsb& op(uint32_t code, uint32_t data = 0, uint32_t low = 0) { return word(data, code << 24 | low); }
  Dsb& store(uint32_t offset, uint32_t value, uint32_t byte_enables = 15) { return op(1, value, byte_enables << 20 | offset); }
  Dsb& window(uint32_t code, uint64_t lower, uint64_t upper) {
    const uint64_t lines = lower | upper << 20;
    return op(code, static_cast<uint32_t>(lines), static_cast<uint32_t>(lines >> 32));
  }
  void start(uint32_t control = 0, unsigned id = 0, unsigned pipe = 0) {
    while (bytes % 64) op(0);
    write(reg::DSB_CTRL(pipe, id), enable | control);
    write(reg::DSB_HEAD(pipe, id), list_at);
    write(reg::DSB_TAIL(pipe, id), list_at + bytes);
  }
  bool is_busy(unsigned id = 0, unsigned pipe = 0) { return read(reg::DSB_CTRL(pipe, id)) & busy; }
  uint32_t bytes = 0;
};

}  // namespace

TEST_CASE_METHOD(Dsb, "dsb: noops and register writes, all of it at once") {
  op(0).store(first, 0x12345678).store(second, 0xffffffff).store(second, 0x00ab0000, 4).start();
  CHECK_FALSE(is_busy());
  CHECK(read(first) == 0x12345678);
  CHECK(read(second) == 0xffabffff);
  CHECK(read(reg::DSB_CURRENT_HEAD(0, 0)) == list_at + bytes);
  CHECK(read(reg::DSB_INTERRUPT(0, 0)) == 0);
}

TEST_CASE_METHOD(Dsb, "dsb: an indexed write fills a palette behind its index") {
  write(reg::GAMMA_MODE(0), 1u << 30 | 1);
  store(reg::PAL_PREC_INDEX(0), 1u << 15);
  op(9, 3, reg::PAL_PREC_DATA(0)).word(0x111, 0x222).word(0x333, 0x999);
  store(first, 5).start();
  CHECK(read(first) == 5);
  write(reg::PAL_PREC_INDEX(0), 1u << 15);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x111);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x222);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0x333);
  CHECK(read(reg::PAL_PREC_DATA(0)) == 0);  // the padding is not written
}

TEST_CASE_METHOD(Dsb, "dsb: a wait of microseconds is an event") {
  op(2, 50).store(first, 1).op(2, 20).store(first, 2).start();
  CHECK(is_busy());
  CHECK(read(first) == 0);
  run_for(49'000);
  CHECK(read(first) == 0);
  run_for(2'000);
  CHECK(read(first) == 1);
  CHECK(is_busy());
  CHECK(read(reg::DSB_CURRENT_HEAD(0, 0)) == list_at + 24);
  run_for(25'000);
  CHECK(read(first) == 2);
  CHECK_FALSE(is_busy());
  CHECK(fired == 2);
}

TEST_CASE_METHOD(Dsb, "dsb: a wait of scan lines") {
  op(3, 10).store(first, 1).start();
  run_for(9 * line_ns);
  CHECK(read(first) == 0);
  run_for(2 * line_ns);
  CHECK(read(first) == 1);
}

TEST_CASE_METHOD(Dsb, "dsb: waits for vertical blanks") {
  const uint32_t frame = read(reg::PIPE_FRMCNT(0));
  SECTION("of an instruction") { op(4, 2).store(first, 1).start(); }
  SECTION("of the start, and of an instruction") { op(4, 1).store(first, 1).start(wait_for_blank); }
  for (int i = 0; i < 200 && !read(first); i++) run_for(frame_ns / 50);
  CHECK(read(first) == 1);
  CHECK(read(reg::PIPE_FRMCNT(0)) == frame + 2);
  CHECK_FALSE(is_busy());
}

TEST_CASE_METHOD(Dsb, "dsb: a blank that another access has seen first does not cost a frame") {
  op(4, 1).store(first, 1).start();
  host.now += frame_ns;
  read(reg::PIPE_FRMCNT(0));
  CHECK(read(first) == 0);
  run_for(10'000);
  CHECK(read(first) == 1);
}

TEST_CASE_METHOD(Dsb, "dsb: waits for the beam to be in a range of lines, or out of it") {
  run_for(10 * line_ns);  // the first lines are the last ones of the counter
  window(5, 500, 510).store(first, 1).window(6, 500, 600).store(first, 2).start();
  CHECK(is_busy());
  const auto line = [&] { return read(reg::PIPE_SCANLINE(0)) & 0x1fff; };
  while (line() < 498) run_for(line_ns / 2);
  CHECK(read(first) == 0);
  run_for(4 * line_ns);
  CHECK(read(first) == 1);
  while (line() < 599) run_for(line_ns / 2);
  CHECK(read(first) == 1);
  run_for(4 * line_ns);
  CHECK(read(first) == 2);
  CHECK_FALSE(is_busy());
}

TEST_CASE_METHOD(Dsb, "dsb: an interrupt is a status, and an event of the pipe where enabled") {
  unmask_pipe(7u << 13);
  op(7).start(0, 1);
  CHECK(read(reg::DSB_INTERRUPT(0, 1)) == 1);
  CHECK(take_iir() == 0);
  write(reg::DSB_INTERRUPT(0, 1), 1);
  CHECK(read(reg::DSB_INTERRUPT(0, 1)) == 0);
  for (unsigned id = 0; id < 3; id++) {
    write(reg::DSB_INTERRUPT(0, id), 1u << 16 | 0xf);
    start(0, id);
    CHECK(read(reg::DSB_INTERRUPT(0, id)) == (1u << 16 | 1));
    CHECK(take_iir() == 1u << (13 + id));
  }
  CHECK(host.level == false);
}

TEST_CASE_METHOD(Dsb, "dsb: a poll looks again, and fails in the end") {
  write(reg::DSB_INTERRUPT(0, 0), 1u << 17);
  write(reg::DSB_POLLMASK(0, 0), 0xff);
  write(second, 0x1207);
  op(10, 7, second).store(first, 1).start();
  CHECK(read(first) == 1);  // not enabled: no wait
  bytes = 0;
  write(second, 0);
  write(reg::DSB_POLLFUNC(0, 0), 1u << 31 | 10u << 23 | 3u << 15);
  op(10, 7, second).store(first, 2);
  SECTION("that succeeds") {
    start();
    run_for(15'000);
    CHECK(read(first) == 1);
    write(second, 0x3407);
    run_for(11'000);
    CHECK(read(first) == 2);
    CHECK((read(reg::DSB_INTERRUPT(0, 0)) & 0xf) == 0);
  }
  SECTION("that fails") {
    start();
    run_for(29'000);
    CHECK(read(first) == 1);
    run_for(5'000);
    CHECK(read(first) == 2);
    CHECK((read(reg::DSB_INTERRUPT(0, 0)) & 0xf) == 2);
  }
  CHECK_FALSE(is_busy());
}

TEST_CASE_METHOD(Dsb, "dsb: one starts another of its pipe") {
  store(reg::DSB_CTRL(0, 1), enable).store(reg::DSB_HEAD(0, 1), list_at + 0x1000).store(reg::DSB_TAIL(0, 1), list_at + 0x1040);
  const uint32_t other[16] = {77, 1u << 24 | 15u << 20 | first};
  memory.write(list_at + 0x1000, other, sizeof(other));
  start();
  CHECK(read(first) == 77);
  CHECK_FALSE(is_busy(0));
  CHECK_FALSE(is_busy(1));
}

TEST_CASE_METHOD(Dsb, "dsb: a flip that it makes latches at the next blank, on its own pipe's") {
  set_mode(3, 3);
  fill(0x100000, 1920 * 1080, 0x123456);
  write(reg::PLANE_STRIDE(3, 0), 1920 * 4 / 64);
  write(reg::PLANE_SIZE(3, 0), 1919 | 1079 << 16);
  write(reg::PLANE_CTL(3, 0), 1u << 31 | 8u << 23);
  store(reg::PLANE_SURF(3, 0), 0x100000).start(0, 2, 3);
  CHECK(read(reg::PLANE_SURFLIVE(3, 0)) == 0);
  CHECK((picture(3)[0] & 0xffffff) == 0x123456);
  CHECK(read(reg::PLANE_SURFLIVE(3, 0)) == 0x100000);
}

TEST_CASE_METHOD(Dsb, "dsb: software stops it") {
  op(2, 1000).store(first, 1).start();
  CHECK(is_busy());
  SECTION("by disabling") { write(reg::DSB_CTRL(0, 0), 0); }
  SECTION("by halting") { write(reg::DSB_CTRL(0, 0), enable | 1u << 16); }
  CHECK_FALSE(is_busy());
  run_for(2 * frame_ns);
  CHECK(read(first) == 0);
  CHECK(fired <= 1);
  // What is disabled does not start.
  write(reg::DSB_CTRL(0, 0), 0);
  write(reg::DSB_TAIL(0, 0), list_at + bytes);
  CHECK_FALSE(is_busy());
}

TEST_CASE_METHOD(Dsb, "dsb: on a pipe that is off, waits of the raster last until it runs or are skipped") {
  op(4, 1).store(first, 1);
  SECTION("skipped") {
    write(reg::DSB_CHICKEN(1, 0), 1u << 23);
    start(0, 0, 1);
    CHECK(read(first) == 1);
  }
  SECTION("a raster starts") {
    start(0, 0, 1);
    run_for(3 * frame_ns);
    CHECK(is_busy(0, 1));
    set_mode(1, 3);
    run_for(2 * frame_ns);
    CHECK(read(first) == 1);
  }
  SECTION("a raster stops") {
    write(reg::DSB_CHICKEN(0, 0), 1u << 23);
    start();
    write(reg::TRANS_CONF(0), 0);
    run_for(100'000);
    CHECK(read(first) == 1);
  }
}

TEST_CASE_METHOD(Dsb, "dsb: memory that is not mapped is an error, and the end") {
  write(reg::DSB_INTERRUPT(0, 0), 1u << 19);
  unmask_pipe(7u << 13);
  write(reg::DSB_CTRL(0, 0), enable);
  write(reg::DSB_HEAD(0, 0), 0xfff00000);
  write(reg::DSB_TAIL(0, 0), 0xffff0000);
  CHECK_FALSE(is_busy());
  CHECK(read(reg::DSB_INTERRUPT(0, 0)) == (1u << 19 | 1u << 3));
  CHECK(take_iir() == 1u << 13);
}

TEST_CASE_METHOD(Dsb, "dsb: hostile lists") {
  SECTION("that end before they begin, or are not aligned") {
    op(1).start();
    for (const auto& [head, tail] : {std::pair{list_at + 64, list_at}, {list_at + 4, list_at + 64}, {list_at, list_at + 8}}) {
      write(reg::DSB_HEAD(0, 0), head);
      write(reg::DSB_TAIL(0, 0), tail);
      CHECK_FALSE(is_busy());
    }
  }
  SECTION("of what does not exist") {
    op(0x55).store(first, 1).start();
    CHECK(read(first) == 0);
    CHECK_FALSE(is_busy());
  }
  SECTION("that write what is not a pipe's") {
    store(0x2030, 0x55).store(0xc5100, 0x55).store(reg::PWR_WELL_CTL(1), 0x2aa).store(first + 2, 0x55).store(first, 1).start();
    CHECK(read(0x2030) == 0);
    CHECK(read(first) == 1);
  }
  SECTION("of an indexed write that goes past the end") {
    op(9, ~0u, first).word(1, 2).start();
    CHECK_FALSE(is_busy());
  }
  SECTION("of a wait for more than there is") {
    op(2, ~0u).start();
    CHECK(is_busy());
    run_for(frame_ns);
    write(reg::DSB_CTRL(0, 0), 0);
    bytes = 0;
    window(5, 0xfffff, 0xfffff).start();
    run_for(frame_ns);
    CHECK(is_busy());
    CHECK(fired < 1000);
  }
  SECTION("far longer than a turn: they go on in turns") {
    write(reg::DSB_CTRL(0, 0), enable);
    write(reg::DSB_HEAD(0, 0), 0x300000);
    write(reg::DSB_TAIL(0, 0), 0x400000);
    CHECK(is_busy());
    CHECK(read(reg::DSB_CURRENT_HEAD(0, 0)) < 0x310000);
    run_for(100'000'000);
    CHECK_FALSE(is_busy());
    CHECK(fired >= 30);
  }
  SECTION("that start each other for ever") {
    store(reg::DSB_TAIL(0, 1), list_at + 64).start();
    const uint32_t back[16] = {list_at + 64, 1u << 24 | 15u << 20 | reg::DSB_TAIL(0, 0)};
    memory.write(list_at + 0x1000, back, sizeof(back));
    write(reg::DSB_CTRL(0, 1), enable);
    write(reg::DSB_HEAD(0, 1), list_at + 0x1000);
    write(reg::DSB_HEAD(0, 0), list_at);
    memory.write(list_at, std::array<uint32_t, 2>{list_at + 0x1040, 1u << 24 | 15u << 20 | reg::DSB_TAIL(0, 1)}.data(), 8);
    write(reg::DSB_TAIL(0, 0), list_at + 64);
    run_for(5'000'000);
    CHECK(fired <= 8);
    write(reg::DSB_CTRL(0, 0), 0);
    write(reg::DSB_CTRL(0, 1), 0);
    run_for(5'000'000);
    CHECK_FALSE(is_busy(0));
    CHECK_FALSE(is_busy(1));
  }
}

TEST_CASE("dsb: a wait goes on in a loaded state") {
  Dsb a;
  a.op(4, 1).store(first, 1).start();
  Dsb b;
  b.op(4, 1).store(first, 1);
  while (b.bytes % 64) b.op(0);
  b.take_state(a);
  CHECK(b.is_busy());
  b.run_for(2 * frame_ns);
  CHECK(b.read(first) == 1);
  CHECK_FALSE(b.is_busy());
}

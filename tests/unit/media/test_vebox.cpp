// SPDX-License-Identifier: GPL-2.0-or-later
// VEBOX_TILING_CONVERT, with packets as IGT's veboxcopy_gen12.c writes them.
#include "hw/media/vebox.h"

#include <cstring>
#include <vector>

#include "hw/defs/gen12/all.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/mapped_ccs.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/aux_tables.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;
using surface::Tiling;

namespace {

// Tables of the aux map, the destination's control surface, and the two surfaces.
constexpr uint64_t level3 = 0x1'0000, level2 = 0x1'8000, level1 = 0x2'0000, control = 0x3'0000, source = 0x4'0000, target = 0x8'0000,
                   end = 0xc'0000;
constexpr uint32_t yf = 1;  // tiled resource mode
constexpr uint32_t ycrcb = 0, planar_8 = 4, rgba = 8, planar_16 = 12;

struct Fixture : memory::test::Mapped {
  Fixture() : Mapped(level3, end) {
    quiet_log();
    memory::test::use_aux_tables(view, level3, level2, level1);
    for (uint64_t at = target; at < end; at += 0x1'0000) memory::test::set_control(view, level1, at, control + (at - target) / 256);
    for (uint64_t at = source; at < target; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(at * 0x9e37'79b1));
  }
  ExecResult run(const std::vector<uint32_t>& dwords, Engine& on) {
    const defs::Command* command = defs::gen12::commands.find(defs::EngineClass::video_enhance, dwords[0]);
    REQUIRE(command);
    REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
    return on.execute({0x1000, command, dwords}, env);
  }
  void surface(uint32_t id, uint32_t width, uint32_t height, uint32_t format, Tiling tiling, uint32_t pitch, uint32_t chroma_row = 0) {
    const bool tiled = tiling != Tiling::linear, y_major = tiling == Tiling::y || tiling == Tiling::yf;
    run({0x7400'0007, id, (height - 1) << 18 | (width - 1) << 4,
         format << 27 | uint32_t{format != rgba} << 20 | (pitch - 1) << 3 | uint32_t{tiled} << 1 | y_major, chroma_row, 0, 0, pitch - 1, 0},
        vebox);
  }
  ExecResult convert(uint32_t from_mode = 0, uint32_t to_mode = 0, bool compressed = false) {
    return run({0x7401'0003, static_cast<uint32_t>(source) | from_mode << 9, 0,
                static_cast<uint32_t>(target) | to_mode << 9 | uint32_t{compressed} << 7, 0},
               vebox);
  }
  template <typename T>
  T from(Tiling tiling, uint32_t x, uint32_t y, uint32_t pitch) {
    return view.load<T>(source + surface::offset(tiling, sizeof(T), x * sizeof(T), y, pitch));
  }
  template <typename T>
  T to(Tiling tiling, uint32_t x, uint32_t y, uint32_t pitch) {
    return view.load<T>(target + surface::offset(tiling, sizeof(T), x * sizeof(T), y, pitch));
  }
  /// Pixels that are not as in the source, of the first plane or of what begins at rows `y0` and `y1`.
  template <typename T>
  unsigned differing(Tiling a, uint32_t pitch_a, Tiling b, uint32_t pitch_b, uint32_t width, uint32_t rows, uint32_t y0 = 0,
                     uint32_t y1 = 0) {
    unsigned count = 0;
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t x = 0; x < width; ++x) count += from<T>(a, x, y0 + y, pitch_a) != to<T>(b, x, y1 + y, pitch_b);
    return count;
  }

  mmio::RegisterFile registers{defs::gen12::registers};
  StopFlag stop;
  EngineEnv env{EngineId::vecs, view, view, registers, stop};
  Vebox vebox{make_vebox_decoder<defs::Gen12>()};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "vebox: pixels go from each layout to each") {
  const auto [to_tiling, mode] =
      GENERATE(std::pair{Tiling::linear, 0u}, std::pair{Tiling::x, 0u}, std::pair{Tiling::y, 0u}, std::pair{Tiling::yf, yf});
  surface(0, 100, 70, rgba, Tiling::x, 512);
  surface(1, 100, 70, rgba, to_tiling, 1024);
  REQUIRE(convert(0, mode) == ExecResult::done);
  CHECK(differing<uint32_t>(Tiling::x, 512, to_tiling, 1024, 100, 70) == 0);
  CHECK(to<uint32_t>(to_tiling, 100, 0, 1024) == 0);
  CHECK(to<uint32_t>(to_tiling, 0, 70, 1024) == 0);
  for (uint64_t at = control; at < control + 0x400; at += 8) CHECK(view.load<uint64_t>(at) == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: packed pixels of 16 bits, and planar ones with half as many rows of colour") {
  surface(0, 99, 33, ycrcb, Tiling::y, 256);
  surface(1, 99, 33, ycrcb, Tiling::linear, 256);
  REQUIRE(convert() == ExecResult::done);
  CHECK(differing<uint16_t>(Tiling::y, 256, Tiling::linear, 256, 99, 33) == 0);
  surface(0, 100, 64, planar_8, Tiling::linear, 128, 64);
  surface(1, 100, 64, planar_8, Tiling::y, 128, 96);
  REQUIRE(convert() == ExecResult::done);
  CHECK(differing<uint8_t>(Tiling::linear, 128, Tiling::y, 128, 100, 64) == 0);
  CHECK(differing<uint8_t>(Tiling::linear, 128, Tiling::y, 128, 100, 32, 64, 96) == 0);
  surface(0, 60, 64, planar_16, Tiling::linear, 128, 64);
  surface(1, 60, 64, planar_16, Tiling::y, 128, 64);
  REQUIRE(convert() == ExecResult::done);
  CHECK(differing<uint16_t>(Tiling::linear, 128, Tiling::y, 128, 60, 96) == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: a compressed destination gets codes by what its pairs hold") {
  const Tiling tiling = GENERATE(Tiling::y, Tiling::yf);
  const uint32_t mode = tiling == Tiling::yf ? yf : 0;
  const uint32_t pitch = 512;
  for (uint32_t x = 0; x < 8; ++x)
    for (uint32_t y = 0; y < 4; ++y) view.store<uint32_t>(source + (y + 4) * 512 + x * 4, 0x1234'5678);
  view.fill(control, 0xff, 0x400);  // cleared before
  surface(0, 128, 64, rgba, Tiling::linear, 512);
  surface(1, 128, 64, rgba, tiling, pitch);
  REQUIRE(convert(0, mode, true) == ExecResult::done);
  const auto code = [&](uint32_t x, uint32_t y) {
    return surface::mapped::read_at(view, tiling, target + surface::offset(tiling, 4, x * 4, y, pitch));
  };
  CHECK(code(0, 4) == surface::CcsCode::compressed);
  CHECK(code(8, 4) == surface::CcsCode::pass_through);
  CHECK(code(127, 63) == surface::CcsCode::pass_through);
  CHECK(code(0, 64) == surface::CcsCode::clear);
}

TEST_CASE_METHOD(Fixture, "vebox: what it cannot do changes nothing") {
  SECTION("formats differ") {
    surface(0, 64, 32, ycrcb, Tiling::linear, 256);
    surface(1, 64, 32, rgba, Tiling::linear, 256);
  }
  SECTION("a reserved format") {
    surface(0, 64, 32, 31, Tiling::linear, 256);
    surface(1, 64, 32, 31, Tiling::linear, 256);
  }
  SECTION("another generation has no decoder") {
    vebox = Vebox(nullptr);
    CHECK(vebox.context_size() == 0);
  }
  CHECK(convert() == ExecResult::done);
  for (uint64_t at = target; at < end; at += 4) REQUIRE(view.load<uint32_t>(at) == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: a preempted conversion goes on, also from a context image") {
  surface(0, 100, 70, rgba, Tiling::x, 512);
  surface(1, 100, 70, rgba, Tiling::y, 512);
  stop.request(StopFlag::preempt);
  REQUIRE(convert() == ExecResult::preempted);
  CHECK(to<uint32_t>(Tiling::y, 5, 5, 512) == 0);
  std::vector<std::byte> image(vebox.context_size());
  vebox.save_context(image);
  VeboxState state;
  std::memcpy(&state, image.data(), sizeof state);
  CHECK((state.packet == 0x1000 && state.strips == 0));
  state.strips = 1;
  std::memcpy(image.data(), &state, sizeof state);
  vebox.reset_context();
  vebox.restore_context(image);
  stop.clear(StopFlag::preempt);
  REQUIRE(convert() == ExecResult::done);
  CHECK(to<uint32_t>(Tiling::y, 5, 31, 512) == 0);
  CHECK(to<uint32_t>(Tiling::y, 5, 32, 512) == from<uint32_t>(Tiling::x, 5, 32, 512));
  stop.request(StopFlag::reset);
  CHECK(convert() == ExecResult::aborted);
  image.assign(image.size(), std::byte{0xff});
  vebox.restore_context(image);
  vebox.save_context(image);
  std::memcpy(&state, image.data(), sizeof state);
  CHECK((state.version == VeboxState::current_version && state.packet == VeboxState::none));
}

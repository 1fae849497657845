// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/work.h"
#include "hw/replay/player.h"

#include <string>

#include "hw/defs/gen9/blt.h"
#include "tests/catch.h"
#include "tests/unit/replay/recording.h"

using namespace softgen;
using test::Recording;
using test::TemporaryFile;

namespace {

constexpr uint32_t batch_end = 0x05000000, store_dword = 0x10000002, semaphore_wait = 0x1c << 23 | 1 << 15 | 4 << 12 | 2;

replay::PlayResult run(replay::Player& player, const Recording& recording) {
  const TemporaryFile file(recording.bytes());
  return player.run(file.path());
}

}  // namespace

TEST_CASE("commands of a recording run and leave their memory") {
  for (const unsigned threads : {0u, 2u}) {
    Recording recording;
    const uint32_t commands[] = {store_dword, Recording::target, 0, 0x12345678, store_dword, Recording::target + 8, 0, 7, batch_end};
    for (const EngineId engine : {EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vecs}) recording.submit(engine, commands);
    replay::Player player({.threads = threads});
    const auto result = run(player, recording);
    CHECK(result.error == "");
    CHECK(result.submissions == 4);
    CHECK(result.commands == 4 * 5);  // with the ring's batch start and no-op
    REQUIRE(player.memory());
    CHECK(player.memory()->load<uint32_t>(Recording::target) == 0x12345678);
    CHECK(player.memory()->load<uint32_t>(Recording::target + 8) == 7);
  }
}

TEST_CASE("blits of a recording change exactly the right memory") {
  namespace gen9 = defs::gen9;
  constexpr uint32_t pitch = 256, rows = 16;
  Recording recording;
  std::vector<uint32_t> before(pitch / 4 * rows);
  for (uint32_t i = 0; i < before.size(); i++) before[i] = 0xa0000000 + i;
  recording.put(Recording::target, before);

  gen9::XY_COLOR_BLT fill;
  fill.alpha_channel_write = fill.rgb_channel_write = true;
  fill.color_depth = gen9::BltColorDepth::_32_BIT_COLOR;
  fill.raster_operation = 0xf0;
  fill.destination_pitch = pitch;
  fill.destination_x1 = 2, fill.destination_y1 = 3, fill.destination_x2 = 10, fill.destination_y2 = 9;
  fill.destination_base_address = Recording::target;
  fill.solid_pattern_color = 0x11223344;
  gen9::XY_SRC_COPY_BLT copy;
  copy.alpha_channel_write = copy.rgb_channel_write = true;
  copy.color_depth = gen9::BltColorDepth::_32_BIT_COLOR;
  copy.raster_operation = 0xcc;
  copy.destination_pitch = copy.source_pitch = pitch;
  copy.destination_x1 = 20, copy.destination_y1 = 1, copy.destination_x2 = 25, copy.destination_y2 = 6;
  copy.destination_base_address = copy.source_base_address = Recording::target;
  copy.source_x1 = 8, copy.source_y1 = 4;
  std::vector<uint32_t> commands;
  for (const uint32_t dword : fill.pack()) commands.push_back(dword);
  for (const uint32_t dword : copy.pack()) commands.push_back(dword);
  commands.push_back(batch_end);
  recording.submit(EngineId::bcs, commands);

  std::vector<uint32_t> expected = before;
  for (uint32_t y = 3; y < 9; y++)
    for (uint32_t x = 2; x < 10; x++) expected[y * pitch / 4 + x] = 0x11223344;
  const std::vector<uint32_t> filled = expected;
  for (uint32_t y = 0; y < 5; y++)
    for (uint32_t x = 0; x < 5; x++) expected[(1 + y) * pitch / 4 + 20 + x] = filled[(4 + y) * pitch / 4 + 8 + x];

  replay::Player player({});
  const auto result = run(player, recording);
  CHECK(result.error == "");
  CHECK(result.blits == 2);
  REQUIRE(player.memory());
  std::vector<uint32_t> after(before.size());
  player.memory()->read(Recording::target, after.data(), after.size() * 4);
  CHECK(after == expected);
}

TEST_CASE("the recorded contents of memory are compared") {
  Recording recording;
  const uint32_t commands[] = {0x10000002, Recording::target, 0, 0xc0ffee, batch_end};
  recording.submit(EngineId::rcs, commands);
  std::vector<uint32_t> page(1024);
  page[0] = 0xc0ffee;
  const auto expect = [&] {
    recording.writer().compare(debug::aub::Space::physical, 0x200000 + Recording::target, std::as_bytes(std::span(page)));
  };
  expect();
  replay::Player player({});
  SECTION("equal") {
    const auto result = run(player, recording);
    CHECK(result.error == "");
    CHECK(result.compared == 1);
    CHECK(result.different == 0);
  }
  SECTION("different") {
    page[3] = 0x7f00;
    expect();
    const auto result = run(player, recording);
    CHECK(result.compared == 2);
    CHECK(result.different == 1);
    CHECK(result.error.ends_with("submission 0 leaves 0x00 at physical 0x22000d; when it was recorded it left 0x7f"));
  }
}

TEST_CASE("a command that waits for ever is reported as a hang, with its position") {
  Recording recording;
  const uint32_t commands[] = {semaphore_wait, 1, Recording::target, 0, batch_end};
  recording.submit(EngineId::rcs, commands);
  replay::Player player({.hang_seconds = 0.2});
  const auto result = run(player, recording);
  CHECK(result.error.find("submission 0 did not finish") != std::string::npos);
  CHECK_FALSE(result.hang.empty());
}

TEST_CASE("an unknown command stops the run at once") {
  Recording recording;
  const uint32_t commands[] = {0x7f550000, 0, batch_end};
  recording.submit(EngineId::rcs, commands);
  replay::Player player({.hang_seconds = 60});
  const auto result = run(player, recording);
  CHECK(result.error.find("0x7f550000") != std::string::npos);
}

TEST_CASE("--until draw:N executes no command after it") {
  replay::Player all({}), part({.until_draw = 1});
  const std::string capture = CAPTURES "/gl_tri.aub.xz";
  const auto whole = all.run(capture);
  CHECK(whole.error == "");
  CHECK(whole.draws == 4);
  const auto result = part.run(capture);
  CHECK(result.error == "");
  CHECK(result.stopped);
  CHECK(result.draws == 2);
  CHECK(result.commands < whole.commands);
  replay::Player beyond({.until_draw = 99});
  CHECK(beyond.run(capture).error == "the capture has no draw 99 (it has 4)");
}

TEST_CASE("an unknown platform and a missing file are reported") {
  replay::Player player({.platform = "i740"});
  CHECK(player.run("/nonexistent").error == "there is no platform 'i740'");
  replay::Player missing({});
  CHECK(missing.run("/nonexistent").error.find("cannot open") != std::string::npos);
  CHECK_FALSE(missing.memory());
}

TEST_CASE("a capture may not fill more memory than allowed") {
  Recording recording;
  const std::vector<uint32_t> page(1024, 1);
  for (uint64_t at = 0; at < 64; at++)
    recording.writer().memory(debug::aub::Space::physical, 0x10000000 + at * 0x100000, std::as_bytes(std::span(page)));
  replay::Player player({.memory_limit = 1 << 20});
  const auto result = run(player, recording);
  CHECK(result.error.find("more memory than allowed") != std::string::npos);
  CHECK(result.error.starts_with("byte "));
}

TEST_CASE("the work of a run: draws, vertices, pixels, threads, messages by kind, time per stage") {
  const auto work_of = [](const std::string& name) {
    const WorkCounts before = work_counts();
    replay::Player player({});
    CHECK(player.run(CAPTURES "/" + name + ".aub.xz").error == "");
    return work_between(before, work_counts());
  };
  // A clear, the patch, and two copies (64 x 64) with a RECTLIST each, by the SIMD16 kernels; what is counted does not depend on the engine
  // that runs the kernels.
  const WorkCounts tess = work_of("gl_tess");
  CHECK(tess.of(Work::draws) == 4);
  CHECK(tess.of(Work::vertices) == 12);
  CHECK(tess.of(Work::pixels) == 1722 + 4096);
  CHECK(tess.of(Work::threads) > 256);
  constexpr unsigned sampler = 2, ld_lz = 26, gateway = 3, barrier = 4;
  CHECK(tess.messages[sampler][ld_lz] == 256);
  CHECK(tess.of(TimedStage::geometry) > 0);
  CHECK(tess.of(TimedStage::setup) > 0);
  CHECK(tess.of(TimedStage::pixels) > 0);
  CHECK(tess.of(TimedStage::compute) == 0);
  const WorkCounts compute = work_of("gl_compute");
  CHECK(compute.of(Work::walkers) == 1);
  CHECK(compute.messages[gateway][barrier] == 256);
  CHECK(compute.of(TimedStage::compute) > 0);
}

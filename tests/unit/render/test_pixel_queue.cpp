// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <thread>

#include "hw/base/worker_pool.h"
#include "tests/unit/render/pixel_fixture.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr PixelRect left{0, 0, 40, 64}, right{20, 0, 64, 64}, small{0, 0, 8, 8};
constexpr double near = 0.25, far = 0.75;
/// Nanoseconds that no draws take: workers do not begin before finish().
constexpr double forever = 1e18;

}  // namespace

TEST_CASE("deferred draws change memory and statistics when they are finished, in their order") {
  PixelFixture f;
  WorkerPool pool(2);
  PixelQueue queue(&pool, forever);
  CHECK(queue.empty());
  CHECK(queue.defer(f.draw_of(left, near), f.env) == ExecResult::done);
  CHECK(queue.defer(f.draw_of(right, far), f.env) == ExecResult::done);
  CHECK_FALSE(queue.empty());
  CHECK(f.count(PixelFixture::untouched) == 64 * 64);
  CHECK(f.depth_count() == 0);
  CHECK(queue.finish(f.env) == ExecResult::done);
  CHECK(queue.empty());
  CHECK(f.count(PixelFixture::stored(near)) == 20 * 64);
  CHECK(f.count(PixelFixture::stored(far)) == 44 * 64);
  CHECK(f.depth_count() == (40 + 44) * 64);
}

TEST_CASE("an aborted finish drops what was deferred") {
  PixelFixture f;
  WorkerPool pool(1);
  PixelQueue queue(&pool, forever);
  CHECK(queue.defer(f.draw_of(left, near), f.env) == ExecResult::done);
  f.stop.request(StopFlag::reset);
  CHECK(queue.finish(f.env) == ExecResult::aborted);
  CHECK(queue.empty());
  CHECK(f.count(PixelFixture::untouched) == 64 * 64);
}

TEST_CASE("no more than 64 draws are deferred: with the next one the workers begin") {
  PixelFixture f;
  WorkerPool pool(1);
  PixelQueue queue(&pool, forever);
  for (unsigned i = 0; i < 64; ++i) REQUIRE(queue.defer(f.draw_of(small, near), f.env) == ExecResult::done);
  CHECK(f.count(PixelFixture::stored(near)) == 0);
  CHECK(queue.defer(f.draw_of(small, far), f.env) == ExecResult::done);
  while (f.count(PixelFixture::stored(near)) != 64) std::this_thread::yield();
  CHECK(f.count(PixelFixture::stored(far)) == 0);
  CHECK_FALSE(queue.empty());
  CHECK(queue.finish(f.env) == ExecResult::done);
  CHECK(f.count(PixelFixture::stored(far)) == 64);
  CHECK(f.depth_count() == 65 * 64);
}

TEST_CASE("draws that workers begin with are drawn in order, and counted once") {
  for (const double min_background : {0.0, 300e3}) {
    PixelFixture f;
    WorkerPool pool(2);
    PixelQueue queue(&pool, min_background);
    constexpr int32_t count = 100;
    for (int32_t i = 0; i < count; ++i) {
      // Each next one covers all but a column of those before.
      const PixelRect rect{i % 64, 0, 64, 64};
      REQUIRE(queue.defer(f.draw_of(rect, (i + 1) / 128.0), f.env) == ExecResult::done);
      if (i % 64 == 63) REQUIRE(queue.finish(f.env) == ExecResult::done);
    }
    CHECK(queue.finish(f.env) == ExecResult::done);
    CHECK(queue.empty());
    for (int32_t column = 0; column < 64; ++column) {
      const int32_t last = std::min(64 + column, count - 1);
      CHECK(f.count(PixelFixture::stored((last + 1) / 128.0)) == (last == count - 1 ? 64u * (64 - (count - 1 - 64)) : 64u));
    }
    uint64_t pixels = 0;
    for (int32_t i = 0; i < count; ++i) pixels += static_cast<uint64_t>(64 - i % 64) * 64;
    CHECK(f.depth_count() == pixels);
  }
}

TEST_CASE("what workers draw is dropped when the work is aborted") {
  PixelFixture f;
  WorkerPool pool(1);
  PixelQueue queue(&pool, 0);
  CHECK(queue.defer(f.draw_of(left, near), f.env) == ExecResult::done);
  f.stop.request(StopFlag::reset);
  CHECK(queue.defer(f.draw_of(right, near), f.env) == ExecResult::aborted);
  CHECK(queue.finish(f.env) == ExecResult::aborted);
  CHECK(queue.empty());
  f.stop.clear(StopFlag::reset);
  CHECK(queue.defer(f.draw_of(small, far), f.env) == ExecResult::done);
  CHECK(queue.finish(f.env) == ExecResult::done);
  CHECK(f.count(PixelFixture::stored(far)) == 64);
}

TEST_CASE("which draws are deferred") {
  PixelFixture f;
  WorkerPool pool(1), none(0);
  PixelQueue queue(&pool);
  const auto work = f.draw_of(small, near);
  CHECK(queue.may_defer(*work));
  CHECK_FALSE(PixelQueue(nullptr).may_defer(*work));
  CHECK_FALSE(PixelQueue(&none).may_defer(*work));
  // Without a measurement 2 us are expected per pixel, and at most 10 ms are deferred.
  CHECK(queue.is_short(*work));
  CHECK(queue.is_short(*f.draw_of({0, 0, 100, 50}, near)));
  CHECK_FALSE(queue.is_short(*f.draw_of({0, 0, 100, 51}, near)));
  // Only draws with the same targets are deferred together.
  CHECK(queue.same_targets(*work));
  CHECK(queue.defer(f.draw_of(small, near), f.env) == ExecResult::done);
  CHECK(queue.same_targets(*work));
  // Also of what workers have begun with.
  PixelQueue eager(&pool, 0);
  CHECK(eager.defer(f.draw_of(small, near), f.env) == ExecResult::done);
  CHECK_FALSE(eager.empty());
  CHECK(eager.same_targets(*work));
  ++f.state.depth.version;
  CHECK_FALSE(queue.same_targets(*f.draw_of(small, near)));
  CHECK_FALSE(eager.same_targets(*f.draw_of(small, near)));
  CHECK(eager.finish(f.env) == ExecResult::done);
  --f.state.depth.version;
  const auto colored = f.draw_of(small, near);
  colored->pixels.targets.emplace_back(
      surface::test::y_tiled(surface::SurfaceFormat::R8G8B8A8_UNORM, PixelFixture::color_base, 64, 256, 64));
  CHECK_FALSE(queue.same_targets(*colored));
  CHECK(queue.finish(f.env) == ExecResult::done);
  CHECK(queue.same_targets(*colored));
}

TEST_CASE("a draw that is preempted goes on at the tile where it stopped") {
  PixelFixture f;
  PixelQueue queue(nullptr);
  const auto work = f.draw_of({0, 0, 64 * 3, 64}, near);
  const DrawClock clock(f.stop, {});
  f.stop.request(StopFlag::preempt);
  uint64_t tile = 0;
  CHECK_FALSE(queue.draw(*work, f.env, tile, &clock));
  CHECK(tile == 1);
  CHECK(work->counts.depth == 64 * 64);
  CHECK(f.count(PixelFixture::stored(near)) == 64 * 64);
  CHECK_FALSE(queue.draw(*work, f.env, tile, &clock));
  CHECK(tile == 2);
  f.stop.clear(StopFlag::preempt);
  CHECK(queue.draw(*work, f.env, tile, &clock));
  CHECK(work->counts.depth == 3 * 64 * 64);
}

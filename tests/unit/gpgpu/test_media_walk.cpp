// SPDX-License-Identifier: GPL-2.0-or-later
// MEDIA_OBJECT_WALKER with the parameters of Intel's media driver (its raster walks) and of the C-for-Media runtime (its wave fronts).
#include <map>
#include <utility>
#include <vector>

#include "hw/gpgpu/media.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::gpgpu;

namespace {

using Command = MediaWalkCommand;
using Place = std::pair<uint32_t, uint32_t>;

constexpr uint32_t endless = 0x3ff;

/// One global block of the whole size; the local loops are the caller's.
Command over(uint32_t width, uint32_t height) {
  Command c;
  c.block_resolution_x = c.global_resolution_x = width;
  c.block_resolution_y = c.global_resolution_y = height;
  c.global_steps.outer_x = static_cast<int32_t>(width);
  c.global_steps.inner_y = static_cast<int32_t>(height);
  c.local_loop_exec_count = c.global_loop_exec_count = endless;
  return c;
}

std::vector<MediaPosition> walked(const Command& command) {
  std::vector<MediaPosition> all;
  const StopFlag stop;
  uint64_t visited = 0;
  CHECK(MediaWalk(command).run(stop, visited, [&](const MediaPosition& p) { return all.push_back(p), ExecResult::done; }) ==
        ExecResult::done);
  return all;
}

/// The time when each position was visited; each must be visited once.
std::map<Place, size_t> order_of(const std::vector<MediaPosition>& all, uint32_t width, uint32_t height) {
  std::map<Place, size_t> order;
  for (size_t i = 0; i < all.size(); ++i) order.emplace(Place{all[i].x, all[i].y}, i);
  CHECK(all.size() == size_t{width} * height);
  CHECK(order.size() == all.size());
  return order;
}

}  // namespace

TEST_CASE("media walk: a raster, row by row") {
  constexpr uint32_t width = 5, height = 3;
  Command c = over(width, height);
  c.local_steps.outer_y = 1;
  c.local_steps.inner_x = 1;
  const auto all = walked(c);
  REQUIRE(all.size() == width * height);
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].x == i % width);
    CHECK(all[i].y == i / width);
  }
}

TEST_CASE("media walk: a wave front of 26 degrees comes after its left, upper and upper right neighbours") {
  constexpr uint32_t width = 7, height = 5;
  Command c = over(width, height);
  c.local_steps.outer_x = 1;
  c.local_steps.inner_x = -2;
  c.local_steps.inner_y = 1;
  c.local_loop_exec_count = width + 2 * (height - 1) - 1;
  const auto order = order_of(walked(c), width, height);
  for (const auto& [place, when] : order) {
    const auto& [x, y] = place;
    INFO(x << ", " << y);
    if (x > 0) CHECK(order.at({x - 1, y}) < when);
    if (y > 0) CHECK(order.at({x, y - 1}) < when);
    if (y > 0 && x + 1 < width) CHECK(order.at({x + 1, y - 1}) < when);
  }
}

TEST_CASE("media walk: the middle loop repeats a step, the global loops repeat blocks") {
  // Blocks of 4x2 on 8x4; each step down is followed by one more two to the right.
  Command c = over(8, 4);
  c.block_resolution_x = 4, c.block_resolution_y = 2;
  c.global_steps.outer_x = 0, c.global_steps.outer_y = 2;
  c.global_steps.inner_x = 4, c.global_steps.inner_y = 0;
  c.local_steps.outer_x = 1;
  c.local_loop_exec_count = 1;
  c.middle_loop_extra_steps = 1;
  c.mid_loop_unit_x = 2;
  c.local_steps.inner_y = 1;
  const auto all = walked(c);
  order_of(all, 8, 4);
  constexpr Place first[] = {{0, 0}, {0, 1}, {2, 0}, {2, 1}, {1, 0}, {1, 1}, {3, 0}, {3, 1}, {4, 0}};
  for (size_t i = 0; i < std::size(first); ++i) CHECK(Place{all[i].x, all[i].y} == first[i]);
}

TEST_CASE("media walk: every colour at each position; the callback can end the walk") {
  Command c = over(2, 1);
  c.local_steps.outer_y = 1;
  c.local_steps.inner_x = 1;
  c.color_count_minus_one = 2;
  const auto all = walked(c);
  REQUIRE(all.size() == 6);
  CHECK(all[2].color == 2);
  CHECK(all[3].x == 1);
  CHECK(all[3].color == 0);
  const StopFlag stop;
  unsigned visits = 0;
  uint64_t visited = 0;
  CHECK(MediaWalk(c).run(stop, visited, [&](const MediaPosition&) { return ++visits == 4 ? ExecResult::fault : ExecResult::done; }) ==
        ExecResult::fault);
  CHECK(visits == 4);
}

TEST_CASE("a walk interrupted by pauses resumes, and each call runs at least one thread") {
  Command c = over(5, 3);
  c.local_steps.inner_x = 1;
  c.local_steps.outer_y = 1;
  c.local_loop_exec_count = 2;
  c.color_count_minus_one = 1;
  const auto whole = walked(c);
  REQUIRE(whole.size() == 30);
  StopFlag stop;
  std::vector<MediaPosition> all;
  uint64_t visited = 0;
  ExecResult result;
  unsigned calls = 0;
  do {
    stop.clear(StopFlag::pause);
    if (++calls % 3 == 0) stop.request(StopFlag::pause);  // before it begins
    unsigned some = 0;
    result = MediaWalk(c).run(stop, visited, [&](const MediaPosition& p) {
      if (++some == 4) stop.request(StopFlag::pause);
      return all.push_back(p), ExecResult::done;
    });
  } while (result == ExecResult::preempted && calls < 100);
  CHECK(result == ExecResult::done);
  CHECK(calls > 8);
  REQUIRE(all.size() == whole.size());
  for (size_t i = 0; i < all.size(); ++i) CHECK((all[i].x == whole[i].x && all[i].y == whole[i].y && all[i].color == whole[i].color));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <unistd.h>

#include <thread>

#include "hw/run/fence.h"
#include "tests/catch.h"

using namespace softgen::run;

namespace {

bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

}  // namespace

TEST_CASE("a timeline syncobj advances point by point") {
  Syncobj timeline;
  auto one = std::make_shared<Fence>(), two = std::make_shared<Fence>();
  timeline.add_point(10, one);
  timeline.add_point(20, two);
  CHECK(timeline.find(5) == one);
  CHECK(timeline.find(10) == one);
  CHECK(timeline.find(11) == two);
  CHECK(timeline.find(21) == nullptr);
  CHECK(timeline.signalled_point() == 0);
  FenceClock::get().signal(two);
  CHECK(timeline.signalled_point() == 0);
  FenceClock::get().signal(one);
  CHECK(timeline.signalled_point() == 20);
}

TEST_CASE("a sync_file becomes readable when its fence is signalled") {
  const auto fence = std::make_shared<Fence>();
  const int fd = export_sync_file(fence);
  REQUIRE(fd >= 0);
  CHECK_FALSE(readable(fd));
  CHECK(import_sync_file(fd) == fence);
  FenceClock::get().signal(fence);
  CHECK(readable(fd));
  forget_sync_file(fd);
  close(fd);
}

TEST_CASE("waiting ends with the signal, or at the deadline") {
  const auto fence = std::make_shared<Fence>();
  CHECK_FALSE(FenceClock::get().wait(monotonic_ns(), [&] { return fence->signalled; }));
  std::thread signaller([&] { FenceClock::get().signal(fence, -5); });
  CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
  signaller.join();
  CHECK(fence->error == -5);
}

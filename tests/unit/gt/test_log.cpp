// SPDX-License-Identifier: GPL-2.0-or-later
// Several devices in a process: each has its own log.
#include "hw/base/log.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using namespace softgen::test;

TEST_CASE("a device's failures are in its log, and in no other's") {
  constexpr const char* outside = "BAR0 access outside registers and GTT window";
  const uint64_t before = failure_count(Failure::guest_error, outside);
  FakeHost first, second;
  {
    FakeHost third;
    third.read(4 << 20);
    CHECK(third.failures(Failure::guest_error, outside) == 1);
  }
  first.read(4 << 20);
  first.read(4 << 20);
  CHECK(first.failures(Failure::guest_error, outside) == 2);
  CHECK(second.failures(Failure::guest_error, outside) == 0);
  CHECK(failure_count(Failure::guest_error, outside) == before);
}

TEST_CASE("an engine's thread reports to its device's log") {
  FakeHost host(2), other(2);
  host.map(0, 0, 16);
  host.ram<uint32_t>(0x1000) = 0x1e << 23;  // no command of the render engine
  host.write(0x2000 + reg::RING_START, 0x1000);
  host.write(0x2000 + reg::RING_CTL, 1);
  host.write(0x2000 + reg::RING_TAIL, 8);
  while (!host.failures(Failure::guest_error, "unknown command")) std::this_thread::yield();
  CHECK(other.failures(Failure::guest_error, "unknown command") == 0);
}

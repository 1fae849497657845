// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"
#include "tests/catch.h"

#include <vector>

using namespace softgen;

TEST_CASE("a failure is counted each time and printed the first time") {
  clear_failure_counts();
  std::vector<std::string> lines;
  set_log_sink([&](Failure, std::string_view line) { lines.emplace_back(line); });
  for (int i = 0; i < 3; ++i) unimplemented("MI_NOTHING", "at {:#x}", i);
  guest_error("MI_NOTHING");
  set_log_sink({});
  CHECK(lines == std::vector<std::string>{"softgen: unimplemented: MI_NOTHING: at 0x0", "softgen: guest error: MI_NOTHING"});
  CHECK(failure_count(Failure::unimplemented, "MI_NOTHING") == 3);
  CHECK(failure_count(Failure::guest_error, "MI_NOTHING") == 1);
  CHECK(failure_count(Failure::note, "MI_NOTHING") == 0);
}

TEST_CASE("the number of names kept is bounded") {
  clear_failure_counts();
  set_log_sink({});
  for (int i = 0; i < 5000; ++i) note("name " + std::to_string(i));
  CHECK(failure_counts().size() == 4097);
  CHECK(failure_count(Failure::note, "(others)") == 5000 - 4096);
  clear_failure_counts();
}

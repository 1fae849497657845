// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/failure_log.h"
#include "tests/catch.h"

#include <thread>
#include <vector>

using namespace softgen;

TEST_CASE("a failure is counted each time and printed the first time") {
  std::vector<std::string> lines;
  Log log([&](Failure, std::string_view line) { lines.emplace_back(line); });
  const LogScope scope(log);
  for (int i = 0; i < 3; ++i) unimplemented("MI_NOTHING", "at {:#x}", i);
  guest_error("MI_NOTHING");
  CHECK(lines == std::vector<std::string>{"softgen: unimplemented: MI_NOTHING: at 0x0", "softgen: guest error: MI_NOTHING"});
  CHECK(failure_count(Failure::unimplemented, "MI_NOTHING") == 3);
  CHECK(failure_count(Failure::guest_error, "MI_NOTHING") == 1);
  CHECK(failure_count(Failure::note, "MI_NOTHING") == 0);
}

TEST_CASE("the number of names kept is bounded") {
  Log log({});
  const LogScope scope(log);
  for (int i = 0; i < 5000; ++i) note("name " + std::to_string(i));
  CHECK(failure_counts().size() == 4097);
  CHECK(failure_count(Failure::note, "(others)") == 5000 - 4096);
  clear_failure_counts();
  CHECK(failure_counts().empty());
}

TEST_CASE("a failure goes to the log of its thread, which a new thread takes over") {
  Log first({}), second({});
  const LogScope outer(first);
  {
    const LogScope inner(second);
    note("inside");
    std::thread(with_this_log([] { note("on a thread"); })).join();
  }
  note("outside");
  std::thread([first_of_process = &this_log()] { CHECK(&this_log() != first_of_process); }).join();
  CHECK(first.counts().size() == 1);
  CHECK(first.count(Failure::note, "outside") == 1);
  CHECK(second.counts().size() == 2);
  CHECK(second.count(Failure::note, "inside") == 1);
  CHECK(second.count(Failure::note, "on a thread") == 1);
}

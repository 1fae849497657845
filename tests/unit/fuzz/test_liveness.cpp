// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/liveness.h"

#include <sys/wait.h>

#include "tests/catch.h"

using softgen::StopFlag;
using softgen::fuzz::LimitedRun;

namespace {

/// How a child process ends that runs `input(stop)` as a fuzz target does.
template <class Input>
int status_of(Input input) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    if (!freopen("/dev/null", "w", stderr)) _exit(99);
    {
      StopFlag stop;
      LimitedRun limit(stop);
      input(stop);
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("an input that polls its stop flag is no finding") {
  const int status = status_of([](StopFlag& stop) {
    while (!stop.aborting()) {}
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("an input that ignores the stop request is a finding, from the process' first millisecond on") {
  const int status = status_of([](StopFlag&) {
    for (std::atomic<int> n{0};; ++n) {}
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}

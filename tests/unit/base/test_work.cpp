// SPDX-License-Identifier: GPL-2.0-or-later
#include <thread>

#include "hw/base/work.h"
#include "tests/catch.h"

using namespace softgen;

TEST_CASE("work is counted for running threads and for those that have ended") {
  const WorkCounts before = work_counts();
  count_work(Work::draws, 2);
  std::thread([] {
    count_work(Work::draws, 3);
    count_message(12, 31);
    count_direct_messages(12, 31, 7);
    count_path(Path::threads_alone, 4);
    count_time(TimedStage::setup, std::chrono::microseconds(5));
  }).join();
  count_message(12, 31);
  const WorkCounts done = work_between(before, work_counts());
  CHECK(done.of(Work::draws) == 5);
  CHECK(done.of(Work::threads) == 0);
  CHECK(done.messages[12][31] == 9);
  CHECK(done.direct[12][31] == 7);
  CHECK(done.messages[12][30] == 0);
  CHECK(done.of(Path::threads_alone) == 4);
  CHECK(done.of(Path::threads_in_series) == 0);
  CHECK(done.of(TimedStage::setup) == 5000);
}

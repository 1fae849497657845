// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/worker_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include "tests/catch.h"

using namespace softgen;

TEST_CASE("each index is done once, whatever the number of workers") {
  for (unsigned workers : {0u, 1u, 3u}) {
    WorkerPool pool(workers);
    for (size_t count : {size_t{0}, size_t{1}, size_t{1000}}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<bool> slot_ok{true};
      pool.for_each(count, [&](size_t i, unsigned slot) {
        done[i]++;
        if (slot >= pool.slots()) slot_ok = false;
      });
      CHECK(slot_ok);
      CHECK(std::all_of(done.begin(), done.end(), [](const auto& d) { return d == 1; }));
    }
  }
}

TEST_CASE("several threads may share one pool") {
  WorkerPool pool(2);
  std::atomic<size_t> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) pool.for_each(20, [&](size_t, unsigned) { total++; });
    });
  for (auto& thread : threads) thread.join();
  CHECK(total == 4 * 50 * 20);
}

TEST_CASE("a job that is stopped early has done all indices before the stop and none after it") {
  for (unsigned workers : {0u, 1u, 3u}) {
    WorkerPool pool(workers);
    constexpr size_t count = 1000;
    std::vector<std::atomic<int>> done(count);
    std::atomic<unsigned> asked{0};
    size_t next = 0;
    unsigned calls = 0;
    for (; next < count; ++calls) {
      const size_t before = next;
      asked = 0;
      next = pool.for_each_until(before, count, [&](size_t i, unsigned) { done[i]++; }, [&] { return ++asked > 20; });
      REQUIRE(next > before);
      for (size_t i = 0; i < count; ++i) REQUIRE(done[i] == (i < next));
    }
    CHECK(calls > 1);
  }
}

TEST_CASE("each index of a background job is done once, by the workers or in finish(), also while the pool has other jobs") {
  WorkerPool pool(2);
  BackgroundJob background(pool);
  CHECK_FALSE(background.started());
  background.finish();
  for (int round = 0; round < 200; ++round) {
    constexpr size_t count = 20;
    std::array<std::atomic<int>, count> done{};
    std::atomic<size_t> others{0};
    std::atomic<bool> finishing{false}, caller_too_early{false};
    background.start(count, [&](size_t i, unsigned slot) {
      ++done[i];
      if (!slot && !finishing) caller_too_early = true;
    });
    REQUIRE(background.started());
    pool.for_each(10, [&](size_t, unsigned) { ++others; });
    finishing = true;
    background.finish();
    REQUIRE_FALSE(background.started());
    REQUIRE(others == 10);
    REQUIRE_FALSE(caller_too_early);
    REQUIRE(std::all_of(done.begin(), done.end(), [](const auto& d) { return d == 1; }));
  }
}

TEST_CASE("done(): whether the workers have done all of a background job") {
  WorkerPool pool(1);
  BackgroundJob background(pool);
  std::atomic<bool> go{false};
  background.start(1, [&](size_t, unsigned) {
    while (!go) std::this_thread::yield();
  });
  CHECK_FALSE(background.done());
  go = true;
  while (!background.done()) std::this_thread::yield();
  background.finish();
}

TEST_CASE("finish() throws what a body of the background job has thrown") {
  WorkerPool pool(1);
  BackgroundJob background(pool);
  background.start(4, [](size_t, unsigned) { throw std::runtime_error("body"); });
  CHECK_THROWS_AS(background.finish(), std::runtime_error);
  CHECK_FALSE(background.started());
}

TEST_CASE("the destructor of a background job leaves out bodies that were not begun") {
  WorkerPool pool(1);
  std::atomic<bool> begun{false}, go{false};
  std::atomic<int> done{0};
  std::thread opener;
  {
    BackgroundJob background(pool);
    background.start(100, [&](size_t, unsigned) {
      begun = true;
      while (!go) std::this_thread::yield();
      ++done;
    });
    while (!begun) std::this_thread::yield();
    opener = std::thread([&] { go = true; });
  }
  opener.join();
  const int at_end = done;
  CHECK(at_end >= 1);
  pool.for_each(10, [](size_t, unsigned) {});
  CHECK(done == at_end);
}

TEST_CASE("workers that wake up after a job's last index was taken do nothing") {
  WorkerPool pool(3);
  std::atomic<size_t> done{0};
  for (int round = 0; round < 20000; ++round) pool.for_each(2, [&](size_t, unsigned) { ++done; });
  CHECK(done == 40000);
}

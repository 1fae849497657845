// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "hw/eu/jit/background.h"
#include "tests/catch.h"

using namespace softgen::eu::jit;

TEST_CASE("cached work comes first, then work to be made, the newest first") {
  Background background;
  std::string order;
  std::promise<void> all_asked;
  const auto ask = [&](const char* name, bool found) {
    return background.add([&order, name, found] { return order += name, found; }, [&order, name] { order += std::string("made ") + name; });
  };
  REQUIRE(background.add([ready = all_asked.get_future().share()] { return ready.wait(), true; }, [] {}));
  CHECK(ask("a ", false));
  CHECK(ask("b ", true));
  CHECK(ask("c ", false));
  all_asked.set_value();
  background.drain();
  CHECK(order == "a b c made c made a ");
}

TEST_CASE("the queue is bounded") {
  Background background;
  std::promise<void> full;
  REQUIRE(background.add([ready = full.get_future().share()] { return ready.wait(), true; }, [] {}));
  unsigned taken = 0;
  while (taken < 10'000 && background.add([] { return true; }, [] {})) ++taken;
  full.set_value();
  background.drain();
  CHECK(taken > 100);
  CHECK(taken < 10'000);
}

TEST_CASE("pending work is dropped with its owner, and current work is completed") {
  std::promise<void> begun;
  std::atomic<bool> interrupted = false, ended = false, second = false;
  {
    Background background(false, [&] { interrupted = true; });
    REQUIRE(background.add(
        [&] {
          begun.set_value();
          while (!interrupted) std::this_thread::yield();
          return ended = true, true;
        },
        [] {}));
    REQUIRE(background.add([&] { return second = true, true; }, [] {}));
    begun.get_future().wait();
  }
  CHECK(ended);
  CHECK_FALSE(second);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <future>
#include <string>

#include "hw/eu/jit/background.h"
#include "tests/catch.h"

using namespace softgen::eu::jit;

TEST_CASE("what is found comes before what has to be made, and of that the newest first") {
  std::string order;
  std::promise<void> all_asked;
  const auto ask = [&](const char* name, bool found) {
    return compile_later([&order, name, found] { return order += name, found; }, [&order, name] { order += std::string("made ") + name; });
  };
  REQUIRE(compile_later([ready = all_asked.get_future().share()] { return ready.wait(), true; }, [] {}));
  CHECK(ask("a ", false));
  CHECK(ask("b ", true));
  CHECK(ask("c ", false));
  all_asked.set_value();
  drain();
  CHECK(order == "a b c made c made a ");
}

TEST_CASE("only so much waits") {
  std::promise<void> full;
  REQUIRE(compile_later([ready = full.get_future().share()] { return ready.wait(), true; }, [] {}));
  unsigned taken = 0;
  while (taken < 10'000 && compile_later([] { return true; }, [] {})) ++taken;
  full.set_value();
  drain();
  CHECK(taken > 100);
  CHECK(taken < 10'000);
}

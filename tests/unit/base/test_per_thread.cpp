// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>
#include <thread>

#include "hw/base/per_thread.h"
#include "tests/catch.h"

using namespace softgen;

namespace {

struct Counted {
  static inline int alive = 0, made = 0;
  int value = 42;
  Counted() { ++alive, ++made; }
  ~Counted() { --alive, value = -1; }
};

/// Destroyed behind what the thread asked for later, as an exit handler runs behind the main thread's objects.
struct Late {
  static inline int seen = 0, alive = -1;
  ~Late() {
    alive = Counted::alive;
    std::unique_ptr<Counted> again(&per_thread<Counted>());
    seen = again->value;
  }
};

}  // namespace

TEST_CASE("a thread's object goes with the thread, and there is another one for who comes after that") {
  std::thread([] {
    thread_local Late late;
    static_cast<void>(&late);
    Counted& mine = per_thread<Counted>();
    mine.value = 7;
    CHECK(&per_thread<Counted>() == &mine);
    CHECK(Counted::alive == 1);
  }).join();
  CHECK(Late::alive == 0);
  CHECK(Late::seen == 42);
  CHECK(Counted::made == 2);
  CHECK(Counted::alive == 0);
}

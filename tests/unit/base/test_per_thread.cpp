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

/// Destroyed after objects that the thread made later, like an exit handler, which runs after the main thread's objects are destroyed.
struct Late {
  static inline int seen = 0, alive = -1;
  ~Late() {
    alive = Counted::alive;
    std::unique_ptr<Counted> again(&per_thread<Counted>());
    seen = again->value;
  }
};

}  // namespace

TEST_CASE("a thread's object is destroyed with the thread, and a later access makes a new one") {
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

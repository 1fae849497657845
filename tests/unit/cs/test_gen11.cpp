// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands of Gen11's list that the streamer answers without another unit.
#include "hw/base/failure_log.h"
#include "hw/defs/gen11/set.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

struct Run : Rig {
  Run() : Rig(EngineId::rcs, false, defs::gen11::commands), context(*this, EngineId::rcs, 0x20) {}
  bool completes(const Dwords& commands) {
    context.emit(commands);
    submit(context);
    const auto found = events();
    return !found.empty() && found.back() == Event{0x18, 0x20};
  }
  Context context;
};

}  // namespace

TEST_CASE("MI_WAIT_FOR_EVENT_2 is counted where it names an event") {
  constexpr auto what = "MI_WAIT_FOR_EVENT_2";
  Run run;
  const uint64_t before = failure_count(Failure::unimplemented, what);
  CHECK(run.completes({mi(0x04)}));
  CHECK(failure_count(Failure::unimplemented, what) == before);
  for (const uint32_t events : {1u << 12, 2u << 8, 3u}) CHECK(run.completes({mi(0x04, events)}));
  CHECK(failure_count(Failure::unimplemented, what) == before + 3);
}

TEST_CASE("commands about caches, power and draws of one topology are passed over") {
  Run run;
  const size_t before = failure_counts().size();
  // MI_SUSPEND_FLUSH, MI_CLFLUSH of a cache line, MI_TOPOLOGY_FILTER off, MI_LOAD_SCAN_LINES_INCL, MI_FORCE_WAKEUP.
  CHECK(run.completes({mi(0x0b, 1), mi(0x27, 2 | global), 0x0018'0000, 0, 0, mi(0x0d), mi(0x12), 0, mi(0x1d), 0}));
  CHECK(failure_counts().size() == before);
}

TEST_CASE("MI_SEMAPHORE_WAIT in register poll mode compares a register") {
  Run run;
  const uint32_t register_offset = softgen::test::engine_register(run.id, 0) + 0x600;  // GPR 0
  const Dwords wait{mi(0x1c, 2 | 1u << 16 | 1u << 15 | 4u << 12), 0x1234, register_offset, 0};
  CHECK(run.completes(lri(register_offset, 0x1234) + wait));
  // The register has another value: the context waits, until software writes it.
  run.context.emit(lri(register_offset, 1) + wait + store(0x0018'0000, 7));
  run.submit(run.context);
  CHECK(run.read(0x0018'0000) == 0);
  run.registers.poke(register_offset, 0x1234);
  run.cs->poll();
  CHECK(run.read(0x0018'0000) == 7);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/thread_group.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr uint32_t gateway = 3, barrier_message = 0x02000004;  // one register, sub-function 4

Instruction message(uint32_t sfid, uint32_t descriptor, unsigned reg, const Isa& isa = gen9_isa()) {
  Instruction i = end(isa);
  i.end_of_thread = false;
  i.cond_mod = static_cast<uint8_t>(sfid);
  i.src[0] = grf(reg, RegType::ud);
  i.descriptor = descriptor;
  return i;
}
Instruction wait() {
  Instruction i = op(Opcode::wait, 1, arf(Arf::notification, RegType::ud), null());
  i.no_mask = true;
  return i;
}

/// Forwards gateway messages like the shared functions, and records the first dword of others.
class Router : public MessageTarget {
 public:
  std::vector<uint32_t> log;
  SendResult send(const Message& m, ThreadEnv& env) override {
    if (m.op.sfid == Sfid::gateway && env.gateway) return env.gateway->send(m, env);
    if (m.op.sfid == Sfid::dp_data0) log.push_back(m.payload[0].dw[0]);
    return SendResult::done;
  }
};

struct Fixture {
  explicit Fixture(const Isa& isa = gen9_isa()) : machine(isa) {}

  Machine machine;
  ThreadGroup group;
  Router router;

  /// `count` threads of `code`; r1.0 is the thread's number.
  ThreadGroup::Result run(std::vector<Instruction> code, unsigned count, uint32_t m0_2 = 0) {
    machine.load(std::move(code));
    group.clear();
    for (unsigned i = 0; i < count; ++i) {
      Thread& thread = group.add(machine.env);
      thread.clear_registers();
      thread.grf(1).dw[0] = i;
      thread.grf(2).dw[2] = m0_2;
      ThreadStart how;
      how.program = machine.program.get();
      thread.start(how);
    }
    return group.run(router);
  }
};

const std::vector<Instruction> log_barrier_log = {message(10, 0x02000000, 1), message(gateway, barrier_message, 2), wait(),
                                                  message(10, 0x02000000, 1)};

}  // namespace

TEST_CASE("no thread of a group passes a barrier before all have arrived", "[eu]") {
  Fixture f;
  REQUIRE(f.run(log_barrier_log, 3) == ThreadGroup::Result::finished);
  auto& log = f.router.log;
  REQUIRE(log.size() == 6);
  CHECK(std::is_permutation(log.begin(), log.begin() + 3, std::vector<uint32_t>{0, 1, 2}.begin()));
  CHECK(std::is_permutation(log.begin() + 3, log.end(), std::vector<uint32_t>{0, 1, 2}.begin()));
}

TEST_CASE("a barrier message may have the number of threads to wait for", "[eu]") {
  Fixture f;
  REQUIRE(f.run(log_barrier_log, 3, 1u << 15 | 1u << 9) == ThreadGroup::Result::finished);
  CHECK(f.router.log == std::vector<uint32_t>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("Gen12's threads wait by sync.bar, and the barrier's count begins at bit 8", "[eu]") {
  const Isa& isa = gen12_isa();
  Instruction bar = op(Opcode::sync, 1, null(), null());
  bar.cond_mod = static_cast<uint8_t>(SyncFunction::bar);
  bar.no_mask = true;
  const std::vector<Instruction> code = {message(10, 0x02000000, 1, isa), message(gateway, barrier_message, 2, isa), bar,
                                         message(10, 0x02000000, 1, isa)};
  Fixture f(isa);
  REQUIRE(f.run(code, 3, 1u << 15 | 1u << 8) == ThreadGroup::Result::finished);
  CHECK(f.router.log == std::vector<uint32_t>{0, 0, 1, 1, 2, 2});
  CHECK(f.run(code, 2, 1u << 15 | 3u << 8) == ThreadGroup::Result::deadlocked);
}

TEST_CASE("a group whose threads all wait is a deadlock", "[eu]") {
  Fixture f;
  CHECK(f.run({wait()}, 2) == ThreadGroup::Result::deadlocked);
  CHECK(f.run(log_barrier_log, 2, 1u << 15 | 5u << 9) == ThreadGroup::Result::deadlocked);
}

TEST_CASE("a reset ends a group", "[eu]") {
  Fixture f;
  f.machine.stop.request(StopFlag::reset);
  CHECK(f.run(log_barrier_log, 2) == ThreadGroup::Result::aborted);
}

TEST_CASE("a group can be used again after threads were left waiting", "[eu]") {
  Fixture f;
  CHECK(f.run({wait()}, 2) == ThreadGroup::Result::deadlocked);
  CHECK(f.run(log_barrier_log, 2) == ThreadGroup::Result::finished);
}

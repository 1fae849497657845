// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that start others and get data from them, in the way of i965-va-driver's deblocking kernels: AVC_ILDB_SpawnChild.asm, AVC_ILDB_OpenGateway.asm,
// AVC_ILDB_ForwardMsg.asm, AVC_ILDB_Root_Y.asm.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/media/vfe/thread_family.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/vfe_programs.h"
#include "tests/unit/media/vfe_rig.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using namespace softgen::media::vfe;
using namespace softgen::media::vfe::test;

namespace {

struct Family : VfeRig {
  explicit Family(bool children = true) {
    quiet_log();
    clear_failure_counts();
    vfe.children_present = children;
    set_state();
  }
  /// The root's code may be as long as it likes: it is descriptor 2, and `child` descriptor 1.
  ExecResult run_long(const Code& root, const Code& child) {
    set_kernel(1, child), set_kernel(2, root);
    defs::gen5::MEDIA_OBJECT o;
    o.interface_descriptor_offset = 2;
    return object(o);
  }
  ExecResult run(const Code& root, const std::vector<Code>& others) {
    set_kernel(0, root);
    for (unsigned i = 0; i < others.size(); ++i) set_kernel(1 + i, others[i]);
    return object(defs::gen5::MEDIA_OBJECT{});
  }
};

Code root_of(unsigned count) {
  Code code;
  open_gateway(code);
  code.push_back(mov_imm(8, grf(opened, UD), UD, 0));
  code.push_back(mov_imm(8, grf(opened + 1, UD), UD, 0));
  for (unsigned i = 0; i < count; ++i) spawn(code, i);
  return code;
}

}  // namespace

TEST_CASE("vfe children: a root starts threads, and waits until each has forwarded its result") {
  Family f;
  constexpr unsigned count = 12;
  Code root = root_of(count), child;
  for (unsigned i = 0; i < count; ++i) wait(root);
  send_registers(root, opened, 2);
  root.push_back(message(8, null(UD), 7, grf(0, UD), gateway_sfid, one_register | 1));
  end(root);
  forward(child, 0x100, true);
  REQUIRE(f.run(root, {child}) == ExecResult::done);
  REQUIRE(f.sent.size() == 1);
  for (unsigned i = 0; i < 16; ++i) CHECK(f.sent[0].payload[1 + i / 8].dw[i % 8] == (i < count ? 0x100 + i : 0));
  CHECK(failure_count(Failure::guest_error, "a URB handle that no thread has") == 0);
}

TEST_CASE("vfe children: a byte alone is written, and the thread's binding table is its descriptor's") {
  Family f;
  Code root = root_of(2), child;
  set(root, opened, 0, 0);
  wait(root), wait(root);
  send_registers(root, opened, 1);
  end(root);
  send_registers(child, 0, 2);
  forward(child, 0x11223344, true, 0);
  defs::gen5::INTERFACE_DESCRIPTOR d;
  d.binding_table_pointer = 0x2460;
  f.set_kernel(0, root);
  f.set_kernel(1, child, d);
  REQUIRE(f.object(defs::gen5::MEDIA_OBJECT{}) == ExecResult::done);
  REQUIRE(f.sent.size() == 3);
  CHECK(f.sent[0].bases.binding_table == 0x2460);
  CHECK(f.sent[1].payload[2].dw[0] == 1);
  CHECK(f.sent[2].bases.binding_table == 0);
  CHECK(f.sent[2].payload[1].dw[0] == 0x44);
  CHECK(f.sent[2].payload[1].dw[1] == 0x45);
}

TEST_CASE("vfe children: a root that looks into a register until a child has written there gets on") {
  // AVC_ILDB_Root_Y.asm, WAIT_FOR_UV: no wait, and no notification.
  Family f;
  Code root = root_of(1), child;
  spin(root, 0);
  send_registers(root, opened, 1);
  end(root);
  forward(child, 7, true, 2, key, 0);
  REQUIRE(f.run(root, {child}) == ExecResult::done);
  REQUIRE(f.sent.size() == 1);
  CHECK(f.sent[0].payload[1].dw[0] == 7);
}

TEST_CASE("vfe children: a child starts children of its own and has its own gateway") {
  // As the chroma root is started by the luma root.
  Family f;
  Code root = root_of(1), middle, child;
  wait(root);
  send_registers(root, opened, 1);
  end(root);
  open_gateway(middle, 0x77);
  middle.push_back(mov_imm(8, grf(opened, UD), UD, 0));
  middle.push_back(mov_imm(8, grf(opened + 1, UD), UD, 0));
  for (const unsigned number : {1u, 2u}) spawn(middle, number);
  wait(middle), wait(middle);
  send_registers(middle, opened, 1);
  forward(middle, 5, true);
  forward(child, 0x200, true, 2, 0x77);
  REQUIRE(f.run(root, {middle, child}) == ExecResult::done);
  REQUIRE(f.sent.size() == 2);
  CHECK(f.sent[0].payload[1].dw[1] == 0x201);
  CHECK(f.sent[0].payload[1].dw[2] == 0x202);
  CHECK(f.sent[1].payload[1].dw[0] == 5);
}

TEST_CASE("vfe children: more threads than the chip has run when there is room") {
  Family f;
  constexpr unsigned count = ThreadFamily::max_threads + ThreadFamily::max_held + 20;
  Code root, child;
  open_gateway(root);
  for (unsigned i = 0; i < count; ++i) spawn(root, i, before);
  for (unsigned i = 0; i < count; ++i) wait(root);
  end(root);
  send_registers(child, 1, 1);
  child.push_back(op_imm(Opcode::and_, 1, scalar(1, UD), scalar(1, UD), UD, 7));
  forward(child, 0, true);
  REQUIRE(f.run_long(root, child) == ExecResult::done);
  CHECK(f.sent.size() == count);
}

TEST_CASE("vfe children: a wait without a sender hangs the engine, and the entry comes back with a reset") {
  Family f;
  Code root = root_of(1), child;
  wait(root), wait(root);
  end(root);
  forward(child, 1, true);
  CHECK(f.run(root, {child}) == ExecResult::fault);
  CHECK(failure_count(Failure::guest_error, "VFE: a thread waits for a notification that no thread will send") == 1);
  // All children wait, so that the spawner's room does not become free.
  Code waits;
  wait(waits);
  end(waits);
  Code many;
  for (unsigned i = 0; i < ThreadFamily::max_threads + ThreadFamily::max_held; ++i) spawn(many, i, before);
  end(many);
  CHECK(f.run_long(many, waits) == ExecResult::fault);
  f.execute(f.fence.pack());
  for (int i = 0; i < 5; ++i) CHECK(f.run(sending_kernel(0, 1), {}) == ExecResult::done);
}

TEST_CASE("vfe children: the spawner holds few threads whatever many ask for one") {
  Family f;
  constexpr unsigned starters = ThreadFamily::max_threads - 2, rounds = 100;
  constexpr uint32_t mark = 0x11;
  Code root, starter, child;
  for (unsigned i = 0; i < starters; ++i) spawn(root, 1, before);
  end(root);
  set(starter, 50, 0, rounds);
  const size_t first = starter.size();
  spawn(starter, 0, before);
  set(starter, 1, 0, mark);
  send_registers(starter, 1, 1);
  starter.push_back(with_condition(op_imm(Opcode::add, 1, scalar(50, D), scalar(50, D), D, static_cast<uint32_t>(-1)), CondMod::nz));
  jump_back(starter, starter.size() - first);
  end(starter);
  send_registers(child, 1, 1);
  end(child);
  f.set_kernel(1, child), f.set_kernel(2, starter), f.set_kernel(3, root);
  defs::gen5::MEDIA_OBJECT o;
  o.interface_descriptor_offset = 3;
  REQUIRE(f.object(o) == ExecResult::done);
  REQUIRE(f.sent.size() == 2 * starters * rounds);
  // What was asked for and has not run is in the spawner or in a thread's slot.
  unsigned asked = 0, ran = 0, max_waiting = 0;
  for (const auto& message : f.sent) {
    ++(message.payload[1].dw[0] == mark ? asked : ran);
    if (asked > ran) max_waiting = std::max(max_waiting, asked - ran);
  }
  CHECK(max_waiting <= ThreadFamily::max_held + ThreadFamily::max_threads);
}

TEST_CASE("vfe children: threads without end are stopped") {
  Family f;
  Code root = root_of(0);
  send_registers(root, 0, 1);
  spin(root, 0);
  end(root);
  f.set_kernel(0, root);
  unsigned seen = 0;
  f.target.answer = [&](const Message&, ThreadEnv&) {
    f.stop.request(StopFlag::reset);
    ++seen;
    return SendResult::done;
  };
  CHECK(f.object(defs::gen5::MEDIA_OBJECT{}) == ExecResult::aborted);
  CHECK(seen == 1);
  f.stop.clear(StopFlag::reset);
  // A thread that starts its like: the chip never has more than it has room for.
  Code chain;
  send_registers(chain, 0, 1);
  spawn(chain, 0, 0);
  end(chain);
  seen = 0;
  f.target.answer = [&](const Message&, ThreadEnv&) {
    if (++seen == 1000) f.stop.request(StopFlag::reset);
    return SendResult::done;
  };
  f.set_kernel(0, chain);
  CHECK(f.object(defs::gen5::MEDIA_OBJECT{}) == ExecResult::aborted);
  CHECK(seen == 1000);
}

TEST_CASE("vfe children: messages of no sense are counted and do nothing") {
  Family f;
  Code root = root_of(1), child;
  wait(root);
  send_registers(root, opened, 2);
  end(root);
  forward(child, 9, false, 2, 0x1313);  // another key
  forward(child, 9, false, 5);          // a reserved length
  child.push_back(mov_imm(1, scalar(1, UD), UD, 16));
  forward(child, 9, false);  // behind the two registers
  child.push_back(mov_imm(1, scalar(1, UD), UD, 0));
  child.push_back(op(Opcode::mov, 1, scalar(2, UW), scalar(0, UW, 6)));
  child.push_back(mov_imm(1, scalar(0, UW, 6), UW, 0x0b05));
  forward(child, 9, false);  // to a thread that is not there
  child.push_back(op(Opcode::mov, 1, scalar(0, UW, 6), scalar(2, UW)));
  forward(child, 1, true);
  REQUIRE(f.run(root, {child}) == ExecResult::done);
  CHECK(f.sent[0].payload[1].dw[0] == 1);
  for (unsigned i = 1; i < 16; ++i) CHECK(f.sent[0].payload[1 + i / 8].dw[i % 8] == 0);
  CHECK(failure_count(Failure::guest_error, "data to a gateway that is not open") == 1);
  CHECK(failure_count(Failure::guest_error, "data beyond a gateway's registers") == 2);
  CHECK(failure_count(Failure::guest_error, "data for a thread that is not there") == 1);

  Family alone(false);
  Code spawns;
  spawn(spawns, 0);
  end(spawns);
  CHECK(alone.run(spawns, {child}) == ExecResult::done);
  CHECK(failure_count(Failure::guest_error, "a thread starts another one without Children Present") == 1);
}

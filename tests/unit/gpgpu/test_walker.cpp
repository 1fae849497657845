// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <vector>

#include "hw/eu/isa/gen9/isa.h"
#include "hw/gpgpu/walker.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::gpgpu;
using eu::test::FakeTarget;

namespace {

constexpr uint64_t data = 0x4000;

/// Sends r1 to r3 and ends.
std::shared_ptr<const eu::Program> tells_payload() {
  eu::Instruction tell = eu::test::end();
  tell.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
  tell.src[0] = eu::test::grf(1, eu::RegType::ud);
  tell.descriptor = 3u << 25;
  tell.end_of_thread = false;
  return eu::Program::decode(eu::gen9_isa(), eu::test::assemble({tell, eu::test::end()}), 0);
}

/// The first dwords of r1 to r3 of two threads with one shared register and two of their own each.
std::vector<std::array<uint32_t, 3>> payloads(bool indirect) {
  memory::test::Mapped mapped{data};
  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, mapped.view, mapped.view, registers, stop};
  Kernel kernel;
  kernel.program = tells_payload();
  kernel.start.program = kernel.program.get();
  kernel.cross_registers = 1;
  kernel.thread_registers = 2;
  for (uint32_t r = 0; r < 5; ++r) {
    mapped.view.store(data + 32 * r, 100 + r);
    kernel.curbe.push_back({{100 + r}});
  }
  WalkCommand command;
  command.width = 2;
  command.end = {1, 1, 1};
  command.right_mask = command.bottom_mask = 0xff;
  if (indirect) {
    command.indirect.bytes = 5 * 32;
    kernel.curbe.clear();
    kernel.bases.indirect_object = data;
  }
  std::vector<std::array<uint32_t, 3>> seen;
  FakeTarget target;
  target.answer = [&](const Message& m, ThreadEnv&) {
    if (m.op.sfid == Sfid::dp_data1) seen.push_back({m.reg(0).dw[0], m.reg(1).dw[0], m.reg(2).dw[0]});
    return SendResult::done;
  };
  Workers workers(nullptr);
  Walk walk(command, std::move(kernel), target, env);
  CHECK(walk.run(workers, 0) == ExecResult::done);
  return seen;
}

}  // namespace

TEST_CASE("a thread's constants: shared ones come first from the CURBE, last from indirect data") {
  using Payloads = std::vector<std::array<uint32_t, 3>>;
  CHECK(payloads(false) == Payloads{{100, 101, 102}, {100, 103, 104}});
  CHECK(payloads(true) == Payloads{{101, 102, 100}, {103, 104, 100}});
}

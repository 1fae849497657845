// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <vector>

#include "hw/eu/isa/gen9/isa.h"
#include "hw/gpgpu/media.h"
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

/// Sends `first` and the two registers behind it, and ends.
std::shared_ptr<const eu::Program> tells_payload(uint8_t first = 1) {
  eu::Instruction tell = eu::test::end();
  tell.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
  tell.src[0] = eu::test::grf(first, eu::RegType::ud);
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

TEST_CASE("a media thread's position is in r0, where its kernel says") {
  memory::test::Mapped mapped{data};
  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, mapped.view, mapped.view, registers, stop};
  FakeTarget target;
  std::vector<std::array<uint32_t, 2>> seen;
  target.answer = [&](const Message& m, ThreadEnv&) {
    if (m.op.sfid == Sfid::dp_data1) seen.push_back({m.reg(0).dw[1], m.reg(0).dw[2]});
    return SendResult::done;
  };
  for (const MediaPlaces& places : {MediaPlaces{}, MediaPlaces{.y_shift = 12, .color_dword = 1, .color_shift = 24}}) {
    Kernel kernel;
    kernel.program = tells_payload(0);
    kernel.start.program = kernel.program.get();
    kernel.places = places;
    Worker worker(mapped.view);
    MediaThreads threads(std::move(kernel), target, env);
    CHECK(threads.run(worker, {0x123, 0x456, 0x78}) == ExecResult::done);
  }
  CHECK(seen == std::vector<std::array<uint32_t, 2>>{{0x0456'0123, 0x0078'0000}, {0x7845'6123, 0}});
}

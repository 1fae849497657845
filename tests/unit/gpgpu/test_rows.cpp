// SPDX-License-Identifier: GPL-2.0-or-later
// Walks whose threads move dwords between a buffer, shared local memory and another buffer: compiled kernels, which do most of it
// themselves, against the interpreter with a message for each.
#include <cstdlib>
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/dataport/dataport.h"
#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/engine.h"
#include "hw/gpgpu/walker.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/unit/eu/compiler_now.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::gpgpu;
using eu::Instruction;
using eu::Opcode;
using eu::RegType;

namespace {

constexpr uint64_t table = 0x1000, states = 0x2000, source = 0x20000, target = 0x40000;
constexpr uint32_t buffer_pages = 4, local_index = 254, selects = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
constexpr unsigned groups = 24, threads = 3;

class Ports : public MessageTarget {
 public:
  SendResult send(const Message& message, ThreadEnv& env) override {
    return message.op.sfid == Sfid::thread_spawner ? SendResult::done : port_.send(message, env);
  }
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override {
    if (form.op.sfid == Sfid::dp_data1) return port_.direct(form, env, answer);
    answer.silent = true;
    answer.function = [](const DirectAnswer&, Grf*, uint32_t, ThreadEnv&) { return true; };
  }

 private:
  dataport::DataPort port_;
};

std::array<uint32_t, 16> raw_buffer(uint64_t base, uint32_t size) {
  const uint32_t last = size - 1;
  return {4u << 29 | 0x1ffu << 18,    0, (last >> 7 & 0x3fff) << 16 | (last & 0x7f), (last >> 21) << 21, 0, 0, 0, selects,
          static_cast<uint32_t>(base)};
}

struct Shape {
  unsigned lanes, count;
  unsigned each() const { return lanes / 8; }
};

Instruction untyped(const Shape& shape, bool write, uint32_t index, unsigned first, unsigned answer) {
  Instruction i;
  i.opcode = Opcode::send;
  i.exec_size = static_cast<uint8_t>(shape.lanes);
  i.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
  i.dst = eu::test::dst_of(write ? eu::test::null(RegType::uw) : eu::test::grf(answer, RegType::uw));
  i.src[0] = eu::test::grf(first, RegType::ud);
  i.src[1] = eu::test::imm(RegType::ud);
  const uint32_t data = shape.count * shape.each(), off = 0xfu << shape.count & 0xf;
  i.descriptor = index | off << 8 | (shape.lanes == 16 ? 1u : 2u) << 12 | (write ? 9u : 1u) << 14 | (write ? 0 : data) << 20 |
                 (shape.each() + (write ? data : 0)) << 25;
  return i;
}

/// Offsets of four messages in registers of the thread's own, moved by the group's number; what was read plus one is what is written.
/// `group_shift`: bytes from group to group, as a power of two.
std::shared_ptr<const eu::Program> kernel_of(const Shape& shape, uint32_t group_shift, eu::FastPaths* fast_paths) {
  constexpr RegType ud = RegType::ud;
  const unsigned each = shape.each(), data = 40 + each, lanes = shape.lanes;
  std::vector<Instruction> code;
  const auto place = [&](unsigned message) {
    code.push_back(eu::test::op(Opcode::add, lanes, eu::test::grf(40, ud), eu::test::grf(1 + message * each, ud), eu::test::grf(30, ud)));
  };
  code.push_back(eu::test::op_imm(Opcode::shl, lanes, eu::test::grf(30, ud), eu::test::scalar(0, ud, 1), ud, group_shift));
  code.push_back(eu::test::op_imm(Opcode::shl, lanes, eu::test::grf(32, ud), eu::test::scalar(0, ud, 6), ud, group_shift + 2));
  code.push_back(eu::test::op(Opcode::add, lanes, eu::test::grf(30, ud), eu::test::grf(30, ud), eu::test::grf(32, ud)));
  const auto move = [&](unsigned message, uint32_t from, uint32_t to) {
    place(message);
    code.push_back(untyped(shape, false, from, 40, data));
    for (unsigned n = 0; n < shape.count; n++)
      code.push_back(eu::test::op_imm(Opcode::add, lanes, eu::test::grf(data + n * each, ud), eu::test::grf(data + n * each, ud), ud, 1));
    place(message + 1);
    code.push_back(untyped(shape, true, to, 40, 0));
  };
  move(0, 0, local_index);
  move(2, local_index, 1);
  code.push_back(eu::test::end());
  return eu::Program::decode(eu::gen9_isa(), eu::test::assemble(code), 0, fast_paths);
}

/// Offsets of channels: mostly contiguous, in the last thread's page.
std::vector<Grf> offsets(std::mt19937& random, const Shape& shape, bool in_place) {
  std::vector<Grf> registers(size_t{threads} * 4 * shape.each());
  uint32_t around[4];
  for (uint32_t& at : around) at = static_cast<uint32_t>(random() % 0x1800);
  around[1] %= 0x280;  // of local memory
  if (in_place) around[3] = around[0];
  for (size_t message = 0; message < threads * 4; message++) {
    // Mostly the address that was written.
    const auto before = registers.begin() + static_cast<ptrdiff_t>((message - message % 4 + 1) * shape.each());
    if (message % 4 == 2 && random() % 5) {
      std::copy_n(before, shape.each(), before + static_cast<ptrdiff_t>(shape.each()));
      continue;
    }
    const bool contiguous = random() % 6 != 0;
    const auto first = around[message % 4] + static_cast<uint32_t>(random() % 0x180),
               step = contiguous ? 4 * shape.count : static_cast<uint32_t>(random() % 40);
    for (unsigned lane = 0; lane < shape.lanes; lane++) registers[message * shape.each() + lane / 8].dw[lane % 8] = first + lane * step;
  }
  return registers;
}

struct Seen {
  std::vector<uint8_t> memory;
  uint64_t messages, invocations, threads;
  bool operator==(const Seen&) const = default;
};

/// `far`: through many pages of a large buffer, in whole lines.
Seen walk(eu::FastPaths* fast_paths, const Shape& shape, uint32_t seed, bool far = false) {
  std::mt19937 random(seed);
  memory::test::Mapped mapped(0, 0x60000);
  const bool same_buffer = seed % 3 == 0;  // and memory that was never written
  mapped.view.store(table, static_cast<uint32_t>(states));
  mapped.view.store(table + 4, static_cast<uint32_t>(states + (same_buffer ? 0 : 64)));
  const auto size = far ? 16u << 20 : static_cast<uint32_t>(0x800 + random() % 0x2000);
  const auto first = raw_buffer(source + (far ? 0 : 4 * (random() % 64)), size), second = raw_buffer(target, size);
  mapped.view.write(states, first.data(), sizeof first);
  mapped.view.write(states + 64, second.data(), sizeof second);
  for (uint64_t at = source; !same_buffer && at < source + buffer_pages * 4096; at += 4)
    mapped.view.store(at, static_cast<uint32_t>(random()));

  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, mapped.view, mapped.view, registers, stop};
  Kernel kernel;
  kernel.program = kernel_of(shape, far ? 12 : 7, fast_paths);
  kernel.start.program = kernel.program.get();
  kernel.bases.decode_surface = surface::decode_surface<softgen::defs::Gen9>;
  kernel.bases.binding_table = table;
  kernel.slm_size = 4096;
  kernel.thread_registers = 4 * shape.each();
  kernel.curbe = offsets(random, shape, same_buffer);
  if (far)
    for (size_t r = 0; r < kernel.curbe.size(); r++)
      for (unsigned lane = 0; lane < 8; lane++)
        kernel.curbe[r].dw[lane] = static_cast<uint32_t>(r / shape.each() % 4 % 3 ? 0 : r / (4 * shape.each()) * 1024 + seed % 2 * 32) +
                                   4 * shape.count * (lane + static_cast<uint32_t>(r % shape.each()) * 8);
  WalkCommand command;
  command.channels = shape.lanes == 16 ? 16 : 8;
  command.width = threads;
  command.first = {1, 0, 0}, command.end = {5, groups / 4, 1};
  command.right_mask = seed % 2 ? 0xffffffff : 0x2f7;
  command.bottom_mask = 0xffffffff;
  Workers workers(nullptr);
  Ports ports;
  const WorkCounts before = work_counts();
  Walk walk(command, std::move(kernel), ports, env);
  REQUIRE(walk.run(workers, 0) == ExecResult::done);
  const WorkCounts done = work_between(before, work_counts());
  Seen seen{std::vector<uint8_t>(0x60000 - source), 0, walk.invocations(), done.of(Work::threads)};
  mapped.view.read(source, seen.memory.data(), seen.memory.size());
  for (const auto& types : done.messages)
    for (const uint64_t n : types) seen.messages += n;
  return seen;
}

}  // namespace

TEST_CASE("rows of dwords moved by compiled kernels equal those moved by messages") {
  if (eu::jit::best_host_isa() == eu::jit::HostIsa::none) return note("test", "no compiler here");
  const uint64_t before = eu::test::compiler_now().stats().compiled_threads;
  for (const Shape shape : {Shape{16, 4}, Shape{16, 2}, Shape{16, 1}, Shape{8, 4}, Shape{8, 2}, Shape{8, 1}})
    for (uint32_t seed = 1; seed <= 6; seed++) {
      INFO("seed " << seed << ", " << shape.lanes << " channels of " << shape.count << " dwords");
      const Seen expected = walk(nullptr, shape, seed), seen = walk(&eu::test::compiler_now(), shape, seed);
      CHECK(expected.threads == groups * threads);
      CHECK(expected.messages == groups * threads * 5);
      CHECK(seen.messages == expected.messages);
      CHECK(seen.threads == expected.threads);
      CHECK(seen.invocations == expected.invocations);
      CHECK((seen.memory == expected.memory));
    }
  CHECK(eu::test::compiler_now().stats().compiled_threads - before == 36 * groups * threads);
}

TEST_CASE("long rows of streaming stores equal those written by messages") {
  if (eu::jit::best_host_isa() == eu::jit::HostIsa::none) return note("test", "no compiler here");
  for (const Shape shape : {Shape{16, 4}, Shape{16, 1}, Shape{8, 2}, Shape{8, 1}})
    for (const uint32_t seed : {2u, 4u, 5u}) {
      INFO("seed " << seed << ", " << shape.lanes << " channels of " << shape.count << " dwords");
      const Seen expected = walk(nullptr, shape, seed, true), seen = walk(&eu::test::compiler_now(), shape, seed, true);
      CHECK(expected.messages == groups * threads * 5);
      CHECK(seen.messages == expected.messages);
      CHECK((seen.memory == expected.memory));
    }
}

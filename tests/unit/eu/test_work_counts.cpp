// SPDX-License-Identifier: GPL-2.0-or-later
// What threads and messages add to the counts of hw/base/work.h. Descriptors are written by hand with the PRM's bit numbers.
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/program/work_counts.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr unsigned sampler = 2, gateway = 3, render_cache = 5, urb = 6, constants = 9, data0 = 10, data1 = 12;
constexpr uint32_t slm = 254;

/// What one message counts; `exec_size`: channels of its instruction, `mask`: the enabled ones.
WorkCounts counted(unsigned sfid, uint32_t descriptor, unsigned exec_size, uint32_t mask) {
  const WorkCounts before = work_counts();
  count_message_work(message_work(gen9_isa().message(sfid, descriptor), exec_size), mask);
  return work_between(before, work_counts());
}

uint64_t all_of(const WorkCounts& work) {
  uint64_t sum = 0;
  for (const uint64_t n : work.done) sum += n;
  return sum;
}

}  // namespace

TEST_CASE("untyped messages count bytes and 64-byte lines") {
  constexpr uint32_t read_two = 1u << 14 | 1u << 12 | 0xcu << 8, write_all = 9u << 14 | 1u << 12;  // SIMD16
  WorkCounts work = counted(data1, read_two, 16, 0x7fff);
  CHECK(work.of(Work::untyped_bytes_read) == 15 * 8);
  CHECK(work.of(Work::memory_accesses) == 2);
  CHECK(all_of(work) == 15 * 8 + 2);
  work = counted(data1, write_all, 16, 0xffff);
  CHECK(work.of(Work::untyped_bytes_written) == 256);
  CHECK(work.of(Work::memory_accesses) == 4);
  CHECK(all_of(counted(data1, write_all, 16, 0)) == 0);
  // SIMD8 of an instruction with 16 channels.
  CHECK(counted(data1, 1u << 14 | 2u << 12 | 0xeu << 8, 16, 0xffff).of(Work::untyped_bytes_read) == 8 * 4);
}

TEST_CASE("messages to shared local memory count only SLM accesses, in units of 64 bytes") {
  WorkCounts work = counted(data1, 1u << 14 | 1u << 12 | 0xeu << 8 | slm, 16, 0xffff);
  CHECK(work.of(Work::slm_reads) == 1);
  CHECK(all_of(work) == 1);
  work = counted(data1, 9u << 14 | 1u << 12 | 0x8u << 8 | slm, 16, 0x0fff);
  CHECK(work.of(Work::slm_writes) == 3);  // 12 channels of three dwords
  CHECK(all_of(work) == 3);
  work = counted(data1, 2u << 14 | 7u << 8 | slm, 16, 0x00ff);
  CHECK(work.of(Work::atomics) == 8);
  CHECK(all_of(work) == 8);
}

TEST_CASE("block messages count all their bytes, whatever channels are enabled") {
  CHECK(counted(constants, 1u << 14 | 3u << 8, 8, 1).of(Work::untyped_bytes_read) == 64);
  const WorkCounts work = counted(data0, 8u << 14 | 4u << 8, 16, 0xffff);
  CHECK(work.of(Work::untyped_bytes_written) == 128);
  CHECK(work.of(Work::memory_accesses) == 2);
  CHECK(counted(data0, 0x020e2005, 8, 0xff).of(Work::untyped_bytes_written) == 4 * 32);  // a scratch block
}

TEST_CASE("scattered messages count the elements of their channels") {
  CHECK(counted(data0, 4u << 14 | 1u << 10 | 1u << 8, 16, 0xffff).of(Work::untyped_bytes_read) == 16 * 2);
  CHECK(counted(data1, 16u << 14 | 1u << 12 | 1u << 10 | 1u << 8, 16, 0xff).of(Work::untyped_bytes_read) == 8 * 2 * 4);  // A64
}

TEST_CASE("typed messages have at most eight channels") {
  const WorkCounts work = counted(data1, 5u << 14 | 2u << 12 | 0xcu << 8, 16, 0x7fff);  // the upper ones, two components
  CHECK(work.of(Work::typed_bytes_read) == 7 * 8);
  CHECK(work.of(Work::memory_accesses) == 1);
  CHECK(counted(data1, 13u << 14 | 1u << 12, 16, 0x7fff).of(Work::typed_bytes_written) == 8 * 16);
}

TEST_CASE("atomics count channels and lines, samples count channels, other messages nothing") {
  WorkCounts work = counted(data1, 2u << 14 | 7u << 8, 16, 0xffff);
  CHECK(work.of(Work::atomics) == 16);
  CHECK(work.of(Work::memory_accesses) == 1);
  CHECK(counted(sampler, 2u << 17, 16, 0xf0f1).of(Work::pixels_sampled) == 9);
  CHECK(counted(gateway, 4, 8, 0xff).of(Work::barriers) == 1);
  CHECK(all_of(counted(urb, 7, 8, 0xff)) == 0);
  CHECK(all_of(counted(render_cache, 12u << 14, 16, 0xffff)) == 0);
}

TEST_CASE("direct answers are counted together, without their left-out channels") {
  DirectAnswer answer;
  answer.sfid = sampler;
  answer.work = message_work(gen9_isa().message(sampler, 2u << 17), 16);
  answer.answered = 5, answer.left_out = 7;
  const WorkCounts before = work_counts();
  count_answers(answer);
  answer.sfid = data1;
  answer.work = message_work(gen9_isa().message(data1, 1u << 14 | 1u << 12 | 0xcu << 8), 16);
  answer.left_out = 0;
  count_answers(answer);
  const WorkCounts work = work_between(before, work_counts());
  CHECK(work.of(Work::pixels_sampled) == 5 * 16 - 7);
  CHECK(work.of(Work::untyped_bytes_read) == 5 * 128);
  CHECK(work.of(Work::memory_accesses) == 5 * 2);
  CHECK(work.direct[sampler][0] == 5);
}

TEST_CASE("a message that a thread sends is counted for its enabled channels") {
  Machine m;
  Instruction read = op(Opcode::send, 8, grf(10, RegType::ud), grf(2, RegType::ud), imm(RegType::ud));
  read.cond_mod = data1;
  read.descriptor = 1u << 25 | 1u << 20 | 1u << 14 | 2u << 12 | 0xeu << 8;
  m.load({read}, 0x7f);
  const WorkCounts before = work_counts();
  REQUIRE(m.run() == RunResult::finished);
  CHECK(work_between(before, work_counts()).of(Work::untyped_bytes_read) == 7 * 4);
}

TEST_CASE("threads count the instructions of their kernel, by pipe") {
  Instruction root = op_imm(Opcode::math, 8, grf(10, RegType::f), grf(2, RegType::f), RegType::f, 0);
  root.cond_mod = static_cast<uint8_t>(MathFunction::sqrt);
  root.src[1] = null(RegType::f);
  const auto add = op(Opcode::add, 8, grf(10, RegType::f), grf(2, RegType::f), grf(3, RegType::f));
  const auto program =
      Program::decode(gen9_isa(), assemble({add, root, branch(Opcode::if_, 8, 2, 2), add, branch(Opcode::endif, 8, 1), end()}));
  CHECK(program->alu_instructions() == 2);
  CHECK(program->math_instructions() == 1);
  const WorkCounts before = work_counts();
  count_threads(Work::ds_threads, *program, 3);
  const WorkCounts work = work_between(before, work_counts());
  CHECK(work.of(Work::ds_threads) == 3);
  CHECK(work.of(Work::alu_instructions) == 6);
  CHECK(work.of(Work::math_instructions) == 3);
}

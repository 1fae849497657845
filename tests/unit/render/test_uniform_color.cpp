// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels that write a single colour, in the forms that drivers emit.
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/render/uniform_color.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr unsigned first = 2;  // registers 0 and 1 have the header and the pixels' positions
constexpr uint32_t simd8 = 4, simd16 = 0, replicated = 1;

bool one_color(const std::vector<Instruction>& code, const Isa& isa = gen9_isa()) {
  return render::sends_one_color(*Program::decode(isa, assemble(code, isa)), first);
}

uint32_t target_write(uint32_t control, uint32_t length) { return 12u << 14 | control << 8 | length << 25; }

Instruction send_write(uint32_t control, unsigned payload, uint32_t length) {
  Instruction i = op(Opcode::sendc, control == simd8 ? 8 : 16, null(), grf(payload, RegType::f), imm(RegType::ud));
  i.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  i.descriptor = target_write(control, length);
  i.end_of_thread = true;
  return i;
}

/// The second half of the payload, `more` registers from `rest` on.
Instruction split_write(uint32_t control, unsigned payload, uint32_t length, unsigned rest, uint32_t more) {
  Instruction i = send_write(control, payload, length);
  i.opcode = Opcode::sendsc;
  i.src[1] = grf(rest, RegType::ud);
  i.ex_descriptor = more << 6;
  return i;
}

Instruction move(unsigned to, Operand from, unsigned exec = 8) { return op(Opcode::mov, exec, grf(to, from.type), from); }

}  // namespace

TEST_CASE("a repeated colour in any register is one colour") {
  CHECK(one_color({move(114, scalar(2, RegType::f), 4), send_write(replicated, 114, 1)}));
  CHECK(one_color({move(127, scalar(2, RegType::ud), 4), send_write(replicated, 127, 1)}));  // Mesa 25
}

TEST_CASE("a split send with an empty second payload equals one that is not split") {
  Instruction send = split_write(replicated, 127, 1, 0, 0);
  send.src[0].file = RegFile::arf;  // as Mesa writes it
  send.src[1] = null();
  CHECK(one_color({move(127, scalar(2, RegType::ud), 4), send}));  // Mesa 26
}

TEST_CASE("Gen12: an instruction that only orders others changes no colour") {
  Instruction send = split_write(replicated, 127, 1, 0, 0);
  send.opcode = Opcode::sendc2;
  send.src[1] = null();
  Instruction sync = op(Opcode::sync, 1, null(), null());
  sync.cond_mod = static_cast<uint8_t>(SyncFunction::allwr);
  CHECK(one_color({move(127, scalar(2, RegType::f), 4), sync, send}, gen12_isa()));
  sync.cond_mod = static_cast<uint8_t>(SyncFunction::bar);
  CHECK_FALSE(one_color({move(127, scalar(2, RegType::f), 4), sync, send}, gen12_isa()));
}

TEST_CASE("a payload in two parts is one colour when both are") {
  const auto moves = [](unsigned to, unsigned count) {
    std::vector<Instruction> code;
    for (unsigned c = 0; c < count; ++c) code.push_back(move(to + c, scalar(2, RegType::f, c)));
    return code;
  };
  auto code = moves(120, 4);
  code.push_back(split_write(simd8, 120, 1, 121, 3));
  CHECK(one_color(code));
  code.back() = split_write(simd8, 120, 1, 1, 3);  // positions
  CHECK_FALSE(one_color(code));
  code.back() = split_write(simd8, 1, 1, 121, 3);
  CHECK_FALSE(one_color(code));
}

TEST_CASE("values that differ between pixels are not one colour") {
  CHECK_FALSE(one_color({move(114, grf(1, RegType::f)), send_write(replicated, 114, 1)}));
  CHECK_FALSE(one_color({send_write(simd16, 1, 8)}));
  Instruction sum = op(Opcode::add, 8, grf(114, RegType::f), scalar(2, RegType::f), scalar(3, RegType::f));
  CHECK_FALSE(one_color({sum, send_write(replicated, 114, 1)}));
}

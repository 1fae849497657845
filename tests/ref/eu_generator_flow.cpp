// SPDX-License-Identifier: GPL-2.0-or-later
// Messages to the math unit and without an answer, results in message registers, branches and loops: of sets with mask stacks.
#include <algorithm>

#include "tests/ref/eu_generator.h"

namespace softgen::eu::fuzz {

namespace {

/// Its distance, in instructions from `from`, and what it pops.
void lead(Instruction& from, size_t distance, unsigned pops) { from.imm = (2 * distance & 0xffff) | uint64_t{pops} << 16; }

void append(std::vector<Instruction>& code, const std::vector<Instruction>& more) { code.insert(code.end(), more.begin(), more.end()); }

}  // namespace

/// To extended math, or one without an answer.
Instruction Generator::message() {
  for (;;) {
    Instruction i;
    i.opcode = Opcode::send;
    i.exec_size = static_cast<uint8_t>(chance(20) ? 4 : 8u << below(2));
    i.compression = i.exec_size == 16 ? (chance(70) ? 2 : 0) : chance(20);
    i.no_mask = chance(20);
    if (chance(20)) i.pred_control = 1, i.pred_invert = chance(50);
    const bool math = chance(75);
    constexpr uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13};
    constexpr uint32_t math_flags = 0xd0;  // signed integers, saturation, scalar
    const unsigned length = 1 + below(math ? 2 : 4), answer = math ? 1 + below(2) : 0;
    i.cond_mod = math ? 1 : 5;
    i.descriptor = (math ? of(functions) | (static_cast<uint32_t>(random_()) & math_flags) : 0x4400u) | answer << 20 | length << 25;
    i.first_message = static_cast<uint8_t>(below(8));
    i.dst = {
        .file = math ? RegFile::grf : RegFile::arf, .type = RegType::f, .reg = static_cast<uint8_t>(math ? below(116) : 0), .hstride = 1};
    if (math && i.exec_size == 8 && chance(30)) {
      i.access_mode = AccessMode::align16;
      i.dst.writemask = static_cast<uint8_t>(1 + below(15));
    }
    i.src[0] = {.file = RegFile::arf, .type = RegType::f, .reg = 0};
    if (chance(80)) {
      static constexpr RegType types[] = {RegType::f, RegType::f,  RegType::f, RegType::ud,
                                          RegType::d, RegType::uw, RegType::w, RegType::ub};
      i.src[0] = {
          .file = RegFile::grf, .type = of(types), .negate = chance(15), .abs = chance(15), .reg = static_cast<uint8_t>(below(120))};
      region(i, i.src[0]);
    }
    i.src[1] = {.file = RegFile::imm};
    i = isa_.decode(isa_.encode(i));
    if (isa_.validate(i).empty()) return i;
  }
}

/// Results of some instructions go there, and some are of a pair or compressed.
void Generator::to_message_registers(Instruction& i) {
  if (i.exec_size == 16 && chance(50)) i.compression = 2;
  if (i.exec_size <= 8 && chance(25)) i.compression = 1;
  const bool general = i.dst.file == RegFile::grf && !i.dst.indirect;
  if (!general || chance(85)) return;
  i.dst.reg = static_cast<uint8_t>(isa_.limits().registers + below(isa_.limits().message_registers));
  i.interleaved_halves = i.compression == 2 && chance(50);
}

Instruction Generator::flow(Opcode opcode, bool predicated) {
  Instruction i;
  i.opcode = opcode;
  i.exec_size = static_cast<uint8_t>(chance(10) ? 1 : 8u << below(3));
  i.dst.hstride = 1;
  i.dst.reg = i.src[0].reg = static_cast<uint8_t>(Arf::ip);
  i.src[1] = {.file = RegFile::imm, .type = RegType::d};
  if (predicated) i.pred_control = 1, i.pred_invert = chance(50), i.flag_subreg = static_cast<uint8_t>(below(2));
  return i;
}

std::vector<Instruction> Generator::branches(unsigned length, unsigned depth) {
  const unsigned first = below(length + 1);
  std::vector<Instruction> code{flow(chance(50) ? Opcode::if_ : Opcode::iff, true)};
  append(code, program(first, depth));
  if (code[0].opcode == Opcode::if_) {
    const size_t otherwise = code.size();
    lead(code[0], otherwise, 0);
    code.push_back(flow(Opcode::else_, false));
    append(code, program(length - first, depth));
    lead(code[otherwise], code.size() + 1 - otherwise, 1);
  } else {
    lead(code[0], code.size() + 1, 0);
  }
  code.push_back(flow(Opcode::endif, false));
  lead(code.back(), 0, 1);
  return code;
}

/// Channels leave it at several places, and all of them at the end of its first round.
std::vector<Instruction> Generator::loop(unsigned length, unsigned depth) {
  std::vector<Instruction> code{flow(Opcode::do_, false)};
  std::vector<size_t> breaks;
  while (length > 0) {
    const unsigned part = 1 + below(length);
    length -= part;
    append(code, program(part, depth));
    breaks.push_back(code.size());
    code.push_back(flow(Opcode::break_, length > 0));
  }
  code.back().exec_size = 32, code.back().no_mask = true;
  for (const size_t n : breaks) lead(code[n], code.size() + 1 - n, 0);
  code.push_back(flow(Opcode::while_, false));
  lead(code.back(), size_t{0} - (code.size() - 2), 0);
  return code;
}

std::vector<Instruction> Generator::program(unsigned length, unsigned depth) {
  std::vector<Instruction> code;
  const bool flows = isa_.limits().mask_stacks && depth;
  while (length > 0) {
    const unsigned part = flows && chance(12) ? 1 + below(length) : 0;
    length -= part ? part : 1;
    if (part) append(code, chance(60) ? branches(part, depth - 1) : loop(part, depth - 1));
    else code.push_back(instruction());
  }
  return code;
}

}  // namespace softgen::eu::fuzz

// SPDX-License-Identifier: GPL-2.0-or-later
// Short ways to write instructions, run them on one thread, and see its messages.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "hw/eu/interp/run.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/iface/engine.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"
#if defined(EU_TEST_JIT)
#include "tests/ref/eu_jit_executor.h"
#endif

namespace softgen::eu::test {

/// A GRF operand <8;8,1>, or with the region given (vstride, width, hstride in elements).
inline Operand grf(unsigned reg, RegType type, unsigned element = 0, unsigned v = 8, unsigned w = 8, unsigned h = 1) {
  const auto stride = [](unsigned n) { return static_cast<uint8_t>(n ? std::countr_zero(n) + 1 : 0); };
  Operand o;
  o.file = RegFile::grf;
  o.type = type;
  o.reg = static_cast<uint8_t>(reg);
  o.subreg = static_cast<uint8_t>(element * size_of(type));
  o.vstride = stride(v);
  o.width = static_cast<uint8_t>(std::countr_zero(w));
  o.hstride = stride(h);
  return o;
}
inline Operand scalar(unsigned reg, RegType type, unsigned element = 0) { return grf(reg, type, element, 0, 1, 0); }
inline Operand arf(Arf kind, RegType type, unsigned number = 0, unsigned element = 0) {
  Operand o = scalar(static_cast<unsigned>(kind) + number, type, element);
  o.file = RegFile::arf;
  return o;
}
inline Operand null(RegType type = RegType::ud) { return arf(Arf::null, type); }
inline Operand imm(RegType type) {
  Operand o;
  o.file = RegFile::imm;
  o.type = type;
  return o;
}
inline Operand negated(Operand o) {
  o.negate = true;
  return o;
}
inline Operand absolute(Operand o) {
  o.abs = true;
  return o;
}
inline Operand dst_of(Operand o) {
  o.vstride = o.width = 0;
  if (!o.hstride) o.hstride = 1;
  return o;
}

inline Instruction op(Opcode opcode, unsigned exec, Operand dst, Operand a, Operand b = null(), Operand c = null()) {
  Instruction i;
  i.opcode = opcode;
  i.exec_size = static_cast<uint8_t>(exec);
  i.dst = dst_of(dst);
  i.src[0] = a;
  i.src[1] = b;
  i.src[2] = c;
  if (i.info()->form == Form::ternary) i.access_mode = AccessMode::align16;
  return i;
}
inline Instruction op_imm(Opcode opcode, unsigned exec, Operand dst, Operand a, RegType type, uint64_t value) {
  Instruction i = op(opcode, exec, dst, a, imm(type));
  i.imm = value;
  return i;
}
inline Instruction mov_imm(unsigned exec, Operand dst, RegType type, uint64_t value) {
  Instruction i = op(Opcode::mov, exec, dst, imm(type));
  i.imm = value;
  return i;
}
/// Distances are given in instructions, from this one.
inline Instruction branch(Opcode opcode, unsigned exec, int jip, int uip = 0) {
  Instruction i;
  i.opcode = opcode;
  i.exec_size = static_cast<uint8_t>(exec);
  i.src[0] = imm(RegType::d);
  i.src[1] = imm(RegType::ud);
  i.jip = jip * 16;
  i.uip = uip * 16;
  return i;
}
inline Instruction end(const Isa& isa = gen9_isa()) {
  const bool two_payloads = isa.encode({.opcode = Opcode::send2}).get(6, 0) != 0;
  Instruction i;
  i.opcode = two_payloads ? Opcode::send2 : Opcode::send;
  i.exec_size = 8;
  i.cond_mod = 7;
  i.no_mask = true;
  i.dst = dst_of(null(RegType::uw));
  i.src[0] = isa.limits().message_registers ? null() : grf(127, RegType::ud);
  i.src[1] = two_payloads ? null() : imm(RegType::ud);
  i.descriptor = 0x02000010;
  i.end_of_thread = true;
  return i;
}

inline std::vector<std::byte> assemble(const std::vector<Instruction>& code, const Isa& isa = gen9_isa()) {
  std::vector<std::byte> bytes(code.size() * 16);
  for (size_t n = 0; n < code.size(); n++) {
    const Native bits = isa.encode(code[n]);
    std::memcpy(&bytes[n * 16], bits.q, 16);
  }
  return bytes;
}

class FakeTarget : public MessageTarget {
 public:
  std::function<SendResult(const Message&, ThreadEnv&)> answer = [](const Message&, ThreadEnv&) { return SendResult::done; };
  SendResult send(const Message& message, ThreadEnv& env) override { return answer(message, env); }
};

/// The number of random programs, fewer than `n` when they are compiled.
constexpr unsigned rounds(unsigned n) {
#if defined(EU_TEST_JIT)
  return n / 10;
#else
  return n;
#endif
}

/// A thread with its environment.
class Machine {
 public:
  explicit Machine(const Isa& isa = gen9_isa()) : isa_(isa), memory_(1 << 20), view_(memory_, nullptr), env{view_, bases_, stop} {
    thread.clear_registers();
  }

  void load(std::vector<std::byte> bytes, uint32_t mask = 0xff, uint64_t start = 0, unsigned payload = grf_count) {
    program = Program::decode(isa_, bytes, start, fast_paths);
    ThreadStart how;
    how.payload = payload;
    how.program = program.get();
    how.dispatch_mask = mask;
    thread.start(how);
  }
  void load(std::vector<Instruction> code, uint32_t mask = 0xff) {
    code.push_back(end(isa_));
    load(assemble(code, isa_), mask);
  }
#if defined(EU_TEST_JIT)
  // Also for the compiler (test_eu_jit). A thread that was blocked continues in the interpreter.
  RunResult run() { return thread.index == 0 ? executor_(thread, env, target) : eu::interpret(thread, env, target); }
#else
  RunResult run() { return eu::run(thread, env, target); }
#endif

  template <typename T>
  T get(unsigned reg, unsigned element = 0) const {
    T value;
    std::memcpy(&value, thread.regs.bytes() + reg * 32 + element * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T>
  void set(unsigned reg, unsigned element, T value) {
    std::memcpy(thread.regs.bytes() + reg * 32 + element * sizeof(T), &value, sizeof(T));
  }

 private:
#if defined(EU_TEST_JIT)
  fuzz::JitExecutor executor_{jit::HostIsa::host};
#endif
  const Isa& isa_;
  memory::SparseMemory memory_;
  memory::View view_;
  ShaderBases bases_;

 public:
  StopFlag stop;
  ThreadEnv env;
  FakeTarget target;
  Thread thread;
  FastPaths* fast_paths = nullptr;  ///< of programs that are loaded from now on
  std::shared_ptr<const Program> program;
};

}  // namespace softgen::eu::test

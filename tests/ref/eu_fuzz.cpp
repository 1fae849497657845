// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/ref/eu_fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hw/base/hash.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/isa/print.h"
#include "hw/iface/engine.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"
#include "tests/ref/eu_generator.h"
#include "tests/ref/eu_reference.h"

namespace softgen::eu::fuzz {

namespace {

using reference::State;

bool has(const Isa& isa, Opcode opcode) { return isa.decode(isa.encode({.opcode = opcode})).opcode == opcode; }

Instruction end_of_thread(const Isa& isa) {
  Instruction i;
  i.opcode = has(isa, Opcode::send) ? Opcode::send : Opcode::send2;
  i.exec_size = 8;
  i.cond_mod = 7;
  i.no_mask = true;
  i.dst.hstride = 1;
  i.src[0] = {.file = RegFile::grf, .reg = 127};
  i.src[1].file = i.opcode == Opcode::send ? RegFile::imm : RegFile::arf;
  i.descriptor = 0x02000010;
  i.end_of_thread = true;
  return i;
}

class Machine {
 public:
  explicit Machine(const Isa& isa) : isa_(isa), memory_(1 << 16), view_(memory_, nullptr), env_{view_, bases_, stop_} {}

  /// The program of run(): `code` and the end of the thread.
  void load(std::vector<Instruction> code) {
    code.push_back(end_of_thread(isa_));
    std::vector<std::byte> bytes(code.size() * 16);
    for (size_t n = 0; n < code.size(); n++) {
      const Native bits = isa_.encode(code[n]);
      std::memcpy(&bytes[n * 16], bits.q, 16);
    }
    program_ = Program::decode(isa_, bytes);
  }

  State run(const State& before, const Executor& executor = eu::interpret) {
    ThreadStart how;
    how.program = program_.get();
    how.dispatch_mask = before.channels;
    thread_.start(how);
    std::memcpy(thread_.regs.grf, before.grf.data(), before.grf.size());
    std::memcpy(thread_.regs.acc, before.acc.data(), before.acc.size());
    std::memcpy(thread_.regs.address, before.address.data(), 32);
    thread_.regs.flag[0] = static_cast<uint32_t>(before.flags);
    thread_.regs.flag[1] = static_cast<uint32_t>(before.flags >> 32);
    thread_.regs.control[0] = before.cr0;
    std::memcpy(thread_.regs.native, before.native.data(), sizeof thread_.regs.native);
    thread_.macro_acc = before.macro;
    thread_.acc_wide = before.acc_wide;
    thread_.acc_size = static_cast<uint8_t>(before.acc_size);
    target_.sent = before.sent;
    executor(thread_, env_, target_);
    State after = before;
    after.sent = target_.sent;
    std::memcpy(after.grf.data(), thread_.regs.grf, after.grf.size());
    std::memcpy(after.acc.data(), thread_.regs.acc, after.acc.size());
    after.flags = thread_.regs.flag[0] | static_cast<uint64_t>(thread_.regs.flag[1]) << 32;
    std::memcpy(after.native.data(), thread_.regs.native, sizeof thread_.regs.native);
    after.macro = thread_.macro_acc;
    after.acc_wide = thread_.acc_wide;
    after.acc_size = thread_.acc_size;
    return after;
  }

  State run(const std::vector<Instruction>& code, const State& before) {
    load(code);
    return run(before);
  }
  /// Instructions that the interpreter executed in the last run.
  uint64_t executed() const { return thread_.instructions; }

 private:
  struct Target : MessageTarget {
    uint64_t sent = 0;
    SendResult send(const Message& message, ThreadEnv&) override {
      if (!message.end_of_thread) sent = hash64(std::as_bytes(message.payload), sent + message.exec_mask + message.op.descriptor);
      return SendResult::done;
    }
  };
  const Isa& isa_;
  memory::SparseMemory memory_;
  memory::View view_;
  ShaderBases bases_;
  StopFlag stop_;
  ThreadEnv env_;
  Target target_;
  Thread thread_;
  std::shared_ptr<const Program> program_;
};

/// The wide part of the accumulator only counts while it is in use.
bool same(State a, State b) {
  if (!a.acc_size) a.acc_wide.fill(0);
  if (!b.acc_size) b.acc_wide.fill(0);
  return a == b;
}

std::string explain(const State& expected, const State& found) {
  for (size_t n = 0; n < expected.grf.size(); n++)
    if (expected.grf[n] != found.grf[n]) {
      uint64_t e, f;
      std::memcpy(&e, &expected.grf[n & ~size_t{7}], 8);
      std::memcpy(&f, &found.grf[n & ~size_t{7}], 8);
      return fmt::format("g{} byte {}: expected {:016x}, found {:016x}", n / 32, n % 32 & ~7u, e, f);
    }
  if (expected.flags != found.flags) return fmt::format("flags: expected {:016x}, found {:016x}", expected.flags, found.flags);
  for (size_t n = 0; n < expected.acc.size(); n++)
    if (expected.acc[n] != found.acc[n]) return fmt::format("acc byte {}", n);
  if (expected.acc_size != found.acc_size) return fmt::format("acc size {} {}", expected.acc_size, found.acc_size);
  for (size_t n = 0; n < 64; n++)
    if (expected.acc_wide[n] != found.acc_wide[n])
      return fmt::format("acc channel {}: expected {:x}, found {:x}", n, expected.acc_wide[n], found.acc_wide[n]);
  for (size_t n = 0; n < expected.native.size(); n++)
    if (expected.native[n] != found.native[n])
      return fmt::format("NF channel {}: expected {:016x}, found {:016x}", n, expected.native[n], found.native[n]);
  if (expected.sent != found.sent) return "messages";
  return expected.macro != found.macro ? "special accumulators" : "other state";
}

/// The shortest piece of `code` that gives another result; empty: none, only together.
std::string shortest_piece(Machine& machine, const Isa& isa, const std::vector<Instruction>& code, const State& start,
                           const Executor& executor) {
  const auto part = [&](size_t first, size_t count) {
    const auto from = code.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<Instruction>(from, from + static_cast<std::ptrdiff_t>(count));
  };
  for (size_t first = code.size(); first-- > 0;) {
    const State at_start = first ? machine.run(part(0, first), start) : start;
    for (size_t count = 1; first + count <= code.size(); count++) {
      machine.load(part(first, count));
      const State expected = machine.run(at_start), found = machine.run(at_start, executor);
      if (same(expected, found)) continue;
      std::string text = fmt::format(": {} (cr0 {:x}, channels {:08x}, flags {:016x})", explain(expected, found), at_start.cr0,
                                     at_start.channels, at_start.flags);
      for (const Instruction& i : part(first, count)) text += "\n  " + print(isa, i);
      return text;
    }
  }
  return {};
}

}  // namespace

std::vector<Native> legal_instructions(const Isa& isa, uint64_t seed, size_t count) {
  Generator generator(isa, seed);
  std::vector<Native> code;
  while (code.size() < count) code.push_back(isa.encode(generator.instruction()));
  return code;
}

Outcome run(const Isa& isa, uint64_t seed, uint64_t instructions) {
  Outcome outcome;
  Machine machine(isa);
  while (outcome.instructions < instructions) {
    const uint64_t program_seed = seed * 1'000'000'007 + outcome.programs++;
    Generator generator(isa, program_seed);
    State start;
    generator.fill(start);
    std::vector<Instruction> code;
    for (unsigned n = 0; n < 16; n++) code.push_back(generator.instruction());
    State expected = start;
    const bool reads = std::any_of(code.begin(), code.end(), reads_accumulator);
    for (const Instruction& i : code)
      if (!reference::execute(expected, as_executed(isa, i, reads))) outcome.difference = fmt::format("reference lacks {}", print(isa, i));
    outcome.instructions += code.size(), outcome.executed += code.size();
    if (outcome.difference.empty() && same(expected, machine.run(code, start))) continue;
    // Which one?
    State state = start;
    for (size_t n = 0; n < code.size() && outcome.difference.empty(); n++) {
      State wanted = state;
      reference::execute(wanted, as_executed(isa, code[n], reads_accumulator(code[n])));
      const State found = machine.run({code[n]}, state);
      if (!same(wanted, found))
        outcome.difference =
            fmt::format("seed {} program {} instruction {}: {}\n  {} (cr0 {:x}, channels {:08x}, flags {:016x})", seed,
                        outcome.programs - 1, n, print(isa, code[n]), explain(wanted, found), state.cr0, state.channels, state.flags);
      state = wanted;
    }
    if (outcome.difference.empty()) outcome.difference = fmt::format("seed {} program {}: only together", seed, outcome.programs - 1);
    return outcome;
  }
  return outcome;
}

Outcome compare(const Isa& isa, uint64_t seed, uint64_t instructions, unsigned length, const Executor& executor, unsigned states) {
  Outcome outcome;
  Machine machine(isa);
  while (outcome.instructions < instructions) {
    const uint64_t number = outcome.programs++;
    Generator generator(isa, seed * 1'000'000'007 + number, true);
    State start;
    generator.fill(start);
    start.cr0 &= ~0x30u;
    if (outcome.programs % 4 == 0) start.cr0 |= cr0::alt_mode;
    if (isa.limits().mask_stacks && outcome.programs % 2) start.cr0 |= cr0::single_program_flow;
    const std::vector<Instruction> code = generator.program(length);
    outcome.instructions += code.size();
    machine.load(code);
    for (unsigned n = 0; n < states; n++) {
      if (n) start = generator.another(start);
      const State expected = machine.run(start);
      outcome.executed += machine.executed();
      if (same(expected, machine.run(start, executor))) continue;
      outcome.difference =
          fmt::format("seed {} program {} state {}", seed, number, n) + shortest_piece(machine, isa, code, start, executor);
      return outcome;
    }
  }
  return outcome;
}

}  // namespace softgen::eu::fuzz

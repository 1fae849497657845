// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/kernel_text.h"

#include <fmt/format.h>

#include <span>

#include "hw/eu/isa/print.h"

namespace softgen::debug {
namespace {

constexpr uint64_t page = 4096, largest_kernel = 1 << 20;

/// Code from `address` to the end of what is mapped, in growing steps until the kernel's end is in it.
std::vector<std::byte> read_code(const eu::Isa& isa, memory::View& view, uint64_t address) {
  std::vector<std::byte> code;
  for (uint64_t size = page; size <= largest_kernel; size *= 4) {
    uint64_t left = size - code.size();
    while (left) {
      const uint64_t at = address + code.size(), step = std::min(left, page - at % page);
      if (!memory::translate(view.space(), view.memory(), at).valid) return code;
      code.resize(code.size() + step);
      view.read(at, code.data() + code.size() - step, step);
      left -= step;
    }
    eu::KernelWalker walker(isa, code);
    while (walker.next()) {}
    if (walker.ended_properly()) return code;
  }
  return code;
}

bool is_send(const eu::Instruction& instruction) {
  return instruction.info() && (instruction.info()->form == eu::Form::send || instruction.info()->form == eu::Form::split_send);
}

}  // namespace

uint64_t written_render_targets(const eu::Isa& isa, memory::View& view, uint64_t address) {
  uint64_t targets = 0;
  const std::vector<std::byte> code = read_code(isa, view, address);
  eu::KernelWalker walker(isa, code);
  while (const auto line = walker.next()) {
    const eu::Instruction& instruction = line->instruction;
    if (!is_send(instruction) || instruction.descriptor_in_register) continue;
    const MessageOp op = isa.message(instruction.sfid(), instruction.descriptor);
    if (op.kind == MessageKind::render_target_write && !op.null_target && op.binding.index < 64) targets |= uint64_t{1} << op.binding.index;
  }
  return targets;
}

KernelText disassemble_kernel(const eu::Isa& isa, memory::View& view, uint64_t address) {
  KernelText text;
  const std::vector<std::byte> code = read_code(isa, view, address);
  const std::string whole = eu::disassemble(isa, code, {.base = address, .offsets = true});
  for (size_t at = 0; at < whole.size();) {
    const size_t end = std::min(whole.find('\n', at), whole.size());
    if (end > at) text.lines.push_back(whole.substr(at, end - at));
    at = end + 1;
  }
  eu::KernelWalker walker(isa, code);
  while (const auto line = walker.next()) {
    const eu::Instruction& instruction = line->instruction;
    const bool known_message =
        !is_send(instruction) || instruction.descriptor_in_register || isa.message_is_known(instruction.sfid(), instruction.descriptor);
    text.unknown += !isa.validate(instruction).empty() || !known_message;
  }
  if (!walker.ended_properly()) {
    text.lines.push_back("(no end of thread)");
    text.unknown++;
  }
  return text;
}

}  // namespace softgen::debug

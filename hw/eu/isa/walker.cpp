// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "hw/eu/isa/print.h"

namespace softgen::eu {

void KernelWalker::follow(const Line& line) {
  const Instruction& i = line.instruction;
  const OpcodeInfo* row = i.info();
  // Branch targets beyond the bytes read so far count too: a kernel is read page by page, and an EOT before such a target does not end it.
  constexpr int64_t furthest = 1 << 20;
  const auto reach = [&](int64_t from, int32_t distance) {
    const int64_t to = from + distance;
    if (to > 0 && to < furthest) furthest_ = std::max(furthest_, static_cast<uint32_t>(to));
  };
  switch (row->form) {
    case Form::branch:
      if (i.src[0].file == RegFile::grf) break;
      reach(line.offset, i.jip);
      if (row->has('u')) reach(line.offset, i.uip);
      break;
    case Form::jump:
      if (i.src[1].file == RegFile::imm) reach(line.offset + i.jump_base(), i.jip);
      break;
    case Form::call:
      if (i.opcode == Opcode::call && i.src[1].file == RegFile::imm) reach(line.offset, i.jip);
      break;
    case Form::basic:
      if (i.opcode == Opcode::add && i.dst.is_arf(Arf::ip) && i.src[0].is_arf(Arf::ip) && i.src[1].file == RegFile::imm)
        reach(line.offset, static_cast<int32_t>(i.imm));
      break;
    default: break;
  }
}

std::optional<Line> KernelWalker::next() {
  if (done_) return std::nullopt;
  const auto instruction = isa_.decode(code_.subspan(offset_));
  if (!instruction) {
    done_ = ran_out_ = true;
    return std::nullopt;
  }
  const Line line{offset_, *instruction};
  offset_ += instruction->size();
  if (!instruction->info()) {
    done_ = true;
    return line;
  }
  if (instruction->opcode == Opcode::illegal) {
    done_ = ++padding_ == max_padding;
    return line;
  }
  padding_ = 0;
  follow(line);
  // A subroutine ends in ret; code beyond it is reached by a branch or not at all.
  const bool leaves = instruction->end_of_thread || (instruction->opcode == Opcode::ret && !instruction->pred_control) ||
                      (instruction->opcode == Opcode::jmpi && !instruction->pred_control && instruction->src[1].file == RegFile::imm);
  if (leaves && offset_ > furthest_) done_ = proper_ = true;
  return line;
}

std::vector<Line> walk(const Isa& isa, std::span<const std::byte> code) {
  std::vector<Line> lines;
  KernelWalker walker(isa, code);
  while (auto line = walker.next()) lines.push_back(*line);
  return lines;
}

size_t kernel_size(const Isa& isa, std::span<const std::byte> code) {
  KernelWalker walker(isa, code);
  while (walker.next()) {}
  return walker.offset();
}

}  // namespace softgen::eu

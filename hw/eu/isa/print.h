// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as text in the style of Mesa's disassembler (brw_disasm.c), and the walk over a kernel of unknown length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

struct PrintOptions {
  uint64_t base = 0;     ///< address of the first byte, for `offsets`
  bool offsets = false;  ///< "0x00000010: " before each instruction
  bool hex = false;      ///< the instruction's bytes before its text
  bool labels = true;    ///< branch targets as LABELn; else as byte distances
  bool check = false;    ///< what validate() says, after the instruction
};

/// One instruction of a kernel.
struct Line {
  uint32_t offset;  ///< bytes from the kernel's start
  Instruction instruction;
};

/// Walks a kernel from its first byte to its end: the first EOT (or jump that does not come back, or end of `code`) that no earlier
/// branch jumps beyond. `code` may be longer than the kernel.
class KernelWalker {
 public:
  /// Kernels that drivers link of parts have illegal opcodes behind each part (iHD's composition kernels: 8); that many in a row end a kernel.
  static constexpr unsigned max_padding = 16;
  KernelWalker(const Isa& isa, std::span<const std::byte> code) : isa_(isa), code_(code) {}
  /// The same bytes and more: the walk continues where the bytes ended.
  void extend(std::span<const std::byte> code) {
    code_ = code;
    if (ran_out_) done_ = ran_out_ = false;
  }
  /// The next instruction; empty at the end.
  std::optional<Line> next();
  uint32_t offset() const { return offset_; }
  /// False when the walk ended because `code` did, or at illegal opcodes.
  bool ended_properly() const { return proper_; }

 private:
  void follow(const Line& line);

  const Isa& isa_;
  std::span<const std::byte> code_;
  uint32_t offset_ = 0;
  uint32_t furthest_ = 0;  ///< the furthest byte that an earlier branch jumps to
  unsigned padding_ = 0;   ///< illegal opcodes in a row
  bool done_ = false, proper_ = false, ran_out_ = false;
};

/// All instructions of the kernel at the start of `code`.
std::vector<Line> walk(const Isa& isa, std::span<const std::byte> code);
/// Bytes of the kernel at the start of `code`.
size_t kernel_size(const Isa& isa, std::span<const std::byte> code);

/// `offset` and `labels` (sorted offsets of branch targets) give branches their label names. May be two lines (sends). No newline at the end.
std::string print(const Isa& isa, const Instruction& instruction, uint32_t offset = 0, std::span<const uint32_t> labels = {});
/// One line or two an instruction, each ending in a newline.
std::string disassemble(const Isa& isa, std::span<const std::byte> code, const PrintOptions& options = {});

}  // namespace softgen::eu

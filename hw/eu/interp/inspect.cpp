// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "hw/eu/isa/print.h"
#include "hw/eu/program/thread.h"

namespace softgen::eu {
namespace {

constexpr size_t lines_before = 6, lines_after = 10;

std::string code_around(const Program& program, uint32_t offset) {
  const auto lines = program.lines();
  const auto here = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.offset == offset; });
  const size_t at = static_cast<size_t>(here - lines.begin());
  std::string text;
  for (size_t i = at > lines_before ? at - lines_before : 0; i < std::min(lines.size(), at + lines_after); ++i)
    text += fmt::format("  {} 0x{:05x}: {}\n", i == at ? "->" : "  ", lines[i].offset,
                        print(program.isa(), lines[i].instruction, lines[i].offset));
  return text;
}

std::string registers_of(const Thread& thread) {
  const Registers& regs = thread.regs;
  std::string text =
      fmt::format("  f0 {:08x}  f1 {:08x}  sr0.2 {:08x}  cr0 {:08x}  a0", regs.flag[0], regs.flag[1], regs.state[2], regs.control[0]);
  for (unsigned i = 0; i < 8; ++i) text += fmt::format(" {:04x}", regs.address[i]);
  text += '\n';
  for (unsigned r = 0; r < grf_count; ++r) {
    const auto& dw = regs.grf[r].dw;
    if (std::all_of(std::begin(dw), std::end(dw), [](uint32_t v) { return v == 0; })) continue;
    text += fmt::format("  r{:<3}", r);
    for (uint32_t value : dw) text += fmt::format(" {:08x}", value);
    text += '\n';
  }
  return text;
}

}  // namespace

Inspector& Inspector::get() {
  static Inspector& instance = *new Inspector;
  return instance;
}

std::vector<std::string> Inspector::look(std::chrono::milliseconds patience, size_t enough) {
  MutexLock one(callers_);
  MutexLock lock(mutex_);
  found_.clear();
  enough_ = enough;
  if (++looks_ == 0) ++looks_;
  wanted_.store(looks_, std::memory_order_relaxed);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (found_.size() < enough_ && seen_.wait_until(mutex_, until)) {}
  wanted_.store(0, std::memory_order_relaxed);
  return std::move(found_);
}

void Inspector::describe(const Thread& thread, uint32_t offset) {
  thread_local uint32_t last_look = 0;
  const uint32_t wanted = wanted_.load(std::memory_order_relaxed);
  if (!wanted || last_look == wanted) return;
  last_look = wanted;
  const Program& program = *thread.program();
  std::string text = fmt::format(
      "EU thread in the kernel at instruction base + 0x{:x}, byte 0x{:x}; {} instructions so far; "
      "channels running {:08x} of {:08x}\n",
      program.start(), offset, thread.instructions, thread.active, thread.dispatched);
  text += code_around(program, offset) + registers_of(thread);
  MutexLock lock(mutex_);
  if (found_.size() < enough_) found_.push_back(std::move(text));
  seen_.notify_all();
}

}  // namespace softgen::eu

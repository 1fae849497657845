// SPDX-License-Identifier: GPL-2.0-or-later
// A stage's kernel, bound to a draw: decoded program, push constants, scratch, and how its threads start.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "hw/eu/interp/program.h"
#include "hw/eu/interp/thread.h"
#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/render/state.h"

namespace softgen::render {

struct Kernel {
  std::shared_ptr<const eu::Program> program;
  ShaderBases bases;
  std::vector<Grf> constants;      ///< the push constants, ready to be copied
  uint32_t grf_start = 0;          ///< first register of constants (and, behind them, of URB data)
  uint64_t scratch_base = 0;
  uint32_t scratch_size = 0;       ///< bytes a thread
  eu::ThreadStart start;

  explicit operator bool() const { return program != nullptr; }
};

/// Per thread scratch space of 1 KiB << field, when the pointer is set (SKL PRM vol 2a, "Per-Thread Scratch Space").
constexpr uint32_t scratch_bytes(uint32_t field) { return 1024u << std::min(field, 11u); }

class KernelLoader {
 public:
  /// The program at `offset` from Instruction Base Address.
  std::shared_ptr<const eu::Program> load(memory::View& view, const ShaderBases& bases, uint64_t offset);
  static std::vector<Grf> read_constants(memory::View& view, const PushConstants& push);

 private:
  eu::ProgramCache cache_;
  std::vector<std::byte> buffer_;
  std::unordered_map<uint64_t, size_t> sizes_;  ///< of the kernels last found, by address
};

}  // namespace softgen::render

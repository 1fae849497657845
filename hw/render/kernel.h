// SPDX-License-Identifier: GPL-2.0-or-later
// A stage's kernel for a draw: decoded program, push constants, scratch, and the initial state of its threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hw/eu/program/loader.h"
#include "hw/eu/program/thread.h"
#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/render/draw_state.h"

namespace softgen::render {

struct Kernel {
  Kernel() = default;
  /// Sets all but program and constants.
  explicit Kernel(const ThreadState& state);

  std::shared_ptr<const eu::Program> program;
  ShaderBases bases;
  std::vector<Grf> constants;  ///< the push constants
  uint32_t grf_start = 0;      ///< first register of constants (and, after them, of URB data)
  uint64_t scratch_base = 0;
  uint32_t scratch_size = 0;  ///< bytes per thread
  eu::ThreadStart start;

  explicit operator bool() const { return program != nullptr; }
};

using eu::scratch_bytes;

class KernelLoader : public eu::Loader {
 public:
  using Loader::Loader;
  static std::vector<Grf> read_constants(memory::View& view, const PushConstants& push);
};

}  // namespace softgen::render

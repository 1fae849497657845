// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/kernel.h"

namespace softgen::render {

Kernel::Kernel(const ThreadState& state) : grf_start(state.grf_start), scratch_base(state.scratch_base), scratch_size(state.scratch_bytes) {
  start.alt_mode = state.alternate_float;
  start.run_vector_mask = state.vector_mask;
}

std::vector<Grf> KernelLoader::read_constants(memory::View& view, const PushConstants& push) {
  std::vector<Grf> result(push.registers);
  size_t at = 0;
  for (const PushConstants::Range& range : push.ranges) {
    if (range.registers == 0) continue;
    view.read(range.address, &result[at], size_t{range.registers} * sizeof(Grf));
    at += range.registers;
  }
  return result;
}

}  // namespace softgen::render

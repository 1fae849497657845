// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/kernel.h"

namespace softgen::render {

std::shared_ptr<const eu::Program> KernelLoader::load(memory::View& view, const ShaderBases& bases, uint64_t offset) {
  const uint64_t address = strip_canonical(bases.instruction + offset);
  // The length is known only once it is decoded: read more until the end lies inside of what was read.
  for (size_t size = 4096;; size *= 4) {
    size = std::min(size, eu::Program::max_bytes);
    buffer_.resize(size);
    view.read(address, buffer_.data(), size);
    auto program = cache_.find(buffer_, offset);
    if (program->complete() || size == eu::Program::max_bytes) return program;
  }
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

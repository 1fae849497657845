// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/kernel.h"

#include <algorithm>

namespace softgen::render {
namespace {

constexpr uint64_t page = 4096;
constexpr size_t max_known_sizes = 4096;

}  // namespace

std::shared_ptr<const eu::Program> KernelLoader::load(memory::View& view, const ShaderBases& bases, uint64_t offset) {
  const uint64_t address = strip_canonical(bases.instruction + offset);
  // The length is known only once it is decoded: read as far as last time, else page by page, so that nothing behind the kernel is touched.
  if (sizes_.size() > max_known_sizes) sizes_.clear();
  size_t& known = sizes_[address];
  for (size_t size = known ? known : page - address % page;; size += page - (address + size) % page) {
    size = std::min(size, eu::Program::max_bytes);
    buffer_.resize(size);
    view.read(address, buffer_.data(), size);
    auto program = cache_.find(buffer_, offset);
    if (!program->complete() && size < eu::Program::max_bytes) continue;
    known = std::max<size_t>(program->bytes().size(), 16);
    return program;
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

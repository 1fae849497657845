// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/program/loader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/base/bits.h"

namespace softgen::eu {

void put_scratch(Grf& r0, uint64_t base, uint32_t size, uint32_t fftid) {
  const auto space = static_cast<uint32_t>(base + uint64_t{fftid} * size) & ~0x3ffu;
  const uint32_t code = size ? static_cast<uint32_t>(std::bit_width(size / 1024)) - 1 : 0;
  r0.dw[3] = (r0.dw[3] & ~0xfu) | (code & 0xf);
  r0.dw[5] = (size ? space : 0) | (fftid & 0x3ff);
}

namespace {

/// Whether memory still has the program there.
bool stands_at(memory::View& view, uint64_t address, const Program& program) {
  for (auto rest = program.bytes(); !rest.empty();) {
    uint64_t left;
    const std::byte* const at = view.at(address, left);
    const size_t part = std::min<uint64_t>(left, rest.size());
    if (std::memcmp(at, rest.data(), part) != 0) return false;
    rest = rest.subspan(part);
    address += part;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Program> Loader::load(memory::View& view, const ShaderBases& bases, uint64_t offset, const StopFlag& stop) {
  const uint64_t address = strip_canonical(bases.instruction + offset);
  // The length is known only once the kernel's end is found: read as far as last time, else page by page, so that nothing after it is touched.
  constexpr uint64_t page = 4096;
  constexpr size_t max_known = 4096;
  MutexLock lock(mutex_);
  if (last_.size() > max_known) last_.clear();
  auto& known = last_[address];
  auto last = known.lock();
  if (last && last->start() == offset && last->complete() && stands_at(view, address, *last)) {
    last->note_use();
    return last;
  }
  const uint32_t instruction = isa_.limits().native_bytes;
  KernelWalker walker(isa_, {});
  size_t size = 0;
  bool complete = false;
  while (!complete && size < Program::max_bytes) {
    const size_t read = size;
    size += size || !last ? page - (address + size) % page : std::max<size_t>(last->bytes().size(), instruction);
    size = std::min(size, Program::max_bytes);
    buffer_.resize(size);
    view.read(address + read, buffer_.data() + read, size - read);
    walker.extend(buffer_);
    while (walker.next()) {}
    complete = walker.ended_properly() || walker.offset() + instruction <= size;
  }
  auto program = cache_.find(isa_, buffer_, offset, &stop);
  if (!program) return Program::decode(isa_, {}, offset);
  known = program;
  return program;
}

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
// Page walker and views: the fuzzer fills guest RAM (with tables that are cyclic, contain themselves or point outside), and a list of
// accesses runs over it. ASan guards the RAM's ends; a copy shows what a write may change.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/log.h"
#include "hw/memory/aperture.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/page_directory.h"
#include "hw/memory/view.h"
#include "tests/fuzz/input.h"
#include "tests/quiet_log.h"

using namespace softgen;
using fuzz::Input;
using namespace softgen::memory;

namespace {

constexpr size_t ram_pages = 16, ram_size = ram_pages * 4096;

void expect(bool truth) {
  if (!truth) std::abort();
}

/// Tables that a space may have besides those in RAM.
struct Own {
  const Ggtt& ggtt;
  TlbGeneration& generation;
  const Ggtt& small_ggtt;  ///< of four bytes per entry
  PageDirectory& directory;
};

AddressSpace choose_space(Input& in, const Own& own) {
  const TlbGeneration& generation = own.generation;
  const uint8_t kind = in.take<uint8_t>();
  const uint64_t root = (in.take<uint8_t>() % (ram_pages + 1)) * 4096;
  if (kind % 5 == 0) return AddressSpace::ggtt(own.ggtt);
  if (kind % 5 == 1) return AddressSpace::ppgtt48(root, generation);
  if (kind % 5 == 2) return AddressSpace::flat(root, uint64_t{1} << (in.take<uint8_t>() % 20), generation);
  if (kind % 5 == 3) {
    own.directory.load(own.small_ggtt, in.take<uint32_t>() & 0x7fff, in.take<uint32_t>());
    own.generation.bump();
    return AddressSpace::two_level(own.directory, generation);
  }
  return AddressSpace::ppgtt32({root, root + 4096, 0, ~uint64_t{0}}, generation);
}

// Entries that mostly point into RAM: the low bits select flags, the page number is small.
void seed_tables(Input& in, std::span<uint64_t> ram) {
  const unsigned count = in.take<uint8_t>();
  for (unsigned i = 0; i < count && !in.empty(); ++i) {
    const uint16_t where = in.take<uint16_t>(), entry = in.take<uint16_t>();
    const uint64_t flags = (entry & 3) | (entry & 4 ? 1u << 7 : 0) | (entry & 8 ? 1u << 11 : 0);
    ram[where % ram.size()] = flags | uint64_t{bits<uint32_t>(entry, 15, 4) % (ram_pages + 2)} << 12;
  }
}

void access(Input& in, View& view, std::vector<std::byte>& buffer) {
  const uint8_t op = in.take<uint8_t>();
  uint64_t va = in.take<uint64_t>();
  if (op & 0x80) va &= 0x3f'ffff;
  if (op & 0x40) va |= 0x3f'f000 & (va >> 20);
  switch (op & 7) {
    case 0: view.load<uint64_t>(va); break;
    case 1: view.store<uint64_t>(va, va); break;
    case 2: view.read(va, buffer.data(), in.take<uint16_t>() % buffer.size()); break;
    case 3: view.write(va, buffer.data(), in.take<uint16_t>() % buffer.size()); break;
    case 4: view.fill(va, op, in.take<uint16_t>()); break;
    case 5: view.atomic<uint32_t>(static_cast<AtomicOp>(op >> 3 & 15), va, op, 3); break;
    case 6: view.atomic<uint64_t>(AtomicOp::umax, va, va); break;
    case 7: view.invalidate(); break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quiet_log();
  Input in({data, size});
  std::unique_ptr<std::byte, decltype(&std::free)> ram(static_cast<std::byte*>(std::aligned_alloc(4096, ram_size)), &std::free);
  std::memset(ram.get(), 0, ram_size);
  FlatMemory memory;
  // The last page is not there, the one before is read-only.
  memory.add(0, ram_size - 8192, ram.get(), false);
  memory.add(ram_size - 8192, 4096, ram.get() + ram_size - 8192, true);
  memory.commit();
  seed_tables(in, {reinterpret_cast<uint64_t*>(ram.get()), ram_size / 8});
  const std::vector<std::byte> guarded(ram.get() + ram_size - 8192, ram.get() + ram_size);

  static Ggtt ggtt;
  for (unsigned i = 0; i < 8; ++i) ggtt.set_pte(i, uint64_t{in.take<uint16_t>()} << 11 | 1);
  // A directory of small tables, which lie in RAM, too; its end is that of the global table.
  static Ggtt small_ggtt(defs::gen5_ggtt_pages);
  for (const uint64_t line : {uint64_t{0}, small_ggtt.entries() - 16})
    for (unsigned i = 0; i < 16; ++i) {
      const uint16_t entry = in.take<uint16_t>();
      small_ggtt.set_pte(line + i, (entry & 0xf3u) | (entry >> 8) % (ram_pages + 2) << 12);
    }
  PageDirectory directory;
  TlbGeneration generation;
  FaultRegisters faults;
  View view(memory, &faults);
  Aperture aperture(ggtt, memory, &faults);
  std::vector<std::byte> buffer(9000);
  for (unsigned i = 0; i < 2000 && !in.empty(); ++i) {
    const uint8_t what = in.take<uint8_t>();
    if (what < 32) {
      view.set_space(choose_space(in, {ggtt, generation, small_ggtt, directory}));
    } else if (what < 48) {
      aperture.set_fence(what % Aperture::fence_count, in.take<uint64_t>());
      aperture.write(in.take<uint32_t>() & 0x7fff, what, 1u << what % 4);
    } else if (what < 56) {
      const uint64_t va = in.take<uint64_t>();
      const Translation t = translate(view.space(), memory, va);
      expect(!t.valid || (t.gpa < uint64_t{1} << 40 && (t.gpa ^ va) % 4096 == 0 && t.page_size >= 4096));
    } else {
      access(in, view, buffer);
    }
  }
  expect(std::memcmp(guarded.data(), ram.get() + ram_size - 8192, 8192) == 0);
  return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/address_space.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/memory/ggtt.h"

namespace softgen::memory {
namespace {

constexpr uint64_t present = 1, read_write = 2;
constexpr unsigned page_2m_bit = 7, page_64k_bit = 11;
constexpr uint64_t address_mask = 0x7f'ffff'f000;  // [38:12]: the chip's physical address space is 39 bits wide

// An entry of a table in guest memory; 0 (not present) where there is no RAM.
uint64_t table_entry(HostMemory& memory, uint64_t table, uint64_t index) {
  const HostSpan span = memory.resolve((table & address_mask) + index * 8, Access::read);
  if (!span.data || span.size < 8) return 0;
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(span.data), __ATOMIC_RELAXED);
}

Translation failed(FaultType type) { return {.fault = type}; }

Translation page(uint64_t entry, uint64_t va, uint64_t size, bool writable) {
  const uint64_t base = entry & address_mask & ~(size - 1);
  return {.valid = true, .writable = writable, .gpa = base | (va & (size - 1)), .page_size = size};
}

// Of the pages that entry `index` of a page table and the following ones name.
uint64_t run_of(HostMemory& memory, uint64_t table, uint64_t index, uint64_t pte, uint64_t most) {
  constexpr uint64_t entries = 512;
  const HostSpan span = memory.resolve((table & address_mask) + index * 8, Access::read);
  const uint64_t there = std::min({span.size / 8, entries - index, most / 0x1000});
  uint64_t n = 1;
  for (; n < there; ++n) {
    const uint64_t next = __atomic_load_n(reinterpret_cast<const uint64_t*>(span.data) + n, __ATOMIC_RELAXED);
    if ((next ^ (pte + n * 0x1000)) & (address_mask | present | read_write)) break;
  }
  return n * 0x1000;
}

// The two lower levels, common to both forms of PPGTT.
Translation walk_directory(HostMemory& memory, uint64_t directory, uint64_t va, bool writable, uint64_t most) {
  const uint64_t pde = table_entry(memory, directory, bits(va, 29, 21));
  if (!(pde & present)) return failed(FaultType::invalid_pde);
  writable = writable && (pde & read_write);
  const auto large_page = [&](uint64_t entry, uint64_t size, bool write) {
    Translation t = page(entry, va, size, write);
    t.run = std::min(most, size - (va & (size - 1)));
    return t;
  };
  if (bit(pde, page_2m_bit)) return large_page(pde, 0x20'0000, writable);
  const bool large = bit(pde, page_64k_bit);
  const uint64_t index = bits(va, 20, 12);
  const uint64_t pte = table_entry(memory, pde, large ? index & ~uint64_t{15} : index);
  if (!(pte & present)) return failed(FaultType::invalid_pte);
  writable = writable && (pte & read_write);
  if (large) return large_page(pte, 0x1'0000, writable);
  Translation t = page(pte, va, 0x1000, writable);
  if (most) t.run = run_of(memory, pde, index, pte, most);
  return t;
}

Translation walk_ggtt(const Ggtt& table, uint64_t va, uint64_t most) {
  if (va >> 32) return failed(FaultType::invalid_pte);
  const uint64_t pte = table.pte(va >> 12);
  if (!(pte & present)) return failed(FaultType::invalid_pte);
  Translation t = page(pte, va, 0x1000, true);
  t.run = std::min<uint64_t>(most, 0x1000);
  return t;
}

Translation walk_ppgtt48(HostMemory& memory, uint64_t pml4, uint64_t va, uint64_t most) {
  const uint64_t pml4e = table_entry(memory, pml4, bits(va, 47, 39));
  if (!(pml4e & present)) return failed(FaultType::invalid_pml4e);
  const uint64_t pdpe = table_entry(memory, pml4e, bits(va, 38, 30));
  if (!(pdpe & present)) return failed(FaultType::invalid_pdpe);
  return walk_directory(memory, pdpe, va, pml4e & pdpe & read_write, most);
}

}  // namespace

AddressSpace AddressSpace::ggtt(const Ggtt& table) { return {.kind = Kind::ggtt, .table = &table, .generation = &table.generation()}; }

AddressSpace AddressSpace::ppgtt32(const std::array<uint64_t, 4>& pdps, const TlbGeneration& generation) {
  return {.kind = Kind::ppgtt32, .generation = &generation.value(), .roots = pdps};
}

AddressSpace AddressSpace::ppgtt48(uint64_t pml4, const TlbGeneration& generation) {
  return {.kind = Kind::ppgtt48, .generation = &generation.value(), .roots = {pml4}};
}

Translation translate(const AddressSpace& space, HostMemory& memory, uint64_t va, uint64_t most) {
  va = strip_canonical(va);
  switch (space.kind) {
    case AddressSpace::Kind::ggtt: return walk_ggtt(*space.table, va, most);
    case AddressSpace::Kind::ppgtt48: return walk_ppgtt48(memory, space.roots[0], va, most);
    case AddressSpace::Kind::ppgtt32:
      if (va >> 32) return failed(FaultType::invalid_pdpe);
      return walk_directory(memory, space.roots[va >> 30], va, true, most);
    case AddressSpace::Kind::none: break;
  }
  return failed(FaultType::invalid_pml4e);
}

}  // namespace softgen::memory

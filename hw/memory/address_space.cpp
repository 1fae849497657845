// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/address_space.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/page_directory.h"

namespace softgen::memory {
namespace {

using defs::PageFormat;

/// The tables of one format in guest memory.
class Tables {
 public:
  Tables(HostMemory& memory, const PageFormat& format) : memory_(memory), format_(format) {}

  Translation walk48(uint64_t pml4, uint64_t va, uint64_t max_bytes) const;
  /// The two lower levels, common to both forms of PPGTT.
  Translation walk_directory(uint64_t directory, uint64_t va, bool writable, uint64_t max_bytes) const;

 private:
  /// 0 (not present) where there is no RAM.
  uint64_t entry(uint64_t table, uint64_t index) const;
  bool present(uint64_t entry) const { return entry & format_.present; }
  bool writable(uint64_t entry) const { return entry & format_.writable; }
  /// Of the pages that entry `index` of a page table and those behind it name.
  uint64_t run_of(uint64_t table, uint64_t index, uint64_t pte, uint64_t max_bytes) const;

  HostMemory& memory_;
  const PageFormat& format_;
};

Translation failed(FaultType type) { return {.fault = type}; }

Translation page(const PageFormat& format, uint64_t entry, uint64_t va, uint64_t size, bool writable) {
  const uint64_t base = entry & format.address & ~(size - 1);
  return {.valid = true, .writable = writable, .gpa = base | (va & (size - 1)), .page_size = size};
}

/// 0 (not present) where there is no RAM.
template <typename T>
T entry_at(HostMemory& memory, uint64_t at) {
  const HostSpan span = memory.resolve(at, Access::read);
  if (!span.data || span.size < sizeof(T)) return 0;
  return __atomic_load_n(reinterpret_cast<const T*>(span.data), __ATOMIC_RELAXED);
}

uint64_t Tables::entry(uint64_t table, uint64_t index) const {
  return entry_at<uint64_t>(memory_, (table & format_.address) + index * sizeof(uint64_t));
}

uint64_t Tables::run_of(uint64_t table, uint64_t index, uint64_t pte, uint64_t max_bytes) const {
  constexpr uint64_t entries = 512;
  const HostSpan span = memory_.resolve((table & format_.address) + index * 8, Access::read);
  const uint64_t there = std::min({span.size / 8, entries - index, max_bytes / 0x1000});
  uint64_t n = 1;
  for (; n < there; ++n) {
    const uint64_t next = __atomic_load_n(reinterpret_cast<const uint64_t*>(span.data) + n, __ATOMIC_RELAXED);
    if ((next ^ (pte + n * 0x1000)) & (format_.address | format_.present | format_.writable)) break;
  }
  return n * 0x1000;
}

Translation Tables::walk_directory(uint64_t directory, uint64_t va, bool allowed, uint64_t max_bytes) const {
  const uint64_t pde = entry(directory, bits(va, 29, 21));
  if (!present(pde)) return failed(FaultType::invalid_pde);
  allowed = allowed && writable(pde);
  const auto large_page = [&](uint64_t entry, uint64_t size) {
    Translation t = page(format_, entry, va, size, allowed);
    t.run = std::min(max_bytes, size - (va & (size - 1)));
    return t;
  };
  if (pde & format_.page_2m) return large_page(pde, 0x20'0000);
  const bool large = pde & format_.page_64k;
  const uint64_t index = bits(va, 20, 12);
  const uint64_t pte = entry(pde, large ? index & ~uint64_t{15} : index);
  if (!present(pte)) return failed(FaultType::invalid_pte);
  allowed = allowed && writable(pte);
  if (large) return large_page(pte, 0x1'0000);
  Translation t = page(format_, pte, va, 0x1000, allowed);
  if (max_bytes) t.run = run_of(pde, index, pte, max_bytes);
  return t;
}

Translation Tables::walk48(uint64_t pml4, uint64_t va, uint64_t max_bytes) const {
  const uint64_t pml4e = entry(pml4, bits(va, 47, 39));
  if (!present(pml4e)) return failed(FaultType::invalid_pml4e);
  const uint64_t pdpe = entry(pml4e, bits(va, 38, 30));
  if (!present(pdpe)) return failed(FaultType::invalid_pdpe);
  return walk_directory(pdpe, va, writable(pml4e) && writable(pdpe), max_bytes);
}

/// A page of 4 KiB, by its entry.
Translation small_page(const PageFormat& format, uint64_t pte, uint64_t va, uint64_t max_bytes) {
  if (!(pte & format.present)) return failed(FaultType::invalid_pte);
  Translation t = page(format, pte, va, 0x1000, true);
  t.run = std::min<uint64_t>(max_bytes, 0x1000);
  return t;
}

Translation walk_ggtt(const Ggtt& table, uint64_t va, uint64_t max_bytes) {
  if (va >> 12 >= table.entries()) return failed(FaultType::invalid_pte);
  const PageFormat& format = table.format();
  return small_page(format, table.pte(va >> 12), va, max_bytes);
}

/// Through the tables of tiled resources; these and the tile by the page tables.
Translation walk_tiled(const AddressSpace& space, HostMemory& memory, uint64_t va, uint64_t max_bytes) {
  const Tables pages(memory, *space.format);
  const Tile tile = find_tile(space.tiled, va, [&](uint64_t at, size_t bytes) {
    const Translation t = pages.walk48(space.roots[0], at, 0);
    const HostSpan span = t.valid ? memory.resolve(t.gpa, Access::read) : HostSpan{};
    uint64_t entry = 0;
    if (span.data && span.size >= bytes) std::memcpy(&entry, span.data, bytes);
    return entry;
  });
  if (tile.state == TileState::null) return {.null = true};
  if (tile.state == TileState::invalid) return failed(FaultType::invalid_pte);
  constexpr uint64_t tile_bytes = uint64_t{1} << defs::TiledResourceTables::tile_shift;
  return pages.walk48(space.roots[0], tile.address, std::min(max_bytes, tile_bytes - va % tile_bytes));
}

// -- Ironlake's per-process tables ------------------------------------------------------------------------------------------------

uint32_t small_entry(HostMemory& memory, uint64_t table, uint64_t index) {
  return entry_at<uint32_t>(memory, table + index * sizeof(uint32_t));
}

Translation walk_flat(const AddressSpace& space, HostMemory& memory, uint64_t va, uint64_t max_bytes) {
  const PageFormat& format = *space.format;
  if (va >> 12 >= space.roots[1]) return failed(FaultType::invalid_pte);
  return small_page(format, format.entry_of(small_entry(memory, space.roots[0], va >> 12)), va, max_bytes);
}

/// Of a page of 32 KiB the first of its eight entries counts (chosen: as it is with 64 KiB on later generations).
Translation walk_two_level(const PageDirectory& directory, HostMemory& memory, uint64_t va, uint64_t max_bytes) {
  using Format = defs::TwoLevelPages;
  if (va >> 32 || !directory.has_set_of(static_cast<uint32_t>(va >> 22))) return failed(FaultType::invalid_pdpe);
  const uint32_t pde = directory.entry(static_cast<uint32_t>(va >> 22));
  if (!(pde & Format::present)) return failed(FaultType::invalid_pde);
  const uint64_t size = pde & Format::big ? Format::big_bytes : 0x1000;
  const uint32_t pte = small_entry(memory, Format::table_of(pde), align_down(bits(va, 21, 12), size / 0x1000));
  if (!(pte & Format::present)) return failed(FaultType::invalid_pte);
  const uint64_t offset = va & (size - 1);
  return {.valid = true,
          .writable = true,
          .gpa = align_down(Format::page_of(pte), size) | offset,
          .page_size = size,
          .run = std::min(max_bytes, size - offset)};
}

}  // namespace

AddressSpace AddressSpace::flat(uint64_t base, uint64_t entries, const TlbGeneration& generation) {
  return {.kind = Kind::flat, .format = &defs::gen5_ggtt_pages, .generation = &generation.value(), .roots = {base, entries}};
}

AddressSpace AddressSpace::two_level(const PageDirectory& directory, const TlbGeneration& generation) {
  return {.kind = Kind::directory, .generation = &generation.value(), .directory = &directory};
}

AddressSpace AddressSpace::ggtt(const Ggtt& table) {
  return {.kind = Kind::ggtt, .format = &table.format(), .table = &table, .generation = &table.generation()};
}

AddressSpace AddressSpace::ppgtt32(const std::array<uint64_t, 4>& pdps, const TlbGeneration& generation, const PageFormat& format) {
  return {.kind = Kind::ppgtt32, .format = &format, .generation = &generation.value(), .roots = pdps};
}

AddressSpace AddressSpace::ppgtt48(uint64_t pml4, const TlbGeneration& generation, const PageFormat& format) {
  return {.kind = Kind::ppgtt48, .format = &format, .generation = &generation.value(), .roots = {pml4}};
}

Translation translate(const AddressSpace& space, HostMemory& memory, uint64_t va, uint64_t max_bytes) {
  va = strip_canonical(va);
  switch (space.kind) {
    case AddressSpace::Kind::ggtt: return walk_ggtt(*space.table, va, max_bytes);
    case AddressSpace::Kind::ppgtt48:
      if (space.tiled.covers(va)) [[unlikely]]
        return walk_tiled(space, memory, va, max_bytes);
      return Tables(memory, *space.format).walk48(space.roots[0], va, max_bytes);
    case AddressSpace::Kind::ppgtt32:
      if (va >> 32) return failed(FaultType::invalid_pdpe);
      return Tables(memory, *space.format).walk_directory(space.roots[va >> 30], va, true, max_bytes);
    case AddressSpace::Kind::flat: return walk_flat(space, memory, va, max_bytes);
    case AddressSpace::Kind::directory: return walk_two_level(*space.directory, memory, va, max_bytes);
    case AddressSpace::Kind::none: break;
  }
  return failed(FaultType::invalid_pml4e);
}

}  // namespace softgen::memory

// SPDX-License-Identifier: GPL-2.0-or-later
// Graphics address spaces and the walk through their tables (SKL PRM vol 5, "Per-Process GTT", "Page Walk";
// i915 gt/gen8_ppgtt.c).
//   GGTT         32 bits, one table in the chip
//   PPGTT, 32b   4 page directory pointers in the context, then PD, PT ("legacy 32b")
//   PPGTT, 48b   PML4, PDP, PD, PT of 512 entries of 8 bytes each
//   flat         Ironlake: one table of up to 1 MiB in memory (ILK PRM vol 1 part 2, 1.2.2)
//   directory    Ironlake: a directory in the chip, tables of 1024 entries of 4 bytes in memory (1.3)
// Pages of 4K; of 64K where the PDE says so (then only each 16th PTE counts); of 2M where the PDE says so (later chips). What stands where in an
// entry is the platform's defs::PageFormat.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "hw/defs/page_format.h"
#include "hw/iface/host_memory.h"
#include "hw/memory/fault.h"
#include "hw/memory/tiled_resources.h"

namespace softgen::memory {

class Ggtt;
class PageDirectory;

/// What TLBs of PPGTTs watch: bump it when cached translations must go (TLB invalidate registers,
/// PIPE_CONTROL / MI_FLUSH_DW with TLB invalidate, context switch). One an engine or one a device, as the
/// owner likes.
class TlbGeneration {
 public:
  void bump() { value_.fetch_add(1, std::memory_order_acq_rel); }
  const std::atomic<uint64_t>& value() const { return value_; }

 private:
  std::atomic<uint64_t> value_{1};
};

/// A value: which tables. The Ggtt, PageDirectory or TlbGeneration it names must outlive it.
struct AddressSpace {
  enum class Kind : uint8_t { none, ggtt, ppgtt32, ppgtt48, flat, directory };

  Kind kind = Kind::none;
  const defs::PageFormat* format = nullptr;
  const Ggtt* table = nullptr;
  const std::atomic<uint64_t>* generation = nullptr;
  /// Guest physical addresses of the PDs (ppgtt32) or the PML4 ([0]); low 12 bits have no meaning. flat: of the table, and how many entries it has.
  std::array<uint64_t, 4> roots{};
  const PageDirectory* directory = nullptr;
  uint64_t aux_table = 0;  ///< graphics address of the aux map's table of level 3; 0: there is none (hw/memory/aux_walker.h)
  TiledResources tiled{};  ///< of ppgtt48, in front of its tables

  static AddressSpace ggtt(const Ggtt& table);
  /// `format` outlives the space.
  static AddressSpace ppgtt32(const std::array<uint64_t, 4>& pdps, const TlbGeneration& generation,
                              const defs::PageFormat& format = defs::gen8_ppgtt_pages);
  static AddressSpace ppgtt48(uint64_t pml4, const TlbGeneration& generation, const defs::PageFormat& format = defs::gen8_ppgtt_pages);
  /// `base`: of the table; one of Gen5's.
  static AddressSpace flat(uint64_t base, uint64_t entries, const TlbGeneration& generation);
  static AddressSpace two_level(const PageDirectory& directory, const TlbGeneration& generation);
  bool operator==(const AddressSpace&) const = default;
};

struct Translation {
  bool valid = false;
  bool null = false;  ///< when not valid: a tile that is nowhere, which reads zero and drops writes, and no fault
  bool writable = false;
  FaultType fault = FaultType::invalid_pte;  ///< when not valid
  uint64_t gpa = 0;                          ///< of the very byte asked for
  uint64_t page_size = 0;                    ///< bytes of the page that holds it
  uint64_t run = 0;  ///< bytes from `gpa` on that the address space has in this order, with the same rights, where asked for
};

/// Walks the tables. Reads at most four entries, of tiled resources 19. Whether there is RAM at the result is not checked. `max_bytes`: of `run`, which is found for the start of
/// a page and as far as one table says; 0: it is not asked for.
Translation translate(const AddressSpace& space, HostMemory& memory, uint64_t va, uint64_t max_bytes = 0);

}  // namespace softgen::memory

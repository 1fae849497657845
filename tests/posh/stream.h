// SPDX-License-Identifier: GPL-2.0-or-later
// Streams of a context that uses position-only shading (docs/posh.md), as software would build them: what POCS executes, what the render
// engine executes, the semaphores between them, and the context images. Addresses are PPGTT addresses unless a comment says otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/defs/context.h"
#include "hw/defs/gen11/all.h"

namespace softgen::posh {

namespace gen11 = defs::gen11;

/// Where the visibility of a run of draws is recorded.
struct Record {
  uint64_t pool = 0;         ///< aligned to a page
  uint32_t pages = 0;        ///< of the pool
  uint64_t free_list = 0;    ///< a dword for each page that may be taken
  uint64_t render_list = 0;  ///< a qword for each tile pass
};

/// The screen in rectangles of the same size, row by row: each is recorded, and can be rendered, by itself.
struct Passes {
  uint32_t width = 256 * 64, height = 256 * 64;  ///< of one, in pixels: multiples of 64
  uint32_t columns = 1, rows = 1;
  uint32_t count() const { return columns * rows; }
};

class Stream {
 public:
  template <typename Packet>
  void add(const Packet& packet) {
    copy(packet.pack());
  }
  void copy(std::span<const uint32_t> packet) { dwords_.insert(dwords_.end(), packet.begin(), packet.end()); }

  /// A batch for POCS alone; the render engine goes on behind the packet. `ppgtt`: of the batch's address, else GGTT.
  /// `second_level`: within a batch that the render engine executes, and POCS traverses.
  void start_position(uint64_t batch, bool ppgtt, bool second_level = false);
  /// A batch for the render engine. `traversed`: POCS looks for batches of its own in it.
  void start_render(uint64_t batch, bool ppgtt, bool traversed = false);
  void end_batch();

  /// A qword in memory is set behind all that was done before: by the render engine also its pixels, by POCS also its tokens.
  void finish_and_store(uint64_t address, uint32_t value);
  /// Goes on when the dword at `address` is at least `value`.
  void wait(uint64_t address, uint32_t value);
  void load_register(uint32_t offset, uint32_t value);

  /// For POCS: what is drawn from here on is recorded, in place of what was recorded there before.
  void begin_record(const Record& record, const Passes& passes);
  /// For the render engine: the record is read for the draws that follow, from its first on.
  void read_record(const Record& record, const Passes& passes);
  void select(uint32_t pass, bool visibility = true);
  /// A place in the record (POCS), or: go on behind it (render engine).
  void marker(uint32_t value);

  std::span<const uint32_t> dwords() const { return dwords_; }
  uint64_t bytes() const { return dwords_.size() * 4; }

 private:
  std::vector<uint32_t> dwords_;
};

/// What software stores in the free list: the pool's pages in order.
std::vector<uint32_t> free_list(const Record& record);

/// A ring in the GGTT, as context images name it.
struct Ring {
  uint32_t start = 0, bytes = 0, head = 0, tail = 0;
};

/// Page 1 of an image as software makes it: the ring's registers alone, and no restore. `mmio_base`: of the engine's registers.
std::vector<uint32_t> new_image(const defs::ContextLayout& layout, uint32_t mmio_base, const Ring& ring);
/// Makes the context of the render engine's image a POSH enabled one. `page`: its page 1; `lrca`: GGTT address of POCS's image.
void enable_position(std::span<uint32_t> page, const defs::ContextLayout& layout, uint32_t mmio_base, uint32_t lrca);

}  // namespace softgen::posh

// SPDX-License-Identifier: GPL-2.0-or-later
// Per-process tables of an Ironlake streamer (sections of the ILK PRM vol 1 part 2): the flat one, whose clients are steered one by one (1.2.2, 3.6.2), and
// the one of two levels with its directory in the chip (1.3; part 4, 1.1.2). Belongs to the streamer's thread.
#pragma once

#include <cstdint>

#include "hw/cs/engine_core.h"
#include "hw/memory/page_directory.h"

namespace softgen::cs {

class ProcessTables {
 public:
  enum class Form : uint8_t { off, flat, two_level };
  /// Registers what PP_DCDR shows. `core` outlives it.
  explicit ProcessTables(EngineCore& core);

  /// The registers may have changed: all views follow.
  void follow();
  Form form() const { return form_; }
  /// What commands name without Use Global GTT; the global table while there is no per-process one.
  memory::View& process() { return form_ == Form::flat ? flat_ : core_.ppgtt(); }
  /// What commands are fetched through: those of the ring, those of batches.
  memory::View& ring() { return steered(ring_bit_) ? flat_ : core_.ggtt(); }
  memory::View& batch(bool nonsecure);
  /// Whether the registers may say something else than the views have.
  bool stale() const { return current() != form_ || form_ == Form::flat; }
  /// Where MI_UPDATE_GTT finds the entry of a page in memory; 0: nowhere.
  uint64_t entry_address(uint64_t page) const;
  /// The directory as the registers say: with the restore of a context.
  void load_directory();
  /// After writes to tables in memory.
  void invalidate() { core_.links().tlb.bump(); }
  void reset();
  void state(Archive& archive) { directory_.state(archive); }

 private:
  struct Registers {
    uint32_t mode, enable, base, valid;
  };
  static Registers registers_of(EngineId id);
  bool steered(uint32_t bit) const { return form_ == Form::flat && core_.links().registers.peek(softgen::reg::PGTBL_STR2) & bit; }
  Form current() const;
  memory::AddressSpace flat_space() const;

  static const uint32_t ring_bit_;
  EngineCore& core_;
  const Registers registers_;
  memory::PageDirectory directory_;
  memory::View flat_;
  Form form_ = Form::off;
};

}  // namespace softgen::cs

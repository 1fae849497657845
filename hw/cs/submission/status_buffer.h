// SPDX-License-Identifier: GPL-2.0-or-later
// The context status buffer (CSB): a ring of events in the hardware status page, with a copy in registers.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/defs/registers/registers.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

class StatusBuffer {
 public:
  /// Bytes in the status page; offsets of registers from the engine's base.
  struct Layout {
    uint32_t entries;      ///< of two dwords
    uint32_t page_buffer;  ///< where the entries are in the status page
    uint32_t page_index;   ///< where the index of the last one is
    uint32_t pointer;      ///< register: the index of the last entry written, and of the last one that software has read
    softgen::reg::Bits write_pointer, read_pointer;
    /// Registers with copies of the entries: the first `first_entries` from `first`, the others from `second`.
    uint32_t first, first_entries, second;

    uint32_t entry(uint32_t index) const { return index < first_entries ? first + 8 * index : second + 8 * (index - first_entries); }
    /// Both pointers at the last entry, so that the first event is entry 0.
    uint32_t reset_pointer() const { return write_pointer.with(read_pointer.with(0, entries - 1), entries - 1); }
  };

  StatusBuffer(const Layout& layout, mmio::RegisterFile& registers, uint32_t mmio_base);
  /// Registers that are read without a hook.
  void attach();
  void reset();
  /// The entry first, then the index: the driver reads in the opposite order.
  void write(uint64_t entry, memory::View& ggtt, uint64_t status_page);
  /// Another state is loaded: what a fault plan holds back never comes.
  void forget_held() { held_.reset(); }

 private:
  struct Place {
    memory::View& ggtt;
    uint64_t status_page;
  };
  /// The graphics address of the entry.
  uint64_t append(uint64_t entry, const Place& place);
  // hw/cs/submission/planned_status.cpp
  void write_as_planned(Faults* faults, uint64_t entry, const Place& place);
  void spoil_page(Faults& faults, const Place& place) const;
  uint32_t engine() const;

  const Layout& layout_;
  mmio::RegisterFile& registers_;
  const uint32_t base_;
  std::optional<uint64_t> held_{};  ///< a fault plan has it appear behind the next entry
};

}  // namespace softgen::cs

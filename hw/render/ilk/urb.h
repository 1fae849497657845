// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's URB: 1024 rows of 64 bytes that fences divide among the units, and the entries of a unit. A handle is the number of an entry's first row; one that
// leads out of the buffer reads zero and drops writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/render/ilk/thread.h"

namespace softgen::render::ilk {

class Urb {
 public:
  static constexpr unsigned rows = UrbRegions::rows, row_dwords = 16, register_dwords = 8;

  /// `count` dwords from dword `offset` of the entry on, as far as the buffer goes.
  std::span<uint32_t> dwords(uint32_t handle, uint32_t offset, size_t count);
  /// As dwords(), with zeros behind the buffer's end.
  void read(uint32_t handle, uint32_t offset, std::span<uint32_t> out);
  void write(uint32_t handle, uint32_t offset, std::span<const uint32_t> data);
  void clear() { std::fill(memory_.begin(), memory_.end(), 0); }

 private:
  std::vector<uint32_t> memory_ = std::vector<uint32_t>(size_t{rows} * row_dwords);
};

/// The entries of a unit.
class UrbEntries {
 public:
  /// As many as the state asks for and the region holds. Fewer than `least` are a guest's error, and none is there. `unit`: for reports.
  UrbEntries(const UrbRegion& region, const ThreadUnit& state, unsigned least, const char* unit);

  unsigned count() const { return count_; }
  unsigned rows() const { return entry_rows_; }
  unsigned dwords() const { return entry_rows_ * Urb::row_dwords; }
  uint32_t handle(unsigned n) const { return first_ + (n % std::max(count_, 1u)) * entry_rows_; }
  /// The next one in turn. Whoever asks has copied what the one that had it before holds.
  uint32_t next() { return handle(next_++); }

 private:
  unsigned first_, count_, entry_rows_, next_ = 0;
};

/// Writes a message's registers behind the header where its swizzle has them. `handles`: how many of the header's two are the thread's: an interleaved
/// write of a thread with one vertex leaves the other one alone.
void urb_write(Urb& urb, const UrbMessage& how, std::span<const Grf> payload, unsigned handles);

/// Of threads that only write the entries they were given: VS and SF.
struct EntryMessages : UnitMessages {
  Urb& rows;
  unsigned handles;
  EntryMessages(Urb& to, unsigned count) : rows(to), handles(count) {}
  bool urb(const UrbMessage& how, std::span<const Grf> payload, std::span<Grf>) override {
    if (how.sync || how.allocate) return false;
    urb_write(rows, how, payload, handles);
    return true;
  }
  bool target_write(const TargetMessage&, std::span<const Grf>) override { return false; }
};

}  // namespace softgen::render::ilk

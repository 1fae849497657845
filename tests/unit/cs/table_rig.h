// SPDX-License-Identifier: GPL-2.0-or-later
// An Ironlake machine with a per-process table of two levels, as a context's image has it (ILK PRM vol 1 part 2, 1.3).
#pragma once

#include <utility>
#include <vector>

#include "tests/unit/cs/ring_rig.h"

namespace softgen::cs::test {

constexpr uint32_t color_header = 0x5430'0004;  // XY_COLOR_BLT
/// MI_STORE_DATA_IMM without Use Global GTT.
inline Dwords store_process(uint32_t at, uint32_t value) { return {mi(0x20, 2), 0, at, value}; }

/// Virtual addresses are those of the first 4 MiB, and what a page is mapped to is as far as `data_at` beyond it.
struct TableMachine : RingMachine {
  static constexpr uint32_t directory_line = 0x7000;  ///< of the global table, behind what RingMachine maps
  static constexpr uint32_t table_at = 0x0200'0000, data_at = 0x0210'0000;
  static constexpr uint32_t image_at = 0x0180'0000;

  using RingMachine::RingMachine;
  void set_directory(uint32_t index, uint32_t entry) { ggtt.set_pte(uint64_t{directory_line} * 16 + index, entry); }
  void map(uint32_t va) { write(table_at + (va >> 12) * 4, {(data_at + (va & ~0xfffu)) | 1}); }
  void unmap(uint32_t va) { write(table_at + (va >> 12) * 4, {0}); }
  static uint32_t place(uint32_t va) { return data_at + va; }
  /// Memory and saved state of another.
  void continue_from(TableMachine& other) {
    std::vector<std::byte> bytes(64 << 20);
    other.memory.read(0, bytes.data(), bytes.size());
    memory.write(0, bytes.data(), bytes.size());
    REQUIRE(load_state(other.save_state()));
  }
  /// A batch in the per-process table.
  uint32_t user_batch(const Dwords& dwords) {
    const uint32_t va = std::exchange(next_user_, next_user_ + 0x1000);
    map(va);
    write(place(va), dwords);
    return va;
  }

 private:
  uint32_t next_user_ = 0x10'0000;
};

/// The render streamer in a context with that table.
struct Process : TableMachine {
  Ring r{*this};
  Process() {
    set_directory(0, table_at | 1);
    r.run(ring::set_context(image_at, ring::restore_inhibit) + ring::set_context(image_at + 0x800, ring::restore_inhibit));
    set_in_image(0x2518, directory_line << 16);
    r.run(ring::set_context(image_at));
    registers.write(0x2520, 0x0200'0200);
  }
  /// A register's value in the context's image.
  void set_in_image(uint32_t offset, uint32_t value) {
    for (uint32_t at = image_at + 4; at < image_at + 0x200; at += 8)
      if (read(at) == offset) return write(at + 4, Dwords{value});
    FAIL("the image has no such register");
  }
  /// As software prepares an image that is not in use.
  void restore_with(uint32_t offset, uint32_t value) {
    r.run(ring::set_context(image_at + 0x800));
    set_in_image(offset, value);
    r.run(ring::set_context(image_at));
  }
  void run_user(const Dwords& commands) { r.run(ring::start(user_batch(commands + Dwords{batch_end}), ring::nonsecure)); }
};

}  // namespace softgen::cs::test

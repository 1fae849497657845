// SPDX-License-Identifier: GPL-2.0-or-later
// The aux map: from 64 KiB of main memory to its control surface, through three levels of tables at graphics addresses (Mesa intel_aux_map.c).
#pragma once

#include <array>
#include <cstdint>

namespace softgen::memory {

class View;

/// Results of walks, for one view. They hold until the view's TLB is invalidated: the register GFX_AUX_INV does that, too.
class AuxWalker {
 public:
  /// Graphics address of the control bytes of the 64 KiB that hold `va`; 0: they have none. Reads at most three entries.
  uint64_t find(View& view, uint64_t va);

 private:
  struct Entry {
    uint64_t tag = 0;      ///< number of the block plus 1
    uint64_t control = 0;  ///< as find() returns it
  };
  static uint64_t walk(View& view, uint64_t va);

  std::array<Entry, 64> entries_{};
  uint64_t round_ = 0;  ///< View::Stamp, of the entries
};

}  // namespace softgen::memory

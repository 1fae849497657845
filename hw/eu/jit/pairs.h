// SPDX-License-Identifier: GPL-2.0-or-later
// Neighbouring slots that operations of sixteen channels use together. Between basic blocks such a pair is one value of sixteen dwords.
#pragma once

#include <array>

#include "hw/eu/jit/footprint.h"

namespace softgen::eu::jit {

class Pairs {
 public:
  /// An operation works on slots `first` and first + 1 at once.
  void use(unsigned first) { uses_[first]++; }
  /// Chooses pairs by how often they are used; a slot is in at most one pair.
  void choose();

  bool is_first(unsigned s) const { return first_[s]; }
  bool is_second(unsigned s) const { return s && first_[s - 1]; }

 private:
  std::array<unsigned, slot_count> uses_{};
  Slots first_;
};

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of the aux map for tests, one of each level.
#pragma once

#include <cstdint>

#include "hw/memory/view.h"

namespace softgen::memory::test {

/// `view` finds control surfaces by tables at these addresses of its own; level 1 is as memory has it.
inline void use_aux_tables(View& view, uint64_t level3, uint64_t level2, uint64_t level1) {
  AddressSpace space = view.space();
  space.aux_table = level3;
  view.set_space(space);
  constexpr uint64_t valid = 1;
  view.store<uint64_t>(level3, level2 | valid);
  view.store<uint64_t>(level2, level1 | valid);
}

/// The 64 KiB at `address` have their codes at `control`.
inline void set_control(View& view, uint64_t level1, uint64_t address, uint64_t control) {
  constexpr uint64_t valid = 1;
  view.store<uint64_t>(level1 + (address >> 16) * sizeof(uint64_t), control | valid);
}

}  // namespace softgen::memory::test

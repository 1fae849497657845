// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/mip_tail.h"

#include <algorithm>
#include <array>
#include <bit>

namespace softgen::surface {
namespace {

struct Slot {
  uint8_t x, y;
};
/// By the logarithm of the element's bytes. A Ys tile has all slots, a Yf tile those from `first_yf_slot` on.
constexpr std::array<std::array<Slot, 5>, 15> slots{{
    {{{128, 0}, {128, 0}, {64, 0}, {64, 0}, {32, 0}}},
    {{{0, 128}, {0, 64}, {0, 64}, {0, 32}, {0, 32}}},
    {{{64, 0}, {64, 0}, {32, 0}, {32, 0}, {16, 0}}},
    {{{0, 64}, {0, 32}, {0, 32}, {0, 16}, {0, 16}}},
    {{{32, 0}, {32, 0}, {16, 0}, {16, 0}, {8, 0}}},
    {{{16, 32}, {16, 16}, {8, 16}, {8, 8}, {4, 8}}},
    {{{0, 48}, {0, 24}, {0, 24}, {0, 12}, {0, 12}}},
    {{{0, 32}, {0, 16}, {0, 16}, {0, 8}, {0, 8}}},
    {{{16, 16}, {16, 8}, {8, 8}, {8, 4}, {4, 4}}},
    {{{16, 0}, {16, 0}, {8, 0}, {8, 0}, {4, 0}}},
    {{{0, 16}, {0, 8}, {0, 8}, {0, 4}, {0, 4}}},
    {{{0, 12}, {8, 4}, {4, 4}, {6, 0}, {3, 0}}},
    {{{0, 8}, {8, 0}, {4, 0}, {4, 0}, {2, 0}}},
    {{{0, 4}, {0, 4}, {0, 4}, {2, 0}, {1, 0}}},
    {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}},
}};
constexpr unsigned first_yf_slot = 4;

struct VolumeSlot {
  uint8_t x, y, z;
};
/// The same of 3D surfaces.
constexpr std::array<std::array<VolumeSlot, 5>, 16> volume_slots{{
    {{{32, 0, 0}, {16, 0, 0}, {16, 0, 0}, {16, 0, 0}, {8, 0, 0}}},
    {{{0, 16, 0}, {0, 16, 0}, {0, 16, 0}, {0, 8, 0}, {0, 8, 0}}},
    {{{0, 0, 16}, {0, 0, 16}, {0, 0, 8}, {0, 0, 8}, {0, 0, 8}}},
    {{{16, 0, 0}, {8, 0, 0}, {8, 0, 0}, {8, 0, 0}, {4, 0, 0}}},
    {{{0, 8, 0}, {0, 8, 0}, {0, 8, 0}, {0, 4, 0}, {0, 4, 0}}},
    {{{0, 0, 8}, {0, 0, 8}, {0, 0, 4}, {0, 0, 4}, {0, 0, 4}}},
    {{{0, 4, 4}, {0, 4, 4}, {4, 4, 0}, {6, 0, 0}, {3, 0, 0}}},
    {{{0, 4, 0}, {0, 4, 0}, {0, 4, 0}, {4, 0, 0}, {2, 0, 0}}},
    {{{0, 0, 7}, {0, 0, 7}, {4, 0, 3}, {2, 0, 3}, {1, 0, 3}}},
    {{{0, 0, 6}, {0, 0, 6}, {4, 0, 2}, {2, 0, 2}, {1, 0, 2}}},
    {{{0, 0, 5}, {0, 0, 5}, {4, 0, 1}, {2, 0, 1}, {1, 0, 1}}},
    {{{0, 0, 4}, {0, 0, 4}, {4, 0, 0}, {2, 0, 0}, {1, 0, 0}}},
    {{{0, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}}},
    {{{0, 0, 2}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}},
    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
}};

template <typename Table>
const auto& slot_of(const Table& table, Tiling tiling, unsigned element, unsigned slot) {
  const auto& row = table[std::min<size_t>(slot + (tiling == Tiling::yf ? first_yf_slot : 0), table.size() - 1)];
  return row[static_cast<size_t>(std::countr_zero(element)) % row.size()];
}

}  // namespace

Origin mip_tail_slot(Tiling tiling, unsigned element, unsigned slot) {
  const Slot& at = slot_of(slots, tiling, element, slot);
  return {at.x, at.y};
}

Origin volume_mip_tail_slot(Tiling tiling, unsigned element, unsigned slot) {
  const VolumeSlot& at = slot_of(volume_slots, tiling, element, slot);
  return {at.x, at.y, at.z};
}

}  // namespace softgen::surface

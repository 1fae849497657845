// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/translation.h"

#include <algorithm>
#include <array>

#include "hw/defs/registers/registers.h"

namespace softgen::cs {
namespace {

/// Of one engine.
struct TranslationRegisters {
  EngineId engine;
  uint32_t aux_table, control, range, root, root_udw, null_tile, invalid_tile;
};
// The video engines' are memory: they have no compressed surfaces here (docs/surface.md).
constexpr std::array rows{
    TranslationRegisters{EngineId::rcs, reg::GFX_AUX_TABLE_BASE_ADDR(0), reg::GFX_TRTT_CR, reg::GFX_TRTT_VA_RANGE,
                         reg::GFX_TRTT_L3_BASE_LOW, reg::GFX_TRTT_L3_BASE_HIGH, reg::GFX_TRTT_NULL, reg::GFX_TRTT_INVAL},
    TranslationRegisters{EngineId::bcs, reg::BCS_AUX_TABLE_BASE_ADDR(0), reg::BLT_TRTT_CR, reg::BLT_TRTT_VA_RANGE,
                         reg::BLT_TRTT_L3_BASE_LOW, reg::BLT_TRTT_L3_BASE_HIGH, reg::BLT_TRTT_NULL, reg::BLT_TRTT_INVAL}};

}  // namespace

void add_translation(memory::AddressSpace& space, const mmio::RegisterFile& registers, EngineId engine) {
  const auto row = std::ranges::find(rows, engine, &TranslationRegisters::engine);
  if (row == rows.end() || !registers.set().find(row->aux_table)) return;
  space.aux_table = registers.peek64(row->aux_table);
  if (!reg::field::GFX_TRTT_CR_TR_TT_ENABLE.of(registers.peek(row->control))) return;
  const uint32_t range = registers.peek(row->range);
  space.tiled = {.enabled = true,
                 .mask = static_cast<uint8_t>(reg::field::GFX_TRTT_VA_RANGE_TR_VA_MASK_VALUE.of(range)),
                 .data = static_cast<uint8_t>(reg::field::GFX_TRTT_VA_RANGE_TR_VA_DATA_VALUE.of(range)),
                 .root = registers.peek(row->root) | uint64_t{registers.peek(row->root_udw)} << 32,
                 .null_tile = registers.peek(row->null_tile),
                 .invalid_tile = registers.peek(row->invalid_tile)};
}

bool is_translation_register(uint32_t offset) {
  return std::ranges::any_of(rows, [&](const TranslationRegisters& row) {
    return (offset & ~4u) == row.aux_table || (offset >= row.control && offset <= row.invalid_tile);
  });
}

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/translation.h"

#include <algorithm>
#include <array>

#include "hw/defs/registers/registers.h"

namespace softgen::cs {
namespace {

// Tiled resources are of RCS and BCS alone.
constexpr std::array rows{
    TranslationRegisters{EngineId::rcs, reg::GFX_AUX_TABLE_BASE_ADDR(0), reg::GFX_TRTT_CR, reg::GFX_TRTT_VA_RANGE,
                         reg::GFX_TRTT_L3_BASE_LOW, reg::GFX_TRTT_L3_BASE_HIGH, reg::GFX_TRTT_NULL, reg::GFX_TRTT_INVAL},
    TranslationRegisters{EngineId::bcs, reg::BCS_AUX_TABLE_BASE_ADDR(0), reg::BLT_TRTT_CR, reg::BLT_TRTT_VA_RANGE,
                         reg::BLT_TRTT_L3_BASE_LOW, reg::BLT_TRTT_L3_BASE_HIGH, reg::BLT_TRTT_NULL, reg::BLT_TRTT_INVAL},
    TranslationRegisters{.engine = EngineId::vcs0, .aux_table = reg::VD0_AUX_TABLE_BASE_ADDR(0)},
    TranslationRegisters{.engine = EngineId::vcs1, .aux_table = reg::VD2_AUX_TABLE_BASE_ADDR(0)},
    TranslationRegisters{.engine = EngineId::vecs, .aux_table = reg::VE0_AUX_TABLE_BASE_ADDR(0)}};

}  // namespace

Translation::Translation(const mmio::RegisterFile& registers, EngineId engine) : registers_(registers) {
  const auto row = std::ranges::find(rows, engine, &TranslationRegisters::engine);
  if (row != rows.end() && registers.set().find(row->aux_table)) row_ = &*row;
}

void Translation::add_to(memory::AddressSpace& space) const {
  if (!row_) return;
  space.aux_table = registers_.peek64(row_->aux_table);
  if (!row_->control || !reg::field::GFX_TRTT_CR_TR_TT_ENABLE.of(registers_.peek(row_->control))) return;
  const uint32_t range = registers_.peek(row_->range);
  space.tiled = {.enabled = true,
                 .mask = static_cast<uint8_t>(reg::field::GFX_TRTT_VA_RANGE_TR_VA_MASK_VALUE.of(range)),
                 .data = static_cast<uint8_t>(reg::field::GFX_TRTT_VA_RANGE_TR_VA_DATA_VALUE.of(range)),
                 .root = registers_.peek(row_->root) | uint64_t{registers_.peek(row_->root_udw)} << 32,
                 .null_tile = registers_.peek(row_->null_tile),
                 .invalid_tile = registers_.peek(row_->invalid_tile)};
}

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace softgen::defs {

namespace {

const Register* find_in(const RegisterSet& set, std::span<const RegisterPlace> places, uint32_t offset) {
  const auto next = std::ranges::upper_bound(places, offset, {}, &RegisterPlace::offset);
  if (next == places.begin()) return nullptr;
  const RegisterPlace& found = *std::prev(next);
  const Register& row = set.rows[found.row];
  return offset < found.offset + std::max(row.block, 4u) ? &row : nullptr;
}

std::string index_text(const Register& row, uint32_t offset) {
  if (row.count[0] == 1 && row.count[1] == 1) return {};
  for (uint32_t outer = 0; outer < row.count[0]; ++outer) {
    for (uint32_t inner = 0; inner < row.count[1]; ++inner) {
      if (row.offset + outer * row.stride[0] + inner * row.stride[1] != offset) continue;
      return row.count[0] == 1 ? fmt::format("[{}]", inner) : fmt::format("[{}][{}]", outer, inner);
    }
  }
  return {};
}

}  // namespace

const Register* RegisterSet::find(uint32_t offset) const {
  offset &= ~3u;
  const Register* row = find_in(*this, singles, offset);
  return row ? row : find_in(*this, blocks, offset);
}

const EngineRow* RegisterSet::engine(EngineId id) const {
  const auto found = std::ranges::find(engines, id, &EngineRow::id);
  return found == engines.end() ? nullptr : &*found;
}

std::string RegisterSet::name_of(uint32_t offset) const {
  const Register* row = find(offset);
  if (!row) return fmt::format("0x{:05x}", offset);
  offset &= ~3u;
  if (row->block) return fmt::format("{}+0x{:x}", row->name, offset - row->offset);
  if (!row->engine) return row->name + index_text(*row, offset);
  for (const EngineRow& engine : engines) {
    const uint32_t relative = offset - engine.mmio_base;
    if (relative < 0x1000) return fmt::format("{}{}.{}", row->name, index_text(*row, relative), softgen::name_of(engine.id));
  }
  return row->name;
}

}  // namespace softgen::defs

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace softgen::defs {

namespace {

struct Instance {
  uint32_t offset;
  uint16_t row;
};

/// Of blocks, or of what may stand inside them, by offset.
std::vector<Instance> find_instances(bool blocks) {
  std::vector<Instance> all;
  const auto rows = registers();
  for (size_t row = 0; row < rows.size(); ++row)
    if ((rows[row].block != 0) == blocks)
      for_each_instance(rows[row], [&](uint32_t offset) { all.push_back({offset, static_cast<uint16_t>(row)}); });
  std::ranges::sort(all, {}, &Instance::offset);
  return all;
}

const Register* find_in(const std::vector<Instance>& instances, uint32_t offset) {
  auto next = std::ranges::upper_bound(instances, offset, {}, &Instance::offset);
  if (next == instances.begin()) return nullptr;
  const Instance& found = *std::prev(next);
  const Register& row = registers()[found.row];
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

const Register* find_register(uint32_t offset) {
  static const std::vector<Instance> single = find_instances(false), blocks = find_instances(true);
  offset &= ~3u;
  const Register* row = find_in(single, offset);
  return row ? row : find_in(blocks, offset);
}

std::string register_name(uint32_t offset) {
  const Register* row = find_register(offset);
  if (!row) return fmt::format("0x{:05x}", offset);
  offset &= ~3u;
  if (row->block) return fmt::format("{}+0x{:x}", row->name, offset - row->offset);
  if (!row->engine) return row->name + index_text(*row, offset);
  for (const EngineRow& engine : engines) {
    const uint32_t relative = offset - engine.mmio_base;
    if (relative < 0x1000) return fmt::format("{}{}.{}", row->name, index_text(*row, relative), engine.name);
  }
  return row->name;
}

}  // namespace softgen::defs

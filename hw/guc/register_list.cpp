// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/register_list.h"

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc;

std::vector<ListedRow> RegisterLists::rows(uint64_t list, uint32_t count) {
  constexpr uint32_t row_bytes = listed_dwords * 4;
  std::vector<ListedRow> found;
  if (!count) return found;
  if (count > capture_registers.mask() || !memory_.has(list, uint64_t{count} * row_bytes, 1)) {
    guest_error("GuC: list of an engine's registers", "{} at 0x{:x}", count, list);
    return found;
  }
  found.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    ListedRow row;
    ggtt_.read(list + uint64_t{i} * row_bytes, row.data(), row_bytes);
    if (row[listed_offset] % 4 || row[listed_offset] >= mmio::register_space) continue;
    row[listed_value] = registers_.peek(row[listed_offset]);
    found.push_back(row);
  }
  return found;
}

std::vector<ListedRow> RegisterLists::kept(const ListedEngine& engine) {
  const uint64_t set = ads_ + ads_register_sets + (uint64_t{engine.cls} * register_set_instances + engine.instance) * register_set_bytes;
  const uint64_t list = ggtt_.load<uint32_t>(set);
  std::vector<ListedRow> all = rows(list, register_set_count.of(ggtt_.load<uint32_t>(set + 4)));
  for (ListedRow& row : all) {
    // xe (6.12) lists RING_MODE without the flag (xe_guc_ads.c, guc_mmio_regset_write()).
    const defs::Register* known = registers_.set().find(row[listed_offset]);
    if (listed_masked.of(row[listed_flags]) || (known && known->masked)) row[listed_value] = masked_all(row[listed_value]);
  }
  return all;
}

std::vector<uint32_t> RegisterLists::capture(const ListedEngine& engine) {
  const uint64_t places[] = {ads_ + ads_capture_global, ads_ + ads_capture_class + 4 * engine.cls,
                             ads_ + ads_capture_instance + 4 * engine.cls};
  static_assert(std::size(places) == capture_types);
  std::vector<uint32_t> group = {0, capture_group_count.with(0, capture_types)};
  for (uint32_t type = 0; type < capture_types; ++type) {
    const uint64_t list = ggtt_.load<uint32_t>(places[type]);
    const uint32_t count = list < memory_.bottom ? 0 : capture_list_count.of(ggtt_.load<uint32_t>(list));
    const std::vector<ListedRow> all = rows(list + 4, count);
    uint32_t about = capture_type.with(0, type);
    if (type != capture_global) about = capture_engine_class.with(about, engine.cls);
    if (type == capture_instance) about = capture_engine_instance.with(about, engine.instance);
    const bool of_context = type == capture_instance;
    group.insert(group.end(), {0, about, of_context ? engine.lrca : capture_no_context, of_context ? engine.context : capture_no_context,
                               static_cast<uint32_t>(all.size())});
    for (const ListedRow& row : all) group.insert(group.end(), row.begin(), row.end());
  }
  return group;
}

}  // namespace softgen::guc

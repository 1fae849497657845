// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/aux_walker.h"

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/translation_tables.h"
#include "hw/memory/view.h"

namespace softgen::memory {

using Tables = defs::AuxTables;

// The number of levels is fixed, so tables that name each other make no loop.
uint64_t AuxWalker::walk(View& view, uint64_t va) {
  uint64_t table = view.space().aux_table & Tables::root;
  if (!table) return 0;
  for (const defs::TableLevel& level : Tables::levels) {
    const auto entry = view.load<uint64_t>(table + (va >> level.shift & (level.entries - 1)) * sizeof(uint64_t));
    if (!(entry & Tables::valid)) {
      guest_error("aux map entry that is not valid", "in the table at {:#x}, for {:#x}", table, va);
      return 0;
    }
    table = entry & level.next;
  }
  return table;
}

uint64_t AuxWalker::find(View& view, uint64_t va) {
  va = strip_canonical(va);
  if (const uint64_t round = view.stamp().round; round != round_) entries_.fill({}), round_ = round;
  const uint64_t block = va >> Tables::block_shift;
  Entry& entry = entries_[block % entries_.size()];
  if (entry.tag == block + 1) return entry.control;
  // The walk may find that the view has changed; then its result is of the new state, and goes with the next call.
  entry = {block + 1, walk(view, va)};
  return entry.control;
}

}  // namespace softgen::memory

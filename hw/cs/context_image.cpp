// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/context_image.h"

#include <algorithm>

#include "hw/defs/registers/engines.h"

namespace softgen::cs {

uint32_t image_size(defs::EngineClass engine) {
  return std::ranges::find(defs::engines, engine, &defs::EngineRow::engine_class)->context_pages * image_page;
}

uint32_t state_offset(defs::EngineClass engine) { return image_page + defs::context_layout(engine).list_dwords * 4; }

uint32_t state_room(defs::EngineClass engine) { return image_size(engine) - state_offset(engine); }

void write_image_frame(std::span<uint32_t> page, defs::EngineClass engine, uint32_t mmio_base) {
  const defs::ContextLayout& layout = defs::context_layout(engine);
  std::fill_n(page.begin(), layout.documented_dwords, 0);
  for (const defs::ContextList& list : layout.lists) page[list.header] = lri_header(list.count, list.force_posted);
  for (const defs::ContextSlot& slot : layout.slots) page[slot.dword] = mmio_base + slot.reg;
}

}  // namespace softgen::cs

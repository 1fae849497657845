// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/context_image.h"

#include <algorithm>

namespace softgen::cs {

void write_image_frame(std::span<uint32_t> page, const defs::ContextLayout& layout, uint32_t mmio_base, uint32_t flags) {
  std::fill_n(page.begin(), layout.documented_dwords, 0);
  for (const defs::ContextList& list : layout.lists) page[list.header] = lri_header(list.count, list.force_posted) | flags;
  for (const defs::ContextSlot& slot : layout.slots) page[slot.dword] = mmio_base + slot.reg;
}

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/submission/status_buffer.h"

namespace softgen::cs {

StatusBuffer::StatusBuffer(const Layout& layout, mmio::RegisterFile& registers, uint32_t mmio_base)
    : layout_(layout), registers_(registers), base_(mmio_base) {}

void StatusBuffer::attach() {
  const auto peek = [&registers = registers_](uint32_t offset) { return registers.peek(offset); };
  for (uint32_t i = 0; i < layout_.entries; ++i) registers_.on_read(base_ + layout_.entry(i), 8, peek);
  registers_.on_read(base_ + layout_.pointer, peek);
}

void StatusBuffer::reset() {
  held_.reset();
  registers_.poke(base_ + layout_.pointer, layout_.reset_pointer());
}

void StatusBuffer::write(uint64_t entry, memory::View& ggtt, uint64_t status_page) {
  if (Faults* const faults = registers_.faults(); faults || held_) [[unlikely]]
    return write_as_planned(faults, entry, {ggtt, status_page});
  append(entry, {ggtt, status_page});
}

uint64_t StatusBuffer::append(uint64_t entry, const Place& place) {
  const uint32_t pointers = registers_.peek(base_ + layout_.pointer);
  const uint32_t index = (layout_.write_pointer.of(pointers) + 1) % layout_.entries;
  const uint64_t address = place.status_page + layout_.page_buffer + 8 * index;
  place.ggtt.store_release<uint64_t>(address, entry);
  registers_.poke64(base_ + layout_.entry(index), entry);
  place.ggtt.store_release<uint32_t>(place.status_page + layout_.page_index, index);
  registers_.poke(base_ + layout_.pointer, layout_.write_pointer.with(pointers, index));
  return address;
}

}  // namespace softgen::cs

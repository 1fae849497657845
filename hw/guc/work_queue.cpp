// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/work_queue.h"

#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

constexpr uint32_t max_tail = reg::field::RING_TAIL_TAIL_OFFSET.mask();

constexpr uint32_t page_of(uint32_t lrca) { return reg::field::RING_ELSP_LOGICAL_RING_CONTEXT_ADDRESS.in_place(lrca); }

}  // namespace

bool WorkQueue::fits(const AddressRange& memory) const {
  return bytes != 0 && bytes % 4 == 0 && bytes <= max_bytes && memory.has(descriptor, form().bytes) && memory.has(base, bytes);
}

void WorkQueue::state(Archive& archive) {
  archive.value(descriptor);
  archive.value(base);
  archive.value(bytes);
  archive.value(is_v69);
}

// At most a round of the queue: items end at the tail that was there first. i915 lets none go across the end; xe's tail may be the end.
WorkQueue::Items WorkQueue::read(memory::View& ggtt, const Owner& owner) const {
  Items items;
  if (ggtt.load_acquire<uint32_t>(descriptor + form().status) != queue_active) {
    items.error = error_state;
    return items;
  }
  uint32_t head = ggtt.load<uint32_t>(descriptor + form().head);
  const uint32_t tail = ggtt.load_acquire<uint32_t>(descriptor + form().tail);
  const bool fits = head < bytes && tail <= bytes && head % 4 == 0 && tail % 4 == 0;
  if (!fits) items.error = error_parameters;
  for (const uint32_t end = tail % bytes; !items.error && head != end;) {
    const uint32_t taken = read_item(ggtt, owner, head, (end > head ? end : bytes) - head, items);
    if (taken) head = (head + taken) % bytes;
    else items.error = error_parameters;
  }
  if (items.error) {
    guest_error("GuC: work queue", "of context {} at 0x{:x}", owner.id, head);
    ggtt.store<uint32_t>(descriptor + form().error, head);
    ggtt.store<uint32_t>(descriptor + form().status, queue_command_error);
  }
  if (fits) ggtt.store_release<uint32_t>(descriptor + form().head, head);
  return items;
}

uint32_t WorkQueue::read_item(memory::View& ggtt, const Owner& owner, uint32_t at, uint32_t waiting, Items& items) const {
  const auto dword = [&](uint32_t index) { return ggtt.load<uint32_t>(base + at + uint64_t{index} * 4); };
  const uint32_t header = dword(item_header), dwords = 1 + item_dwords.of(header);
  if (dwords * 4 > waiting) return 0;
  if (item_type.of(header) == item_noop) return dwords * 4;
  if (item_type.of(header) != item_multi_lrc || dwords != item_child_tails + owner.members - 1) return 0;
  const uint32_t parent = dword(item_parent);
  if (item_context.of(parent) != owner.id || page_of(dword(item_lrca)) != page_of(owner.lrca)) return 0;
  std::array<uint32_t, max_members> tails{item_parent_tail.of(parent) * item_tail_unit};
  for (uint32_t child = 1; child < owner.members; ++child) {
    const uint32_t tail = dword(item_child_tails + child - 1);
    if (tail > max_tail / item_tail_unit) return 0;
    tails[child] = tail * item_tail_unit;
  }
  items.tails = tails;
  items.moved = true;
  return dwords * 4;
}

}  // namespace softgen::guc

// SPDX-License-Identifier: GPL-2.0-or-later
// Context status events as a fault plan has them (docs/faults.md, cs.csb and cs.hwsp).
#include <utility>

#include "hw/cs/submission/status_buffer.h"

namespace softgen::cs {

uint32_t StatusBuffer::engine() const {
  for (const defs::EngineRow& row : registers_.set().engines)
    if (row.mmio_base == base_) return static_cast<uint32_t>(row.id);
  return 0;
}

void StatusBuffer::write_as_planned(Faults* faults, uint64_t entry, const Place& place) {
  if (held_) {
    append(entry, place);
    append(*std::exchange(held_, std::nullopt), place);
    return;
  }
  const FaultAnswer answer = ask(faults, {.point = FaultPoint::csb, .unit = engine(), .value = entry});
  switch (answer.action) {
    case FaultAction::drop: break;
    case FaultAction::swap: held_ = entry; break;
    case FaultAction::twice:
      append(entry, place);
      append(entry, place);
      break;
    case FaultAction::late: {
      constexpr uint64_t unwritten = ~uint64_t{0};  // what i915 leaves behind (gt/intel_execlists_submission.c, wa_csb_read())
      const uint64_t address = append(unwritten, place);
      const auto arrive = [&memory = place.ggtt.memory(), space = place.ggtt.space(), address, entry] {
        memory::View view(memory, nullptr);
        view.set_space(space);
        view.store_release<uint64_t>(address, entry);
      };
      if (!faults->later(answer.time_ns, arrive)) place.ggtt.store_release<uint64_t>(address, entry);
      break;
    }
    case FaultAction::index:
      append(entry, place);
      place.ggtt.store_release<uint32_t>(place.status_page + layout_.page_index, static_cast<uint32_t>(answer.value));
      break;
    default: append(changed(answer, entry), place); break;
  }
  if (faults) spoil_page(*faults, place);
}

void StatusBuffer::spoil_page(Faults& faults, const Place& place) const {
  const FaultAnswer answer = ask(&faults, {.point = FaultPoint::status_page, .unit = engine()});
  if (answer) flip_bits(answer, {place.ggtt.at_for_write(place.status_page), memory::View::page_size});
}

}  // namespace softgen::cs

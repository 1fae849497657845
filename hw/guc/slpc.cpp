// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/slpc.h"

#include <algorithm>

#include "hw/defs/gt_frequency.h"

namespace softgen::guc {

using namespace defs::guc;
using defs::cap_frequency_mhz, defs::frequency_parts;
namespace field = reg::field;

uint32_t Slpc::handle(std::span<const uint32_t> event, memory::View& ggtt, const AddressRange& memory) {
  const uint32_t count = slpc_event_arguments.of(event[0]);
  const auto arguments = event.subspan(1);
  if (count != arguments.size() || !count) return error_parameters;
  const uint64_t page = arguments[0];
  const auto in_memory = [&] { return memory.has(page, slpc_shared_bytes, memory::View::page_size); };
  switch (slpc_event.of(event[0])) {
    case slpc_reset:
      if (!in_memory()) return error_ggtt_address;
      limits_ = {.run = true};
      ggtt.store<uint32_t>(page + slpc_state_at, slpc_running);
      show();
      return 0;
    case slpc_shutdown:
      if (!in_memory()) return error_ggtt_address;
      limits_ = {};
      ggtt.store<uint32_t>(page + slpc_state_at, slpc_not_running);
      return 0;
    case slpc_query:
      if (!in_memory()) return error_ggtt_address;
      ggtt.store<uint32_t>(page + slpc_state_at, limits_.run ? slpc_running : slpc_not_running);
      ggtt.store<uint32_t>(page + slpc_status_at, slpc_task_gtperf.with(0, limits_.run));
      ggtt.store<uint32_t>(page + slpc_frequencies_at, frequencies());
      return 0;
    case slpc_set: return count == 2 ? set(arguments[0], arguments[1]) : uint32_t{error_parameters};
    case slpc_unset: return set(arguments[0], 0);
    default: return error_not_supported;
  }
}

// The others choose strategies that one speed does not have.
uint32_t Slpc::set(uint32_t parameter, uint32_t value) {
  if (parameter >= slpc_parameters) return error_parameters;
  if (parameter == slpc_min_unslice) limits_.min = value;
  if (parameter == slpc_max_unslice) limits_.max = value;
  show();
  return 0;
}

uint32_t Slpc::frequencies() const {
  const uint32_t chip = registers_.peek(reg::RP_STATE_CAP);
  const uint32_t lowest = field::RP_STATE_CAP_RPN.of(chip) * frequency_parts, highest = field::RP_STATE_CAP_RP0.of(chip) * frequency_parts;
  const auto unit = [&](uint32_t mhz, uint32_t otherwise) {
    if (!mhz) return otherwise;
    const uint64_t rounded = (uint64_t{mhz} * frequency_parts + cap_frequency_mhz / 2) / cap_frequency_mhz;
    return static_cast<uint32_t>(std::clamp<uint64_t>(rounded, lowest, highest));
  };
  const uint32_t max = unit(limits_.max, highest), min = std::min(unit(limits_.min, lowest), max);
  uint32_t all = slpc_max_unslice_frequency.with(slpc_min_unslice_frequency.with(0, min), max);
  all = slpc_max_slice_frequency.with(all, max);
  return slpc_min_slice_frequency.with(all, min);
}

// The request is the firmware's own: i915 reads it back (intel_rps.c, intel_rps_get_requested_frequency()).
void Slpc::show() const {
  if (!limits_.run) return;
  const uint32_t frequency = slpc_max_unslice_frequency.of(frequencies());
  registers_.poke(reg::RPNSWREQ, field::RPNSWREQ_SOFTWARE_FREQUENCY.with(0, frequency));
  registers_.poke(reg::RPSTAT1, field::RPSTAT1_CURRENT_FREQUENCY.with(0, frequency));
}

void Slpc::state(Archive& archive) {
  archive.value(limits_.min);
  archive.value(limits_.max);
  archive.value(limits_.run);
}

}  // namespace softgen::guc

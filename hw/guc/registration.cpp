// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/registration.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

/// Of a descriptor's upper dword: bits that are not the engine's, which xe sets.
bool has_high_address(uint32_t high) { return high & ~(descriptor_engine_class.mask() | descriptor_engine_instance.mask()); }

}  // namespace

uint32_t Registration::read(std::span<const uint32_t> arguments, bool has_children) {
  const auto wide = [&](size_t at) { return arguments[at] | uint64_t{arguments[at + 1]} << 32; };
  if (arguments.size() < register_arguments) return error_parameters;
  size_t expected = register_arguments, at = register_lrca;
  if (has_children) {
    members = arguments[register_members];
    if (!members || members > WorkQueue::max_members) return error_parameters;
    queue = {.descriptor = wide(register_queue), .base = wide(register_queue + 2), .bytes = arguments[register_queue + 4]};
    at = register_member_lrcas;
    expected = at + size_t{members} * 2;
  }
  if (arguments.size() != expected) return error_parameters;
  id = arguments[register_id];
  engine_class = arguments[register_class];
  instances = arguments[register_engines];
  for (uint32_t i = 0; i < members; ++i, at += 2) {
    if (has_high_address(arguments[at + 1])) return error_parameters;
    lrcas[i] = arguments[at];
  }
  return 0;
}

// Of the children's descriptors i915 fills in the image alone, as far as it says what the parent's does not.
uint32_t Registration::read_v69(std::span<const uint32_t> arguments, bool has_children, memory::View& ggtt, const AddressRange& memory) {
  if (arguments.size() < v69_register_arguments) return error_parameters;
  std::span<const uint32_t> descriptors = arguments.subspan(v69_register_descriptor);
  if (has_children) {
    members = arguments[v69_register_members];
    descriptors = arguments.subspan(v69_register_member_descriptors);
  }
  if (!members || members > WorkQueue::max_members || descriptors.size() != members) return error_parameters;
  for (uint32_t i = 0; i < members; ++i) {
    if (!memory.has(descriptors[i], v69_descriptor_bytes)) return error_ggtt_address;
    lrcas[i] = ggtt.load<uint32_t>(descriptors[i] + uint64_t{v69_lrca});
  }
  const auto dword = [&](uint32_t at) { return ggtt.load<uint32_t>(descriptors[0] + uint64_t{at}); };
  id = arguments[v69_register_id];
  engine_class = ggtt.load<uint8_t>(descriptors[0] + uint64_t{v69_class});
  instances = dword(v69_engines);
  priority = dword(v69_priority);
  quantum_us = dword(v69_quantum);
  timeout_us = dword(v69_preemption_timeout);
  if (has_children) queue = {.descriptor = dword(v69_process), .base = dword(v69_queue), .bytes = dword(v69_queue_bytes), .is_v69 = true};
  return 0;
}

}  // namespace softgen::guc

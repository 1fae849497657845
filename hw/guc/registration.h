// SPDX-License-Identifier: GPL-2.0-or-later
// What the host says of contexts when it registers them: one, or a parent with its children. Versions 69 and 70 have it in different forms (i915
// gt/uc/intel_guc_submission.c, register_context_v69() and register_context_v70()).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/guc/work_queue.h"
#include "hw/memory/view.h"

namespace softgen::guc {

struct Registration {
  uint32_t id = 0, engine_class = 0;
  uint32_t instances = 0;  ///< bit i: logical instance i
  uint32_t members = 1;    ///< with the parent
  std::array<uint32_t, WorkQueue::max_members> lrcas{};
  WorkQueue queue;  ///< of a parent
  uint32_t priority = defs::guc::priority_normal, quantum_us = 0, timeout_us = 0;

  std::span<const uint32_t> addresses() const { return std::span(lrcas).first(members); }
  /// From a message of version 70. 0: done; else defs::guc::Error.
  uint32_t read(std::span<const uint32_t> arguments, bool has_children);
  /// Of version 69, with descriptors in `memory`.
  uint32_t read_v69(std::span<const uint32_t> arguments, bool has_children, memory::View& ggtt, const AddressRange& memory);
};

}  // namespace softgen::guc

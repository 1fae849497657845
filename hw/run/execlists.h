// SPDX-License-Identifier: GPL-2.0-or-later
// Submission by execlists: a ring per logical context, contexts into the submit port. Sequences: i915 gt/intel_execlists_submission.c.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "hw/run/submission.h"

namespace softgen::run {

/// What an entry of the context status buffer says of the list that was submitted last.
struct Switch {
  bool taken;  ///< it runs
  bool idle;   ///< it has ended
};

/// What differs between chips with execlists.
struct Execlists {
  uint32_t run_lists;  ///< a write of RING_MODE
  unsigned csb_entries;
  unsigned csb_write;                                 ///< dword of the status page with the index of the last entry
  uint32_t csb_pointers;                              ///< a write of the register that resets both pointers
  std::span<const uint32_t> open_to_batches;          ///< values of FORCE_TO_NONPRIV of the render engine
  std::span<const uint32_t> render_list, other_list;  ///< registers behind those of the ring in the first list of a context's image
  /// `heard`: the engine's interrupts that reach us.
  void (*hear)(const Registers& registers, const EngineInfo& engine, uint32_t heard);
  /// An entry of the status buffer.
  Switch (*read_entry)(uint32_t low, uint32_t high);
  /// Upper half of the descriptor of a context with this number.
  uint32_t (*context_id)(uint32_t number);
  /// One context. `id`: the upper half of its descriptor.
  void (*submit)(const Registers& registers, const EngineInfo& engine, uint32_t descriptor, uint32_t id);
};

/// `lists` outlives it.
std::unique_ptr<Submission> execlist_submission(const SubmissionHost& host, const Execlists& lists);

}  // namespace softgen::run

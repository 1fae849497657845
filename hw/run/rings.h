// SPDX-License-Identifier: GPL-2.0-or-later
// Submission by TAIL: a ring per engine, which all contexts share; MI_SET_CONTEXT between them. Sequences: i915 gt/intel_ring_submission.c,
// gt/gen2_engine_cs.c.
#pragma once

#include <memory>
#include <span>

#include "hw/run/submission.h"

namespace softgen::run {

/// What differs between chips with rings.
struct Rings {
  std::span<const RegisterValue> workarounds;  ///< written after a reset
  uint32_t reset;                              ///< register of graphics resets
  std::span<const uint32_t> reset_steps;       ///< values that together reset all engines
  uint32_t reset_pending;                      ///< bit that stands in it until a step is done
};

/// `rings` outlives it.
std::unique_ptr<Submission> ring_submission(const SubmissionHost& host, const Rings& rings);

}  // namespace softgen::run

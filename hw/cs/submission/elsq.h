// SPDX-License-Identifier: GPL-2.0-or-later
// The execlist submission queue (ELSQ) from Gen11 on: registers with the elements of a list, and one that makes them the list to run (ICL PRM vol 9,
// "Workload Submission"; i915 gt/intel_execlists_submission.c, write_desc).
#pragma once

#include "hw/cs/submission.h"

namespace softgen::cs {

/// Lists of eight elements, a status buffer of twelve entries: of events, or (Gen12) of the contexts that the engine goes from and to.
extern const SubmissionForm elsq_gen11, elsq_gen12;

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
// A parent and its children (multi-LRC): contexts that the scheduler puts on engines of one class together, as neighbours, and takes off together ("safely
// preempt all the hw contexts configured for parallel submission", i915 gt/uc/intel_guc_submission.c). Each is a context of its own in the scheduler; what is
// of all of them is here. Its id is the parent's, the children have the ids behind it.
//
//   off -> waiting -> on engines -> off, when all members have left: for good, or they wait again
#pragma once

#include <cstdint>

#include "hw/guc/work_queue.h"

namespace softgen::guc {

struct Group {
  uint32_t members = 0;  ///< with the parent
  WorkQueue queue;
  bool waiting = false;  ///< in the queue of its class
  bool pending = false;  ///< it has work that no list in a port tells of: it waits, once it is off its engines and enabled
  bool leaving = false;  ///< a member has left with work, so the others have to
  bool last = false;     ///< then it waits behind all others of its priority
  bool hung = false;     ///< the engine of a member was reset
};

}  // namespace softgen::guc

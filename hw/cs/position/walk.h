// SPDX-License-Identifier: GPL-2.0-or-later
// POCS's way through the ring that it shares with RCS (ICL PRM vol 9, "POSH Command Transport"):
//
//   ring             only MI_BATCH_BUFFER_START with POSH Start or POSH Enable counts, predicated or not
//   traversed batch  (POSH Enable) only batch starts and ends count. What it chains to is traversed, a next level with a bit of its own
//   executed batch   (POSH Start) all that POCS knows, with what it chains to and its next level
#pragma once

#include "hw/cs/arbiter.h"
#include "hw/cs/executor.h"

namespace softgen::cs {

class PositionWalk {
 public:
  PositionWalk(Executor& executor, Arbiter& arbiter, const defs::CommandSet& commands);

  /// POCS leaves its context at any command boundary.
  bool before(const Cursor& cursor) { return (!arbiter_.has_list() || executor_.execution().in_workaround) && executor_.before(cursor); }
  Flow command(const Packet& packet, const Cursor& after);
  Flow unknown(const Packet& packet, const Cursor& after) { return executor_.unknown(packet, after); }
  Flow no_memory(uint64_t address, const Cursor& after) { return executor_.no_memory(address, after); }

 private:
  Flow execute(const Packet& packet, const Cursor& after);
  Flow look_into(const Packet& packet, const Cursor& after);

  Executor& executor_;
  Arbiter& arbiter_;
  const uint32_t start_, enable_;  ///< header bits of MI_BATCH_BUFFER_START
  const uint32_t records_;         ///< of 3DPRIMITIVE
};

}  // namespace softgen::cs

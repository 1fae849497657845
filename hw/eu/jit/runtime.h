// SPDX-License-Identifier: GPL-2.0-or-later
// Runs compiled code on a thread, and has the functions that the code calls.
#pragma once

#include "hw/eu/jit/frame.h"

namespace softgen::eu::jit {

struct Compiled {
  Code code = nullptr;
  Variant variant;
  std::vector<uint32_t> wait_offsets;  ///< of FlowGraph::wait_places; ~0: nowhere
  uint32_t start_mode = 0;             ///< bits that are set in cr0.0 when a thread enters
  unsigned stepped = 0;                ///< number of ops that the interpreter executes
  struct Run {
    unsigned first, count;
  };
  std::vector<Run> cleared;  ///< general registers that must start as zero unless they are payload
  bool clears_guards = true;
  bool leaves_clean = false;    ///< no architecture register is written in memory
  std::vector<SendForm> sends;  ///< by op, of those with a fixed form; else `valid` is false
  unsigned fixed_sends = 0;     ///< how many of them
  bool reads_headers = false;   ///< registers before first_barycentric may be read
};

/// Fills in what is known of a kernel's messages and of its registers at the start.
void prepare(const Program& program, const FlowGraph& graph, Compiled& compiled);
/// Runs a thread that was just started to one of run()'s results.
RunResult run_compiled(const Compiled& compiled, Thread& thread, ThreadEnv& env, MessageTarget& target);
/// Code of a series; `thread` was started as the first of it.
void run_compiled(const Compiled& compiled, Thread& thread, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target);

}  // namespace softgen::eu::jit

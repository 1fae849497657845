// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel's control flow for the compiler: basic blocks, and the places where channels can wait while the thread is elsewhere.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "hw/eu/jit/footprint.h"
#include "hw/eu/jit/mask_depths.h"
#include "hw/eu/jit/products.h"
#include "hw/eu/program/op.h"
#include "hw/eu/program/program.h"

namespace softgen::eu::jit {

constexpr unsigned max_waits = 64;
using Waits = std::bitset<max_waits>;

/// How the compiled code treats an op.
enum class Step : uint8_t {
  work,  ///< arithmetic and the like
  send,
  end_of_thread,
  wait,
  branch,  ///< if, else, endif, while, …, whose offsets are known and lead to instructions
  jump,    ///< jmpi by a constant
  leave,   ///< the interpreter continues from here: call, ret, jumps by register, ops that end the thread by a fault
};

struct FlowGraph {
  std::vector<Step> steps;    ///< by op
  std::vector<bool> leaders;  ///< a block starts here
  std::vector<bool> reached;
  std::vector<Waits>
      waits_before;  ///< by op: places where some channel may wait when the thread reaches the op (before channels join there); with mask stacks
                     ///< one that stands for all of them
  std::vector<int32_t> wait_places;  ///< op where channels of wait n join; -1: nowhere in the kernel
  std::vector<int32_t> wait_at;      ///< by op: which wait joins there, or -1
  /// By slot: ops before this one find the value with which the thread started.
  std::array<size_t, slot_count> untouched_until;
  Products products;
  std::vector<MaskDepth> depths;  ///< by op, of kernels with mask stacks: before it
  Slots used;                     ///< slots that some op reads or writes

  /// -1: not an offset where channels can wait.
  int wait_of(const Program& program, int64_t offset) const;
  /// Ops that may come next while the thread stays in the code.
  std::vector<size_t> successors(const Program& program, size_t n) const;
};

/// Where a Step::jump leads, from the program's start.
int64_t jump_target(const Program& program, const Op& op);
/// Whether a Step::branch has another successor than the next op: not so those that only change mask stacks.
bool branches_away(const Op& op);

/// Slots that the op overwrites entirely in any case. `all_run`: all of `channels` are known to run here.
Slots written_whole(const Op& op, bool all_run, uint32_t channels);

/// General registers, and their guard, that the kernel may read before it has written all of their bytes. `channels`: those dispatched; 0:
/// unknown.
Slots read_before_written(const Program& program, const FlowGraph& graph, uint32_t channels);

/// By op: its number among the kernel's messages of fixed form; ~0 for other ops.
std::vector<unsigned> number_sends(const Program& program, const FlowGraph& graph);

/// Null: done; else why the kernel is interpreted.
const char* analyze(const Program& program, FlowGraph& graph);

}  // namespace softgen::eu::jit

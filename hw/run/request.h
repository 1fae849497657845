// SPDX-License-Identifier: GPL-2.0-or-later
// Requests, the contexts that they run in, and what waits and runs on an engine.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "hw/run/address_space.h"
#include "hw/run/bo.h"
#include "hw/run/chip.h"
#include "hw/run/chip_oa.h"
#include "hw/run/fence.h"
#include "hw/run/ggtt.h"

namespace softgen::run {

struct Context;
struct Request {
  std::shared_ptr<Context> context;
  unsigned engine = 0;
  enum class Batch : uint8_t { none, ppgtt, ggtt } space = Batch::ppgtt;  ///< ppgtt: in the context's address space
  bool secure = false;                                                    ///< I915_EXEC_SECURE
  uint64_t batch = 0;                                                     ///< address there
  std::vector<RegisterValue> registers;                                   ///< loaded before the batch runs; max_request_registers
  std::vector<FencePtr> waits;
  std::vector<BoPtr> buffers;  ///< kept alive until done
  struct SharedUse {
    BoPtr bo;
    Ticket ticket;
  };
  std::vector<SharedUse> shared;  ///< with other processes; begun
  void end_uses();
  FencePtr fence;
  uint32_t seqno = 0;  ///< of the logical context, or of the engine, that it runs in
  unsigned slot = 0;
};
using RequestPtr = std::shared_ptr<Request>;
constexpr size_t max_request_registers = 4, max_context_registers = 8;

/// What one engine keeps of a context.
struct LogicalContext {
  GgttMemory image, ring;  ///< image.address is the PRM's LRCA; ring: where it has one of its own
  uint32_t tail = 0;       ///< ring offset, bytes
  uint32_t seqno = 0;
  uint32_t id = 0;
  uint32_t registers = 0;  ///< version of Gpu's context registers that it has loaded
};

/// A GEM context: an address space, and one logical context per engine slot that was used.
struct Context {
  std::shared_ptr<AddressSpace> vm;
  uint32_t vm_id = 0;
  std::vector<int> slots;                      ///< engine map: engine index per slot, -1 invalid; empty: legacy ring flags
  std::map<unsigned, LogicalContext> logical;  ///< key: slot
  bool banned = false;
  int priority = 0;
  bool recoverable = true, bannable = true;
  uint32_t batch_active = 0, batch_pending = 0, resets = 0;
};

struct EngineQueue {
  const EngineInfo* info = nullptr;  ///< null: the chip has no such engine
  unsigned index = 0;
  std::deque<RequestPtr> waiting;
  std::deque<RequestPtr> running;     ///< in the order in which the engine executes them
  LogicalContext* current = nullptr;  ///< the engine is at it, or will save into its image
  const Context* last = nullptr;      ///< started last
  bool busy = false;
  int64_t since_ns = 0;  ///< last progress
};

}  // namespace softgen::run

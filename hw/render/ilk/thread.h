// SPDX-License-Identifier: GPL-2.0-or-later
// Between the units of Ironlake's 3D pipeline and what executes their kernels. A unit hands over a payload; the runner executes the kernel, answers its
// messages to shared functions (math, sampler, data ports), and passes on those that are the unit's own: to the URB and to render targets.
#pragma once

#include <cstdint>
#include <span>

#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"
#include "hw/render/ilk/state.h"

namespace softgen::render::ilk {

struct ThreadJob {
  Unit unit{};
  const ThreadUnit& state;
  uint32_t kernel = 0;           ///< offset from the instruction base
  const ShaderBases& bases;      ///< with the unit's binding table
  std::span<const Grf> payload;  ///< from r0 on
  unsigned channels = 8;         ///< that were dispatched: 8 or 16
  uint32_t dispatch_mask = 0;    ///< bit n: channel n has work
  uint64_t draw = 0;             ///< no other draw of the process has this number, and its kernels stay as they are
  bool counted = true;           ///< false: a trial, which statistics of threads leave out
};

/// A message to the URB: URB_WRITE or FF_SYNC (Mesa brw_eu_defines.h, brw_inst.h: urb_*). Register 0 of its payload is the header.
struct UrbMessage {
  enum class Swizzle : uint8_t {
    none,        ///< registers follow each other in the entry
    interleave,  ///< the lower halves of registers are handle 0's, the upper ones handle 1's
    transpose,   ///< by channel: dword n of each register
  };
  bool sync = false;  ///< FF_SYNC: the units' turn, and with `allocate` the first entry
  Swizzle swizzle{};
  unsigned offset = 0;  ///< of an entry, registers
  bool allocate = false, used = true, complete = false;
};

/// A render target write (Mesa brw_eu_defines.h, BRW_DATAPORT_RENDER_TARGET_WRITE_*).
struct TargetMessage {
  enum class Form : uint8_t { simd16, replicated, dual_low, dual_high, simd8 };
  Form form{};
  unsigned binding = 0;  ///< binding table index, at most 255
};

/// What a thread's own unit answers. False: an illegal message, which ends the thread.
class UnitMessages {
 public:
  virtual ~UnitMessages() = default;
  virtual bool urb(const UrbMessage& how, std::span<const Grf> payload, std::span<Grf> response) = 0;
  virtual bool target_write(const TargetMessage& how, std::span<const Grf> payload) = 0;
};

/// failed: by an illegal instruction or message, which is counted. aborted: the stop flag says that the work is dropped.
enum class ThreadEnd : uint8_t { finished, failed, aborted };

class ThreadRunner {
 public:
  virtual ~ThreadRunner() = default;
  /// Runs a thread to its end, on the calling thread. Several host threads may call it at once, each with a view of its own.
  virtual ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) = 0;
  /// Whether all that such threads do is one write to a target, with r0 as its header, whose colours do not depend on registers below `first`. Of `job`
  /// it needs the kernel.
  virtual bool sends_one_color(const ThreadJob&, unsigned /*first*/, EngineEnv&) { return false; }
};

}  // namespace softgen::render::ilk

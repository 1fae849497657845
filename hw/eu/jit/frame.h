// SPDX-License-Identifier: GPL-2.0-or-later
// The argument of compiled code, with the functions that it calls. The code uses these fields by their offsets.
#pragma once

#include <array>
#include <cstdint>

#include "hw/eu/interp/execute.h"
#include "hw/eu/interp/math_lanes.h"
#include "hw/eu/jit/flow.h"
#include "hw/eu/program/mask_stacks.h"
#include "hw/eu/program/series.h"
#include "hw/memory/view.h"

namespace softgen::eu::jit {

struct Compiled;

struct Frame {
  Thread* thread;        ///< its registers come first
  uint8_t* acc_size;     ///< the thread's
  uint32_t active;       ///< active channels at the start, and at the end if the interpreter continues
  const uint32_t* stop;  ///< StopFlag's reasons
  /// Runs one op as the interpreter does, on the registers in memory. Returns a Next.
  uint32_t (*step)(Frame*, uint32_t op, uint32_t active);
  /// Sends the message of one op for the channels of `mask`. Returns a Next.
  uint32_t (*send)(Frame*, uint32_t op, uint32_t active, uint32_t mask);
  /// Extended math on eight channels, by MathFunction.
  const MathLanes* math;
  std::array<uint32_t, max_waits> waiting;  ///< when the code leaves: waiting channels, by index of FlowGraph::wait_places
  uint32_t index;                           ///< where the interpreter continues
  RunState* state;
  const Compiled* code;
  uint32_t mxcsr, mxcsr_of_code;  ///< the host thread's value, and the code's, which may add DAZ
  const SendForm* sends;          ///< the code's
  DirectAnswers* direct;          ///< the thread's; null: none
  DirectAnswer* answers;          ///< of the code's messages of fixed form, by number
  memory::View::Clock clock;      ///< windows are valid while they agree with it
  struct {
    SeriesThread* first;
    SeriesThread** running;
    const Grf* constants;
    uint64_t epoch, generation;  ///< of `clock`, for the threads' targets
    uint32_t* dispatched;        ///< the thread's
  } series;
  MaskStacks* masks;  ///< the thread's, of instruction sets that have them; the code has its own copies
};

/// What the code returns.
enum class Exit : uint32_t { finished, blocked, failed, aborted, interpret };

using Code = uint32_t (*)(Frame*);

/// Modes (cr0.0) that compiled code implements; others are interpreted.
constexpr bool mode_is_compiled(uint32_t control) { return !(control & cr0::rounding_mask); }

/// How a variant of a kernel is specialized.
struct Variant {
  bool flush_f32 = true;        ///< cr0: denormals of F are zeros
  uint32_t channels = 0;        ///< dispatched channels; 0: any
  bool keep_registers = false;  ///< registers are in memory when the thread ends (tests)
  SeriesLayout series = {};     ///< the code runs series with this layout; end 0: one thread
  bool alternate = false;       ///< cr0: ALT mode, in which arithmetic knows neither NaNs nor infinities

  bool of_series() const { return series.end != 0; }
  /// Whether the code computes the barycentrics of threads with planes.
  bool of_planes() const { return series.has_planes && channels == 0xffff; }
  bool operator==(const Variant&) const = default;
};

}  // namespace softgen::eu::jit

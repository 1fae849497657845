// SPDX-License-Identifier: GPL-2.0-or-later
// Many threads of one kernel, one after another, that begin alike but for some registers: what starts them is paid once.
#pragma once

#include <array>
#include <cstdint>

#include "hw/eu/program/thread.h"

namespace softgen::eu {

/// Which registers come from where. The others read zero.
struct SeriesLayout {
  uint8_t constants = 0;   ///< first register of those that all threads share; registers below are each thread's own
  uint8_t attributes = 0;  ///< first register of those that some threads share, after the constants
  uint8_t end = 0;         ///< one past the last
  /// Threads may have `planes`, whose values are i and j of eight pixels and of the next eight in the registers from first_barycentric on.
  uint8_t has_planes = 0;

  bool operator==(const SeriesLayout&) const = default;
};

constexpr unsigned first_barycentric = 2, barycentric_registers = 4;

/// What gives the barycentrics of 4x4 pixels. Plane n is, in floats, SeriesThread::corner[n] + steps[n], with the steps quad by quad; i and j are planes
/// 1 and 2 times W, the reciprocal of plane 0. No denormal occurs on the way, so MXCSR.DAZ changes nothing.
struct BarycentricPlanes {
  alignas(64) std::array<std::array<float, 16>, 3> steps;
  uint32_t same_w = 0;  ///< not 0: W is `w` everywhere
  float w = 0;
};

/// One of them. Compiled code follows the pointers and reads the mask.
struct SeriesThread {
  SeriesThread* next = nullptr;  ///< null: the last one
  const Grf* own = nullptr;      ///< r0 and those after it; with `planes` those that SeriesPayloads has written
  const Grf* attributes = nullptr;
  std::byte* target = nullptr;  ///< of 4x4 pixels, two quads above two quads: where they are in render target 0; null: ask
  uint32_t row = 0;             ///< bytes from row to row there
  uint32_t channels = 0;        ///< that run: one of the next two, as ThreadStart::run_vector_mask says
  uint32_t dispatch_mask = 0, vector_mask = 0;
  const BarycentricPlanes* planes = nullptr;  ///< null: none, `own` is complete
  std::array<float, 4> corner;                ///< values of the planes at the square's corner
};

/// Writes registers of the threads with planes when they are read.
class SeriesPayloads {
 public:
  virtual ~SeriesPayloads() = default;
  /// Registers before first_barycentric.
  virtual void write_headers() = 0;
  /// All registers of SeriesThread::own.
  virtual void write_all() = 0;
};

struct ThreadSeries {
  SeriesLayout layout;
  SeriesThread* first;
  uint32_t count;
  uint32_t channels;  ///< of all of them; 0: they differ
  const Grf* constants;
  SeriesThread** running;              ///< set to the thread that runs, for its unit
  uint64_t epoch = 0, generation = 0;  ///< of memory::View::clock(), as long as `target` is what the threads say
  SeriesPayloads* payloads = nullptr;  ///< null: no thread has planes
};

}  // namespace softgen::eu

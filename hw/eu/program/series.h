// SPDX-License-Identifier: GPL-2.0-or-later
// Many threads of one kernel, one after another, that begin alike but for some registers: what starts them is paid once.
#pragma once

#include <cstdint>

#include "hw/eu/program/thread.h"

namespace softgen::eu {

/// Which registers come from where. The others read zero.
struct SeriesLayout {
  uint8_t constants = 0;   ///< first register of those that all threads share; registers below are each thread's own
  uint8_t attributes = 0;  ///< first register of those that some threads share, after the constants
  uint8_t end = 0;         ///< one past the last

  bool operator==(const SeriesLayout&) const = default;
};

/// One of them. Compiled code follows the pointers and reads the mask.
struct SeriesThread {
  SeriesThread* next = nullptr;  ///< null: the last one
  const Grf* own = nullptr;      ///< r0 and those after it
  const Grf* attributes = nullptr;
  std::byte* target = nullptr;  ///< of 4x4 pixels, two quads above two quads: where they are in render target 0; null: ask
  uint32_t row = 0;             ///< bytes from row to row there
  uint32_t channels = 0;        ///< that run: one of the next two, as ThreadStart::run_vector_mask says
  uint32_t dispatch_mask = 0, vector_mask = 0;
};

struct ThreadSeries {
  SeriesLayout layout;
  SeriesThread* first;
  uint32_t count;
  uint32_t channels;  ///< of all of them; 0: they differ
  const Grf* constants;
  SeriesThread** running;              ///< set to the thread that runs, for its unit
  uint64_t epoch = 0, generation = 0;  ///< of memory::View::clock(), as long as `target` is what the threads say
};

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
// What a command streamer may wait for of a display pipe (ILK PRM vol 1 part 2, 5.3.7.3), and change there by a flip.
#pragma once

#include <cstdint>
#include <optional>

namespace softgen {

struct PipeWait {
  enum class Kind : uint8_t { vertical_blank, horizontal_blank, scan_line, flip };
  Kind kind{};
  unsigned pipe = 0;
  unsigned plane = 0;  ///< flip: 0 primary, 1 sprite
  /// scan_line: from `first` to `last`, or everywhere else.
  struct Lines {
    uint32_t first = 0, last = 0;
    bool outside = false;
  } lines{};
};

class DisplayEvents {
 public:
  virtual ~DisplayEvents() = default;
  /// Guest time, ns, when an event comes next or a condition ends, as things are now. Nothing: the condition does not hold, or the pipe is off. Any thread.
  virtual std::optional<int64_t> next(const PipeWait& what) = 0;
};

}  // namespace softgen

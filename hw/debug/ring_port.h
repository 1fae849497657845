// SPDX-License-Identifier: GPL-2.0-or-later
// A ring as software moves it by registers (ILK PRM vol 1 part 4, 1.1.5), for those who follow a driver without a streamer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace softgen::debug {

/// Commands that an engine has been given: those of its ring, at a global address, from `head` to `tail`, both offsets in bytes.
struct RingWork {
  uint32_t start = 0, size = 0, head = 0, tail = 0;
};

class RingPort {
 public:
  /// From the engine's base, in an order in which they may be written to a ring that stands still.
  static std::span<const uint32_t> registers();

  /// One of them is written. What the engine runs because of it, if anything: all of it has run when the next one is written.
  /// A ring that UHPTR moves is not followed: no driver writes it.
  std::optional<RingWork> write(uint32_t reg, uint32_t value);

 private:
  uint32_t start_ = 0, head_ = 0, tail_ = 0, control_ = 0;
  bool stopped_ = false;
};

}  // namespace softgen::debug

// SPDX-License-Identifier: GPL-2.0-or-later
// What an execution of a fuzzer reached that none before it did: of each block of guest code, which classes of counts were seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace softgen::debug {

class FreshCoverage {
 public:
  struct Found {
    uint32_t classes = 0;  ///< pairs of a block and a class of counts, seen for the first time
    uint32_t blocks = 0;   ///< blocks that ran for the first time
  };

  /// Forgets all executions; the next one begins with `counts`, by block.
  void begin(std::span<const uint64_t> counts);
  /// An execution has ended with `counts`, which only grow; the next one begins with them.
  Found look(std::span<const uint64_t> counts);
  /// Blocks that ran in any execution.
  uint32_t blocks() const { return blocks_; }

  /// The class of an execution's count, as a bit: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128 and more (AFL's classes).
  static uint8_t class_of(uint64_t count);

 private:
  std::vector<uint64_t> before_;
  std::vector<uint8_t> seen_;
  uint32_t blocks_ = 0;
};

}  // namespace softgen::debug

// SPDX-License-Identifier: GPL-2.0-or-later
// The blocks of guest code that were translated inside watched address ranges (include/softgen/coverage.h is its C form).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/base/mutex.h"

namespace softgen::debug {

class Coverage {
 public:
  struct Range {
    uint64_t start, end;  ///< end exclusive
    bool operator==(const Range&) const = default;
  };
  static constexpr unsigned max_ranges = 64, max_constants = 1 << 14;
  static constexpr uint32_t no_block = UINT32_MAX;

  /// At most `max_blocks` blocks get an index.
  explicit Coverage(uint32_t max_blocks) : max_blocks_(max_blocks) {}

  /// "START-END+START-END", hexadecimal, with or without 0x; sorted and merged. Throws std::invalid_argument with a sentence.
  static std::vector<Range> parse(std::string_view text);
  static std::string print(std::span<const Range> ranges);

  void set_ranges(std::vector<Range> ranges) SG_EXCLUDES(mutex_);
  std::vector<Range> ranges() const SG_EXCLUDES(mutex_);
  /// The block's index, or no_block. A block belongs to the range that its first byte is in.
  uint32_t block(uint64_t start, uint32_t bytes) SG_EXCLUDES(mutex_);
  uint32_t count() const SG_EXCLUDES(mutex_);
  /// An instruction of a watched block.
  void instruction(std::span<const uint8_t> bytes) SG_EXCLUDES(mutex_);
  /// Constants that those compare with, hexadecimal, one per line, sorted; at most max_constants.
  std::string constants() const SG_EXCLUDES(mutex_);
  /// Lines "START BYTES COUNT" of the blocks inside the ranges whose count, at their index in `counts`, is not zero.
  std::string executed(std::span<const uint64_t> counts) const SG_EXCLUDES(mutex_);
  std::string state() const SG_EXCLUDES(mutex_);

 private:
  bool watched(uint64_t address) const SG_REQUIRES(mutex_);

  const uint32_t max_blocks_;
  mutable Mutex mutex_;
  std::vector<Range> ranges_ SG_GUARDED_BY(mutex_);
  /// From start and size: the same address may begin blocks of several sizes (TCG ends a block at a page's end, and before a breakpoint).
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> indices_ SG_GUARDED_BY(mutex_);
  std::set<uint32_t> constants_ SG_GUARDED_BY(mutex_);
  uint64_t translations_ SG_GUARDED_BY(mutex_) = 0;
  uint64_t dropped_ SG_GUARDED_BY(mutex_) = 0;
};

}  // namespace softgen::debug

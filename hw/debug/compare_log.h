// SPDX-License-Identifier: GPL-2.0-or-later
// Compare instructions of guest code that had one of the wanted values as an operand, and the other operand then (include/softgen/coverage.h is its C form).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/debug/compare_operands.h"

namespace softgen::debug {

class CompareLog {
 public:
  struct Site {
    uint64_t address;
    CompareOperands operands;
    std::vector<std::pair<uint64_t, uint64_t>> seen;  ///< left and right
  };
  static constexpr unsigned max_values = 256, max_sites = 1 << 16, max_pairs = 16, max_all_pairs = 1 << 14;
  /// An operand of 4 or 8 bytes that differs so little from a wanted value of more than 2^20 was made of it: a number added or taken away.
  static constexpr uint64_t nearness = 0x1000, near_from = 1 << 20;

  /// Hexadecimal numbers with blanks between. Throws std::invalid_argument with a sentence.
  static std::vector<uint64_t> parse(std::string_view text);

  /// Forgets all pairs. Sites stay, for translated code has their addresses.
  void begin(std::vector<uint64_t> values) SG_EXCLUDES(mutex_);
  std::vector<uint64_t> values() const SG_EXCLUDES(mutex_);
  /// The site of an instruction, the same each time; it lives as long as the log. Null: it compares nothing, or there are too many.
  Site* site(uint64_t address, std::span<const uint8_t> bytes) SG_EXCLUDES(mutex_);
  /// The instruction runs with these operands; what it has as an immediate, and bytes beyond its size, do not count.
  void record(Site& site, uint64_t left, uint64_t right) SG_EXCLUDES(mutex_);
  /// Lines "ADDRESS BYTES OPERATION LEFT RIGHT", numbers hexadecimal, by address; of each site the first max_pairs different ones.
  std::string text() const SG_EXCLUDES(mutex_);

 private:
  bool is_wanted(uint64_t operand, uint8_t bytes) const SG_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<uint64_t> values_ SG_GUARDED_BY(mutex_);  ///< sorted
  std::deque<Site> sites_ SG_GUARDED_BY(mutex_);
  std::map<std::pair<uint64_t, std::vector<uint8_t>>, Site*> by_code_ SG_GUARDED_BY(mutex_);
  size_t pairs_ SG_GUARDED_BY(mutex_) = 0;
};

}  // namespace softgen::debug

// SPDX-License-Identifier: GPL-2.0-or-later
// Streams for tests, written as the standards print their codes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace softgen::media::test {

class BitWriter {
 public:
  /// Digits 0 and 1; spaces do not count.
  void put(std::string_view digits) {
    for (const char digit : digits) {
      if (digit == ' ') continue;
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<uint8_t>(bytes_.back() | (digit == '1') << (7 - count_ % 8));
      ++count_;
    }
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
};

}  // namespace softgen::media::test

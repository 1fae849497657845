// SPDX-License-Identifier: GPL-2.0-or-later
// A fuzzer's bytes, taken from the front. What is missing reads as zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace softgen::fuzz {

class Input {
 public:
  explicit Input(std::span<const uint8_t> data) : data_(data) {}

  template <typename T>
  T take() {
    T value{};
    const auto bytes = take_bytes(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  /// At most `n` bytes.
  std::span<const uint8_t> take_bytes(size_t n) {
    const auto bytes = data_.first(std::min(n, data_.size()));
    data_ = data_.subspan(bytes.size());
    return bytes;
  }
  std::span<const uint8_t> rest() const { return data_; }
  bool empty() const { return data_.empty(); }

 private:
  std::span<const uint8_t> data_;
};

}  // namespace softgen::fuzz

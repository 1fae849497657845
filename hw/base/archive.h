// SPDX-License-Identifier: GPL-2.0-or-later
// Device state to bytes and back (savevm, migration). One function a unit describes both directions:
//   void Unit::state(Archive& ar) { ar.section("unit", 1); ar.value(field_); ar.bytes(table_); }
// Format: little endian, sections are length-prefixed and named, so that a mismatch is found where it starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace softgen {

class Archive {
 public:
  /// A writer.
  Archive() = default;
  /// A reader of `data`, which must outlive it. The data is not trusted: any misfit sets failed() and leaves values untouched.
  explicit Archive(std::span<const std::byte> data) : reading_(true), input_(data) {}

  bool reading() const { return reading_; }
  bool failed() const { return !error_.empty(); }
  /// One sentence; empty while all is well.
  const std::string& error() const { return error_; }
  void fail(std::string_view why);

  /// Starts a named section. Reading: fails unless the stream has the same name with a version in 1..version. Returns the version
  /// found (writing: `version`).
  uint32_t section(std::string_view name, uint32_t version);

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void value(T& v) {
    raw(std::as_writable_bytes(std::span(&v, 1)));
  }
  /// A byte that is 0 or 1: any other is no value of a bool.
  void value(bool& v) {
    uint8_t byte = v;
    value(byte);
    if (byte > 1) return fail("a flag is neither 0 nor 1");
    v = byte;
  }
  /// A block whose size both sides know.
  void bytes(std::span<std::byte> block) { raw(block); }
  /// A block of guest-chosen size; reading fails above `limit` bytes.
  void blob(std::vector<std::byte>& block, size_t limit);
  /// A count that both sides may differ in; reading fails above `limit`.
  uint32_t count(uint32_t n, uint32_t limit);

  const std::vector<std::byte>& output() const { return output_; }
  std::vector<std::byte> take() { return std::move(output_); }

 private:
  void raw(std::span<std::byte> block);

  bool reading_ = false;
  std::span<const std::byte> input_;
  std::vector<std::byte> output_;
  std::string error_;
};

}  // namespace softgen

// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes in order from a file that may be xz-compressed. Memory use does not depend on the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace softgen::debug {

/// One sentence; `offset` counts bytes of the (decompressed) stream.
class StreamError : public std::runtime_error {
 public:
  StreamError(uint64_t offset, const std::string& what) : std::runtime_error(what), offset(offset) {}
  uint64_t offset;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `out` as far as bytes are left; returns how many. Throws StreamError on read and decompression errors.
  virtual size_t read(std::span<std::byte> out) = 0;
};

/// A file, decompressed when it starts with the xz magic ("-": standard input). Throws StreamError.
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// Bytes that outlive the source, as open_file() would treat them.
std::unique_ptr<ByteSource> open_bytes(std::span<const std::byte> bytes);

}  // namespace softgen::debug

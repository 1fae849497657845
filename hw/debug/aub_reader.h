// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an AUB file record by record and calls a visitor. The file is not trusted: memory use is bounded by the longest record header
// (256 KiB), payloads come in pieces, and the first record that does not fit ends it with one error that names the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/debug/aub_format.h"
#include "hw/debug/byte_source.h"

namespace softgen::debug {

struct AubVersion {
  uint32_t pci_id = 0;  ///< 0: the file does not say
  std::string application;
  bool classic = false;  ///< blocks and ring writes instead of a memory trace
};

/// Which ring a classic command block is for.
enum class AubRing : uint8_t { render, video, copy };

class AubVisitor {
 public:
  virtual ~AubVisitor() = default;
  virtual void version(const AubVersion&) {}
  /// A piece of at most 64 KiB of a memory write; pieces of one write come in order.
  virtual void memory_write(aub::Space space, uint64_t address, std::span<const std::byte> data) = 0;
  /// The same, of what memory must hold at this point (equal, whole bytes).
  virtual void memory_compare(aub::Space space, uint64_t address, std::span<const std::byte> data) {}
  virtual void register_write(uint32_t offset, uint32_t value) = 0;
  /// The recorder waited until (register & mask) == value.
  virtual void register_poll(uint32_t offset, uint32_t mask, uint32_t value) {}
  /// Classic files: commands for a ring, without a ring in memory. At most 1 MiB.
  virtual void ring_write(AubRing ring, std::span<const std::byte> commands) {}
  virtual void comment(std::string_view text) {}
};

struct AubError {
  uint64_t offset;  ///< of the record (or byte) at fault, in the decompressed file
  std::string message;
};

/// Reads to the end, or to the first error. Exceptions of the visitor pass through. `position`, when given, follows the record being read.
std::optional<AubError> read_aub(ByteSource& source, AubVisitor& visitor, uint64_t* position = nullptr);

}  // namespace softgen::debug

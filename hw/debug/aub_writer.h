// SPDX-License-Identifier: GPL-2.0-or-later
// Writes AUB files in the form of Mesa's intel_dump_gpu (memory trace with GGTT and PPGTT tables, execlists), which aubinator and
// softgen-replay read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "hw/debug/aub_format.h"

namespace softgen::debug {

class AubWriter {
 public:
  /// Takes the file's bytes in order; false: they could not be written; later bytes are not written either.
  using Sink = std::function<bool(std::span<const std::byte>)>;
  explicit AubWriter(Sink sink) : sink_(std::move(sink)) {}

  /// Once, first. `simulator`: the platform's number in AUB files (SKL family: 0x10).
  void version(uint32_t pci_id, std::string_view application, uint32_t simulator = 0x10);
  /// Any size; cut into records of at most 4 KiB.
  void memory(aub::Space space, uint64_t address, std::span<const std::byte> data);
  /// What memory holds at this point, for readers that execute the file. (Mesa's do not know the record.)
  void compare(aub::Space space, uint64_t address, std::span<const std::byte> data);
  void register_write(uint32_t offset, uint32_t value);
  void register_poll(uint32_t offset, uint32_t mask, uint32_t value);
  void comment(std::string_view text);

  bool failed() const { return failed_; }
  uint64_t size() const { return size_; }

 private:
  void memory_records(aub::Memtrace kind, aub::Space space, uint64_t address, std::span<const std::byte> data);
  void record(std::span<const uint32_t> head, std::span<const std::byte> payload);

  Sink sink_;
  std::vector<std::byte> buffer_;
  bool failed_ = false;
  uint64_t size_ = 0;
};

}  // namespace softgen::debug

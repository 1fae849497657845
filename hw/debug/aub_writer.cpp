// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/aub_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "hw/base/bits.h"

namespace softgen::debug {
namespace {

constexpr size_t record_payload = 4096;

uint32_t memtrace(aub::Memtrace kind, size_t dwords) {
  return aub::header(aub::opcode_memtrace, static_cast<uint32_t>(kind), static_cast<uint32_t>(dwords - 1));
}
size_t payload_dwords(size_t bytes) { return (bytes + 3) / 4; }

}  // namespace

void AubWriter::record(std::span<const uint32_t> head, std::span<const std::byte> payload) {
  if (failed_) return;
  buffer_.assign((head.size() + payload_dwords(payload.size())) * 4, std::byte{0});
  std::memcpy(buffer_.data(), head.data(), head.size_bytes());
  if (!payload.empty()) std::memcpy(buffer_.data() + head.size_bytes(), payload.data(), payload.size());
  failed_ = !sink_(buffer_);
  size_ += buffer_.size();
}

void AubWriter::version(uint32_t pci_id, std::string_view application, uint32_t simulator) {
  std::string text = fmt::format("PCI-ID=0x{:x} {}", pci_id, application.substr(0, 255));
  text.push_back('\0');
  const uint32_t head[] = {memtrace(aub::Memtrace::version_extended, 5 + payload_dwords(text.size())), 1, simulator << 8, 0, 0};
  record(head, std::as_bytes(std::span(text)));
}

void AubWriter::memory(aub::Space space, uint64_t address, std::span<const std::byte> data) {
  memory_records(aub::Memtrace::memory_write, space, address, data);
}

void AubWriter::compare(aub::Space space, uint64_t address, std::span<const std::byte> data) {
  memory_records(aub::Memtrace::memory_compare, space, address, data);
}

void AubWriter::memory_records(aub::Memtrace kind, aub::Space space, uint64_t address, std::span<const std::byte> data) {
  while (!data.empty()) {
    // Records end at page boundaries, as dump_gpu's do: aubinator maps page by page.
    const size_t room = record_payload - (space == aub::Space::ggtt_entry ? 0 : address % record_payload);
    const auto piece = data.first(std::min(data.size(), room));
    const uint32_t head[] = {memtrace(kind, 5 + payload_dwords(piece.size())), static_cast<uint32_t>(address),
                             static_cast<uint32_t>(address >> 32), static_cast<uint32_t>(space) << 28, static_cast<uint32_t>(piece.size())};
    record(head, piece);
    address += piece.size();
    data = data.subspan(piece.size());
  }
}

void AubWriter::register_write(uint32_t offset, uint32_t value) {
  const uint32_t head[] = {memtrace(aub::Memtrace::register_write, 6), offset, aub::register_size_dword, 0xffffffff, 0, value};
  record(head, {});
}

void AubWriter::register_poll(uint32_t offset, uint32_t mask, uint32_t value) {
  const uint32_t head[] = {memtrace(aub::Memtrace::register_poll, 6), offset, aub::register_size_dword, mask, 0, value};
  record(head, {});
}

void AubWriter::comment(std::string_view text) {
  std::string padded(text.substr(0, 65000));
  padded.push_back('\0');
  const uint32_t head[] = {memtrace(aub::Memtrace::comment, 2 + payload_dwords(padded.size())), 0};
  record(head, std::as_bytes(std::span(padded)));
}

}  // namespace softgen::debug

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/aub_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::debug {
namespace {

constexpr size_t piece_size = 64 * 1024;
constexpr size_t ring_write_limit = 1024 * 1024;

using aub::Classic;
using aub::Memtrace;
using aub::Space;

uint64_t join(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

class Reader {
 public:
  Reader(ByteSource& source, AubVisitor& visitor, uint64_t* position) : source_(source), visitor_(visitor), position_(position) {}

  void run() {
    while (begin_record()) {
      const uint32_t opcode = bits(dw_[0], 28, 23), sub_opcode = bits(dw_[0], 22, 16);
      if (opcode == aub::opcode_memtrace) memtrace(static_cast<Memtrace>(sub_opcode));
      else classic(static_cast<Classic>(sub_opcode));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw StreamError(record_, why); }

  bool begin_record() {
    record_ = offset_;
    if (position_) *position_ = record_;
    dw_.resize(1);
    const size_t got = take(std::as_writable_bytes(std::span(dw_)));
    if (got == 0 && !record_) fail("not an AUB file (it is empty)");
    if (got == 0) return false;
    if (got < 4) fail(fmt::format("{} stray bytes at the end", got));
    const uint32_t opcode = bits(dw_[0], 28, 23), length = bits(dw_[0], 15, 0);
    if (dw_[0] >> 29 != aub::type || (opcode != aub::opcode_classic && opcode != aub::opcode_memtrace))
      fail(record_ ? fmt::format("0x{:08x} is not the start of an AUB record", dw_[0])
                   : fmt::format("not an AUB file (first word 0x{:08x})", dw_[0]));
    dwords_ = length + (opcode == aub::opcode_classic ? 2 : 1);
    return true;
  }

  size_t take(std::span<std::byte> out) {
    const size_t got = source_.read(out);
    offset_ += got;
    return got;
  }
  void take_all(std::span<std::byte> out) {
    if (const size_t got = take(out); got < out.size())
      fail(fmt::format("the file ends inside this record ({} bytes are missing)", out.size() - got));
  }
  /// Reads the record's dwords up to `count` (all of it by default).
  void header(uint32_t count) {
    if (dwords_ < count) fail(fmt::format("record of {} dwords, at least {} needed", dwords_, count));
    const size_t have = dw_.size();
    if (have >= count) return;
    dw_.resize(count);
    take_all(std::as_writable_bytes(std::span(dw_).subspan(have)));
  }
  void whole() { header(dwords_); }

  using Tell = void (AubVisitor::*)(Space, uint64_t, std::span<const std::byte>);
  void stream(Space space, uint64_t address, uint64_t size, uint64_t padded, Tell tell = &AubVisitor::memory_write) {
    std::byte piece[piece_size];
    for (uint64_t done = 0; done < padded;) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(padded - done, piece_size));
      take_all(std::span(piece, step));
      if (done < size)
        (visitor_.*tell)(space, address + done, std::span(piece, static_cast<size_t>(std::min<uint64_t>(step, size - done))));
      done += step;
    }
  }

  void memtrace(Memtrace kind) {
    switch (kind) {
      case Memtrace::version:
      case Memtrace::version_extended: return version();
      case Memtrace::register_write: header(6), whole(); return visitor_.register_write(dw_[1], dw_[5]);
      case Memtrace::register_poll: header(6), whole(); return visitor_.register_poll(dw_[1], dw_[3], dw_[5]);
      case Memtrace::memory_write: return memory_record("memory write", &AubVisitor::memory_write);
      case Memtrace::memory_compare: return memory_compare();
      case Memtrace::memory_write_discontiguous: return discontiguous();
      case Memtrace::comment: whole(); return visitor_.comment(text_from(2));
      case Memtrace::register_compare:
      case Memtrace::memory_poll:
      case Memtrace::frame_begin:
      case Memtrace::delay:
      case Memtrace::memory_dump:
      case Memtrace::test_phase_marker:
      case Memtrace::memory_continuous_region:
      case Memtrace::predicate:
        // Instructions to a simulator's test bench: they change neither memory nor registers.
        note("AUB record without effect", "sub-opcode 0x{:02x} at byte {}", static_cast<uint32_t>(kind), record_);
        return whole();
      case Memtrace::dump_compress: fail("compressed dumps inside an AUB file are not supported");
    }
    fail(fmt::format("unknown memory trace record 0x{:02x}", static_cast<uint32_t>(kind)));
  }

  void version() {
    whole();
    AubVersion v;
    // "PCI-ID=0x5912 name": the name is cut at its NUL; the bytes after it are undefined.
    std::string text = dwords_ > 5 ? text_from(5) : "";
    if (text.starts_with("PCI-ID=")) {
      char* rest = nullptr;
      v.pci_id = static_cast<uint32_t>(std::strtoul(text.c_str() + 7, &rest, 0));
      v.application = rest + std::strspn(rest, " ");
    } else {
      v.application = text;
    }
    visitor_.version(v);
  }

  void memory_record(const char* what, Tell tell) {
    header(5);
    const uint64_t payload = uint64_t{dwords_ - 5} * 4;
    if (dw_[4] > payload) fail(fmt::format("{} of {} bytes in a record with {}", what, dw_[4], payload));
    stream(static_cast<Space>(dw_[3] >> 28), strip_canonical(join(dw_[1], dw_[2])), dw_[4], payload, tell);
  }

  /// DW3: [0] no read expected, [4] checksums instead of data, [6:5] operation (0: equal), as in Intel's compute-runtime, aub_services.h.
  void memory_compare() {
    header(5);
    if (dw_[3] & 0x71) {
      note("AUB record without effect", "memory compare of kind 0x{:02x} at byte {}", dw_[3] & 0x7f, record_);
      return stream(Space::pci, 0, 0, uint64_t{dwords_ - 5} * 4);
    }
    memory_record("memory compare", &AubVisitor::memory_compare);
  }

  void discontiguous() {
    constexpr uint32_t first_data = 2 + 3 * aub::discontiguous_pairs;
    header(first_data), whole();
    const auto data = std::as_bytes(std::span(dw_).subspan(first_data));
    size_t used = 0;
    for (uint32_t i = 0; i < aub::discontiguous_pairs; i++) {
      const uint32_t* pair = &dw_[2 + 3 * i];
      if (pair[2] > data.size() - used) fail(fmt::format("part {} of a discontiguous write runs out of the record", i));
      if (pair[2])
        visitor_.memory_write(static_cast<Space>(dw_[1] >> 28), strip_canonical(join(pair[0], pair[1])), data.subspan(used, pair[2]));
      used += pair[2];
    }
  }

  void classic(Classic kind) {
    switch (kind) {
      case Classic::header: return classic_header();
      case Classic::block: return classic_block();
      case Classic::bmp: return whole();  // "dump this surface as a picture": an instruction to a simulator
    }
    fail(fmt::format("unknown classic record 0x{:02x}", static_cast<uint32_t>(kind)));
  }

  void classic_header() {
    whole();
    AubVersion v;
    v.classic = true;
    if (dwords_ > 10) v.application = text_from(2).substr(0, 32);
    if (dwords_ > 13 && dw_[12]) {
      const std::string text = text_from(13);
      if (text.starts_with("PCI-ID=")) v.pci_id = static_cast<uint32_t>(std::strtoul(text.c_str() + 7, nullptr, 0));
    }
    visitor_.version(v);
  }

  void classic_block() {
    header(5), whole();
    const uint32_t operation = dw_[1] & 0xff, kind = dw_[1] & 0xff00, space = bits(dw_[1], 23, 16), size = dw_[4];
    const uint64_t address = strip_canonical(join(dw_[3], dwords_ > 5 ? dw_[5] : 0));
    const uint64_t padded = align_up<uint64_t>(size, 4);
    if (operation == 1) return stream(static_cast<Space>(space), address, size, padded);
    if (operation != 2) {
      note("AUB record without effect", "classic block operation {} at byte {}", operation, record_);
      return stream(Space::pci, address, 0, padded);
    }
    const uint32_t ring = (kind >> 8) - 2;
    if (ring > 2) fail(fmt::format("commands for unknown ring {}", kind >> 8));
    if (padded > ring_write_limit) fail(fmt::format("{} bytes of commands in one block", size));
    std::vector<std::byte> commands(static_cast<size_t>(padded));
    take_all(commands);
    visitor_.ring_write(static_cast<AubRing>(ring), std::span(commands).first(size));
  }

  std::string text_from(size_t dword) const {
    if (dword >= dw_.size()) return {};
    const auto* text = reinterpret_cast<const char*>(&dw_[dword]);
    return std::string(text, strnlen(text, (dw_.size() - dword) * 4));
  }

  ByteSource& source_;
  AubVisitor& visitor_;
  uint64_t* position_;
  std::vector<uint32_t> dw_;
  uint32_t dwords_ = 0;
  uint64_t offset_ = 0, record_ = 0;
};

}  // namespace

std::optional<AubError> read_aub(ByteSource& source, AubVisitor& visitor, uint64_t* position) {
  try {
    Reader(source, visitor, position).run();
    return std::nullopt;
  } catch (const StreamError& error) { return AubError{error.offset, error.what()}; }
}

}  // namespace softgen::debug

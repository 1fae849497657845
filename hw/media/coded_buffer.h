// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a picture that is encoded, in graphics memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/base/work.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"

namespace softgen::media {

/// MFX_PAK_INSERT_OBJECT or HCP_PAK_INSERT_OBJECT.
struct Insertion {
  std::vector<uint8_t> bytes;
  unsigned last_bits = 8;  ///< of the last byte, the highest ones: 1 to 8
  bool last_header = false;
  bool protect = false;  ///< emulation prevention is to be put in,
  unsigned skipped = 0;  ///< but not in as many bytes

  /// Of byte i, the highest ones.
  unsigned bits_of(size_t i) const { return i + 1 < bytes.size() ? 8 : last_bits; }
};

/// Where coded bytes go. Bound 0: there is none.
struct PakTarget {
  uint64_t address = 0, bound = 0;
};

class CodedBuffer {
 public:
  void begin() { size_ = 0, is_cut_ = false; }
  /// Where the next bytes go, from the address on.
  void seek(uint64_t offset) { size_ = offset; }
  /// Bytes that append() would still write.
  uint64_t room(const PakTarget& to) const { return to.bound ? to.bound - std::min(to.address + size_, to.bound) : ~uint64_t{0}; }
  /// What would be at the target's bound or beyond is dropped. Returns the number of bytes that were written.
  uint64_t append(memory::View& view, const PakTarget& to, std::span<const uint8_t> bytes) {
    const uint64_t at = to.address + size_, written = std::min<uint64_t>(bytes.size(), room(to));
    is_cut_ |= written < bytes.size();
    view.write(at, bytes.data(), written);
    size_ += written;
    count_work(Work::video_bytes, written);
    return written;
  }
  /// Zeros up to a whole line: i965-va-driver finds a picture's end by what its last bytes are, so old bytes must not follow directly.
  void pad(memory::View& view, const PakTarget& to) {
    const std::array<uint8_t, line_bytes> zeros{};
    append(view, to, std::span(zeros).first((line_bytes - size_ % line_bytes) % line_bytes));
  }
  uint64_t size() const { return size_; }
  bool is_cut() const { return is_cut_; }

 private:
  static constexpr uint64_t line_bytes = 64;
  uint64_t size_ = 0;
  bool is_cut_ = false;
};

}  // namespace softgen::media

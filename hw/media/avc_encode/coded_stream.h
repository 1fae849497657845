// SPDX-License-Identifier: GPL-2.0-or-later
// The bits of a picture, of H.264 or HEVC, on their way to the coded buffer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/avc_encode/golomb_writer.h"
#include "hw/media/coded_buffer.h"
#include "hw/memory/view.h"

namespace softgen::media::avc {

class CodedStream {
 public:
  void begin(const PakTarget& target) {
    bits_.clear(), emulation_.reset();
    buffer_.begin();
    target_ = target;
  }
  GolombWriter& bits() { return bits_; }
  /// Where the next bytes go, from the target's address on.
  void seek(uint64_t offset) { buffer_.seek(offset); }
  /// Moves the whole bytes to the buffer: all but the first `skipped` with emulation prevention if `protect`. Returns how many bytes were written.
  uint32_t flush(memory::View& view, bool protect, size_t skipped = 0) {
    std::vector<uint8_t> out;
    const std::span<const uint8_t> bytes = bits_.bytes();
    const size_t plain = std::min(skipped, bytes.size());
    emulation_.add(bytes.first(plain), false, out);
    emulation_.add(bytes.subspan(plain), protect, out);
    bits_.take_bytes();
    return static_cast<uint32_t>(buffer_.append(view, target_, out));
  }
  void pad(memory::View& view) { buffer_.pad(view, target_); }
  bool is_cut() const { return buffer_.is_cut(); }

 private:
  GolombWriter bits_;
  EmulationPrevention emulation_;
  CodedBuffer buffer_;
  PakTarget target_;
};

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
// Baseline JPEG, encode (T.81 annex F.1): one interleaved scan of a surface. Headers are the driver's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/media/frame/frame.h"
#include "hw/media/jpeg/picture.h"
#include "hw/media/jpeg/tables.h"

namespace softgen::media::jpeg {

/// Of a symbol; length 0: there is none.
struct Code {
  uint16_t bits = 0;
  uint8_t length = 0;
};

/// Codes by size of a DC difference, and by run * 10 + size of an AC coefficient: 0 ends a block, run 15 is one place higher (151 is a run of 16 zeros).
struct CodeTable {
  std::array<Code, 12> dc;
  std::array<Code, 162> ac;
};

enum class SourceLayout : uint8_t { nv12, uyvy, yuy2, luma, rgb };

struct EncodedScan {
  Structure structure;  ///< with the size of the picture; the samples beyond it are its last ones
  SourceLayout layout = SourceLayout::nv12;
  PlaneLayout luma, chroma;                            ///< base, pitch, tiling, first row and byte; chroma: NV12's
  std::array<std::array<uint16_t, 64>, 3> matrices{};  ///< divisors by component, row by row; not 0
  std::array<CodeTable, 2> tables;
  std::array<uint8_t, 3> dc_table{}, ac_table{};  ///< by component
  uint32_t units = 0, interval = 0;               ///< MCUs; between restarts, 0: there are none
};

/// Bytes of a scan: a 0 follows each FF.
class ScanWriter {
 public:
  void begin() { bytes_.clear(), held_ = 0, count_ = 0; }
  void put(uint32_t bits, unsigned length) {
    held_ = held_ << length | (bits & ((uint64_t{1} << length) - 1));
    count_ += length;
    while (count_ >= 8) {
      count_ -= 8;
      push(static_cast<uint8_t>(held_ >> count_));
    }
  }
  /// Ones up to the next byte, and a marker.
  void marker(uint8_t code);
  /// Ones up to the next byte.
  void align();
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  void push(uint8_t byte) {
    bytes_.push_back(byte);
    if (byte == 0xff) bytes_.push_back(0);
  }
  std::vector<uint8_t> bytes_;
  uint64_t held_ = 0;
  unsigned count_ = 0;
};

class ScanEncoder {
 public:
  void begin(memory::View& view, const StopFlag& stop, const EncodedScan& scan);
  /// The next row of MCUs into writer(). False: there is none left.
  bool row();
  ScanWriter& writer() { return writer_; }
  uint64_t coefficient_bits() const { return bits_; }
  /// A symbol had no code.
  bool lacks_code() const { return lacks_code_; }

 private:
  void fetch(uint32_t row);
  void fetch_packed(uint32_t first, uint32_t count);
  void block(unsigned component, uint32_t column, uint32_t row);
  void code(const Code& code, uint32_t value, unsigned size);

  EncodedScan scan_;
  PlaneMap luma_, chroma_;
  std::array<Plane<uint8_t>, 3> strip_;  ///< samples of one row of MCUs
  std::vector<uint8_t> line_;
  ScanWriter writer_;
  std::array<int, 3> dc_{};
  uint32_t done_ = 0;  ///< MCUs
  uint64_t bits_ = 0;
  bool lacks_code_ = false;
};

}  // namespace softgen::media::jpeg

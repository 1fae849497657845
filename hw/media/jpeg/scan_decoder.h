// SPDX-License-Identifier: GPL-2.0-or-later
// Entropy-coded data of baseline JPEG into planes of samples (T.81 annex F.2).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/frame/frame.h"
#include "hw/media/jpeg/picture.h"
#include "hw/media/jpeg/tables.h"

namespace softgen::media::jpeg {

class ScanDecoder {
 public:
  /// Planes of whole MCUs, grey: what no scan decodes stays so.
  void begin(const Structure& structure);
  /// `bytes`: changed in place. Stops within a row of MCUs when `stop` asks for it, and returns false then. A broken stream leaves out the MCUs up to
  /// the next restart.
  bool decode(const Scan& scan, std::span<uint8_t> bytes, const StopFlag& stop);

  const Structure& structure() const { return structure_; }
  const Plane<uint8_t>& plane(unsigned component) const { return planes_[component]; }
  /// MCUs, or blocks of scans of one component, and those of them that were left out.
  uint32_t units() const { return units_; }
  uint32_t lost() const { return lost_; }

 private:
  struct Unit {
    uint32_t columns, rows;  ///< of the scan, MCUs or blocks
    uint8_t components;
    bool single;
  };
  bool unit(const Unit& unit, uint32_t index, BitReader& reader, std::array<int, 3>& dc);
  bool block(unsigned component, uint32_t column, uint32_t row, BitReader& reader, int& dc);
  bool coefficients(unsigned component, BitReader& reader, int& dc, Block& block, unsigned& last) const;
  void take_tables(const Scan& scan);
  void split(std::span<uint8_t> bytes, bool restarts);

  Structure structure_;
  std::array<Plane<uint8_t>, 3> planes_;
  std::array<HuffmanTable, 2> tables_;
  std::array<HuffmanDecoder, 2> dc_, ac_;
  std::array<std::array<uint8_t, 64>, 3> matrices_{};
  std::vector<std::span<const uint8_t>> segments_;  ///< between restarts, without stuffed bytes
  uint32_t units_ = 0, lost_ = 0;
};

/// Whole MCUs. It refers to the decoder's planes.
HostPicture host_picture(const ScanDecoder& scans);

}  // namespace softgen::media::jpeg

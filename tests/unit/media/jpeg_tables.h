// SPDX-License-Identifier: GPL-2.0-or-later
// Huffman tables for tests of JPEG, as the decoder and as the encoder has them.
#pragma once

#include "hw/media/jpeg/encoder.h"
#include "hw/media/jpeg/scan_decoder.h"

namespace softgen::media::jpeg::test {

/// A code of its own length for each symbol of a table: lengths that a complete tree has, one per value.
struct Tables {
  HuffmanTable decoder;
  CodeTable encoder;
};

/// 12 DC codes of 4 bits; AC: the 162 symbols by their index in codes of 8 bits.
inline Tables flat_tables() {
  Tables out;
  out.decoder.dc_counts[3] = 12;
  for (uint8_t i = 0; i < 12; ++i) out.decoder.dc_values[i] = i, out.encoder.dc[i] = {i, 4};
  out.decoder.ac_counts[7] = 162;
  auto add = [&, n = uint16_t{0}](unsigned run, unsigned size, unsigned index) mutable {
    out.decoder.ac_values[n] = static_cast<uint8_t>(run << 4 | size);
    out.encoder.ac[index] = {n++, 8};
  };
  add(0, 0, 0);
  for (unsigned run = 0; run < 16; ++run)
    for (unsigned size = 1; size <= 10; ++size) add(run, size, run * 10 + size + (run == 15));
  add(15, 0, 151);
  return out;
}

}  // namespace softgen::media::jpeg::test

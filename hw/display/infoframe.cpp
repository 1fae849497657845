// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/infoframe.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

uint32_t expand8(uint32_t v) { return std::min(255u, v <= 16 ? 0 : ((v - 16) * 255 + 109) / 219); }

}  // namespace

SinkRange sink_range(const mmio::RegisterFile& registers, unsigned pipe) {
  if (!field::VIDEO_DIP_CTL_VDIP_ENABLE_AVI.of(registers.peek(reg::VIDEO_DIP_CTL(pipe)))) return SinkRange::full;
  // Packet bytes as the hardware holds them: header HB0..HB2 and ECC, then PB0 (checksum), PB1...
  const auto byte = [&](unsigned i) { return registers.peek(reg::VIDEO_DIP_AVI_DATA(pipe, i / 4)) >> (i % 4 * 8) & 0xff; };
  const uint32_t color_space = byte(4 + 1) >> 5 & 3, quantization = byte(4 + 3) >> 2 & 3, vic = byte(4 + 4) & 0x7f;
  if (color_space != 0) return SinkRange::full;  // YCbCr, which the pipe's conversion and the monitor's leave as RGB of full range
  if (quantization == 1) return SinkRange::limited;
  // By default the TV formats are limited, but 640 x 480 (VIC 1) and IT formats (VIC 0) are full.
  return quantization == 0 && vic > 1 ? SinkRange::limited : SinkRange::full;
}

void expand_range(SinkRange range, std::span<uint32_t> pixels) {
  if (range == SinkRange::full) return;
  for (uint32_t& p : pixels) p = 0xff000000u | expand8(bits(p, 23, 16)) << 16 | expand8(bits(p, 15, 8)) << 8 | expand8(bits(p, 7, 0));
}

}  // namespace softgen::display

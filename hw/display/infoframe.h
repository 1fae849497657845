// SPDX-License-Identifier: GPL-2.0-or-later
// What the monitor makes of the signal: the range that the AVI infoframe announces (CTA-861, "AVI InfoFrame").
#pragma once

#include <cstdint>
#include <span>

#include "hw/mmio/register_file.h"

namespace softgen::display {

enum class SinkRange : uint8_t { full, limited };

/// Range of RGB on the wire of `pipe`, from its VIDEO_DIP registers. Without an AVI infoframe (DVI): full.
SinkRange sink_range(const mmio::RegisterFile& registers, unsigned pipe);
/// Limited range (16..235) back to full, for x8r8g8b8 pixels.
void expand_range(SinkRange range, std::span<uint32_t> pixels);

}  // namespace softgen::display

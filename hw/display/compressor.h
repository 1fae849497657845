// SPDX-License-Identifier: GPL-2.0-or-later
// Frame buffer compression of pipe A's first plane, of which software sees the control and the status.
#pragma once

#include <cstdint>

#include "hw/defs/registers/registers.h"

namespace softgen::display {

struct Compressor {
  uint32_t control;
  reg::Bits enable;
  uint32_t status;
  reg::Bits segments;  ///< of `status`: how many are compressed
};

/// From Gen9 on.
constexpr Compressor fbc{reg::FBC_CTL, reg::field::FBC_CTL_ENABLE_FBC, reg::FBC_STATUS2, reg::field::FBC_STATUS2_COMPRESSED_SEGMENT_COUNT};

}  // namespace softgen::display

// SPDX-License-Identifier: GPL-2.0-or-later
// The deblocking filter (H.264 8.7) of a whole picture.
#pragma once

#include <cstdint>

#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

/// One row of macroblocks, or of pairs in MBAFF; rows must be filtered from the first to the last. What is written: the row, and the one above it.
void deblock_row(Picture& picture, uint32_t row);

}  // namespace softgen::media::avc

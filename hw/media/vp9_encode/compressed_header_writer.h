// SPDX-License-Identifier: GPL-2.0-or-later
// The compressed header: VP9 specification, 6.3. The counterpart of read_compressed_header().
#pragma once

#include <cstdint>
#include <vector>

#include "hw/media/vp9/probabilities.h"

namespace softgen::media::vp9 {

/// Without updates of probabilities. `header` is one that the picture can have.
std::vector<uint8_t> write_compressed_header(const Parameters& picture, const CompressedHeader& header);

/// Whether references of the picture can be compound: not all have the same sign.
bool can_be_compound(const Parameters& picture);

}  // namespace softgen::media::vp9

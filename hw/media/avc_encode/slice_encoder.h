// SPDX-License-Identifier: GPL-2.0-or-later
// slice_data (H.264 7.3.4), written.
#pragma once

#include <functional>

#include "hw/media/avc_encode/golomb_writer.h"
#include "hw/media/avc_encode/macroblock_encoder.h"

namespace softgen::media::avc {

/// Encodes the macroblocks from slice.first_mb up to slice.next_mb into `picture`, as its next slice, and appends slice_data and its trailing bits to `to`, which
/// has the header's last bits. False: a stop request ended it.
bool encode_slice(Picture& picture, const SliceParams& slice, const EncodeInput& input, const std::function<bool()>& stop,
                  GolombWriter& to);

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
// Image enhancement filter (IEF): detail is added to luma.
#pragma once

#include "hw/media/sfc/job.h"
#include "hw/media/vebox/band.h"

namespace softgen::media::sfc {

/// Rows of luma around those that are sharpened, and columns.
constexpr int sharpening_reach = 2;

/// All rows of `to`; `from` has sharpening_reach more above and below. Its margins become its nearest samples.
void sharpen(const Sharpening& filter, vebox::SamplePlane& from, vebox::SamplePlane& to);

}  // namespace softgen::media::sfc

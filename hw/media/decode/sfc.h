// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of one frame as a Job.
#pragma once

#include "hw/media/vebox_decoder.h"

namespace softgen::media {

/// None: what the packets ask for is wrong or not there (counted).
template <class G>
std::optional<sfc::Job> sfc_job(const SfcStates& states);

}  // namespace softgen::media

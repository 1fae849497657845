// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of one frame as a Job.
#pragma once

#include <optional>

#include "hw/media/sfc/job.h"
#include "hw/media/sfc_states.h"

namespace softgen::media {

/// None: what the packets ask for is wrong or not there (counted). By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::optional<sfc::Job> sfc_job(const SfcStates& states, SfcClient client);

}  // namespace softgen::media

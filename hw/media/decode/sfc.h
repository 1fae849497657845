// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of one frame as a Job.
#pragma once

#include <optional>

#include "hw/defs/gen9/all.h"
#include "hw/media/sfc/job.h"
#include "hw/media/sfc_states.h"

namespace softgen::media {

/// Whether sfc_job() reads a generation's packets. Gen12's have other fields, and those of Gen11 are not declared (docs/defs.md).
template <class G>
inline constexpr bool has_sfc_job = false;
template <>
inline constexpr bool has_sfc_job<defs::Gen9> = true;

/// None: what the packets ask for is wrong or not there (counted).
template <class G>
std::optional<sfc::Job> sfc_job(const SfcStates& states, SfcClient client);

}  // namespace softgen::media

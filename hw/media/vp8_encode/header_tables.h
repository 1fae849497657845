// SPDX-License-Identifier: GPL-2.0-or-later
// How probable it is that a frame's header leaves a probability as it is (RFC 6386, sections 13.4 and 17.2).
#pragma once

#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

extern const TokenProbabilities token_update_probs;
extern const uint8_t vector_update_probs[2][19];

}  // namespace softgen::media::vp8

// SPDX-License-Identifier: GPL-2.0-or-later
// An entry of an AVC reference list as packets of all generations have it: a byte (SKL PRM vol 2a, MFX_AVC_REF_IDX_STATE; intel-vaapi-driver
// i965_decoder_utils.c, get_ref_idx_state_1).
#pragma once

#include <cstdint>

#include "hw/media/avc/params.h"

namespace softgen::media {

inline avc::RefEntry ref_entry(uint32_t byte) {
  return {(byte & 0x80) == 0, (byte & 0x40) != 0, (byte & 1) != 0, static_cast<uint8_t>(byte >> 1 & 15)};
}

}  // namespace softgen::media

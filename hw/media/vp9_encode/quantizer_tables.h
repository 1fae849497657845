// SPDX-License-Identifier: GPL-2.0-or-later
// Quantizers of 8 bits per sample by index: VP9 specification, 8.6.1 (dc_qlookup, ac_qlookup).
#pragma once

#include <cstdint>

namespace softgen::media::vp9 {

extern const uint16_t dc_quantizers[256], ac_quantizers[256];

}  // namespace softgen::media::vp9

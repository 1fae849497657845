// SPDX-License-Identifier: GPL-2.0-or-later
// ASTC's colour endpoints (Khronos Data Format specification 1.3, section 23.14 "Color Endpoint Decoding").
#pragma once

#include <array>
#include <cstdint>

namespace softgen::surface::blocks::astc {

using Color = std::array<int, 4>;

/// Of one partition: 8 bits a channel, or, of HDR channels, 12 bits of a logarithm.
struct Endpoints {
  Color low{}, high{};
  bool hdr_color = false, hdr_alpha = false;
};

/// `mode`: 0 to 15. `values`: (mode / 4 + 1) * 2 unquantized ones; eight are read.
Endpoints decode_endpoints(unsigned mode, const uint8_t* values);

}  // namespace softgen::surface::blocks::astc

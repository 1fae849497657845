// SPDX-License-Identifier: GPL-2.0-or-later
// H.264's forward core transform, which both the encoder (hw/media/avc_encode) and VME's skip check (hw/vme) use.
#pragma once

#include <array>
#include <cstdint>

namespace softgen {

/// Of 4x4 values in raster order, in place: the inverse of H.264 8.5.12.2 but for scales. |values| below 2^24.
inline void forward_core_transform(std::array<int32_t, 16>& values) {
  const auto line = [](int32_t* v, unsigned step) {
    const int32_t a = v[0] + v[3 * step], b = v[step] + v[2 * step], c = v[step] - v[2 * step], d = v[0] - v[3 * step];
    v[0] = a + b, v[step] = 2 * d + c, v[2 * step] = a - b, v[3 * step] = d - 2 * c;
  };
  for (unsigned i = 0; i < 4; ++i) line(values.data() + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) line(values.data() + i, 4);
}

}  // namespace softgen

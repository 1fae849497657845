// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/surface/surface.h"

namespace softgen::surface::test {

/// Square, with Y tiles; `pitch` in bytes, `qpitch` in rows.
inline Surface y_tiled(SurfaceFormat format, uint64_t base, uint32_t size, uint32_t pitch, uint32_t qpitch) {
  Surface s;
  s.type = SurfaceType::two_d;
  s.format = find_format(format);
  s.tiling = Tiling::y;
  s.base = base;
  s.width = s.height = size;
  s.pitch = pitch;
  s.qpitch = qpitch;
  return s;
}

}  // namespace softgen::surface::test

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace softgen::surface {

/// code / 255, rounded once, of vectors of floats that hold codes of 0 to 255: the first product is exact, and the second is small (unit tests
/// have all codes). Always inlined: files that are compiled for several instruction sets share it, and must not share its code.
template <typename Floats>
[[gnu::always_inline]] inline Floats unorm8(Floats code) {
  return code * 0x1.01p-8f + code * 0x1.010102p-24f;
}

}  // namespace softgen::surface

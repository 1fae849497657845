// SPDX-License-Identifier: GPL-2.0-or-later
// Properties that targets check besides those of memory and time.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace softgen::fuzz {

/// Ends the process where a property does not hold.
inline void require(bool holds, const char* what) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "\nproperty: %s\n", what);
  std::abort();
}

}  // namespace softgen::fuzz

// SPDX-License-Identifier: GPL-2.0-or-later
// C++ exceptions end at the C ABI: the front ends are C, where one that passes is the end of QEMU. Exceptions here come from the host (out of memory or
// threads): they are logged, and the call has no effect or returns its error value.
#pragma once

#include <exception>
#include <utility>

#include "hw/base/log.h"

namespace softgen::gt {

/// Telling may need the memory that there is none of.
inline void tell_exception(const char* entry, const char* what) noexcept {
  try {
    unsupported("exception at the C ABI", "{}: {}", entry, what);
  } catch (...) {  // NOLINT: logging failed too
  }
}

/// What `body` returns; `otherwise` when it throws. `entry` names the function in the log.
template <typename Result, typename Body>
Result guarded(const char* entry, Result otherwise, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& problem) { tell_exception(entry, problem.what()); } catch (...) {
    tell_exception(entry, "not a std::exception");
  }
  return otherwise;
}
template <typename Body>
void guarded(const char* entry, Body&& body) noexcept {
  guarded(entry, false, [&] { return std::forward<Body>(body)(), true; });
}

}  // namespace softgen::gt

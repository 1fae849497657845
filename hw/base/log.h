// SPDX-License-Identifier: GPL-2.0-or-later
// The four failure words. Each says whose fault it is, is counted by what it names, and is printed the first time only:
//   guest_error    the guest did what the manual forbids or leaves undefined; the unit continues as hardware would
//   unsupported    a feature this platform does not have or does not announce
//   unimplemented  the platform has it and we do not yet: wrong results are possible; docs/status.md lists it
//   note           worth knowing, no fault (an unknown register read, a reset)
// Mistakes of our own are assert()s. Any thread may call these.
// They go to the log of the calling thread (hw/base/failure_log.h): a device's while the thread works for it, else the process's.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace softgen {

enum class Failure : uint8_t { guest_error, unsupported, unimplemented, note };

/// `what`: a stable name, not a message with changing numbers.
void report(Failure kind, std::string_view what, std::string_view detail = {});

template <typename... Args>
void guest_error(std::string_view what, fmt::format_string<Args...> detail, Args&&... args) {
  report(Failure::guest_error, what, fmt::format(detail, std::forward<Args>(args)...));
}
template <typename... Args>
void unsupported(std::string_view what, fmt::format_string<Args...> detail, Args&&... args) {
  report(Failure::unsupported, what, fmt::format(detail, std::forward<Args>(args)...));
}
template <typename... Args>
void unimplemented(std::string_view what, fmt::format_string<Args...> detail, Args&&... args) {
  report(Failure::unimplemented, what, fmt::format(detail, std::forward<Args>(args)...));
}
template <typename... Args>
void note(std::string_view what, fmt::format_string<Args...> detail, Args&&... args) {
  report(Failure::note, what, fmt::format(detail, std::forward<Args>(args)...));
}
inline void guest_error(std::string_view what) { report(Failure::guest_error, what); }
inline void unsupported(std::string_view what) { report(Failure::unsupported, what); }
inline void unimplemented(std::string_view what) { report(Failure::unimplemented, what); }
inline void note(std::string_view what) { report(Failure::note, what); }

/// Of the calling thread's log.
uint64_t failure_count(Failure kind, std::string_view what);
void clear_failure_counts();

}  // namespace softgen

// SPDX-License-Identifier: GPL-2.0-or-later
// The four failure words. Each says whose fault it is, is counted by what it names, and is printed the first time only:
//   guest_error    the guest did what the manual forbids or leaves undefined; the unit continues as hardware would
//   unsupported    a feature this platform does not have or does not announce
//   unimplemented  the platform has it and we do not yet: wrong results are possible; docs/status.md lists it
//   note           worth knowing, no fault (an unknown register read, a reset)
// Mistakes of our own are assert()s. Any thread may call these.
// They go to the log of the calling thread: a device's while the thread works for it, else the process's.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/base/mutex.h"

namespace softgen {

enum class Failure : uint8_t { guest_error, unsupported, unimplemented, note };

std::string_view failure_name(Failure kind);

struct FailureCount {
  Failure kind;
  std::string what;
  uint64_t count;
};

/// Failures counted, and the first of each name printed. Any thread.
class Log {
 public:
  /// Where lines go. Empty: nowhere; failures are counted all the same.
  using Sink = std::function<void(Failure kind, std::string_view line)>;
  explicit Log(Sink sink) : sink_(std::move(sink)) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Counts one more occurrence of `what` (a stable name, not a message with changing numbers), and prints "kind: what: detail" when
  /// it is the first of its name. At most 4096 names are kept per kind; later ones share the name "(others)".
  void report(Failure kind, std::string_view what, std::string_view detail);
  /// Everything counted so far, sorted by kind and name.
  std::vector<FailureCount> counts() const;
  uint64_t count(Failure kind, std::string_view what) const;
  void clear();

 private:
  mutable Mutex mutex_;
  std::array<std::map<std::string, uint64_t, std::less<>>, 4> counts_ SG_GUARDED_BY(mutex_);
  const Sink sink_;
};

/// The calling thread's. The process's prints to standard error.
Log& this_log();

/// While it lives, `log` is the calling thread's. Ends on the thread that made it, the latest first.
class LogScope {
 public:
  explicit LogScope(Log& log);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  Log* const before_;
};

/// `body` for a new thread, which gets the log of the thread that makes it. The log outlives the new thread.
template <typename Body>
auto with_this_log(Body body) {
  return [&log = this_log(), body = std::move(body)] {
    const LogScope scope(log);
    body();
  };
}

inline void report(Failure kind, std::string_view what, std::string_view detail = {}) { this_log().report(kind, what, detail); }

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
inline std::vector<FailureCount> failure_counts() { return this_log().counts(); }
inline uint64_t failure_count(Failure kind, std::string_view what) { return this_log().count(kind, what); }
inline void clear_failure_counts() { this_log().clear(); }

}  // namespace softgen

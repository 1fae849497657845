// SPDX-License-Identifier: GPL-2.0-or-later
// Where the failures of hw/base/log.h are counted and printed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "hw/base/mutex.h"

namespace softgen {

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

/// Of the calling thread's log.
inline std::vector<FailureCount> failure_counts() { return this_log().counts(); }

}  // namespace softgen

// SPDX-License-Identifier: GPL-2.0-or-later
// Running threads: by compiled code where the program has some (Program::fast_path), else by the interpreter, which is the specification of the EU here.
#pragma once

#include "hw/eu/program/series.h"
#include "hw/eu/program/thread.h"

namespace softgen::eu {

/// Sees a thread run.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// `op` is next. The registers are not up to date with what a source of it names (ip, tm0, ce0).
  virtual void before(const Thread& thread, const Op& op) = 0;
};

/// Runs until one of the results; ThreadEnv::stop is polled at each backward jump. Messages go to `target`.
RunResult run(Thread& thread, ThreadEnv& env, MessageTarget& target);
/// The same by the interpreter alone.
RunResult interpret(Thread& thread, ThreadEnv& env, MessageTarget& target);
RunResult interpret_watched(Thread& thread, ThreadEnv& env, MessageTarget& target, Watcher& watcher);

/// Runs all of them, in order, each to its end; `how` says what is the same for all but masks and payload. A thread that fails does not end
/// the others; the stop flag may. False: one waits for a notification, and was left there.
bool run_series(Thread& thread, const ThreadStart& how, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target);

}  // namespace softgen::eu

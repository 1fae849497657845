// SPDX-License-Identifier: GPL-2.0-or-later
// The last thing done in a process that ends without its exit handlers: by a signal, or by _exit() (Chromium's GPU process).
#pragma once

#ifdef __cplusplus
#include <functional>
#include <thread>

namespace softgen::run {

/// While it lives, SIGHUP, SIGINT, SIGTERM and sgrun_before_exit() call `before` once, on a thread of its own; a signal then ends the process
/// as it would have. A signal that the program handles or ignores stays the program's. At most one object per process.
class ProcessEnd {
 public:
  explicit ProcessEnd(std::function<void()> before);
  ~ProcessEnd();
  ProcessEnd(const ProcessEnd&) = delete;
  ProcessEnd& operator=(const ProcessEnd&) = delete;

 private:
  void thread_main();

  const std::function<void()> before_;
  std::thread thread_;
};

}  // namespace softgen::run

extern "C" {
#endif

/// Comes back when `before` has, at the latest after some seconds: it may be called in a signal handler that interrupted what `before` needs.
void sgrun_before_exit(void);

#ifdef __cplusplus
}
#endif

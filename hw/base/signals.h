// SPDX-License-Identifier: GPL-2.0-or-later
// Signals and threads of ours in a process that is not ours.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace softgen {

/// While it lives, the calling thread takes no signals but those of its own faults, and neither do threads that it starts, for good: a handler of the
/// program's that ran on a thread of ours could end the process there, and its end waits for that thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace softgen

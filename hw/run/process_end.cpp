// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/process_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace softgen::run {
namespace {

constexpr int ending[] = {SIGHUP, SIGINT, SIGTERM};
constexpr int by_exit = -1, nothing = 0;
constexpr int patience_ms = 5000;

// What a signal handler needs; file descriptors are -1 while there is no ProcessEnd.
std::atomic<int> wake_fd{-1}, done_fd{-1};
std::atomic<pid_t> owner{0};
std::atomic<int> cause{nothing};  ///< the first: a signal's number or by_exit

int new_event() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void post(int fd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof one);
}

void on_signal(int number) {
  const int saved = errno;
  if (getpid() == owner) {
    int none = nothing;
    if (cause.compare_exchange_strong(none, number)) post(wake_fd);
  } else {  // a child made by fork(): it has no thread that waits for this
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = saved;
}

}  // namespace

ProcessEnd::ProcessEnd(std::function<void()> before) : before_(std::move(before)) {
  wake_fd = new_event();
  done_fd = new_event();
  cause = nothing;
  thread_ = std::thread([this] { thread_main(); });
  owner = getpid();
  for (const int number : ending) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = on_signal;
    now.sa_flags = SA_RESTART;
    sigaction(number, &now, nullptr);
  }
}

ProcessEnd::~ProcessEnd() {
  for (const int number : ending) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == on_signal) signal(number, SIG_DFL);
  }
  owner = 0;
  post(wake_fd);
  thread_.join();
  close(wake_fd.exchange(-1));
  close(done_fd.exchange(-1));
}

void ProcessEnd::thread_main() {
  prctl(PR_SET_NAME, "softgen-end");
  uint64_t count;
  while (read(wake_fd, &count, sizeof count) < 0 && errno == EINTR) {}
  const int why = cause;
  if (why == nothing) return;
  before_();
  post(done_fd);
  if (why == by_exit) return;
  signal(why, SIG_DFL);
  kill(getpid(), why);
}

}  // namespace softgen::run

void sgrun_before_exit() {
  using namespace softgen::run;
  if (getpid() != owner) return;
  int none = nothing;
  if (cause.compare_exchange_strong(none, by_exit)) post(wake_fd);
  pollfd done = {done_fd, POLLIN, 0};
  poll(&done, 1, patience_ms);
}

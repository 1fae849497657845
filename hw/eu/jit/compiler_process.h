// SPDX-License-Identifier: GPL-2.0-or-later
// Runs LLVM in another process. A guest writes the kernels, and on unusual input LLVM's code generator may abort, crash or exhaust memory.
// In its own process that costs only the kernel its compiled code.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>

#include "hw/base/mutex.h"
#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

class CompilerProcess {
 public:
  /// Wall-clock time, after which the compiler is killed. Generous, as the host may be busy; the compiler limits its processor time itself
  /// (confinement.h).
  struct Limits {
    std::chrono::milliseconds start{20'000}, kernel{60'000};
  };

  /// `path`: the program softgen-eu-compiler, which is started on first use and restarted after it ended. "unix:PATH": the socket of one
  /// that this user or root started with --listen; each connection is served by its own compiler process.
  explicit CompilerProcess(std::string path) : CompilerProcess(std::move(path), Limits{}) {}
  CompilerProcess(std::string path, Limits limits) : path_(std::move(path)), limits_(limits) {}
  ~CompilerProcess() { stop(); }
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// Like jit::compile(), by one thread at a time. Refuses a kernel on which the process ends or exceeds its time, and all kernels if it
  /// cannot be started (reported once), as under a seccomp filter that forbids new processes.
  ObjectFile compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text);
  /// Starts the process if needed, so that the first kernel's compile time does not include LLVM's start. False: it cannot be started.
  bool ready();
  /// Any thread. Kills the process; compile() returns at once and refuses later requests.
  void abandon();
  bool abandoned() const { return abandoned_; }
  /// The compiler, such as "LLVM 19.1.7"; empty before its first start; "none: REASON" if there is none.
  std::string compiler() const;
  /// Its process; 0: none. For tests.
  pid_t pid() const {
    MutexLock lock(mutex_);
    return pid_;
  }

  /// $SOFTGEN_EU_COMPILER, or softgen-eu-compiler next to the file that contains this code, or in the folder where it is installed.
  static std::string default_path();

 private:
  bool start();
  bool greeted(std::chrono::steady_clock::time_point deadline, std::string& why);
  void stop();
  void kill() SG_REQUIRES(mutex_);
  bool ours() const SG_REQUIRES(mutex_);
  bool unusable(const std::string& why);
  int begin(int socket);
  int socket() const {
    MutexLock lock(mutex_);
    return socket_;
  }

  const std::string path_;
  const Limits limits_;
  mutable Mutex mutex_;
  int socket_ SG_GUARDED_BY(mutex_) = -1;  ///< changed only by compile()'s thread, which uses it without the mutex
  ino_t inode_ SG_GUARDED_BY(mutex_) =
      0;  ///< the socket's, to recognize it: programs under softgen-run may close descriptors that they did not open
  pid_t pid_ SG_GUARDED_BY(mutex_) = 0;
  std::string born_ SG_GUARDED_BY(mutex_);  ///< the process's start time, as process ids are reused
  std::string compiler_ SG_GUARDED_BY(mutex_);
  std::atomic<bool> unusable_{false}, abandoned_{false};
};

/// The process's main loop, until the other end is closed. Exit status.
int serve_compiler(int socket);
/// Listens at the new socket `path`, which only this user and root can reach, and serves each connection by its own process. Returns an
/// exit status on errors only.
int listen_as_compiler(const std::string& path);

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
// LLVM in a process of its own. A guest writes the programs that it compiles, and its code generator ends a process by an abort, a fault or all of the
// memory on untested input; in a process of its own that costs a kernel its compiled code, not the machine its GPU.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>

#include "hw/base/mutex.h"
#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

class CompilerProcess {
 public:
  /// Of the clock on the wall: a compiler that takes longer is killed. A host may be busy, and the compiler limits its processor time itself
  /// (confinement.h).
  struct Limits {
    std::chrono::milliseconds start{20'000}, kernel{60'000};
  };

  /// `path`: the program softgen-eu-compiler. It is started when it is first needed, and again after it ended. "unix:PATH": the socket of one that was
  /// started with --listen, by this user or by root, each connection to which is a compiler of its own.
  explicit CompilerProcess(std::string path) : CompilerProcess(std::move(path), Limits{}) {}
  CompilerProcess(std::string path, Limits limits) : path_(std::move(path)), limits_(limits) {}
  ~CompilerProcess() { stop(); }
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// As jit::compile(), by one thread at a time. A kernel on which the process ends or is late is refused; so are all where it cannot be started (said
  /// once), as under a filter of system calls that allows no processes.
  ObjectFile compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text);
  /// Started, if it can be: so that no kernel's time holds that of LLVM's start.
  bool ready();
  /// Any thread: kills the process; compile() returns at once, and refuses later requests.
  void abandon();
  /// What compiles, as "LLVM 19.1.7", once it did; empty: none yet; else why there is none.
  std::string compiler() const;
  /// Its process; 0: none. For tests.
  pid_t pid() const {
    MutexLock lock(mutex_);
    return pid_;
  }

  /// $SOFTGEN_EU_COMPILER, or softgen-eu-compiler in the folder of the file that has this code, or where it is installed.
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
  std::atomic<bool> unusable_{false};
};

/// The process's main loop, until the other end is closed. Exit status.
int serve_compiler(int socket);
/// Serves each connection to a new socket at `path`, which only this user and root can reach, by a process of its own. Exit status; does not return while it can.
int listen_as_compiler(const std::string& path);

}  // namespace softgen::eu::jit

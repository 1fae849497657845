// SPDX-License-Identifier: GPL-2.0-or-later
// LLVM in a process of its own. A guest writes the programs that it compiles, and its code generator ends a process by an abort, a fault or all of the
// memory where it meets what nobody tried; here that costs a kernel its compiled code, not the machine its GPU.
#pragma once

#include <sys/types.h>

#include <optional>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

class CompilerProcess {
 public:
  /// `path`: the program softgen-eu-compiler. It is started when it is first needed, and again after it ended.
  explicit CompilerProcess(std::string path) : path_(std::move(path)) {}
  ~CompilerProcess() { stop(); }
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  /// As jit::compile(), by one thread at a time; a kernel on which the process ends is refused. Nothing: it cannot be started (said once), as
  /// under a filter of system calls that allows no processes.
  std::optional<ObjectFile> compile(const Program& program, const Variant& variant, Isa isa, std::string* text);

  /// $SOFTGEN_EU_COMPILER, or softgen-eu-compiler beside the file that this code is in or where it is installed.
  static std::string default_path();

  /// Started, if it can be: so that no kernel's time holds that of LLVM's start.
  bool ready();

 private:
  bool start();
  void stop();
  bool ours() const;

  const std::string path_;
  int socket_ = -1;
  ino_t inode_ = 0;  ///< the socket's: programs that run on softgen-run close files which they did not open
  bool cannot_start_ = false;
};

/// What the process does, until its other end goes away. Exit status.
int serve_compiler(int socket);

}  // namespace softgen::eu::jit

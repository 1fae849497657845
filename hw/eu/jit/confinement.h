// SPDX-License-Identifier: GPL-2.0-or-later
// What softgen-eu-compiler may do. It reads what a guest wrote with a library that is not made for that, so it is taken for hostile once it has begun.
#pragma once

#include <cstdint>

namespace softgen::eu::jit {

/// Of processor time for one kernel. The largest of real drivers take less than a second.
constexpr unsigned kernel_seconds = 20;
/// Of address space, with LLVM's library in it (docs/jit.md says what kernels need).
constexpr uint64_t compiler_memory = uint64_t{1} << 30;

/// False under sanitizers, whose runtimes need more address space and system calls.
bool confines();
/// Before LLVM is loaded: no core files, no files written, no new privileges, the limit of memory, no signals from a terminal.
void limit_process();
/// After LLVM is loaded: from now on a system call beyond memory, the socket and standard error ends the process, and opening files fails. Null, or why
/// the host does not allow it.
const char* filter_system_calls();
/// SIGPROF, which has no handler, after kernel_seconds of processor time; false: no more.
void limit_time(bool on);

}  // namespace softgen::eu::jit

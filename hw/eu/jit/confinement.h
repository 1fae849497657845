// SPDX-License-Identifier: GPL-2.0-or-later
// Confines softgen-eu-compiler. LLVM is not made for untrusted input, and a guest writes the kernels: a process that has compiled one
// counts as hostile.
#pragma once

#include <cstdint>

namespace softgen::eu::jit {

/// Limit of processor time per kernel. The largest kernels of real drivers take less than a second.
constexpr unsigned kernel_seconds = 20;
/// Limit of address space, including LLVM's library (docs/jit.md says what kernels need).
constexpr uint64_t compiler_memory = uint64_t{1} << 30;

/// False under sanitizers, whose runtimes need more address space and system calls.
bool confines();
/// Call before LLVM is loaded. Forbids core files, writes to files and new privileges, limits memory, ignores signals of a terminal.
void limit_process();
/// Call after LLVM is loaded. From then on opening a file fails, and any system call but those for memory, the socket and standard error
/// kills the process. Returns null, or why the host cannot install the filter.
const char* filter_system_calls();
/// On: SIGPROF, which has no handler, kills the process after kernel_seconds of processor time. Off: cancels that.
void limit_time(bool on);

}  // namespace softgen::eu::jit

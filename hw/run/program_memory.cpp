// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/program_memory.h"

#include <sys/uio.h>
#include <unistd.h>

namespace softgen::run {
namespace {

iovec range(const void* address, size_t bytes) { return {const_cast<void*>(address), bytes}; }

}  // namespace

// These system calls return EFAULT for an invalid address, even one of the calling process.
bool copy_from_program(void* to, uint64_t from, size_t bytes) {
  const iovec ours = range(to, bytes), theirs = range(reinterpret_cast<const void*>(from), bytes);
  return bytes == 0 || process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
}

bool copy_to_program(uint64_t to, const void* from, size_t bytes) {
  const iovec ours = range(from, bytes), theirs = range(reinterpret_cast<const void*>(to), bytes);
  return bytes == 0 || process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace softgen::run

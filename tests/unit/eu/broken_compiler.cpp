// SPDX-License-Identifier: GPL-2.0-or-later
// Sends the Hello of softgen-eu-compiler, and exits at the first kernel, as if LLVM had crashed.
#include <unistd.h>

#include <cstdlib>

#include "hw/eu/jit/compiler_protocol.h"

using namespace softgen::eu::jit;

int main() {
  if (const pid_t child = fork()) return child < 0;
  protocol::Request request;
  if (!protocol::send_one(0, protocol::Hello{}, protocol::whenever) || !protocol::send_one(0, protocol::Compiler{}, protocol::whenever) ||
      !protocol::receive_one(0, request, protocol::whenever))
    return 1;
  std::abort();
}

// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-eu-compiler: started by softgen itself, with a socket as its standard input.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "hw/eu/jit/compiler_process.h"

int main(int argc, char**) {
  int type = 0;
  socklen_t size = sizeof(type);
  if (argc > 1 || getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &size)) {
    std::fputs("softgen-eu-compiler is started by softgen's device, not by hand: it compiles EU kernels that come through its standard input, a socket.\n", stderr);
    return 2;
  }
  close_range(3, ~0u, 0);
  // The first process ends, so that the one which started it need not wait for it (compiler_process.cpp).
  if (const pid_t child = fork()) return child < 0;
  return softgen::eu::jit::serve_compiler(0);
}

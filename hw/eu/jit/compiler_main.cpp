// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-eu-compiler. softgen starts it with a socket as its standard input; where softgen may not start processes, a user starts it with
// --listen.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "hw/eu/jit/compiler_process.h"

int main(int argc, char** argv) {
  if (argc == 3 && !std::strcmp(argv[1], "--listen")) return softgen::eu::jit::listen_as_compiler(argv[2]);
  int type = 0;
  socklen_t size = sizeof(type);
  if (argc > 1 || getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &size)) {
    std::fputs(
        "softgen-eu-compiler compiles EU kernels. softgen's device starts it; where it may not (QEMU's -sandbox spawn=deny), or has no LLVM (another root),\n"
        "  softgen-eu-compiler --listen PATH\nbeforehand and SOFTGEN_EU_COMPILER=unix:PATH in the device's environment let it compile there.\n",
        stderr);
    return 2;
  }
  close_range(3, ~0u, 0);
  // The first process ends, so that the one which started it need not wait for it (compiler_process.cpp).
  if (const pid_t child = fork()) return child < 0;
  return softgen::eu::jit::serve_compiler(0);
}

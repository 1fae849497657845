// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler's side of compiler_process.h.
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>

#include "hw/eu/jit/compiler_process.h"
#include "hw/eu/jit/compiler_protocol.h"

namespace softgen::eu::jit {

namespace {

/// Of processor time for one kernel: the largest of real drivers take less than a second.
constexpr time_t most_seconds = 60;
constexpr rlim_t most_memory = rlim_t{8} << 30;

void limit() {
  const rlimit no_core{0, 0}, memory{most_memory, most_memory};
  setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their shadows are larger
  setrlimit(RLIMIT_AS, &memory);
#else
  static_cast<void>(memory);
#endif
}

/// SIGPROF, which nobody handles, at the end of it.
void allow(time_t seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

int serve_compiler(int socket) {
  limit();
  // Here rather than at the first kernel: who waits for the Hello waits for LLVM.
  llvm::available();
  if (!protocol::send_one(socket, protocol::Hello{})) return 1;
  protocol::Request request;
  while (protocol::receive_one(socket, request)) {
    if (request.size > Program::max_bytes) return 1;
    std::vector<std::byte> bytes(request.size);
    if (!protocol::receive_all(socket, bytes)) return 0;
    std::string text;
    allow(most_seconds);
    const auto program = Program::decode(bytes, request.start);
    ObjectFile object = compile(*program, request.variant, request.isa, request.with_text ? &text : nullptr);
    allow(0);
    const std::string_view reason = object.refused ? object.refused : "";
    text.resize(std::min<size_t>(text.size(), protocol::largest_text));
    const protocol::Reply reply{object.stepped, static_cast<uint32_t>(reason.size()), static_cast<uint32_t>(object.bytes.size()), static_cast<uint32_t>(text.size())};
    if (!protocol::send_one(socket, reply) || !protocol::send_all(socket, std::as_bytes(std::span(reason))) ||
        !protocol::send_all(socket, std::as_bytes(std::span(object.bytes))) || !protocol::send_all(socket, std::as_bytes(std::span(text))))
      return 0;
  }
  return 0;
}

}  // namespace softgen::eu::jit

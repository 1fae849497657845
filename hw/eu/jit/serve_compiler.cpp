// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler's side of compiler_process.h.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "hw/eu/jit/compiler_process.h"
#include "hw/eu/jit/compiler_protocol.h"
#include "hw/eu/jit/confinement.h"

namespace softgen::eu::jit {

namespace {

/// Limit for the rest of a request once it has begun, and for a reply: the other side has all data at hand.
constexpr std::chrono::seconds transfer_time{10};

/// Returns null, or why there is no compiler. LLVM opens files and builds its tables now, before the filter forbids that; so the time
/// counts towards the Hello, not towards the first kernel.
const char* prepare_llvm() {
  if (!llvm::available()) return llvm::why();
  const auto program = Program::decode(*isas().front(), {});
  std::string text;
  const ObjectFile object = compile(*program, {.channels = 0xff}, best_host_isa(), &text);
  return object.refused ? object.refused : filter_system_calls();
}

bool answer(int socket, const protocol::Request& request) {
  std::vector<std::byte> bytes(request.size);
  if (!protocol::receive_all(socket, bytes, protocol::within(transfer_time))) return false;
  std::string text;
  ObjectFile object;
  if (const Isa* isa = find_isa(request.instruction_set)) {
    limit_time(true);
    object = compile(*Program::decode(*isa, bytes, request.start), request.variant, request.isa, request.with_text ? &text : nullptr);
    limit_time(false);
  } else {
    object.refused = "the compiler does not know the kernel's instruction set";
  }
  const std::string_view reason = object.refused ? object.refused : "";
  text.resize(std::min<size_t>(text.size(), protocol::largest_text));
  const protocol::Reply reply{object.stepped, static_cast<uint32_t>(reason.size()), static_cast<uint32_t>(object.bytes.size()),
                              static_cast<uint32_t>(text.size())};
  const auto deadline = protocol::within(transfer_time);
  return protocol::send_one(socket, reply, deadline) && protocol::send_all(socket, std::as_bytes(std::span(reason)), deadline) &&
         protocol::send_all(socket, std::as_bytes(std::span(object.bytes)), deadline) &&
         protocol::send_all(socket, std::as_bytes(std::span(text)), deadline);
}

}  // namespace

int serve_compiler(int socket) {
  limit_process();
  const char* why_not = prepare_llvm();
  protocol::Compiler compiler;
  compiler.why_not = why_not != nullptr;
  const std::string text = why_not ? why_not : llvm::version();
  std::memcpy(compiler.text.data(), text.data(), std::min(text.size(), compiler.text.size() - 1));
  const auto deadline = protocol::within(transfer_time);
  if (!protocol::send_one(socket, protocol::Hello{}, deadline) || !protocol::send_one(socket, compiler, deadline) || why_not) return 1;
  protocol::Request request;
  // Sleeps until the next request, or the other end is closed.
  while (protocol::receive_one(socket, request, protocol::whenever)) {
    if (request.size > Program::max_bytes) return 1;
    if (!answer(socket, request)) return 0;
  }
  return 0;
}

int listen_as_compiler(const std::string& path) {
  constexpr unsigned max_processes = 64;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Bound under a temporary name, and linked to `path` once it listens: a process that finds the socket can connect.
  const std::string unnamed = path + ".new";
  if (unnamed.size() >= sizeof(address.sun_path)) return std::fputs("softgen-eu-compiler: the socket's path is too long\n", stderr), 2;
  std::memcpy(address.sun_path, unnamed.c_str(), unnamed.size());
  for (const std::string& old : {path, unnamed}) {
    struct stat status;
    if (lstat(old.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(old.c_str());
  }
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  umask(S_IRWXG | S_IRWXO);
  if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) || listen(listener, 16) ||
      link(unnamed.c_str(), path.c_str()) || unlink(unnamed.c_str()))
    return std::fprintf(stderr, "softgen-eu-compiler: %s: %s\n", path.c_str(), std::strerror(errno)), 1;
  for (unsigned running = 0;;) {
    while (running && waitpid(-1, nullptr, running < max_processes ? WNOHANG : 0) > 0) running--;
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return std::fprintf(stderr, "softgen-eu-compiler: %s: %s\n", path.c_str(), std::strerror(errno)), 1;
    }
    const pid_t child = fork();
    if (child == 0) {
      if (dup2(socket, 0) != 0 || close_range(3, ~0u, 0)) _exit(1);
      _exit(serve_compiler(0));
    }
    close(socket);
    running += child > 0;
  }
}

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/compiler_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "hw/base/log.h"
#include "hw/eu/jit/compiler_protocol.h"

extern char** environ;

namespace softgen::eu::jit {

namespace protocol {

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

bool receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = recv(socket, bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace protocol

namespace {

/// ObjectFile wants texts that stay. The compiler has a few; one that sends others is none of ours any more.
const char* kept(const std::string& reason) {
  static auto& all = *new std::set<std::string>;
  if (all.size() >= 64 && !all.contains(reason)) return "the compiler refused it";
  return all.insert(reason).first->c_str();
}

/// A program under softgen-run must not start with our library again.
std::vector<char*> environment_of_child() {
  std::vector<char*> kept;
  for (char** e = environ; e && *e; e++)
    if (std::strncmp(*e, "LD_PRELOAD=", 11) != 0 && std::strncmp(*e, "LD_AUDIT=", 9) != 0) kept.push_back(*e);
  kept.push_back(nullptr);
  return kept;
}

/// Its other end is its standard input. It goes on as a grandchild, so that no program has a child that it does not know of.
bool spawn(const std::string& path, int other_end) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_adddup2(&files, other_end, 0);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  char* arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, path.c_str(), &files, &how, arguments, environment_of_child().data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error) return errno = error, false;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
  return true;
}

}  // namespace

std::string CompilerProcess::default_path() {
  if (const char* path = std::getenv("SOFTGEN_EU_COMPILER")) return path;
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&kept), &info) || !info.dli_fname) return "";
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error);
  if (error) return "";
  constexpr const char* name = "softgen-eu-compiler";
  const auto beside = file.parent_path() / name;
  return access(beside.c_str(), X_OK) == 0 ? beside : std::filesystem::path(SOFTGEN_LIBEXEC) / name;
}

bool CompilerProcess::start() {
  int ends[2];
  if (path_.empty() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  // Out of the way of programs that count on the lowest numbers.
  socket_ = fcntl(ends[0], F_DUPFD_CLOEXEC, 100);
  close(ends[0]);
  const bool spawned = socket_ >= 0 && spawn(path_, ends[1]);
  const int error = errno;
  close(ends[1]);
  protocol::Hello hello;
  struct stat status;
  if (spawned && protocol::receive_one(socket_, hello) && hello == protocol::Hello{} && !fstat(socket_, &status)) return inode_ = status.st_ino, true;
  note("EU JIT: LLVM runs in this process", "{}: {}", path_, spawned ? "it did not start as the compiler of this build" : std::strerror(error));
  stop();
  return false;
}

void CompilerProcess::stop() {
  if (socket_ >= 0 && (!inode_ || ours())) close(socket_);
  socket_ = -1;
  inode_ = 0;
}

bool CompilerProcess::ours() const {
  struct stat status;
  return socket_ >= 0 && !fstat(socket_, &status) && S_ISSOCK(status.st_mode) && status.st_ino == inode_;
}

bool CompilerProcess::ready() {
  if (ours()) return true;
  stop();
  if (!cannot_start_) cannot_start_ = !start();
  return !cannot_start_;
}

std::optional<ObjectFile> CompilerProcess::compile(const Program& program, const Variant& variant, Isa isa, std::string* text) {
  if (!ready()) return std::nullopt;
  const auto bytes = program.bytes();
  protocol::Request request{};
  request.start = program.start();
  request.size = static_cast<uint32_t>(bytes.size());
  request.with_text = text != nullptr;
  request.isa = isa;
  request.variant = variant;
  const auto ask = [&] { return protocol::send_one(socket_, request) && protocol::send_all(socket_, bytes); };
  // It may have ended since the last time.
  if (!ask()) {
    stop();
    if (!ready()) return std::nullopt;
    ask();
  }
  ObjectFile object;
  protocol::Reply reply;
  const auto receive = [&](auto& into, uint32_t size) { return into.resize(size), protocol::receive_all(socket_, std::as_writable_bytes(std::span(into))); };
  std::string reason, printed;
  if (!protocol::receive_one(socket_, reply) || reply.reason > protocol::longest_reason || reply.object > protocol::largest_object || reply.text > protocol::largest_text ||
      !receive(reason, reply.reason) || !receive(object.bytes, reply.object) || !receive(printed, reply.text)) {
    stop();
    object.bytes.clear();
    return object.refused = "LLVM broke off", object;
  }
  object.stepped = reply.stepped;
  if (!reason.empty() || object.bytes.empty()) object.refused = kept(reason);
  if (text) *text += printed;
  return object;
}

}  // namespace softgen::eu::jit

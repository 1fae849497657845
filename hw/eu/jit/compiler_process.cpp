// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/compiler_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "hw/base/log.h"
#include "hw/eu/jit/compiler_protocol.h"

namespace softgen::eu::jit {

namespace protocol {

namespace {

/// Waits for `events`; false: the deadline has passed.
bool wait_for(int socket, short events, Deadline deadline) {
  while (true) {
    int timeout = -1;
    if (deadline != whenever) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      timeout = static_cast<int>(std::min<int64_t>(left, 60'000));
    }
    pollfd one{socket, events, 0};
    const int n = poll(&one, 1, timeout);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

}  // namespace

bool send_all(int socket, std::span<const std::byte> bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
    else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !wait_for(socket, POLLOUT, deadline)) return false;
  }
  return true;
}

bool receive_all(int socket, std::span<std::byte> bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t n = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
    else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !wait_for(socket, POLLIN, deadline)) return false;
  }
  return true;
}

}  // namespace protocol

namespace {

struct Reasons {
  Mutex mutex;
  std::set<std::string> texts SG_GUARDED_BY(mutex);
};

/// ObjectFile needs texts of static lifetime, so they are kept, for the compilers of all devices. Our compiler has few; the number is bounded
/// in case a hostile one sends many.
const char* kept(const std::string& reason) {
  static Reasons& all = *new Reasons;
  MutexLock lock(all.mutex);
  if (all.texts.size() >= 64 && !all.texts.contains(reason)) return "the compiler refused it";
  return all.texts.insert(reason).first->c_str();
}

/// Without LD_PRELOAD and LD_AUDIT: under softgen-run the compiler must not load our preloaded library.
std::vector<char*> environment_of_child() {
  std::vector<char*> kept;
  for (char** e = environ; e && *e; e++)
    if (std::strncmp(*e, "LD_PRELOAD=", 11) != 0 && std::strncmp(*e, "LD_AUDIT=", 9) != 0) kept.push_back(*e);
  kept.push_back(nullptr);
  return kept;
}

/// Waits until the child has exited. Kills it at the deadline, or when `unneeded` is set.
void reap(pid_t child, protocol::Deadline deadline, const std::atomic<bool>& unneeded) {
  constexpr int look_ms = 100;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd one{handle, POLLIN, 0};
  while (handle >= 0 && poll(&one, 1, look_ms) == 0)
    if (unneeded || std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
  if (handle >= 0) close(handle);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
}

/// Starts the compiler with `other_end` as its standard input. Returns 0, or an error. `child`: its first process, which forks and exits.
/// The compiler is a grandchild, so that programs have no unknown child process.
int spawn(const std::string& path, int other_end, pid_t& child) {
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
  // Its own session, out of reach of the terminal's signals. Not under a seccomp filter, which may kill a process that calls setsid()
  // (QEMU's -sandbox elevateprivileges=deny); the compiler ignores those signals itself, too (confinement.cpp).
  const bool filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
  posix_spawnattr_setflags(&how, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (filtered ? 0 : POSIX_SPAWN_SETSID)));
  char* arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  const int error = posix_spawn(&child, path.c_str(), &files, &how, arguments, environment_of_child().data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return error;
}

/// A process's start time in clock ticks since the host's boot (proc(5), stat); empty: unknown.
std::string birth_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return "";
  std::istringstream fields(text.substr(after_name + 1));
  std::string field;
  for (int n = 3; n <= 22; n++) fields >> field;
  return field;
}

/// Receives bytes, and the process that sent them according to the kernel (SCM_CREDENTIALS).
bool receive_with_sender(int socket, std::span<std::byte> bytes, pid_t& sender, protocol::Deadline deadline) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  std::byte first{};
  pollfd one{socket, POLLIN, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  if (poll(&one, 1, static_cast<int>(std::max<int64_t>(left, 0))) <= 0) return false;
  iovec into{&first, 1};
  msghdr message{};
  message.msg_iov = &into, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return false;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS) continue;
    ucred who;
    std::memcpy(&who, CMSG_DATA(c), sizeof(who));
    sender = who.pid;
  }
  bytes[0] = first;
  return protocol::receive_all(socket, bytes.subspan(1), deadline);
}

/// Connects to a compiler that listens at `path`. Returns the socket, or -1 with errno set.
int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return errno = ENAMETOOLONG, -1;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0 || connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return socket;
  const int error = errno;
  close(socket);
  return errno = error, -1;
}

/// The peer's code will be executed, so it must run as this user or root.
bool is_trusted(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

}  // namespace

std::string CompilerProcess::default_path() {
  if (const char* path = std::getenv("SOFTGEN_EU_COMPILER"); path && *path) return path;
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&kept), &info) || !info.dli_fname) return "";
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error);
  if (error) return "";
  constexpr const char* name = "softgen-eu-compiler";
  const auto beside = file.parent_path() / name;
  return access(beside.c_str(), X_OK) == 0 ? beside : std::filesystem::path(SOFTGEN_LIBEXEC) / name;
}

/// Reports once that there is no compiler; compiling is not tried again.
bool CompilerProcess::unusable(const std::string& why) {
  note("EU JIT: kernels are interpreted", "{}: {}", path_.empty() ? "softgen-eu-compiler" : path_, why);
  unusable_ = true;
  MutexLock lock(mutex_);
  compiler_ = "none: " + why;
  return false;
}

std::string CompilerProcess::compiler() const {
  MutexLock lock(mutex_);
  return compiler_;
}

/// Takes the socket over, as a descriptor of 100 or more: programs may rely on low numbers for their own. Returns 0, or an error.
int CompilerProcess::begin(int socket) {
  const int moved = fcntl(socket, F_DUPFD_CLOEXEC, 100), on = 1, error = errno;
  close(socket);
  if (moved < 0) return error;
  struct stat status;
  MutexLock lock(mutex_);
  if (unusable_) return close(moved), ECANCELED;  // abandon() found no socket to shut down
  if (setsockopt(moved, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) || fstat(moved, &status)) return close(moved), EINVAL;
  socket_ = moved;
  inode_ = status.st_ino;
  return 0;
}

bool CompilerProcess::start() {
  constexpr std::string_view listening = "unix:";
  if (path_.empty()) return unusable("it is not there");
  const auto deadline = protocol::within(limits_.start);
  std::string why;
  int error = 0;
  if (path_.starts_with(listening)) {
    const int socket = connect_to(path_.substr(listening.size()));
    error = socket < 0 ? errno : 0;
    if (socket >= 0 && !is_trusted(socket)) return close(socket), unusable("it is somebody else's");
    if (!error) error = begin(socket);
  } else {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    pid_t child = 0;
    error = begin(ends[0]);
    if (!error) error = spawn(path_, ends[1], child);
    close(ends[1]);
    if (!error) reap(child, deadline, unusable_);
  }
  if (error) why = std::strerror(error);
  else if (greeted(deadline, why)) return true;
  stop();
  // A lack of host resources may be temporary: tried again with the next kernel.
  if (unusable_ || error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE) return false;
  return unusable(why);
}

bool CompilerProcess::greeted(protocol::Deadline deadline, std::string& why) {
  protocol::Hello hello;
  protocol::Compiler compiler;
  pid_t sender = 0;
  const int socket = this->socket();
  why = "it did not start as the compiler of this build";
  if (!receive_with_sender(socket, std::as_writable_bytes(std::span(&hello, 1)), sender, deadline) || hello != protocol::Hello{} ||
      !protocol::receive_one(socket, compiler, deadline))
    return false;
  compiler.text.back() = 0;
  why = compiler.text.data();
  if (compiler.why_not) return false;
  bool first = false;
  {
    MutexLock lock(mutex_);
    first = compiler_.empty();
    compiler_ = why;
    pid_ = sender;
    born_ = birth_of(sender);
  }
  if (first) note("EU JIT: compiler", "{}", why);
  return true;
}

void CompilerProcess::stop() {
  MutexLock lock(mutex_);
  kill();
  if (ours()) close(socket_);
  socket_ = -1;
  inode_ = 0;
  pid_ = 0;
}

/// A stopped or stuck compiler would not exit by itself. The start time is compared, so that no other process with a reused id is killed.
void CompilerProcess::kill() {
  if (pid_ <= 0 || born_.empty()) return;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (handle < 0) return;
  if (birth_of(pid_) == born_) syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  close(handle);
}

void CompilerProcess::abandon() {
  abandoned_ = true;
  unusable_ = true;
  MutexLock lock(mutex_);
  kill();
  if (ours()) shutdown(socket_, SHUT_RDWR);
}

bool CompilerProcess::ours() const {
  struct stat status;
  return socket_ >= 0 && !fstat(socket_, &status) && S_ISSOCK(status.st_mode) && status.st_ino == inode_;
}

bool CompilerProcess::ready() {
  if (unusable_) return false;
  {
    MutexLock lock(mutex_);
    if (ours()) return true;
  }
  stop();
  return start();
}

ObjectFile CompilerProcess::compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text) {
  ObjectFile object;
  const auto refuse = [&](const char* why) {
    stop();
    object = {};
    object.refused = why;
    return object;
  };
  constexpr const char* none = "there is no compiler";
  if (!ready()) return refuse(none);
  const auto bytes = program.bytes();
  protocol::Request request{};
  request.instruction_set = program.isa().cache_id();
  request.start = program.start();
  request.size = static_cast<uint32_t>(bytes.size());
  request.with_text = text != nullptr;
  request.isa = isa;
  request.variant = variant;
  const auto deadline = protocol::within(limits_.kernel);
  int connection = socket();
  const auto ask = [&] { return protocol::send_one(connection, request, deadline) && protocol::send_all(connection, bytes, deadline); };
  // The process may have ended since the last kernel: one more try.
  if (!ask()) {
    stop();
    if (!ready()) return refuse(none);
    connection = socket();
    if (!ask()) return refuse("LLVM broke off");
  }
  protocol::Reply reply;
  const auto receive = [&](auto& into, uint32_t size) {
    return into.resize(size), protocol::receive_all(connection, std::as_writable_bytes(std::span(into)), deadline);
  };
  std::string reason, printed;
  if (!protocol::receive_one(connection, reply, deadline) || reply.reason > protocol::longest_reason ||
      reply.object > protocol::largest_object || reply.text > protocol::largest_text || !receive(reason, reply.reason) ||
      !receive(object.bytes, reply.object) || !receive(printed, reply.text))
    return refuse(std::chrono::steady_clock::now() < deadline ? "LLVM broke off" : "LLVM took too long");
  object.stepped = reply.stepped;
  if (!reason.empty() || object.bytes.empty()) object.refused = kept(reason);
  if (text) *text += printed;
  return object;
}

}  // namespace softgen::eu::jit

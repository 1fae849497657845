// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/compiler_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/confinement.h"
#include "tests/catch.h"
#include "tests/scoped_variable.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/eu/other_isa.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using jit::CompilerProcess;
using namespace std::chrono_literals;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr jit::Variant variant{.flush_f32 = true, .channels = 0, .keep_registers = false};

std::string path_from(const char* name) {
  const char* path = std::getenv(name);
  return path ? path : "";
}

std::shared_ptr<const Program> small() {
  return Program::decode(gen9_isa(), assemble({op(Opcode::add, 8, grf(10, RegType::f), grf(2, RegType::f), grf(3, RegType::f)), end()}));
}

jit::ObjectFile make(CompilerProcess& process) { return process.compile(*small(), variant, jit::best_host_isa(), nullptr); }

/// Waits until a process that is not our child is gone, or is a zombie.
bool ended(pid_t pid) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < limit) {
    const std::string stat = text_of(fmt::format("/proc/{}/stat", pid));
    const size_t state = stat.rfind(") ");
    if (state == std::string::npos || stat[state + 2] == 'Z' || stat[state + 2] == 'X') return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// softgen-eu-compiler --listen, until the end; by another user where `user` is not 0.
class Listener {
 public:
  explicit Listener(uid_t user = 0) {
    char name[] = "/tmp/softgen-listener-XXXXXX";
    folder_ = mkdtemp(name);
    if (user) REQUIRE(chown(name, user, user) == 0);
    const std::string program = path_from("SOFTGEN_EU_COMPILER"), socket = path();
    pid_ = fork();
    if (pid_ == 0) {
      // Another user may not reach the program's file.
      if (user) _exit(setresuid(user, user, user) ? 1 : jit::listen_as_compiler(socket));
      execl(program.c_str(), program.c_str(), "--listen", socket.c_str(), nullptr);
      _exit(1);
    }
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!std::filesystem::exists(socket) && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(1ms);
    REQUIRE(std::filesystem::is_socket(socket));
  }
  ~Listener() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string path() const { return folder_ + "/socket"; }
  std::string address() const { return "unix:" + path(); }
  pid_t pid() const { return pid_; }

 private:
  std::string folder_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("eu compiler process: the result equals that of jit::compile") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  REQUIRE(process.ready());
  for (const auto& [name, hex] : rows("kernels.txt")) {
    INFO(name);
    const auto program = Program::decode(gen9_isa(), from_hex(hex));
    std::string text, text_here;
    const auto there = process.compile(*program, variant, jit::best_host_isa(), &text);
    const auto here = jit::compile(*program, variant, jit::best_host_isa(), &text_here);
    CHECK(there.bytes == here.bytes);
    CHECK(there.stepped == here.stepped);
    CHECK(text == text_here);
    CHECK((there.refused == nullptr) == (here.refused == nullptr));
    if (there.refused && here.refused) CHECK(std::string(there.refused) == here.refused);
  }
}

TEST_CASE("eu compiler process: it compiles for the kernel's instruction set, and refuses one that it does not know") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  const auto object = process.compile(*Program::decode(other_isa, small()->bytes()), variant, jit::best_host_isa(), nullptr);
  REQUIRE(object.refused);
  CHECK(std::string(object.refused) == "the compiler does not know the kernel's instruction set");
  CHECK(!make(process).refused);
}

TEST_CASE("eu compiler process: a kernel that ends it is refused, and it is started again") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("BROKEN_EU_COMPILER"));
  for (int n = 0; n < 3; n++) {
    const auto object = make(process);
    REQUIRE(object.refused);
    CHECK(std::string(object.refused) == "LLVM broke off");
    CHECK(object.bytes.empty());
  }
}

TEST_CASE("eu compiler process: without one all is refused, which is said once") {
  for (const char* path : {"", "/nonexistent/softgen-eu-compiler", "/bin/false", "/bin/cat"}) {
    INFO(path);
    clear_failure_counts();
    CompilerProcess process(path, {.start = 300ms});
    CHECK_FALSE(process.ready());
    for (int n = 0; n < 2; n++) {
      const auto object = make(process);
      CHECK(object.bytes.empty());
      REQUIRE(object.refused);
      CHECK(std::string(object.refused) == "there is no compiler");
    }
    CHECK(failure_count(Failure::note, "EU JIT: kernels are interpreted") == 1);
  }
}

TEST_CASE("eu compiler process: one that is stopped is killed in time, and the next kernel has a new one") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"), {.start = 20s, .kernel = 300ms});
  REQUIRE(process.ready());
  const pid_t first = process.pid();
  REQUIRE(first > 0);
  REQUIRE(kill(first, SIGSTOP) == 0);
  const auto late = make(process);
  REQUIRE(late.refused);
  CHECK(std::string(late.refused) == "LLVM took too long");
  CHECK(ended(first));
  CompilerProcess patient(path_from("SOFTGEN_EU_COMPILER"));
  CHECK_FALSE(make(patient).refused);
}

TEST_CASE("eu compiler process: a wait for a stopped compiler ends, and the process is gone") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"), {.start = 600s, .kernel = 600s});
  REQUIRE(process.ready());
  const pid_t pid = process.pid();
  REQUIRE(kill(pid, SIGSTOP) == 0);
  auto waits = std::async(std::launch::async, [&] { return make(process); });
  CHECK(waits.wait_for(200ms) == std::future_status::timeout);
  process.abandon();
  REQUIRE(waits.wait_for(60s) == std::future_status::ready);
  CHECK(waits.get().refused);
  CHECK(ended(pid));
  CHECK_FALSE(process.ready());
}

TEST_CASE("eu compiler process: a stopped compiler ends with its owner") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  pid_t pid = 0;
  {
    CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
    REQUIRE(process.ready());
    pid = process.pid();
    REQUIRE(kill(pid, SIGSTOP) == 0);
  }
  CHECK(ended(pid));
}

TEST_CASE("eu compiler process: with --listen each connection is served by its own process") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Listener listener;
  CompilerProcess first(listener.address()), second(listener.address());
  REQUIRE_FALSE(make(first).refused);
  REQUIRE_FALSE(make(second).refused);
  CHECK(first.compiler().starts_with("LLVM "));
  CHECK(first.pid() > 0);
  CHECK(second.pid() > 0);
  CHECK(first.pid() != second.pid());
  CHECK(first.pid() != listener.pid());
  if (jit::confines()) CHECK(text_of(fmt::format("/proc/{}/status", first.pid())).find("Seccomp:\t2\n") != std::string::npos);
  REQUIRE(kill(first.pid(), SIGKILL) == 0);
  REQUIRE(ended(first.pid()));
  CHECK_FALSE(make(first).refused);
  CHECK((std::filesystem::status(listener.path()).permissions() &
         (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) == std::filesystem::perms::none);
}

TEST_CASE("eu compiler process: a socket without a listener, or with a listener of another user, is refused") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  clear_failure_counts();
  CompilerProcess absent("unix:/nonexistent/softgen");
  CHECK(make(absent).refused);
  CHECK(absent.compiler().starts_with("none: "));
  CHECK(failure_count(Failure::note, "EU JIT: kernels are interpreted") == 1);
  if (geteuid() != 0) return note("test", "only root can be somebody else");
  const Listener listener(12345);
  CompilerProcess foreign(listener.address());
  CHECK(make(foreign).refused);
  CHECK(foreign.compiler() == "none: it is somebody else's");
}

TEST_CASE("eu compiler process: a lack of LLVM is reported") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  clear_failure_counts();
  const ScopedVariable version("SOFTGEN_LLVM", "99");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  CHECK(make(process).refused);
  CHECK(process.compiler() == "none: there is no LLVM 99");
  CHECK(failure_count(Failure::note, "EU JIT: kernels are interpreted") == 1);
}

TEST_CASE("eu compiler process: it is confined") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  if (!jit::confines()) return note("test", "not under a sanitizer");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  REQUIRE_FALSE(make(process).refused);
  const std::string status = text_of(fmt::format("/proc/{}/status", process.pid())),
                    limits = text_of(fmt::format("/proc/{}/limits", process.pid()));
  CHECK(status.find("Seccomp:\t2\n") != std::string::npos);
  CHECK(status.find("NoNewPrivs:\t1\n") != std::string::npos);
  CHECK(limits.find(fmt::format("Max address space         {:<20}", jit::compiler_memory)) != std::string::npos);
  CHECK(limits.find("Max core file size        0 ") != std::string::npos);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process.pid())))
    files.insert(entry.path().filename());
  CHECK(files == std::set<std::string>{"0", "1", "2"});
}

TEST_CASE("eu compiler process: the filter kills a process that opens a socket, and lets no file be opened") {
  if (!jit::confines()) return note("test", "not under a sanitizer");
  const auto outcome = [](auto act) {
    const pid_t child = fork();
    if (child == 0) {
      jit::limit_process();
      if (jit::filter_system_calls()) _exit(99);
      _exit(act());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
  };
  CHECK(outcome([] { return 7; }) == 7 << 8);
  CHECK(outcome([] { return open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES ? 7 : 8; }) == 7 << 8);
  CHECK(outcome([] { return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 7 : 8; }) ==
        7 << 8);
  const auto ended_by_filter = [](int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS; };
  CHECK(ended_by_filter(outcome([] { return socket(AF_INET, SOCK_STREAM, 0); })));
  CHECK(ended_by_filter(outcome([] { return static_cast<int>(fork()); })));
  CHECK(ended_by_filter(outcome([] { return kill(getppid(), 0); })));
  CHECK(ended_by_filter(outcome([] { return execl("/bin/true", "true", nullptr); })));
}

TEST_CASE("eu compiler process: the largest kernels fit into its memory") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  std::vector<Instruction> code;
  for (unsigned n = 0; n < 5900; n++)
    code.push_back(op(n % 3 ? Opcode::mul : Opcode::add, 16, grf(10 + n * 2 % 110, RegType::f), grf(2 + n * 6 % 116, RegType::f),
                      grf(4 + n * 10 % 114, RegType::f)));
  code.push_back(end());
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  const auto object = process.compile(*Program::decode(gen9_isa(), assemble(code)), variant, jit::best_host_isa(), nullptr);
  CHECK((object.refused ? std::string(object.refused) : "") == "");
  const std::string status = text_of(fmt::format("/proc/{}/status", process.pid()));
  const uint64_t kib = std::strtoull(status.c_str() + status.find("VmPeak:") + 7, nullptr, 10);
  CHECK((!jit::confines() || kib << 10 < jit::compiler_memory / 2));
}

TEST_CASE("eu compiler process: a program may close or reuse its socket's descriptor") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  REQUIRE_FALSE(make(process).refused);
  const int lowest = fcntl(0, F_DUPFD_CLOEXEC, 100);
  REQUIRE(lowest > 100);
  const int its = lowest - 1;
  close(its);
  CHECK_FALSE(make(process).refused);
  REQUIRE(dup2(lowest, its) == its);
  CHECK_FALSE(make(process).refused);
  CHECK(fcntl(its, F_GETFD) >= 0);
  close(its);
  close(lowest);
}

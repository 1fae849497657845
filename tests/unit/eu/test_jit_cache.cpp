// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of compiled code, and the engine that runs a thread.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hw/base/failure_log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/disk_cache.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/scoped_variable.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/eu/other_isa.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/softgen-cache-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  std::string path;
};

std::shared_ptr<const Program> program(uint32_t value, uint64_t start = 0) {
  const std::vector<Instruction> code{mov_imm(8, grf(10, RegType::ud), RegType::ud, value), end()};
  return Program::decode(gen9_isa(), assemble(code), start);
}

const jit::Variant variant{.channels = 0xff};

void run_once(Machine& m, const Program& p) {
  ThreadStart how;
  how.program = &p;
  m.thread.start(how);
  CHECK(eu::run(m.thread, m.env, m.target) == RunResult::finished);
}

jit::ObjectFile make(const Program& p) { return jit::compile(p, variant, jit::HostIsa::host); }

}  // namespace

TEST_CASE("eu jit cache: code is found only by the exact key") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  const jit::DiskCache cache(folder.path);
  const auto p = program(1), other = program(2), moved = program(1, 64);
  const jit::ObjectFile object = make(*p);
  REQUIRE(!object.bytes.empty());
  CHECK(!cache.find("a", *p));
  cache.keep("a", *p, object);
  const auto found = cache.find("a", *p);
  REQUIRE(found);
  CHECK(found->bytes == object.bytes);
  CHECK(found->stepped == object.stepped);
  CHECK(!cache.find("b", *p));
  CHECK(!cache.find("a", *other));
  CHECK(!cache.find("a", *moved));
}

TEST_CASE("eu jit cache: code of another instruction set is not used") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  const jit::DiskCache cache(folder.path);
  const auto p = program(1), other = Program::decode(other_isa, p->bytes());
  REQUIRE(std::ranges::equal(p->bytes(), other->bytes()));
  CHECK(jit::code_name(*p, variant, jit::HostIsa::host) != jit::code_name(*other, variant, jit::HostIsa::host));
  cache.keep("a", *p, make(*p));
  CHECK(cache.find("a", *p));
  CHECK(!cache.find("a", *other));
}

TEST_CASE("eu jit cache: damaged files are not used") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  const jit::DiskCache cache(folder.path);
  const auto p = program(1);
  cache.keep("a", *p, make(*p));
  const fs::path path = fs::path(folder.path) / "a";
  const auto size = fs::file_size(path);
  for (const uint64_t at : {uint64_t{0}, uint64_t{9}, uint64_t{16}, uint64_t{40}, uint64_t{60}, size / 2, size - 1}) {
    INFO("byte " << at);
    cache.keep("a", *p, make(*p));
    {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekg(static_cast<std::streamoff>(at));
      const char c = static_cast<char>(file.get() ^ 0x55);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(c);
    }
    const bool counts_only = at >= 12 && at < 16;  // number of stepped ops: for statistics only
    CHECK((counts_only || !cache.find("a", *p)));
  }
  cache.keep("a", *p, make(*p));
  for (const uint64_t length : {uint64_t{0}, uint64_t{10}, uint64_t{56}, size / 2, size - 1}) {
    fs::resize_file(path, length);
    CHECK(!cache.find("a", *p));
  }
}

TEST_CASE("eu jit cache: it has a limit, and works without a folder") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  const auto p = program(1);
  const jit::ObjectFile object = make(*p);
  constexpr uint64_t limit = 40000;
  const jit::DiskCache cache(folder.path, limit);
  for (unsigned n = 0; n < 40; n++) cache.keep("k" + std::to_string(n), *p, object);
  uint64_t total = 0, files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path)) total += entry.file_size(), files++;
  CHECK(total <= limit);
  CHECK(files > 0);
  const jit::DiskCache none("");
  none.keep("a", *p, object);
  CHECK(!none.find("a", *p));
  const jit::DiskCache impossible("/proc/no-such-folder");
  impossible.keep("a", *p, object);
  CHECK(!impossible.find("a", *p));
}

TEST_CASE("eu jit cache: the folder is made private, and only private folders and files are used") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  const auto p = program(1);
  const jit::ObjectFile object = make(*p);
  const fs::path inside = fs::path(folder.path) / "softgen" / "kernels";
  const auto permissions = [](const fs::path& path) { return fs::status(path).permissions(); };
  const mode_t before = umask(0);
  const jit::DiskCache cache(inside);
  cache.keep("a", *p, object);
  umask(before);
  REQUIRE(cache.find("a", *p));
  CHECK(permissions(inside) == fs::perms::owner_all);
  CHECK(permissions(inside.parent_path()) == fs::perms::owner_all);
  CHECK(permissions(inside / "a") == (fs::perms::owner_read | fs::perms::owner_write));
  clear_failure_counts();
  const auto refused = [&](const char* what) {
    INFO(what);
    CHECK(!cache.find("a", *p));
  };
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(inside / "a", others, fs::perm_options::add);
    refused("a file that others may write");
    fs::permissions(inside / "a", others, fs::perm_options::remove);
    REQUIRE(cache.find("a", *p));
    fs::permissions(inside, others, fs::perm_options::add);
    refused("a folder that others may write");
    cache.keep("b", *p, object);
    CHECK(!fs::exists(inside / "b"));
    fs::permissions(inside, others, fs::perm_options::remove);
    REQUIRE(cache.find("a", *p));
  }
  CHECK(failure_count(Failure::note, "EU JIT: no cache on disk") > 0);
  if (geteuid() == 0) {
    REQUIRE(chown((inside / "a").c_str(), 12345, 12345) == 0);
    refused("a file of somebody else");
    REQUIRE(chown((inside / "a").c_str(), 0, 0) == 0);
    REQUIRE(chown(inside.c_str(), 12345, 12345) == 0);
    refused("a folder of somebody else");
    REQUIRE(chown(inside.c_str(), 0, 0) == 0);
  }
  CHECK(cache.find("a", *p));
}

TEST_CASE("eu jit cache: no link is followed, and no file blocks") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder, elsewhere;
  const auto p = program(1);
  const jit::ObjectFile object = make(*p);
  const fs::path inside = fs::path(folder.path) / "kernels", outside = elsewhere.path;
  jit::DiskCache(outside).keep("a", *p, object);
  fs::create_symlink(outside, inside);
  const jit::DiskCache by_link(inside);
  CHECK(!by_link.find("a", *p));
  by_link.keep("b", *p, object);
  CHECK(!fs::exists(outside / "b"));
  fs::remove(inside);
  const jit::DiskCache cache(inside);
  cache.keep("c", *p, object);
  REQUIRE(cache.find("c", *p));
  fs::create_symlink(outside / "a", inside / "a");
  CHECK(!cache.find("a", *p));
  REQUIRE(mkfifo((inside / "pipe").c_str(), 0600) == 0);
  CHECK(!cache.find("pipe", *p));
  // The link itself is replaced, not its target.
  const fs::path victim = outside / "victim";
  std::ofstream(victim) << "text";
  fs::create_symlink(victim, inside / "d");
  fs::create_symlink(victim, inside / ("d." + std::to_string(getpid())));
  cache.keep("d", *p, object);
  CHECK(fs::file_size(victim) == 4);
  CHECK(!fs::is_symlink(inside / "d"));
  CHECK(cache.find("d", *p));
}

TEST_CASE("eu engine: all engines give the same result, and use the compiler as named") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  using Tier = eu::Engine;
  for (const Tier engine : {Tier::interp, Tier::jit, Tier::tiers}) {
    const auto compiler = make_compiler({.engine = engine});
    Machine m;
    uint32_t sent = 0;
    m.target.answer = [&](const Message& message, ThreadEnv&) {
      sent = message.payload[0].dw[0];
      return SendResult::done;
    };
    const std::vector<Instruction> code{mov_imm(8, grf(127, RegType::ud), RegType::ud, 77 + static_cast<unsigned>(engine)), end()};
    const auto p = Program::decode(gen9_isa(), assemble(code), 0, compiler.get());
    const auto once = [&] {
      sent = 0;
      run_once(m, *p);
      CHECK(sent == 77 + static_cast<unsigned>(engine));
    };
    for (uint32_t n = 0; n < runs_before_compiling; n++) once();
    compiler->drain();
    once();
    const EngineStats stats = compiler->stats();
    CHECK(stats.compiled_threads == (engine == Tier::interp ? 0u : engine == Tier::jit ? runs_before_compiling + 1 : 1u));
    CHECK(stats.compiled == (engine == Tier::interp ? 0u : 1u));
  }
}

TEST_CASE("eu engine: a kernel whose compilation ends with the program is neither noted nor counted as refused") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Folder folder;
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  // It never answers, so that the kernel's compilation is still pending when the engine is destroyed.
  const std::string silent = folder.path + "/compiler", asked = folder.path + "/asked";
  std::ofstream(silent) << "#!/bin/sh\n: > '" << asked << "'\nexec cat > /dev/null\n";
  REQUIRE(chmod(silent.c_str(), 0700) == 0);
  REQUIRE(mkfifo(asked.c_str(), 0600) == 0);
  const ScopedVariable compiler_path("SOFTGEN_EU_COMPILER", silent);
  Log log({});
  {
    const LogScope scope(log);
    const auto compiler = make_compiler({.engine = eu::Engine::tiers});
    Machine m;
    const std::vector<Instruction> code{mov_imm(8, grf(127, RegType::ud), RegType::ud, 7), end()};
    const auto p = Program::decode(gen9_isa(), assemble(code), 0, compiler.get());
    for (uint32_t n = 0; n < runs_before_compiling; n++) run_once(m, *p);
    const std::ifstream waits_until_it_runs(asked);
  }
  const LogScope scope(log);
  CHECK(failure_count(Failure::note, "EU JIT: a kernel stays with the interpreter") == 0);
  CHECK(failure_count(Failure::note, "EU JIT: kernels are interpreted") == 0);
}

TEST_CASE("eu jit: kernels that are too large, and special modes, are interpreted") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  std::vector<Instruction> code(7000, mov_imm(8, grf(10, RegType::ud), RegType::ud, 1));
  code.push_back(end());
  CHECK(jit::compile(*Program::decode(gen9_isa(), assemble(code)), variant, jit::HostIsa::host).refused != nullptr);
  std::vector<Instruction> clock{op(Opcode::mov, 1, scalar(10, RegType::ud), arf(Arf::timestamp, RegType::ud)), end()};
  CHECK(jit::compile(*Program::decode(gen9_isa(), assemble(clock)), variant, jit::HostIsa::host).refused != nullptr);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/compiler_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "hw/base/log.h"
#include "tests/catch.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using jit::CompilerProcess;

namespace {

constexpr jit::Variant variant{.flush_f32 = true, .channels = 0, .keep_registers = false};

std::string path_from(const char* name) {
  const char* path = std::getenv(name);
  return path ? path : "";
}

std::shared_ptr<const Program> small() { return Program::decode(assemble({op(Opcode::add, 8, grf(10, RegType::f), grf(2, RegType::f), grf(3, RegType::f)), end()})); }

std::optional<jit::ObjectFile> make(CompilerProcess& process) { return process.compile(*small(), variant, jit::best_isa(), nullptr); }

}  // namespace

TEST_CASE("eu compiler process: what comes back is what jit::compile makes") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  REQUIRE(process.ready());
  for (const auto& [name, hex] : rows("kernels.txt")) {
    INFO(name);
    const auto program = Program::decode(from_hex(hex));
    std::string text, text_here;
    const auto there = process.compile(*program, variant, jit::best_isa(), &text);
    const auto here = jit::compile(*program, variant, jit::best_isa(), &text_here);
    REQUIRE(there.has_value());
    CHECK(there->bytes == here.bytes);
    CHECK(there->stepped == here.stepped);
    CHECK(text == text_here);
    CHECK((there->refused == nullptr) == (here.refused == nullptr));
    if (there->refused && here.refused) CHECK(std::string(there->refused) == here.refused);
  }
}

TEST_CASE("eu compiler process: a kernel that ends it is refused, and it is started again") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("BROKEN_EU_COMPILER"));
  for (int n = 0; n < 3; n++) {
    const auto object = make(process);
    REQUIRE(object.has_value());
    REQUIRE(object->refused);
    CHECK(std::string(object->refused) == "LLVM broke off");
    CHECK(object->bytes.empty());
  }
}

TEST_CASE("eu compiler process: without one nothing comes back") {
  for (const char* path : {"", "/nonexistent/softgen-eu-compiler", "/bin/false"}) {
    INFO(path);
    CompilerProcess process(path);
    CHECK_FALSE(process.ready());
    CHECK_FALSE(make(process).has_value());
  }
}

TEST_CASE("eu compiler process: a program that closes or takes its socket's number does not break it") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  CompilerProcess process(path_from("SOFTGEN_EU_COMPILER"));
  REQUIRE(make(process).has_value());
  const int lowest = fcntl(0, F_DUPFD_CLOEXEC, 100);
  REQUIRE(lowest > 100);
  const int its = lowest - 1;
  close(its);
  CHECK_FALSE(make(process)->refused);
  REQUIRE(dup2(lowest, its) == its);
  CHECK_FALSE(make(process)->refused);
  CHECK(fcntl(its, F_GETFD) >= 0);
  close(its);
  close(lowest);
}

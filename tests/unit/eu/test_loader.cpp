// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels in guest memory: how far they are read, and stopping the decoding of a long one.
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/program/loader.h"
#include "hw/iface/engine.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr uint64_t start = 0x10000, page = memory::View::page_size;
constexpr size_t instructions_per_page = page / 16;

/// Memory with exactly the pages of a kernel of `moves` moves, with or without an end after them.
struct Fixture : memory::test::Mapped {
  Fixture(size_t moves, bool ends) : Mapped(start, start + (moves + ends) * 16) {
    std::vector<Instruction> code(moves, mov_imm(8, grf(2, RegType::d), RegType::d, 1));
    if (ends) code.push_back(end());
    const auto bytes = assemble(code);
    view.write(start, bytes.data(), bytes.size());
  }
  std::shared_ptr<const Program> load() { return loader.load(view, {}, start, stop); }

  StopFlag stop;
  Loader loader{gen9_isa(), nullptr};
};

}  // namespace

TEST_CASE("eu loader: a kernel that ends with its page is read to its end, and the next page is not accessed") {
  for (const size_t instructions :
       {instructions_per_page, 2 * instructions_per_page, 5 * instructions_per_page, 5 * instructions_per_page + 1}) {
    CAPTURE(instructions);
    Fixture f(instructions - 1, true);
    const auto program = f.load();
    CHECK(program->complete());
    CHECK(program->bytes().size() == instructions * 16);
    CHECK(f.view.faults() == 0);
    CHECK(f.load() == program);
    CHECK(f.view.faults() == 0);
  }
}

TEST_CASE("eu loader: a kernel of more than 1 MiB is read to its end") {
  Fixture f(300 * instructions_per_page, true);
  CHECK(f.load()->complete());
  CHECK(f.view.faults() == 0);
}

TEST_CASE("eu loader: dropped work does not wait for a long kernel, and keeps nothing of it") {
  Fixture f(64 * instructions_per_page, false);
  for (const StopFlag::Reason reason : {StopFlag::reset, StopFlag::abandon}) {
    f.stop.request(reason);
    CHECK(f.load()->lines().size() == 1);  // an illegal instruction
    f.stop.clear(reason);
  }
  const auto whole = f.load();
  CHECK(whole->lines().size() > 64 * instructions_per_page);
  CHECK(f.load()->lines().size() == whole->lines().size());
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The port and the status buffer alone, without a streamer.
#include <array>

#include "hw/cs/submission/elsp.h"
#include "hw/defs/gen9/set.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"

namespace softgen::cs {
namespace {

constexpr uint32_t base = 0x2000, status_page = 0x5000;

struct Rig {
  mmio::RegisterFile registers{defs::gen9::registers};
  memory::SparseMemory memory{1 << 20};
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr, EngineId::rcs};
  std::unique_ptr<Submission> submission = elsp(registers, base);
  unsigned submitted = 0;

  Rig() {
    for (uint32_t page = 0; page < 16; ++page) ggtt.set_pte(page, uint64_t{page} << 12 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    submission->attach([this] { ++submitted; });
  }
  void write(std::initializer_list<uint32_t> dwords) {
    for (const uint32_t dword : dwords) registers.write(base + softgen::reg::RING_ELSP, dword);
  }
};

TEST_CASE("cs: the submit port takes a list with its fourth dword", "[cs]") {
  Rig rig;
  rig.write({4, 0x3001, 2});
  CHECK(rig.submitted == 0);
  CHECK(!rig.submission->pending());
  rig.write({0x1001});
  CHECK(rig.submitted == 1);
  const auto list = rig.submission->take();
  REQUIRE(list);
  CHECK((list->element[0].low == 0x1001 && list->element[0].high == 2));
  CHECK((list->element[1].low == 0x3001 && list->element[1].high == 4));
  CHECK(list->next(2) == max_elements);
  CHECK(!rig.submission->take());
}

TEST_CASE("cs: a second list replaces a pending one", "[cs]") {
  Rig rig;
  rig.write({0, 0, 1, 0x1001, 0, 0, 2, 0x2001});
  CHECK(rig.submitted == 2);
  CHECK(rig.submission->take()->element[0].low == 0x2001);
  CHECK(!rig.submission->pending());
}

TEST_CASE("cs: a reset drops the pending list and an incomplete one", "[cs]") {
  Rig rig;
  rig.write({0, 0, 1, 0x1001, 7, 7});
  rig.submission->reset();
  CHECK(!rig.submission->pending());
  rig.write({0, 0, 2, 0x2001});
  CHECK(rig.submission->take()->element[0].low == 0x2001);
}

TEST_CASE("cs: events wrap around the six entries of the status buffer, and are in the registers", "[cs]") {
  Rig rig;
  CHECK((rig.registers.read(base + softgen::reg::RING_CONTEXT_STATUS_PTR) & 7) == 5);
  for (uint32_t i = 0; i < 8; ++i) {
    rig.submission->report(event_complete, 0x100 + i, rig.view, status_page);
    CHECK(rig.view.load<uint32_t>(status_page + 0x7c) == i % 6);
    CHECK(rig.view.load<uint64_t>(status_page + 0x40 + 8 * (i % 6)) == (event_complete | uint64_t{0x100 + i} << 32));
    CHECK(rig.registers.read(base + 0x370 + 8 * (i % 6) + 4) == 0x100 + i);
    CHECK((rig.registers.read(base + softgen::reg::RING_CONTEXT_STATUS_PTR) & 7) == i % 6);
  }
}

TEST_CASE("cs: half a list is saved with the port", "[cs]") {
  Rig rig, other;
  rig.write({4, 0x3001, 2});
  Archive out;
  rig.submission->state(out);
  CHECK(out.output().size() == 20);  // as builds before the interface saved it
  Archive in(out.output());
  other.submission->state(in);
  other.write({0x1001});
  CHECK(other.submission->take()->element[1].low == 0x3001);
}

}  // namespace
}  // namespace softgen::cs

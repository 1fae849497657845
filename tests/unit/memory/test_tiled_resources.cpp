// SPDX-License-Identifier: GPL-2.0-or-later
// Tiled resource translation in front of page tables, with tables as Mesa's anv_sparse.c writes them.
#include "hw/memory/tiled_resources.h"

#include "hw/memory/view.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/tables.h"

using namespace softgen;
using namespace softgen::memory;
using namespace softgen::memory::test;

namespace {

constexpr uint64_t level3 = 0x20'0000, level2 = 0x20'1000, level1 = 0x20'2000, real = 0x1234'5678'0000, sparse = 0xf000'1234'0000;
constexpr uint64_t null = 2, invalid = 1;

struct Fixture {
  SparseMemory memory{16 << 20};
  Tables tables{memory};
  FaultRegisters faults;
  TlbGeneration generation;
  uint64_t pml4 = tables.new_table();
  AddressSpace space = AddressSpace::ppgtt48(pml4, generation);
  View view{memory, &faults};

  Fixture() {
    quiet_log();
    for (uint64_t page = 0; page < 0x4000; page += 0x1000) tables.map(pml4, level3 + page, 0x100'0000 + page);
    for (uint64_t page = 0; page < 0x1'0000; page += 0x1000) tables.map(pml4, real + page, 0x200'0000 + page);
    space.tiled = {.enabled = true, .mask = 0xf, .data = 0xf, .root = level3, .null_tile = 0, .invalid_tile = 1};
    view.set_space(space);
    set(level3, sparse >> 35 & 511, level2);
    set(level2, sparse >> 26 & 511, level1);
    view.store(entry1(sparse), static_cast<uint32_t>(real >> 16));
  }
  static uint64_t entry1(uint64_t va) { return level1 + (va >> 16 & 1023) * 4; }
  void set(uint64_t table, uint64_t index, uint64_t entry) { view.store(table + index * 8, entry); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a tile of 64 KiB is where its entry says") {
  view.store<uint32_t>(real + 0x8124, 42);
  CHECK(view.load<uint32_t>(sparse + 0x8124) == 42);
  view.store<uint32_t>(0xffff'0000'0000'0000 | (sparse + 0xfffc), 43);
  CHECK(view.load<uint32_t>(real + 0xfffc) == 43);
  const Translation t = translate(space, memory, sparse + 0xf000, 0x10'0000);
  CHECK(t.valid);
  CHECK(t.run == 0x1000);  // the next tile is somewhere else
  CHECK(view.piece(sparse, 0x1'0000) != nullptr);
  CHECK(view.piece(sparse, 0x1'0001) == nullptr);
  CHECK(view.faults() == 0);
}

TEST_CASE_METHOD(Fixture, "null tiles read zero and drop writes, and are no fault") {
  const uint64_t next = sparse + 0x1'0000, far = sparse + (uint64_t{1} << 26), farther = sparse + (uint64_t{1} << 35);
  set(level2, far >> 26 & 511, null);
  set(level3, farther >> 35 & 511, null);
  for (const uint64_t at : {next, far, farther}) {
    view.store<uint32_t>(at + 8, 42);
    CHECK(view.load<uint32_t>(at + 8) == 0);
    CHECK(translate(space, memory, at).null);
    CHECK(view.piece(at, 8) == nullptr);
    CHECK(view.stretch(at, 0x1000, Access::write).first == nullptr);
  }
  CHECK(view.faults() == 0);
  // Each read counts, of tiles that are there and of faults none.
  CHECK(view.null_reads() == 3);
  view.load<uint32_t>(next), view.load<uint32_t>(next), view.load<uint32_t>(sparse), view.load<uint32_t>(0x10);
  CHECK(view.null_reads() == 5);
}

TEST_CASE_METHOD(Fixture, "invalid tiles, and tables that are not there, are faults") {
  const uint64_t next = sparse + 0x1'0000, far = sparse + (uint64_t{1} << 26);
  view.store(entry1(next), uint32_t{1});
  CHECK(view.load<uint32_t>(next) == 0);
  CHECK(view.faults() == 1);
  set(level2, far >> 26 & 511, invalid);
  CHECK(view.load<uint32_t>(far) == 0);
  CHECK(view.faults() == 2);
  // Of all bits, "invalid" counts first.
  set(level3, sparse >> 35 & 511, ~uint64_t{0});
  CHECK_FALSE(translate(space, memory, sparse).null);
  set(level3, sparse >> 35 & 511, 0x7fff'ffff'f000);
  CHECK(translate(space, memory, sparse).null);  // no memory: an entry of 0, which is the null tile's
}

TEST_CASE_METHOD(Fixture, "the range is chosen by mask and data; tiles and tables are not translated again") {
  CHECK(translate(space, memory, 0xe000'1234'0000).fault == FaultType::invalid_pml4e);
  // A tile that says it is within the range: the page tables have nothing there.
  view.store(entry1(sparse), static_cast<uint32_t>(sparse >> 16));
  generation.bump();
  CHECK_FALSE(translate(space, memory, sparse).valid);
  // Everything is in the range.
  space.tiled.mask = space.tiled.data = 0;
  space.tiled.root = level3;
  view.set_space(space);
  CHECK(translate(space, memory, real).valid == false);
  space.tiled.enabled = false;
  view.set_space(space);
  CHECK(translate(space, memory, real).valid);
  CHECK(view.load<uint32_t>(sparse) == 0);
  CHECK(view.faults() == 1);
}

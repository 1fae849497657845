// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's per-process tables. Sections are those of the ILK PRM vol 1 part 2.
#include "hw/memory/address_space.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/page_directory.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::memory;

namespace {

struct Fixture {
  SparseMemory memory{64 << 20};
  Ggtt ggtt{softgen::defs::gen5_ggtt_pages};
  TlbGeneration generation;
  PageDirectory directory;
  AddressSpace space = AddressSpace::two_level(directory, generation);

  void set(uint64_t table, uint64_t index, uint32_t entry) { memory.write(table + index * 4, &entry, 4); }
  /// Of the directory that begins at the `line` 64 bytes of the global table.
  void set_directory(uint64_t line, uint64_t index, uint32_t entry) { ggtt.set_pte(line * 16 + index, entry); }
  Translation walk(uint64_t va) { return translate(space, memory, va); }
};

}  // namespace

// 1.3.1, 1.3.2: an entry of the directory stands for 4 MiB, one of a table for 4 KiB.
TEST_CASE_METHOD(Fixture, "Gen5 walk: two levels, with a directory in the global table") {
  constexpr uint32_t line = 0x40;
  set_directory(line, 0, 0x10'0000 | 1);
  set_directory(line, 3, 0x10'1000 | 1);
  set_directory(line, 511, 0x10'2000 | 1);
  set(0x10'0000, 1, 0x20'0000 | 0x6 | 1);         // cached
  set(0x10'1000, 1023, 0x0123'4000 | 0xab0 | 1);  // bits 39:32 in 11:4
  set(0x10'2000, 0, 0x20'1000 | 1);
  directory.load(ggtt, line, ~0u);
  CHECK(walk(0x1234).gpa == 0x20'0234);
  CHECK(walk(0x1234).page_size == 4096);
  CHECK(walk(0x1234).writable);
  CHECK(walk((4u << 22) - 1).gpa == 0xab'0123'4fff);
  CHECK(walk(511ull << 22).gpa == 0x20'1000);
  CHECK(walk(0).fault == FaultType::invalid_pte);
  CHECK(walk(1u << 22).fault == FaultType::invalid_pde);
  // 1.3.2.4: bits of PP_DCLV stand for 512 entries, 2 GiB.
  CHECK(walk(512ull << 22).fault == FaultType::invalid_pdpe);
  CHECK(walk(1ull << 32).fault == FaultType::invalid_pdpe);
}

// 1.3.1: bits 35:32 of a table's address are in 7:4; the global table keeps such an entry as it is.
TEST_CASE_METHOD(Fixture, "Gen5 walk: a table above 4 GiB") {
  SparseMemory large{uint64_t{8} << 30};
  const uint32_t pte = 0x0030'0001;
  large.write(0x1'0020'0000, &pte, 4);
  set_directory(0, 0, 0x0020'0000 | 1 << 4 | 1);
  directory.load(ggtt, 0, 1);
  CHECK(translate(space, large, 0x77).gpa == 0x30'0077);
  CHECK(directory.entry(0) == (0x0020'0000 | 1 << 4 | 1));
}

// 1.3.1, "Page Size".
TEST_CASE_METHOD(Fixture, "Gen5 walk: pages of 32 KiB") {
  set_directory(0, 2, 0x10'0000 | 2 | 1);
  for (unsigned i = 0; i < 16; ++i) set(0x10'0000, i, i % 8 ? 0xdead'0000 : (0x20'0000 + i * 0x1000) | 1);
  set(0x10'0000, 16, 0x30'7000 | 1);  // not aligned: its low bits do not count
  directory.load(ggtt, 0, ~0u);
  constexpr uint64_t va = 2ull << 22;
  for (const uint64_t offset : {0u, 0x7fffu, 0x8000u, 0xfabcu}) {
    CHECK(walk(va + offset).gpa == 0x20'0000 + offset);
    CHECK(walk(va + offset).page_size == 0x8000);
  }
  CHECK(walk(va + 0x1'0123).gpa == 0x30'0123);
  CHECK(translate(space, memory, va + 0x1000, 1 << 20).run == 0x7000);
}

// 1.3.2.4: "If clear, these entries are considered invalid and fetch of these entries will not be attempted".
TEST_CASE_METHOD(Fixture, "Gen5 walk: sets of sixteen entries, and what changes without a load of the directory") {
  for (unsigned i = 0; i < 48; ++i) set_directory(1, i, 0x10'0000 | 1);
  set(0x10'0000, 0, 0x20'0001);
  directory.load(ggtt, 1, 0b101);
  CHECK(walk(15u << 22).valid);
  CHECK(walk(16u << 22).fault == FaultType::invalid_pdpe);
  CHECK(directory.entry(16) == 0);
  CHECK(walk(32u << 22).valid);
  set_directory(1, 0, 0);  // 1.3.1: the device caches entries
  CHECK(walk(0).valid);
  directory.load(ggtt, 1, 0b101);
  CHECK(walk(0).fault == FaultType::invalid_pde);

  SECTION("what lies beyond the global table is not valid") {
    ggtt.set_pte(ggtt.entries() - 1, 0x10'0001);
    directory.load(ggtt, 0x7fff, ~0u);
    CHECK(walk(15u << 22).valid);
    CHECK(walk(16u << 22).fault == FaultType::invalid_pde);
  }
  SECTION("it is part of a saved state") {
    Archive writer;
    directory.state(writer);
    PageDirectory loaded;
    Archive reader(writer.output());
    loaded.state(reader);
    CHECK_FALSE(reader.failed());
    CHECK(loaded.entry(15) == 0x10'0001);
    CHECK(loaded.has_set_of(32));
    CHECK_FALSE(loaded.has_set_of(16));
  }
}

// 1.2.2.1.
TEST_CASE_METHOD(Fixture, "Gen5 walk: the flat table") {
  set(0x10'0000, 5, 0x20'0001);
  set(0x10'0000, 6, 0x0012'3000 | 0xa0 | 1);
  set(0x10'0000, (64 << 10) / 4, 0x30'0001);
  const auto flat = AddressSpace::flat(0x10'0000, (64 << 10) / 4, generation);
  CHECK(translate(flat, memory, 0x5678).gpa == 0x20'0678);
  CHECK(translate(flat, memory, 0x6000).gpa == 0xa'0012'3000);
  CHECK(translate(flat, memory, 0x7000).fault == FaultType::invalid_pte);
  CHECK_FALSE(translate(flat, memory, 64 << 20).valid);  // the first page behind it
  CHECK(translate(AddressSpace::flat(0x10'0000, (128 << 10) / 4, generation), memory, 64 << 20).valid);
  CHECK_FALSE(translate(AddressSpace::flat(uint64_t{1} << 35, 16384, generation), memory, 0).valid);
}

TEST_CASE_METHOD(Fixture, "Gen5 walk: a view names the pages that it has translated") {
  set_directory(0, 0, 0x10'0001);
  for (unsigned i = 0; i < 4; ++i) set(0x10'0000, i, 0x20'0001 + i * 0x1000);
  directory.load(ggtt, 0, 1);
  for (uint64_t at = 0x20'0000; at < 0x20'4000; at += 0x1000) set(at, 0, 1);  // the memory is there: a page that comes drops translations
  View view(memory, nullptr);
  view.set_space(space);
  view.load<uint32_t>(0x2010);
  view.store<uint32_t>(0x1010, 1);
  view.store<uint32_t>(0x2010, 1);
  CHECK(view.translated(8) == std::vector<uint64_t>{0x1000, 0x2000});
  CHECK(view.translated(1) == std::vector<uint64_t>{0x1000});
  generation.bump();
  view.load<uint32_t>(0x3000);
  CHECK(view.translated(8) == std::vector<uint64_t>{0x3000});
}

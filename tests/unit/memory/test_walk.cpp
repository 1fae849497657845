// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>

#include "hw/memory/address_space.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/ggtt.h"
#include "tests/catch.h"
#include "tests/unit/memory/tables.h"

using namespace softgen;
using namespace softgen::memory;
using namespace softgen::memory::test;

namespace {

struct Fixture {
  SparseMemory memory{16 << 20};
  Tables tables{memory};
  TlbGeneration generation;
  uint64_t pml4 = tables.new_table();
  AddressSpace space = AddressSpace::ppgtt48(pml4, generation);
};

}  // namespace

TEST_CASE_METHOD(Fixture, "the four levels are indexed by nine bits each") {
  // Each va differs from the others in one level only.
  const std::map<uint64_t, uint64_t> pages = {{0x0000'0000'1000, 0x1'0000},
                                              {0x0000'0020'1000, 0x2'0000},
                                              {0x0000'4000'1000, 0x3'0000},
                                              {0x0080'0000'1000, 0x4'0000},
                                              {0xffff'ffff'f000, 0x7f'ffff'f000}};
  for (const auto& [va, gpa] : pages) tables.map(pml4, va, gpa);
  for (const auto& [va, gpa] : pages) {
    const Translation t = translate(space, memory, va + 0x123);
    CHECK(t.valid);
    CHECK(t.gpa == gpa + 0x123);
    CHECK(t.page_size == 4096);
    CHECK(t.writable);
  }
}

TEST_CASE_METHOD(Fixture, "a fault names the level whose entry is not present") {
  tables.map(pml4, 0x1000, 0x5000);
  tables.below(tables.below(pml4, 1), 0);
  tables.below(pml4, 2);
  CHECK(translate(space, memory, 0x2000).fault == FaultType::invalid_pte);
  CHECK(translate(space, memory, 0x20'0000).fault == FaultType::invalid_pde);
  CHECK(translate(space, memory, uint64_t{2} << 39).fault == FaultType::invalid_pdpe);
  CHECK(translate(space, memory, uint64_t{3} << 39).fault == FaultType::invalid_pml4e);
}

TEST_CASE_METHOD(Fixture, "64K pages take each sixteenth PTE") {
  constexpr uint64_t va = 0x12'3440'0000;
  const uint64_t pd = tables.directory(pml4, va);
  const uint64_t pt = tables.below(pd, va >> 21 & 511);
  for (unsigned i = 0; i < 512; ++i) tables.set(pt, i, i % 16 ? 0xdead000 | present : (0x100'0000 + i * 4096) | present | read_write);
  tables.set(pd, va >> 21 & 511, pt | present | read_write | page_64k);
  for (uint64_t offset : {uint64_t{0}, uint64_t{0xffff}, uint64_t{0x1'0000}, uint64_t{0x1f'fabc}}) {
    const Translation t = translate(space, memory, va + offset);
    CHECK(t.valid);
    CHECK(t.gpa == 0x100'0000 + offset);
    CHECK(t.page_size == 0x1'0000);
  }
}

TEST_CASE_METHOD(Fixture, "a PDE may be a 2M page") {
  constexpr uint64_t va = 0x40'0000;
  tables.set(tables.directory(pml4, va), 2, 0x1'2340'0000 | present | page_2m);
  const Translation t = translate(space, memory, va + 0x12'3456);
  CHECK(t.valid);
  CHECK(t.gpa == 0x1'2352'3456);
  CHECK(t.page_size == 0x20'0000);
  CHECK_FALSE(t.writable);
}

TEST_CASE_METHOD(Fixture, "write permission needs the bit at every level") {
  for (int level = 0; level < 4; ++level) {
    const uint64_t va = uint64_t{5} << 39;
    const uint64_t root = tables.new_table();
    tables.map(root, va, 0x5000);
    uint64_t table = root;
    const unsigned shifts[] = {39, 30, 21, 12};
    for (int i = 0; i < level; ++i) table = tables.entry(table, va >> shifts[i] & 511) & 0x7f'ffff'f000;
    const uint64_t index = va >> shifts[level] & 511;
    tables.set(table, index, tables.entry(table, index) & ~read_write);
    const Translation t = translate(AddressSpace::ppgtt48(root, generation), memory, va);
    CHECK(t.valid);
    CHECK_FALSE(t.writable);
  }
}

TEST_CASE_METHOD(Fixture, "a legacy 32-bit PPGTT has four directories and ends at 4 GiB") {
  std::array<uint64_t, 4> pds;
  for (unsigned i = 0; i < 4; ++i) {
    pds[i] = tables.new_table();
    tables.set(tables.below(pds[i], 3), 7, (0x10'0000 * (i + 1)) | present | read_write);
  }
  const auto legacy = AddressSpace::ppgtt32(pds, generation);
  for (uint64_t i = 0; i < 4; ++i) CHECK(translate(legacy, memory, i << 30 | 3 << 21 | 7 << 12 | 9).gpa == 0x10'0000 * (i + 1) + 9);
  CHECK_FALSE(translate(legacy, memory, uint64_t{1} << 32 | 3 << 21 | 7 << 12).valid);
}

TEST_CASE("entries are read by the platform's page format") {
  // Present, writable and size bits elsewhere than Gen8's, and 40 bits of addresses.
  static constexpr defs::PageFormat format{.present = 16, .writable = 32, .address = 0xff'ffff'f000, .page_2m = 1 << 9, .page_64k = 0};
  SparseMemory memory{16 << 20};
  TlbGeneration generation;
  const auto set = [&](uint64_t table, uint64_t index, uint64_t value) { memory.write(table + index * 8, &value, 8); };
  set(0x1000, 0, 0x2000 | 48);
  set(0x2000, 0, 0x3000 | 48);
  set(0x3000, 0, 0x4000 | 48);
  set(0x3000, 1, 0xab'0020'0000 | 1 << 9 | 48);
  set(0x4000, 0, 0xab'cdef'0000 | 16);
  set(0x4000, 1, 0x5000 | 3);  // Gen8's bits say nothing here
  const auto space = AddressSpace::ppgtt48(0x1000, generation, format);
  const Translation small = translate(space, memory, 0x12), large = translate(space, memory, 0x20'0034);
  CHECK((small.valid && !small.writable && small.gpa == 0xab'cdef'0012));
  CHECK((large.valid && large.writable && large.gpa == 0xab'0020'0034 && large.page_size == 0x20'0000));
  CHECK_FALSE(translate(space, memory, 0x1000).valid);
  Ggtt ggtt(format);
  ggtt.set_pte(0, 0xab'cdef'0000 | 16);
  ggtt.set_pte(1, 0x5000 | 1);
  CHECK(translate(AddressSpace::ggtt(ggtt), memory, 0x12).gpa == 0xab'cdef'0012);
  CHECK_FALSE(translate(AddressSpace::ggtt(ggtt), memory, 0x1000).valid);
}

TEST_CASE("tables outside RAM and tables that contain themselves end in a fault or a page, never in a loop") {
  alignas(4096) static uint64_t ram[512];
  FlatMemory flat;
  flat.add(0, sizeof ram, ram, false);
  flat.commit();
  TlbGeneration generation;
  const auto space = AddressSpace::ppgtt48(0, generation);
  for (auto& entry : ram) entry = present | read_write;
  CHECK(translate(space, flat, 0x1234'5678'9abc).gpa == 0xabc);
  ram[0] = 0x55'5555'5000 | present;
  CHECK(translate(space, flat, 0).fault == FaultType::invalid_pdpe);
  CHECK(translate(AddressSpace::ppgtt48(~uint64_t{0}, generation), flat, 0).fault == FaultType::invalid_pml4e);
}

TEST_CASE("the GGTT window keeps what is written in any access size, and the table survives save and load") {
  Ggtt ggtt;
  ggtt.write_window(8, 0x1234'5000 | present, 8);
  ggtt.write_window(ggtt.window_size() - 8, 0xabcd'e001, 4);
  ggtt.write_window(ggtt.window_size() - 4, 0x7f, 4);
  CHECK(ggtt.read_window(8, 8) == 0x1234'5001);
  CHECK(ggtt.read_window(9, 1) == 0x50);
  CHECK(ggtt.read_window(10, 2) == 0x1234);
  CHECK(ggtt.pte(ggtt.entries() - 1) == 0x7f'abcd'e001);
  Archive writer;
  ggtt.state(writer);
  CHECK(writer.output().size() < 10000);
  Ggtt loaded;
  loaded.set_pte(77, 1);
  Archive reader(writer.output());
  loaded.state(reader);
  CHECK_FALSE(reader.failed());
  CHECK(loaded.pte(1) == 0x1234'5001);
  CHECK(loaded.pte(77) == 0);
  CHECK(loaded.pte(loaded.entries() - 1) == 0x7f'abcd'e001);
  SparseMemory memory(1 << 20);
  CHECK(translate(AddressSpace::ggtt(loaded), memory, 0xffff'f010).gpa == 0x7f'abcd'e010);
  CHECK_FALSE(translate(AddressSpace::ggtt(loaded), memory, uint64_t{1} << 32 | 0x1000).valid);
  loaded.reset();
  CHECK(loaded.pte(1) == 0);
}

TEST_CASE("Gen5's GGTT has entries of four bytes, with bits 35:32 of the address below the others") {
  Ggtt ggtt(softgen::defs::gen5_ggtt_pages);
  CHECK(ggtt.window_size() == 2 << 20);
  ggtt.write_window(4, 0x0012'3000 | 0xa0 | 0x6 | present, 4);
  CHECK(ggtt.read_window(4, 4) == 0x0012'30a7);
  CHECK(ggtt.read_window(5, 1) == 0x30);
  SparseMemory memory(1 << 20);
  CHECK(translate(AddressSpace::ggtt(ggtt), memory, 0x1234).gpa == 0xa'0012'3234);
  CHECK_FALSE(translate(AddressSpace::ggtt(ggtt), memory, 0).valid);

  // Two entries by one access, and the last one.
  ggtt.write_window(ggtt.window_size() - 8, 0x5001'0000'4001, 8);
  CHECK(ggtt.read_window(ggtt.window_size() - 8, 8) == 0x5001'0000'4001);
  CHECK(translate(AddressSpace::ggtt(ggtt), memory, 0x7fff'e000).gpa == 0x4000);
  CHECK(translate(AddressSpace::ggtt(ggtt), memory, 0x7fff'f000).gpa == 0x5000);
  CHECK_FALSE(translate(AddressSpace::ggtt(ggtt), memory, 0x8000'0000).valid);

  ggtt.set_pte(3, 0x7051);
  CHECK(translate(AddressSpace::ggtt(ggtt), memory, 0x3000).gpa == 0x5'0000'7000);
  Archive writer;
  ggtt.state(writer);
  Ggtt loaded(softgen::defs::gen5_ggtt_pages);
  Archive reader(writer.output());
  loaded.state(reader);
  CHECK_FALSE(reader.failed());
  CHECK(loaded.read_window(4, 4) == 0x0012'30a7);
  CHECK(loaded.pte(loaded.entries() - 1) == 0x5001);
}

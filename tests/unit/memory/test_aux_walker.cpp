// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of the aux map as Mesa writes them (intel_aux_map.c), and malformed ones.
#include "hw/memory/aux_walker.h"

#include "hw/base/log.h"
#include "hw/memory/view.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/tables.h"

using namespace softgen;
using namespace softgen::memory;
using namespace softgen::memory::test;

namespace {

// Graphics addresses.
constexpr uint64_t level3 = 0xc004'0000, level2 = 0xc005'0000, level1 = 0xc006'2000, pixels = 0xfffe'ffc0'0000, control = 0xfffe'ffc1'0000;
constexpr uint64_t valid = 1;

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
    for (uint64_t page = 0; page < 0x4'0000; page += 0x1000) tables.map(pml4, level3 + page, 0x100'0000 + page);
    set_root(0xffff'0000'0000'0000 | level3);
  }
  void set_root(uint64_t root) {
    space.aux_table = root;
    view.set_space(space);
  }
  void set(uint64_t table, uint64_t index, uint64_t entry) { view.store(table + index * 8, entry); }
  /// All three levels.
  void map(uint64_t va, uint64_t entry) {
    set(level3, va >> 36, level2 | valid);
    set(level2, va >> 24 & 4095, level1 | valid);
    set(level1, va >> 16 & 255, entry);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an entry of level 1 says where the control surface of 64 KiB is") {
  map(pixels, 0x2950'fffe'ffc1'0001);  // a capture's: R8G8B8A8, Y tiles
  CHECK(view.control_of(pixels) == control);
  CHECK(view.control_of(pixels + 0xffff) == control);
  CHECK(view.control_of(0xffff'0000'0000'0000 | pixels) == control);
  CHECK(view.control_of(pixels + 0x1'0000) == 0);
  CHECK(view.control_of(pixels - 1) == 0);
  CHECK(view.control_of(pixels ^ 1u << 24) == 0);
  CHECK(view.control_of(pixels ^ uint64_t{1} << 36) == 0);
  CHECK(view.faults() == 0);
}

TEST_CASE_METHOD(Fixture, "each level has its valid bit; there may be no map") {
  map(pixels, control | valid);
  for (const uint64_t at : {level3 + (pixels >> 36) * 8, level2 + (pixels >> 24 & 4095) * 8, level1 + (pixels >> 16 & 255) * 8}) {
    const auto entry = view.load<uint64_t>(at);
    view.store(at, entry & ~valid);
    generation.bump();
    const uint64_t reported = failure_count(Failure::guest_error, "aux map entry that is not valid");
    CHECK(view.control_of(pixels) == 0);
    CHECK(failure_count(Failure::guest_error, "aux map entry that is not valid") == reported + 1);
    CHECK(view.control_of(pixels) == 0);  // kept, and reported once
    CHECK(failure_count(Failure::guest_error, "aux map entry that is not valid") == reported + 1);
    view.store(at, entry);
    generation.bump();
    CHECK(view.control_of(pixels) == control);
  }
  set_root(0);
  CHECK(view.control_of(pixels) == 0);
  View other(memory, nullptr);
  CHECK(other.control_of(pixels) == 0);
}

TEST_CASE_METHOD(Fixture, "a walk is kept until translations are invalidated, or there is another map") {
  map(pixels, control | valid);
  CHECK(view.control_of(pixels) == control);
  map(pixels, control + 0x100 | valid);
  CHECK(view.control_of(pixels) == control);
  generation.bump();
  CHECK(view.control_of(pixels) == control + 0x100);
  // What was not there is kept as well.
  CHECK(view.control_of(pixels + 0x1'0000) == 0);
  map(pixels + 0x1'0000, control + 0x200 | valid);
  CHECK(view.control_of(pixels + 0x1'0000) == 0);
  set_root(level3 + 0x8000);
  CHECK(view.control_of(pixels) == 0);
  set_root(level3);
  CHECK(view.control_of(pixels + 0x1'0000) == control + 0x200);
}

TEST_CASE_METHOD(Fixture, "tables that name each other, are nowhere, or have all bits set end the walk") {
  // A table that is its own level below.
  for (uint64_t i = 0; i < 4096; ++i) set(level3, i, level3 | valid);
  CHECK(view.control_of(pixels) == level3);
  CHECK(view.control_of(~uint64_t{0}) == level3);
  // All bits: addresses at the end of the address space, where no memory is.
  generation.bump();
  for (uint64_t i = 0; i < 4096; ++i) set(level3, i, ~uint64_t{0});
  CHECK(view.control_of(pixels) == 0);
  CHECK(view.faults() == 1);
  CHECK(faults.read(FaultRegisters::tlb_data0) == static_cast<uint32_t>((0xffff'ffff'8000 + (pixels >> 24 & 4095) * 8) >> 12));
  set_root(~uint64_t{0});
  CHECK(view.control_of(pixels) == 0);
  CHECK(view.faults() == 2);
}

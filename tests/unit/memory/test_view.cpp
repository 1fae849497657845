// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/view.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "hw/memory/ggtt.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/tables.h"

using namespace softgen;
using namespace softgen::memory;
using namespace softgen::memory::test;

namespace {

struct Fixture {
  SparseMemory memory{16 << 20};
  Tables tables{memory};
  FaultRegisters faults;
  TlbGeneration generation;
  uint64_t pml4 = tables.new_table();
  View view{memory, &faults, EngineId::bcs};
  Fixture() {
    quiet_log();
    view.set_space(AddressSpace::ppgtt48(pml4, generation));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "accesses cross pages that are not adjacent in guest memory") {
  constexpr uint64_t va = 0x7f12'3456'7000;
  tables.map(pml4, va, 0x50'0000);
  tables.map(pml4, va + 0x1000, 0x90'0000);
  std::vector<uint8_t> out(6000), in(6000);
  std::iota(out.begin(), out.end(), uint8_t{7});
  view.write(va + 1000, out.data(), out.size());
  view.read(va + 1000, in.data(), in.size());
  CHECK(in == out);
  std::vector<uint8_t> low(3096), high(2904);
  memory.read(0x50'0000 + 1000, low.data(), low.size());
  memory.read(0x90'0000, high.data(), high.size());
  low.insert(low.end(), high.begin(), high.end());
  CHECK(low == out);

  view.store<uint64_t>(va + 0xffc, 0x1122334455667788);
  CHECK(view.load<uint64_t>(va + 0xffc) == 0x1122334455667788);
  CHECK(view.load<uint32_t>(va + 0x1000) == 0x11223344);
  view.fill(va + 0xff0, 0xab, 32);
  CHECK(view.load<uint32_t>(va + 0x100c) == 0xabababab);
  CHECK(view.faults() == 0);
}

TEST_CASE_METHOD(Fixture, "canonical addresses are the same as stripped ones") {
  tables.map(pml4, 0xffff'8000'0000'1000 & 0xffff'ffff'ffff, 0x50'0000);
  view.store<uint32_t>(0xffff'8000'0000'1010, 42);
  CHECK(view.load<uint32_t>(0x8000'0000'1010) == 42);
}

TEST_CASE_METHOD(Fixture, "a fault reads zero, drops the write and latches in the fault registers") {
  constexpr uint64_t va = 0x9123'4567'8000;
  CHECK(view.load<uint32_t>(va + 4) == 0);
  CHECK(faults.read(FaultRegisters::ring_fault_reg) == (1u | 3u << 1 | 4u << 12));
  CHECK(faults.read(FaultRegisters::tlb_data0) == static_cast<uint32_t>(va >> 12));
  CHECK(faults.read(FaultRegisters::tlb_data1) == va >> 44);
  view.store<uint32_t>(0x1000, 5);
  CHECK(view.load<uint32_t>(0x1000) == 0);
  CHECK(view.faults() == 3);
  CHECK(faults.read(FaultRegisters::tlb_data0) == static_cast<uint32_t>(va >> 12));

  faults.write(FaultRegisters::ring_fault_reg, 0);
  tables.directory(pml4, 0x4000'0000);
  view.store<uint32_t>(0x4000'0000, 5);
  CHECK(faults.read(FaultRegisters::ring_fault_reg) == (1u | 1u << 1 | 4u << 12));
  uint64_t left;
  CHECK(std::to_integer<int>(*view.at_for_write(0x4000'0123, left)) == 0);
  CHECK(left == 4096 - 0x123);
}

TEST_CASE_METHOD(Fixture, "a write to a read-only page is dropped and no fault") {
  tables.map(pml4, 0x5000, 0x50'0000, present);
  memory.write(0x50'0000, "abcd", 4);
  view.store<uint32_t>(0x5000, 0);
  CHECK(view.load<uint8_t>(0x5000) == 'a');
  CHECK(view.faults() == 0);
}

TEST_CASE_METHOD(Fixture, "a changed translation is seen after the generation was incremented") {
  tables.map(pml4, 0x5000, 0x50'0000);
  memory.write(0x50'0000, "a", 1);
  memory.write(0x60'0000, "b", 1);
  CHECK(view.load<char>(0x5000) == 'a');
  tables.map(pml4, 0x5000, 0x60'0000);
  generation.bump();
  CHECK(view.load<char>(0x5000) == 'b');
}

TEST_CASE_METHOD(Fixture, "switching the address space switches the memory") {
  const uint64_t other = tables.new_table();
  tables.map(pml4, 0x5000, 0x50'0000);
  tables.map(other, 0x5000, 0x60'0000);
  const auto a = view.space(), b = AddressSpace::ppgtt48(other, generation);
  view.store<char>(0x5000, 'a');
  view.set_space(b);
  view.store<char>(0x5000, 'b');
  view.set_space(a);
  CHECK(view.load<char>(0x5000) == 'a');
  view.set_space(b);
  CHECK(view.load<char>(0x5000) == 'b');
}

TEST_CASE_METHOD(Fixture, "a page that was read before its first write is read correctly after it") {
  tables.map(pml4, 0x5000, 0x100'0000);
  tables.map(pml4, 0x6000, 0x100'0000);
  CHECK(view.load<uint32_t>(0x5000) == 0);
  view.store<uint32_t>(0x6000, 77);
  CHECK(view.load<uint32_t>(0x5000) == 77);
}

TEST_CASE_METHOD(Fixture, "integer atomics follow the manual's table") {
  tables.map(pml4, 0x5000, 0x50'0000);
  const auto run = [&](AtomicOp op, uint32_t start, uint32_t a, uint32_t b = 0) {
    view.store<uint32_t>(0x5008, start);
    CHECK(view.atomic<uint32_t>(op, 0x5008, a, b) == start);
    return view.load<uint32_t>(0x5008);
  };
  CHECK(run(AtomicOp::and_, 0xf0f0, 0xff00) == 0xf000);
  CHECK(run(AtomicOp::or_, 0xf0f0, 0xff00) == 0xfff0);
  CHECK(run(AtomicOp::xor_, 0xf0f0, 0xff00) == 0x0ff0);
  CHECK(run(AtomicOp::move, 1, 9) == 9);
  CHECK(run(AtomicOp::inc, ~0u, 9) == 0);
  CHECK(run(AtomicOp::dec, 0, 9) == ~0u);
  CHECK(run(AtomicOp::predec, 5, 9) == 4);
  CHECK(run(AtomicOp::add, 5, 9) == 14);
  CHECK(run(AtomicOp::sub, 5, 9) == static_cast<uint32_t>(-4));
  CHECK(run(AtomicOp::rsub, 5, 9) == 4);
  CHECK(run(AtomicOp::imax, static_cast<uint32_t>(-5), 3) == 3);
  CHECK(run(AtomicOp::imin, static_cast<uint32_t>(-5), 3) == static_cast<uint32_t>(-5));
  CHECK(run(AtomicOp::umax, static_cast<uint32_t>(-5), 3) == static_cast<uint32_t>(-5));
  CHECK(run(AtomicOp::umin, static_cast<uint32_t>(-5), 3) == 3);
  CHECK(run(AtomicOp::cmpwr, 5, 5, 8) == 8);
  CHECK(run(AtomicOp::cmpwr, 6, 5, 8) == 6);
  CHECK(view.atomic<uint64_t>(AtomicOp::add, 0x5010, uint64_t{1} << 40) == 0);
  CHECK(view.load<uint64_t>(0x5010) == uint64_t{1} << 40);
}

TEST_CASE_METHOD(Fixture, "atomics of two threads add up") {
  tables.map(pml4, 0x5000, 0x50'0000);
  view.store<uint32_t>(0x5000, 0);
  const auto add = [&] {
    View own(memory, &faults);
    own.set_space(view.space());
    for (int i = 0; i < 20000; ++i) own.atomic<uint32_t>(AtomicOp::inc, 0x5000);
  };
  std::thread other(add);
  add();
  other.join();
  CHECK(view.load<uint32_t>(0x5000) == 40000);
}

TEST_CASE_METHOD(Fixture, "the GGTT is seen through its table and a changed entry at once") {
  Ggtt ggtt;
  ggtt.set_pte(5, 0x50'0000 | present);
  memory.write(0x50'0000, "a", 1);
  memory.write(0x60'0000, "b", 1);
  view.set_space(AddressSpace::ggtt(ggtt));
  CHECK(view.load<char>(0x5000) == 'a');
  ggtt.write_window(5 * 8, 0x60'0001, 8);
  CHECK(view.load<char>(0x5000) == 'b');
  CHECK(view.load<char>(0x6000) == 0);
  CHECK(faults.read(FaultRegisters::ring_fault_reg) == (1u | 1u << 11 | 4u << 12));
  CHECK((faults.read(FaultRegisters::tlb_data1) & 0x10) == 0x10);
}

TEST_CASE_METHOD(Fixture, "a stretch covers contiguous, mapped pages with equal permissions") {
  constexpr uint64_t va = 0x3fe0'0000, pages = 512, ram = 0x100'0000 / View::page_size;  // two page tables, as much memory as there may be
  std::mt19937 random(20);
  struct Page {
    uint64_t gpa = 0;
    bool there = false, writable = false;
  };
  std::vector<Page> model(2 * pages);
  for (size_t i = 0; i < model.size(); i++) {
    const uint32_t kind = random() % 16;
    Page& page = model[i];
    page = i && kind > 3 ? Page{model[i - 1].gpa + View::page_size, true, model[i - 1].writable}
                         : Page{random() % ram * View::page_size, kind != 0, kind > 1};
    if (page.gpa >= ram * View::page_size) page.gpa = 0;
    if (page.there) tables.map(pml4, va + i * View::page_size, page.gpa | 0x800'0000, present | (page.writable ? read_write : 0));
  }
  for (size_t i = 0; i < model.size(); i++)
    for (const Access access : {Access::read, Access::write}) {
      const uint64_t most = (1 + random() % 64) * View::page_size, at = va + i * View::page_size;
      const View::Stretch found = view.stretch(at + random() % View::page_size, most, access);
      const bool usable = model[i].there && (access == Access::read || model[i].writable);
      INFO("page " << i << (access == Access::read ? " read" : " write") << ", most " << most);
      REQUIRE((found.first != nullptr) == usable);
      if (!usable) continue;
      uint64_t expected = View::page_size;
      for (size_t k = i + 1; k % pages && k < model.size() && expected < most; k++, expected += View::page_size) {
        const bool follows =
            model[k].there && model[k].gpa == model[k - 1].gpa + View::page_size && model[k].writable == model[k - 1].writable;
        if (!follows || model[k].gpa % SparseMemory::chunk_size == 0) break;
      }
      REQUIRE(found.size == expected);
      for (uint64_t k = 0; k < found.size; k += View::page_size) {
        const std::byte* alone = access == Access::read ? view.at(at + k) : view.at_for_write(at + k);
        REQUIRE((alone == found.first + k || view.seen().epoch != found.epoch));
      }
    }
  CHECK(view.faults() == 0);
}

// Tags of the TLB have 28 bits for the round, which repeat: a pointer kept with a stamp must not be taken as valid a whole round later.
TEST_CASE_METHOD(Fixture, "a stamp never repeats, even when the TLB's tags do") {
  constexpr uint64_t rounds = (1 << 28) - 1;  // tags have no round 0
  const View::Stamp first = view.stamp();
  for (uint64_t i = 0; i < rounds - 1; ++i) view.invalidate();
  CHECK(view.stamp() != first);
  view.invalidate();
  CHECK(view.stamp() != first);
  view.invalidate();
  CHECK(view.stamp() != first);
}

namespace {

/// Counts lookups.
struct CountingMemory final : HostMemory {
  SparseMemory memory{64 << 20};
  uint64_t looks = 0;
  HostSpan resolve(uint64_t gpa, Access access) override {
    ++looks;
    return memory.resolve(gpa, access);
  }
  void mark_dirty(uint64_t gpa, uint64_t size) override { memory.mark_dirty(gpa, size); }
};

}  // namespace

TEST_CASE("a piece is found by runs of pages: its cost depends on page tables, not on pages") {
  CountingMemory counting;
  Tables tables{counting.memory};
  const uint64_t pml4 = tables.new_table(), va = 0x4000'0000;
  TlbGeneration generation;
  View view(counting, nullptr);
  view.set_space(AddressSpace::ppgtt48(pml4, generation));
  constexpr uint64_t pages = SparseMemory::chunk_size / View::page_size, gpa = 32 << 20;
  static_assert(gpa % SparseMemory::chunk_size == 0);
  for (uint64_t i = 0; i < pages; ++i) tables.map(pml4, va + i * View::page_size, gpa + i * View::page_size, 3);
  view.fill(va, 1, pages * View::page_size);
  counting.looks = 0;
  const std::byte* const whole = view.piece(va, pages * View::page_size);
  CHECK(counting.looks <= 8);
  REQUIRE(whole);
  CHECK(whole == view.at(va));
  // Parts, and ranges that are not entirely mapped.
  CHECK(view.piece(va + 5, 2 * View::page_size) == whole + 5);
  CHECK_FALSE(view.piece(va + 5, pages * View::page_size));
  tables.map(pml4, va + View::page_size, gpa + 2 * View::page_size, 3);
  CHECK_FALSE(view.piece(va, 2 * View::page_size));
  CHECK(view.piece(va, View::page_size) == whole);
}

TEST_CASE_METHOD(Fixture, "pages that are walked to together keep their own addresses and rights, and each is noted when it is written") {
  struct Noted final : FaultSink {
    void fault(const Fault&) override {}
    void before_write(std::byte* data, uint64_t size) override { pages.push_back(data), sizes.push_back(size); }
    std::vector<const std::byte*> pages;
    std::vector<uint64_t> sizes;
  } noted;
  constexpr uint32_t seed = 44, pages = 64;
  constexpr uint64_t va = 0x12'3400'0000, page = 4096, first_gpa = 0x50'0000;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  View writer{memory, &noted, EngineId::bcs};
  writer.set_space(AddressSpace::ppgtt48(pml4, generation));
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<uint64_t> gpa(pages);
    std::vector<bool> writable(pages);
    for (uint32_t n = 0; n < pages; ++n) {
      gpa[n] = n && random() % 4 ? gpa[n - 1] + page : first_gpa + random() % 256 * page;
      writable[n] = random() % 8;
      tables.map(pml4, va + n * page, gpa[n], writable[n] ? present | read_write : present);
    }
    generation.bump();
    for (unsigned access = 0; access < 300; ++access) {
      const uint32_t n = random() % pages, value = static_cast<uint32_t>(random());
      const size_t before = noted.pages.size();
      std::byte* const data = memory.resolve(gpa[n], Access::write).data;
      const std::byte old = *data;
      writer.store(va + n * page, static_cast<std::byte>(value));
      REQUIRE(*data == (writable[n] ? static_cast<std::byte>(value) : old));
      REQUIRE(writer.load<std::byte>(va + n * page) == *data);
      for (size_t i = before; i < noted.pages.size(); ++i) REQUIRE((noted.pages[i] == data && noted.sizes[i] == page));
      if (writable[n]) REQUIRE(std::find(noted.pages.begin(), noted.pages.end(), data) != noted.pages.end());
    }
    noted.pages.clear(), noted.sizes.clear();
  }
}

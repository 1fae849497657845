// SPDX-License-Identifier: GPL-2.0-or-later
#include <i915_drm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "hw/run/arena.h"
#include "hw/run/bo.h"
#include "hw/run/linear_view.h"
#include "hw/run/ppgtt.h"
#include "tests/catch.h"

using namespace softgen::run;
using softgen::surface::Tiling;

namespace {

constexpr uint64_t page = 4096, unmapped = ~uint64_t{0};

/// A walk written from the layout of the tables (SKL PRM vol 5, "Per-Process GTT, 4-level"), not from Ppgtt.
uint64_t walk(const Arena& arena, uint64_t pml4, uint64_t va) {
  uint64_t table = pml4;
  for (int level = 3; level >= 0; --level) {
    uint64_t entry;
    std::memcpy(&entry, arena.host(table) + 8 * (va >> (12 + 9 * level) & 511), 8);
    if (!(entry & 1)) return unmapped;
    table = entry & ~uint64_t{0xfff};
  }
  return table + va % page;
}

}  // namespace

TEST_CASE("released arena memory is reused and reads as zero") {
  Arena arena(64 * page);
  const uint64_t a = arena.allocate(16 * page), b = arena.allocate(16 * page), c = arena.allocate(16 * page);
  REQUIRE((a && b && c));
  CHECK(arena.allocate(32 * page) == 0);
  std::memset(arena.host(b), 0xff, 16 * page);
  arena.release(b, 16 * page);
  arena.release(a, 16 * page);
  const uint64_t joined = arena.allocate(32 * page);
  REQUIRE(joined == a);
  for (uint64_t i = 0; i < 32 * page; i += 8) REQUIRE(*reinterpret_cast<uint64_t*>(arena.host(joined + i)) == 0);
}

TEST_CASE("bindings are in the page tables, and later ones replace earlier ones") {
  Arena arena(uint64_t{1} << 30);
  Ppgtt vm(arena);
  const uint64_t high = 0xffff'fffe'f000;
  REQUIRE(vm.bind(high, 0x10000, 2 * page, 1));
  CHECK(walk(arena, vm.root(), high + 5) == 0x10005);
  CHECK(walk(arena, vm.root(), high + page) == 0x11000);
  CHECK(walk(arena, vm.root(), high - page) == unmapped);
  REQUIRE(vm.bind(high + page, 0x50000, page, 2));
  CHECK(walk(arena, vm.root(), high) == unmapped);
  CHECK(walk(arena, vm.root(), high + page) == 0x50000);
  CHECK(vm.find(1) == unmapped);
  vm.unbind_bo(2);
  CHECK(walk(arena, vm.root(), high + page) == unmapped);
}

TEST_CASE("random binds agree with a plain map") {
  const unsigned seed = 20261121;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Arena arena(uint64_t{1} << 30);
  Ppgtt vm(arena);
  std::map<uint64_t, uint64_t> expected;                   // page -> gpa
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> live;  // bo -> va, pages
  const auto drop = [&](uint64_t bo) {
    for (uint64_t i = 0; i < live[bo].second; ++i) expected.erase(live[bo].first + i * page);
    live.erase(bo);
  };
  for (int n = 0; n < 400; ++n) {
    const uint64_t bo = random() % 20 + 1, pages = random() % 600 + 1, va = (random() % 3000) * page + (uint64_t{n % 3u} << 39);
    if (live.contains(bo) && live[bo].first == va) continue;
    if (live.contains(bo)) drop(bo);
    std::vector<uint64_t> hit;
    for (const auto& [other, range] : live)
      if (range.first < va + pages * page && va < range.first + range.second * page) hit.push_back(other);
    for (uint64_t other : hit) drop(other);
    REQUIRE(vm.bind(va, bo << 24, pages * page, bo));
    live[bo] = {va, pages};
    for (uint64_t i = 0; i < pages; ++i) expected[va + i * page] = (bo << 24) + i * page;
  }
  for (uint64_t top = 0; top < 3; ++top)
    for (uint64_t p = 0; p < 3700; ++p) {
      const uint64_t va = p * page + (top << 39);
      const auto it = expected.find(va);
      REQUIRE(walk(arena, vm.root(), va) == (it == expected.end() ? unmapped : it->second));
    }
}

TEST_CASE("addresses the kernel chooses do not overlap bindings") {
  Arena arena(uint64_t{1} << 30);
  Ppgtt vm(arena);
  for (uint64_t bo = 1; bo < 50; ++bo) {
    const uint64_t va = vm.choose(3 * page, bo % 2);
    REQUIRE(va != unmapped);
    CHECK((va >= uint64_t{1} << 32) == (bo % 2 == 1));
    REQUIRE(vm.bind(va, bo << 20, 3 * page, bo));
  }
  for (uint64_t bo = 1; bo < 50; ++bo) CHECK(walk(arena, vm.root(), vm.find(bo)) == bo << 20);
}

TEST_CASE("an exported buffer is the same memory wherever it is imported") {
  Arena arena(uint64_t{1} << 30), other(uint64_t{1} << 30);
  const BoPtr bo = Bo::create(arena, 5000);
  REQUIRE(bo);
  CHECK(bo->size() == 2 * page);
  const BoPtr imported = Bo::import(other, bo->fd());
  REQUIRE(imported);
  CHECK(imported->size() == bo->size());
  CHECK(imported->inode() == bo->inode());
  bo->host()[4097] = std::byte{42};
  CHECK(imported->host()[4097] == std::byte{42});
  CHECK_FALSE(Bo::import(other, STDIN_FILENO));
}

TEST_CASE("an object outlives the device that it was made for") {
  auto arena = std::make_shared<Arena>(uint64_t{1} << 24);
  std::weak_ptr<Arena> alive = arena;
  BoPtr bo = Bo::create(*arena, page);
  REQUIRE(bo);
  arena.reset();
  REQUIRE_FALSE(alive.expired());
  *bo->host() = std::byte{7};
  bo.reset();
  CHECK(alive.expired());
}

namespace {

/// Pages of the program; their first bytes are 1, 2, 3, ...
struct Pages {
  explicit Pages(size_t pages, int flags = MAP_PRIVATE) : size(pages * page) {
    memory = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    for (size_t i = 0; i < pages; ++i) memory[i * page] = static_cast<uint8_t>(i + 1);
  }
  ~Pages() { munmap(memory, size); }
  uint8_t* at(size_t index) { return memory + index * page; }
  uint8_t* memory;
  size_t size;
};

/// The first byte of a page of an object.
uint8_t& first(const BoPtr& bo, size_t index) { return reinterpret_cast<uint8_t*>(bo->host())[index * page]; }

}  // namespace

TEST_CASE("objects over the same memory of the program see each other's bytes") {
  Arena arena(uint64_t{1} << 30);
  for (const int flags : {MAP_PRIVATE, MAP_SHARED}) {
    INFO("flags " << flags);
    Pages pages(8, flags);
    // The later ones cover pages of earlier ones and others between and around them.
    std::vector<std::pair<size_t, BoPtr>> objects;
    for (const auto& [index, count] : {std::pair<size_t, size_t>{1, 2}, {2, 2}, {5, 1}, {0, 8}, {1, 2}})
      objects.emplace_back(index, Bo::wrap(arena, pages.at(index), count * page, true));
    for (const auto& [index, bo] : objects) REQUIRE(bo);
    const auto check = [&] {
      for (const auto& [index, bo] : objects)
        for (size_t i = 0; bo && i < bo->size() / page; ++i) CHECK(first(bo, i) == *pages.at(index + i));
    };
    for (size_t i = 0; i < 8; ++i) CHECK(*pages.at(i) == i + 1);
    check();
    for (const auto& [index, bo] : objects) {
      first(bo, bo->size() / page - 1) += 100;
      check();
    }
    objects.front().second.reset();
    *pages.at(2) = 77;
    check();
    CHECK(first(objects[1].second, 0) == 77);
  }
}

TEST_CASE("unmapped or read-only memory of the program cannot become an object") {
  Arena arena(uint64_t{1} << 30);
  Pages pages(4);
  munmap(pages.at(2), page);
  CHECK_FALSE(Bo::wrap(arena, pages.at(1), 3 * page, true));
  CHECK_FALSE(Bo::wrap(arena, pages.at(2), page, false));
  CHECK(Bo::wrap(arena, pages.at(0), 2 * page, true));
  mprotect(pages.at(3), page, PROT_READ);
  CHECK_FALSE(Bo::wrap(arena, pages.at(3), page, true));
  const BoPtr read_only = Bo::wrap(arena, pages.at(3), page, false);
  REQUIRE(read_only);
  CHECK(first(read_only, 0) == 4);
  mprotect(pages.at(3), page, PROT_NONE);
  CHECK_FALSE(Bo::wrap(arena, pages.at(3), page, false));
  CHECK_FALSE(Bo::wrap(arena, pages.at(0), uint64_t{1} << 40, true));
}

TEST_CASE("a tiled object's linear view") {
  const Tiling tiling = GENERATE(Tiling::x, Tiling::y);
  constexpr uint32_t pitch = 1024;
  Arena arena(64 * page);
  const auto bo = Bo::create(arena, 17 * page);  // two rows of tiles, and a page that is of none
  REQUIRE(bo);
  const uint32_t rows = 16 * page / pitch, mode = tiling == Tiling::x ? I915_TILING_X : I915_TILING_Y;
  CHECK_FALSE(bo->make_linear_view());
  REQUIRE(bo->set_tiling(mode, 1000));
  CHECK_FALSE(bo->make_linear_view());
  REQUIRE(bo->set_tiling(mode, pitch));
  LinearView* const view = bo->make_linear_view();
  REQUIRE(view);
  std::mt19937 random(3);
  for (std::byte& byte : bo->bytes()) byte = static_cast<std::byte>(random());
  const std::vector<std::byte> before(bo->bytes().begin(), bo->bytes().end());
  void* const mapped = mmap(nullptr, bo->size(), PROT_READ | PROT_WRITE, MAP_SHARED, view->fd(), 0);
  REQUIRE(mapped != MAP_FAILED);
  auto* const linear = static_cast<std::byte*>(mapped);
  const auto place = [&](uint32_t x, uint32_t y) { return softgen::surface::offset(tiling, 1, x, y, pitch); };
  view->fill(bo->bytes());
  bool equal = true;
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < pitch; ++x) equal &= linear[y * pitch + x] == before[place(x, y)];
  CHECK(equal);
  // Not announced: not written back.
  linear[5 * pitch + 7] ^= std::byte{0xff};
  bo->flush_view();
  CHECK(std::equal(before.begin(), before.end(), bo->host()));
  view->expect_writes();
  view->fill(bo->bytes());  // keeps what the program has written
  bo->flush_view();
  CHECK(bo->host()[place(7, 5)] == (before[place(7, 5)] ^ std::byte{0xff}));
  size_t changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += bo->host()[i] != before[i];
  CHECK(changed == 1);
  munmap(mapped, bo->size());
}

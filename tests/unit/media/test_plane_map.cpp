// SPDX-License-Identifier: GPL-2.0-or-later
// Planes of surfaces against the tilings' own place function (surface::offset).
#include "hw/media/frame/plane_map.h"

#include <algorithm>
#include <random>

#include "hw/media/frame/row_order.h"
#include "hw/memory/fault.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;
using surface::Tiling;

namespace {

constexpr uint64_t first = 0x1'0000, end = 0x6'0000;

struct Rig : memory::test::Mapped {
  Rig() : Mapped(first, end) {
    quiet_log();
    std::mt19937 random(7);
    for (uint64_t at = first; at < end; ++at) view.store<uint8_t>(at, static_cast<uint8_t>(random()));
  }
  StopFlag stop;

  /// Byte `i` of the element at (x, y), both clamped into the plane.
  uint8_t expected(const PlaneLayout& p, int x, int y, unsigned i) {
    x = std::clamp(x, 0, static_cast<int>(p.width) - 1), y = std::clamp(y, 0, static_cast<int>(p.height) - 1);
    const uint32_t byte = p.first_byte + static_cast<uint32_t>(x) * p.element + i,
                   row = p.first_row + static_cast<uint32_t>(y) * p.row_step;
    return view.load<uint8_t>(p.base + surface::offset(p.tiling, 1, byte, row, p.pitch));
  }
};

const PlaneLayout layouts[] = {
    {.base = first, .pitch = 256, .tiling = Tiling::y, .width = 200, .height = 70},
    {.base = first, .pitch = 256, .tiling = Tiling::y, .first_row = 96, .element = 2, .width = 101, .height = 40},
    {.base = first + 0x2000, .pitch = 256, .tiling = Tiling::y, .first_row = 1, .row_step = 2, .width = 176, .height = 33},
    {.base = first, .pitch = 512, .tiling = Tiling::x, .first_row = 3, .element = 4, .width = 100, .height = 30},
    {.base = first + 0x123, .pitch = 300, .tiling = Tiling::linear, .first_row = 2, .first_byte = 5, .width = 290, .height = 50},
};

}  // namespace

TEST_CASE("plane: blocks are fetched as the tiling places them, with the edges extended") {
  Rig rig;
  std::mt19937 random(11);
  for (const PlaneLayout& layout : layouts) {
    PlaneMap map;
    map.open(rig.view, rig.stop, layout, Access::read);
    for (int round = 0; round < 60; ++round) {
      const int x = static_cast<int>(random() % (layout.width + 80)) - 40, y = static_cast<int>(random() % (layout.height + 80)) - 40;
      const unsigned columns = 1 + random() % 30, rows = 1 + random() % 30;
      std::vector<std::byte> block(rows * 128);
      map.fetch(x, y, columns, rows, block.data(), 128);
      bool equal = true;
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned c = 0; c < columns * layout.element; ++c)
          equal &= block[r * 128 + c] ==
                   std::byte{rig.expected(layout, x + static_cast<int>(c / layout.element), y + static_cast<int>(r), c % layout.element)};
      INFO("layout " << &layout - layouts << " at " << x << ", " << y << ", " << columns << " by " << rows);
      REQUIRE(equal);
    }
  }
}

TEST_CASE("plane: blocks are stored where they are fetched, and nothing outside the plane changes") {
  for (const PlaneLayout& layout : layouts) {
    Rig rig;
    PlaneMap map;
    map.open(rig.view, rig.stop, layout, Access::write);
    std::vector<uint8_t> before(end - first);
    rig.view.read(first, before.data(), before.size());
    const uint32_t x = layout.width - 20, y = layout.height - 10;
    std::vector<std::byte> block(40 * 256, std::byte{0x5a}), back(40 * 256);
    map.store(x, y, 30, 20, block.data(), 256);  // 20 elements and 10 rows of them are within
    map.fetch(static_cast<int>(x), static_cast<int>(y), 20, 10, back.data(), 256);
    for (unsigned r = 0; r < 10; ++r)
      REQUIRE(
          std::ranges::all_of(std::span(back).subspan(r * 256, 20u * layout.element), [](std::byte b) { return b == std::byte{0x5a}; }));
    std::vector<uint8_t> after(before.size());
    rig.view.read(first, after.data(), after.size());
    size_t changed = 0;
    for (size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
    INFO("layout " << &layout - layouts);
    CHECK(changed <= 200u * layout.element);
    CHECK(changed > 150u * layout.element);
  }
}

TEST_CASE("plane: a field's pages end with its last row") {
  Rig rig;
  memory::FaultRegisters faults;
  memory::View view(rig.memory, &faults);
  view.set_space(rig.view.space());
  for (const uint32_t parity : {0u, 1u}) {
    PlaneMap map;
    const PlaneLayout last_tile{
        .base = end - 4096, .pitch = 128, .tiling = Tiling::y, .first_row = parity, .row_step = 2, .width = 128, .height = 16};
    map.open(view, rig.stop, last_tile, Access::write);
    INFO("parity " << parity);
    CHECK(faults.count() == 0);
  }
}

TEST_CASE("plane: what a guest may state is brought into bounds") {
  Rig rig;
  PlaneMap map;
  map.open(rig.view, rig.stop,
           {.base = ~uint64_t{0},
            .pitch = 1,
            .tiling = Tiling::y,
            .first_row = 32767,
            .first_byte = 4000,
            .row_step = 9,
            .width = ~0u,
            .height = 500},
           Access::write);
  CHECK(map.layout().width <= 128);
  CHECK(map.layout().height <= 16384);
  std::vector<std::byte> block(64 * 64);
  map.store(0, 0, 64, 64, block.data(), 64);
  map.store(~0u, ~0u, 64, 64, block.data(), 64);
  map.fetch(-100000, 100000, 64, 64, block.data(), 64);
}

TEST_CASE("plane: a stop request ends the search for pages, and the next refresh takes it up") {
  Rig rig;
  const PlaneLayout layout = layouts[0];
  std::byte wanted{0x5a}, seen{};
  PlaneMap map;
  rig.stop.request(StopFlag::reset);
  map.open(rig.view, rig.stop, layout, Access::write);
  map.store(0, 0, 1, 1, &wanted, 1);
  CHECK(rig.view.load<uint8_t>(first) == rig.expected(layout, 0, 0, 0));
  CHECK(rig.view.load<uint8_t>(first) != 0x5a);
  rig.stop.clear(~0u);
  map.refresh(rig.view, rig.stop);
  map.store(0, 0, 1, 1, &wanted, 1);
  map.fetch(0, 0, 1, 1, &seen, 1);
  CHECK(seen == wanted);
  CHECK(rig.view.load<uint8_t>(first) == 0x5a);
}

TEST_CASE("a picture whose planes share rows is stored in one order, whatever workers there are") {
  constexpr uint32_t size = 256;
  WorkerPool pool(2);
  Frame<uint8_t> frame;
  frame.resize(size, size);
  std::mt19937 random(3);
  for (Plane<uint8_t>* plane : {&frame.luma, &frame.chroma})
    for (uint32_t y = 0; y < plane->height(); ++y)
      for (uint32_t x = 0; x < size; ++x) *plane->at(x, y) = static_cast<uint8_t>(random());
  for (const uint32_t chroma_row : {0u, 100u, size}) {
    const PictureLayout layout = nv12_layout(size, Tiling::y, size, size, chroma_row);
    Rig alone, shared;
    for (unsigned round = 0; round < 20; ++round) {
      PictureMap map, other;
      map.open(alone.view, alone.stop, layout, first, Access::write);
      other.open(shared.view, shared.stop, layout, first, Access::write);
      CHECK((pool_for_rows(other, &pool) == &pool) == (chroma_row == size));
      store_frame(map, frame, nullptr);
      store_frame(other, frame, &pool);
      std::vector<uint8_t> a(size * size * 3 / 2), b(a.size());
      alone.view.read(first, a.data(), a.size()), shared.view.read(first, b.data(), b.size());
      REQUIRE(a == b);
    }
  }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The record of visible objects: what the writer stores against what the reader makes of it, and both on damaged memory.
#include <random>

#include "hw/base/failure_log.h"
#include "hw/defs/gen11/set.h"
#include "hw/mmio/register_file.h"
#include "hw/render/position/visibility_reader.h"
#include "hw/render/position/visibility_writer.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::render;
using Kind = Token::Kind;

namespace {

constexpr uint64_t render_list = 0x1000, free_list = 0x2000, pool = 0x10000;
constexpr uint32_t pool_pages = 64;

struct Record : memory::test::Mapped {
  mmio::RegisterFile registers{defs::gen11::registers};
  StopFlag stop;
  RecordPages pages{view, registers, pool, free_list};
  VisibilityWriter writer;

  Record() : Mapped(0x1000, pool + uint64_t{pool_pages} * 4096) {
    quiet_log();
    clear_failure_counts();
    registers.poke(reg::PTBR_PAGE_POOL_SIZE, pool_pages);
    // Neither in order nor from the first on.
    for (uint32_t i = 0; i < pool_pages; ++i) view.store(free_list + i * 4, pool_pages - 1 - i);
  }
  uint64_t page(uint32_t number) const { return pool + uint64_t{number} * 4096; }
  RecordPlace at(unsigned pass) { return RecordPlace::of_pass(view, render_list, pass, true); }
  /// Which of `count` objects of the draw at `place` are visible; then `place` is behind it.
  std::string read(RecordPlace& place, size_t count) {
    VisibilityReader reader(view, stop, place);
    std::string seen;
    while (seen.size() < count) seen += reader.next() ? 'v' : '.';
    place = reader.end();
    return seen;
  }
  /// A draw of one tile's objects.
  void draw(const std::string& objects) {
    writer.begin_draw(pages);
    put(objects);
    writer.end_draw(pages);
  }
  void put(const std::string& objects) {
    for (const char c : objects) {
      if (c == 'v') writer.see(pages, {0, 0, 1, 1});
      writer.next_object();
    }
  }
  /// Tokens at `page`, the only one of pass 0.
  void hand_made(uint64_t page, const std::vector<uint32_t>& tokens, uint64_t next = 0) {
    view.store(render_list, PageLink::to(page));
    view.fill(page, 0, 4096);
    view.store(page, next);
    for (size_t i = 0; i < tokens.size(); ++i) view.store(page + 8 + i * 4, tokens[i]);
  }
};

}  // namespace

TEST_CASE("tokens are as docs/posh.md has them") {
  CHECK(Token::dword(Kind::end) == 0);
  CHECK(Token::dword(Kind::hidden, 5) == 0x40000005);
  CHECK(Token::dword(Kind::visible, 5) == 0x80000005);
  CHECK(Token::dword(Kind::draw_begin, 5) == 0xc0000005);
  CHECK(Token::dword(Kind::draw_end) == 0xd0000000);
  CHECK(Token::dword(Kind::marker, 5) == 0xe0000005);
  CHECK(Token::dword(Kind::next_draw, 5) == 0xf0000005);
  for (const Kind kind : {Kind::end, Kind::hidden, Kind::visible, Kind::draw_begin, Kind::draw_end, Kind::marker, Kind::next_draw})
    CHECK(Token(Token::dword(kind, 1)).kind() == kind);
}

TEST_CASE("what is written is read, draw by draw and pass by pass") {
  Record f;
  std::mt19937 random(7);
  constexpr unsigned columns = 3, rows = 2, draws = 40;
  f.writer.begin(f.view, render_list, {columns, rows, 64, 128});
  std::vector<std::vector<std::string>> expected(columns * rows);
  for (unsigned d = 0; d < draws; ++d) {
    f.writer.begin_draw(f.pages);
    for (auto& pass : expected) pass.emplace_back();
    const uint32_t objects = random() % 500, alike = 1 + random() % 40;
    for (uint32_t o = 0; o < objects; ++o) {
      const bool anything = o / alike % 2;
      PixelRect box{};
      if (anything) box.x0 = static_cast<int32_t>(random() % 300) - 50, box.y0 = static_cast<int32_t>(random() % 300) - 50;
      if (anything) box.x1 = box.x0 + static_cast<int32_t>(random() % 100), box.y1 = box.y0 + static_cast<int32_t>(random() % 100);
      // Twice, as the parts of an outline.
      bool seen = f.writer.see(f.pages, box), any = false;
      seen |= f.writer.see(f.pages, box);
      f.writer.next_object();
      for (unsigned pass = 0; pass < columns * rows; ++pass) {
        const auto x = static_cast<int32_t>(pass % columns) * 64, y = static_cast<int32_t>(pass / columns) * 128;
        box.clip(PixelRect{-1000, -1000, 1000, 1000});
        PixelRect part = box;
        part.clip({x, y, x + 64, y + 128});
        expected[pass].back() += part.empty() ? '.' : 'v';
        any |= !part.empty();
      }
      REQUIRE(seen == any);
      if (o % 100 == 99) f.writer.flush(f.pages);  // where it would have been preempted
    }
    f.writer.end_draw(f.pages);
  }
  CHECK(f.registers.peek(reg::PTBR_NUM_PAGES_RECORDED) > columns * rows);  // lists of several pages
  for (unsigned pass = 0; pass < columns * rows; ++pass) {
    RecordPlace place = f.at(pass);
    for (unsigned d = 0; d < draws; ++d) REQUIRE(f.read(place, expected[pass][d].size()) == expected[pass][d]);
    CHECK(place.draw == draws);
    CHECK(f.read(place, 3) == "vvv");  // not recorded
  }
  CHECK(failure_counts().empty());
}

TEST_CASE("runs are stored when they end, not object by object") {
  Record f;
  f.writer.begin(f.view, render_list, {});
  f.draw(std::string(300, '.') + std::string(200, 'v') + std::string(7, '.'));
  const uint64_t page = f.page(pool_pages - 1);
  CHECK(f.view.load<uint64_t>(render_list) == PageLink::to(page));
  const std::vector<uint32_t> expected = {Token::dword(Kind::draw_begin), Token::dword(Kind::hidden, 300), Token::dword(Kind::visible, 200),
                                          Token::dword(Kind::hidden, 7),  Token::dword(Kind::draw_end),    0};
  for (size_t i = 0; i < expected.size(); ++i) CHECK(f.view.load<uint32_t>(page + 8 + i * 4) == expected[i]);
}

TEST_CASE("a reader may come to a draw that has more or fewer objects than were recorded, or was not recorded") {
  Record f;
  f.writer.begin(f.view, render_list, {});
  f.draw("..v");
  f.writer.skip_draw();
  f.draw("...");
  f.draw("v..");
  RecordPlace place = f.at(0);
  CHECK(f.read(place, 5) == "..vvv");
  CHECK(f.read(place, 2) == "vv");
  CHECK(f.read(place, 1) == ".");
  CHECK(f.read(place, 3) == "v..");
  CHECK(place.skipped == 5);
  place = f.at(0);
  place.draw = 3;  // those before it were not drawn
  CHECK(f.read(place, 3) == "v..");
}

TEST_CASE("the reader's place is in registers") {
  Record f;
  const RecordPlace place{.enabled = true, .valid = true, .address = 0x12345678008, .draw = 9, .skipped = 77};
  place.store(f.registers);
  const RecordPlace loaded = RecordPlace::load(f.registers);
  CHECK((loaded.enabled && loaded.valid));
  CHECK(loaded.address == place.address);
  CHECK(loaded.draw == 9);
  CHECK(loaded.skipped == 77);
  CHECK(f.registers.peek(0x84bc) == 0x45678008);
  CHECK(f.registers.peek(0x84c0) == 0x123);
  CHECK(f.registers.peek(0x84d4) == 9);
  CHECK(f.registers.peek(0x84e0) == 3);
  CHECK(f.registers.peek(0x84a0) == 77);
}

TEST_CASE("markers bring both pipes to the same draw") {
  Record f;
  f.writer.begin(f.view, render_list, {});
  f.draw("v.");
  f.writer.marker(f.pages, 5);
  f.draw("..");
  f.writer.skip_draw();
  f.writer.marker(f.pages, 6);
  f.draw(".v");
  RecordPlace place = f.at(0);
  CHECK(behind_marker(f.view, f.stop, place, 7).address == place.address);
  RecordPlace behind = behind_marker(f.view, f.stop, place, 6);
  CHECK(behind.draw == 3);
  CHECK(f.read(behind, 2) == ".v");
  behind = behind_marker(f.view, f.stop, place, 5);
  CHECK(behind.draw == 1);
  CHECK(f.read(behind, 2) == "..");
  // Draws read across markers.
  CHECK(f.read(place, 2) == "v.");
  CHECK(f.read(place, 2) == "..");
}

TEST_CASE("recording ends when no page is left, and what follows is visible") {
  Record f;
  f.registers.poke(reg::PTBR_PAGE_POOL_SIZE, 2);
  f.view.store(free_list, 1u), f.view.store(free_list + 4, 0u);
  f.writer.begin(f.view, render_list, {});
  f.draw("v.");
  std::string objects;
  for (unsigned i = 0; i < 3000; ++i) objects += i % 2 ? 'v' : '.';
  f.draw(objects);
  f.draw("..");
  CHECK_FALSE(f.writer.recording());
  CHECK(failure_count(Failure::guest_error, "visibility record ended") == 1);
  CHECK(f.registers.peek(reg::PTBR_NUM_PAGES_RECORDED) == 2);
  RecordPlace place = f.at(0);
  CHECK(f.read(place, 2) == "v.");
  const std::string seen = f.read(place, objects.size());
  const size_t differs = static_cast<size_t>(std::ranges::mismatch(seen, objects).in1 - seen.begin());
  CHECK(differs > 2000);
  CHECK(seen.substr(differs) == std::string(seen.size() - differs, 'v'));
  CHECK(f.read(place, 2) == "vv");
}

TEST_CASE("pages that are not in the pool end the record") {
  Record f;
  f.view.store(free_list, pool_pages);
  f.writer.begin(f.view, render_list, {});
  f.draw("..");
  CHECK(failure_count(Failure::guest_error, "page of a visibility record") == 1);
  RecordPlace place = f.at(0);
  CHECK_FALSE(place.valid);
  CHECK(f.read(place, 2) == "vv");
}

TEST_CASE("a new record clears the list of all passes") {
  Record f;
  f.view.fill(render_list, 0xff, 4096);
  f.writer.begin(f.view, render_list, {4, 4, 64, 64});
  for (unsigned pass = 0; pass < 16; ++pass) CHECK_FALSE(f.at(pass).valid);
  CHECK(f.at(16).valid);
  // The tiles may be given afterwards, but not once something is recorded.
  f.writer.set_tiles(f.view, {8, 4, 64, 64});
  for (unsigned pass = 0; pass < 32; ++pass) CHECK_FALSE(f.at(pass).valid);
  f.draw("..");
  f.writer.set_tiles(f.view, {8, 4, 64, 64});
  CHECK(f.writer.recording());
  f.writer.set_tiles(f.view, {8, 8, 64, 64});
  CHECK_FALSE(f.writer.recording());
  f.draw("..");
  RecordPlace place = f.at(31);
  CHECK(f.read(place, 2) == "..");
  CHECK(f.read(place, 2) == "vv");
}

TEST_CASE("the writer's state is in the context image, and an image that was changed does no harm") {
  Record f;
  f.writer.begin(f.view, render_list, {2, 1, 64, 64});
  f.draw("v.v");
  f.writer.begin_draw(f.pages);
  f.put("..v");
  f.writer.flush(f.pages);
  std::vector<std::byte> image(VisibilityWriter::saved_size);
  f.writer.save(image);
  f.writer.reset();
  CHECK_FALSE(f.writer.recording());
  f.writer.restore(image);
  f.writer.resume_draw();
  f.put("v..");
  f.writer.end_draw(f.pages);
  RecordPlace place = f.at(0), other = f.at(1);
  CHECK(f.read(place, 3) == "v.v");
  CHECK(f.read(place, 6) == "..vv..");
  CHECK(f.read(other, 3) == "...");
  CHECK(f.read(other, 6) == "......");

  std::mt19937 random(3);
  for (unsigned round = 0; round < 500; ++round) {
    std::vector<std::byte> changed = image;
    for (unsigned i = 0; i < 4; ++i) changed[random() % (round % 2 ? 56 : changed.size())] = static_cast<std::byte>(random());
    f.writer.restore(changed);
    f.draw("v..v");
    f.writer.marker(f.pages, 1);
  }
}

TEST_CASE("tokens out of order, runs that are too long or empty") {
  Record f;
  const auto t = [](Kind kind, uint32_t number = 0) { return Token::dword(kind, number); };
  // Objects outside a draw; a draw in a draw; a draw without end.
  f.hand_made(pool, {t(Kind::hidden, 9), t(Kind::draw_end), t(Kind::draw_begin, 0), t(Kind::hidden, 2), t(Kind::hidden, 0),
                     t(Kind::next_draw, 8), t(Kind::draw_begin, 1), t(Kind::hidden, Token::max_count), t(Kind::visible, Token::max_count)});
  RecordPlace place = f.at(0);
  CHECK(f.read(place, 4) == "..vv");
  CHECK(f.read(place, 4) == "....");
  CHECK(f.read(place, 4) == "vvvv");
  // Behind the wanted draw numbers go on from zero.
  f.hand_made(pool,
              {t(Kind::draw_begin, Token::max_value), t(Kind::hidden, 1), t(Kind::draw_end), t(Kind::draw_begin, 0), t(Kind::hidden, 1)});
  place = f.at(0);
  place.draw = Token::max_value;
  CHECK(f.read(place, 2) == ".v");
  CHECK(f.read(place, 2) == ".v");
}

TEST_CASE("pages in a circle, addresses that are none, memory that is not there") {
  Record f;
  f.hand_made(pool, {}, PageLink::to(pool));
  for (unsigned i = 0; i < 1022; ++i) f.view.store(pool + 8 + i * 4, Token::dword(Kind::hidden, 0));
  RecordPlace place = f.at(0);
  CHECK(f.read(place, 2) == "vv");
  CHECK_FALSE(place.valid);
  CHECK(failure_count(Failure::guest_error, "visibility record") == 1);
  f.view.store(pool + 8, Token::dword(Kind::draw_begin, 1));
  place = f.at(0);
  place.draw = 1;
  CHECK(f.read(place, 2) == "vv");
  CHECK(behind_marker(f.view, f.stop, f.at(0), 1).address == f.at(0).address);
  // A page of the circle that ends the work.
  f.stop.request(StopFlag::reset);
  place = f.at(0);
  CHECK(f.read(place, 2) == "vv");
  f.stop.clear(StopFlag::reset);
  for (const uint64_t address :
       {uint64_t{0}, pool + 4, pool + 10, ~uint64_t{0}, uint64_t{0x7fff'ffff'f008}, uint64_t{0xffff'8000'0000'0000}}) {
    place = {.enabled = true, .valid = true, .address = address};
    CHECK(f.read(place, 2) == "vv");
  }
}

TEST_CASE("random memory as a record") {
  Record f;
  std::mt19937 random(11);
  for (unsigned round = 0; round < 200; ++round) {
    for (uint64_t page = pool; page < f.page(4); page += 4096) {
      f.view.store(page, PageLink::to(f.page(random() % 5)) | random() % 2);
      for (unsigned i = 0; i < 1022; ++i) {
        const auto kind = static_cast<Kind>(1 + random() % 6);
        f.view.store(page + 8 + i * 4, random() % 50 ? Token::dword(kind, random() % 4) : static_cast<uint32_t>(random()));
      }
    }
    f.view.store(render_list, PageLink::to(pool));
    RecordPlace place = f.at(0);
    for (unsigned draw = 0; draw < 4; ++draw) CHECK(f.read(place, 50).size() == 50);
    behind_marker(f.view, f.stop, place, random() % 4);
  }
}

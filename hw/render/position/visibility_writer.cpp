// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/position/visibility_writer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {

std::optional<uint64_t> RecordPages::take() {
  const uint32_t taken = registers.peek(reg::PTBR_NUM_PAGES_RECORDED);
  const uint32_t size = reg::field::PTBR_PAGE_POOL_SIZE_PAGES.of(registers.peek(reg::PTBR_PAGE_POOL_SIZE));
  if (taken >= size) return std::nullopt;
  const auto number = view.load<uint32_t>(free_list + uint64_t{taken} * free_list_entry_bytes);
  if (number >= size) {
    guest_error("page of a visibility record", "number {:#x} of {:#x}", number, size);
    return std::nullopt;
  }
  registers.poke(reg::PTBR_NUM_PAGES_RECORDED, taken + 1);
  const uint64_t page = strip_canonical(pool + uint64_t{number} * RecordPage::bytes);
  view.fill(page, 0, RecordPage::bytes);
  return page;
}

void VisibilityWriter::begin(memory::View& view, uint64_t list, const TilePasses& tiles) {
  reset();
  recording_ = true;
  list_ = list;
  tiles_ = tiles;
  clear_list(view);
}

void VisibilityWriter::clear_list(memory::View& view) { view.fill(list_, 0, uint64_t{passes()} * PageLink::bytes); }

void VisibilityWriter::set_tiles(memory::View& view, const TilePasses& tiles) {
  if (!recording_ || tiles == tiles_) return;
  if (begun_) return stop_recording("the tile passes have changed");
  tiles_ = tiles;
  clear_list(view);
}

void VisibilityWriter::stop_recording(const char* why) {
  guest_error("visibility record ended", "{}: what follows is visible", why);
  recording_ = false;
}

bool VisibilityWriter::next_page(RecordPages& pages, unsigned pass) {
  const std::optional<uint64_t> page = pages.take();
  if (!page) {
    stop_recording("no page is left");
    return false;
  }
  uint64_t& at = at_[pass];
  pages.view.store(at ? at - RecordPage::bytes : list_ + uint64_t{pass} * PageLink::bytes, PageLink::to(*page));
  at = *page + RecordPage::first_token;
  return true;
}

void VisibilityWriter::push(RecordPages& pages, unsigned pass, uint32_t token) {
  if (!recording_ || (at_[pass] % RecordPage::bytes == 0 && !next_page(pages, pass))) return;
  pages.view.store(at_[pass], token);
  at_[pass] += RecordPage::token_bytes;
  begun_ = true;
}

void VisibilityWriter::push_to_all(RecordPages& pages, uint32_t token) {
  for (unsigned pass = 0; pass < passes() && recording_; ++pass) push(pages, pass, token);
}

void VisibilityWriter::push_run(RecordPages& pages, unsigned pass, Token::Kind kind, uint64_t count) {
  while (count && recording_) {
    const auto some = static_cast<uint32_t>(std::min<uint64_t>(count, Token::max_count));
    push(pages, pass, Token::dword(kind, some));
    count -= some;
  }
}

void VisibilityWriter::begin_draw(RecordPages& pages) {
  resume_draw();
  push_to_all(pages, Token::dword(Token::Kind::draw_begin, draw_ & Token::max_value));
}

void VisibilityWriter::resume_draw() {
  runs_.fill({});
  objects_ = 0;
}

/// The pass sees the object that is being recorded.
void VisibilityWriter::touch(RecordPages& pages, unsigned pass) {
  Run& run = runs_[pass];
  if (run.end > objects_) return;
  if (run.end == objects_ && run.first < run.end) {
    ++run.end;
    return;
  }
  push_run(pages, pass, Token::Kind::hidden, run.first - run.done);
  push_run(pages, pass, Token::Kind::visible, run.end - run.first);
  run = {run.end, objects_, objects_ + 1};
}

bool VisibilityWriter::see(RecordPages& pages, const PixelRect& bounds) {
  if (!recording_) return true;
  if (bounds.empty() || bounds.x1 <= 0 || bounds.y1 <= 0) return false;
  const auto first = [](int32_t from, int32_t size) { return static_cast<unsigned>(std::max(from, 0) / size); };
  const auto end = [](int32_t to, int32_t size, unsigned count) { return std::min(static_cast<unsigned>((to - 1) / size) + 1, count); };
  const unsigned x0 = first(bounds.x0, tiles_.width), x1 = end(bounds.x1, tiles_.width, tiles_.columns);
  const unsigned y0 = first(bounds.y0, tiles_.height), y1 = end(bounds.y1, tiles_.height, tiles_.rows);
  for (unsigned y = y0; y < y1; ++y)
    for (unsigned x = x0; x < x1; ++x) touch(pages, y * tiles_.columns + x);
  return x0 < x1 && y0 < y1;
}

void VisibilityWriter::flush(RecordPages& pages) {
  for (unsigned pass = 0; pass < passes() && recording_; ++pass) {
    const Run& run = runs_[pass];
    push_run(pages, pass, Token::Kind::hidden, run.first - run.done);
    push_run(pages, pass, Token::Kind::visible, run.end - run.first);
    push_run(pages, pass, Token::Kind::hidden, objects_ - run.end);
  }
  resume_draw();
}

void VisibilityWriter::end_draw(RecordPages& pages) {
  flush(pages);
  push_to_all(pages, Token::dword(Token::Kind::draw_end));
  ++draw_;
}

void VisibilityWriter::marker(RecordPages& pages, uint32_t value) {
  push_to_all(pages, Token::dword(Token::Kind::marker, value & Token::max_value));
  push_to_all(pages, Token::dword(Token::Kind::next_draw, draw_ & Token::max_value));
}

void VisibilityWriter::save(std::span<std::byte> image) const {
  assert(image.size() >= saved_size);
  const std::array<uint64_t, 5> head = {uint64_t{recording_} | uint64_t{begun_} << 1, list_, draw_,
                                        uint64_t{tiles_.columns} << 32 | tiles_.rows,
                                        uint64_t{static_cast<uint32_t>(tiles_.width)} << 32 | static_cast<uint32_t>(tiles_.height)};
  std::memcpy(image.data(), head.data(), sizeof head);
  std::memcpy(image.data() + sizeof head, at_.data(), sizeof at_);
}

void VisibilityWriter::restore(std::span<const std::byte> image) {
  assert(image.size() >= saved_size);
  reset();
  std::array<uint64_t, 5> head;
  std::memcpy(head.data(), image.data(), sizeof head);
  std::memcpy(at_.data(), image.data() + sizeof head, sizeof at_);
  recording_ = head[0] & 1, begun_ = head[0] >> 1 & 1;
  list_ = head[1];
  draw_ = static_cast<uint32_t>(head[2]);
  const TilePasses tiles{.columns = static_cast<unsigned>(head[3] >> 32),
                         .rows = static_cast<unsigned>(head[3]),
                         .width = static_cast<int32_t>(head[4] >> 32),
                         .height = static_cast<int32_t>(head[4])};
  const bool sound = tiles.columns - 1 < TilePasses::max_columns && tiles.rows - 1 < TilePasses::max_rows && tiles.width > 0 &&
                     tiles.height > 0 && std::all_of(at_.begin(), at_.end(), RecordPage::has_place);
  if (sound) {
    tiles_ = tiles;
    return;
  }
  if (recording_) stop_recording("the context image has been damaged");
  at_ = {};
}

}  // namespace softgen::render

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/position/visibility_reader.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {

RecordPlace RecordPlace::load(const mmio::RegisterFile& registers) {
  const uint32_t state = registers.peek(reg::TOKPROC_STG0_VALID);
  return {.enabled = reg::field::TOKPROC_STG0_VALID_VISIBILITY_ENABLED.of(state) != 0,
          .valid = reg::field::TOKPROC_STG0_VALID_RECORD_VALID.of(state) != 0,
          .address = registers.peek64(reg::TOKPROC_CL_PTR(0)),
          .draw = registers.peek(reg::TOKPROC_STG0_INSTANCE_COUNT),
          .skipped = registers.peek(reg::TOKPROC_CULL_COUNT)};
}

void RecordPlace::store(mmio::RegisterFile& registers) const {
  const uint32_t state = reg::field::TOKPROC_STG0_VALID_VISIBILITY_ENABLED.with(0, enabled);
  registers.poke(reg::TOKPROC_STG0_VALID, reg::field::TOKPROC_STG0_VALID_RECORD_VALID.with(state, valid));
  registers.poke64(reg::TOKPROC_CL_PTR(0), address);
  registers.poke(reg::TOKPROC_STG0_INSTANCE_COUNT, draw);
  registers.poke(reg::TOKPROC_CULL_COUNT, skipped);
}

RecordPlace RecordPlace::of_pass(memory::View& view, uint64_t render_list, unsigned pass, bool enabled) {
  RecordPlace place{.enabled = enabled};
  if (!enabled) return place;
  const auto link = view.load<uint64_t>(render_list + uint64_t{pass} * PageLink::bytes);
  place.valid = link & PageLink::valid;
  if (place.valid) place.address = strip_canonical(PageLink::page(link)) + RecordPage::first_token;
  return place;
}

TokenStream::TokenStream(memory::View& view, const StopFlag& stop, const RecordPlace& place)
    : view_(view), stop_(stop), at_(place.address), valid_(place.valid) {
  if (!valid_ || RecordPage::has_place(at_)) return;
  guest_error("address of a visibility token", "{:#x}", at_);
  valid_ = false;
}

/// Behind the last token of `page`.
bool TokenStream::next_page(uint64_t page) {
  const auto link = view_.load<uint64_t>(page);
  if (!(link & PageLink::valid)) return false;
  if (stop_.aborting()) return false;
  if (++pages_ > max_pages) {
    guest_error("visibility record", "more than {} pages for one draw, at {:#x}", max_pages, page);
    valid_ = false;
    return false;
  }
  at_ = strip_canonical(PageLink::page(link)) + RecordPage::first_token;
  return true;
}

Token TokenStream::peek() {
  constexpr Token none(0);
  if (!valid_) return none;
  if (at_ % RecordPage::bytes == 0 && !next_page(at_ - RecordPage::bytes)) return none;
  return Token(view_.load<uint32_t>(at_));
}

VisibilityReader::VisibilityReader(memory::View& view, const StopFlag& stop, const RecordPlace& place)
    : place_(place), tokens_(view, stop, place) {
  find_draw();
}

/// Passes draws before it, and stays before later ones: then the draw is not recorded.
void VisibilityReader::find_draw() {
  for (;;) {
    const Token token = tokens_.peek();
    if (token.kind() == Token::Kind::end) return;
    if (token.kind() == Token::Kind::draw_begin) {
      const uint32_t ahead = (token.value() - place_.draw) & Token::max_value;
      if (ahead != 0 && ahead <= Token::max_value / 2) return;
      in_draw_ = ahead == 0;
    }
    tokens_.advance();
    if (in_draw_) return;
  }
}

void VisibilityReader::read_run() {
  visible_ = true;
  left_ = UINT64_MAX;
  while (in_draw_) {
    const Token token = tokens_.peek();
    switch (token.kind()) {
      case Token::Kind::hidden:
      case Token::Kind::visible:
        tokens_.advance();
        if (!token.count()) continue;
        visible_ = token.kind() == Token::Kind::visible;
        left_ = token.count();
        return;
      case Token::Kind::marker:
      case Token::Kind::next_draw: tokens_.advance(); continue;
      default: return;  // the other objects are not recorded
    }
  }
}

VisibilityReader::Some VisibilityReader::take(uint32_t max_count) {
  if (left_ == 0) read_run();
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(left_, max_count));
  left_ -= count;
  if (!visible_) skipped_ += count;
  return {count, visible_};
}

RecordPlace VisibilityReader::end() {
  for (bool inside = in_draw_; inside;) {
    const Token::Kind kind = tokens_.peek().kind();
    inside = kind != Token::Kind::end && kind != Token::Kind::draw_begin;
    if (!inside) break;
    tokens_.advance();
    inside = kind != Token::Kind::draw_end;
  }
  place_.valid = tokens_.valid();
  place_.address = tokens_.at();
  place_.draw += 1;
  place_.skipped += static_cast<uint32_t>(skipped_);
  return place_;
}

RecordPlace behind_marker(memory::View& view, const StopFlag& stop, const RecordPlace& place, uint32_t value) {
  TokenStream tokens(view, stop, place);
  for (;;) {
    const Token token = tokens.peek();
    if (token.kind() == Token::Kind::end) return place;
    tokens.advance();
    if (token.kind() != Token::Kind::marker || token.value() != value) continue;
    RecordPlace behind = place;
    if (const Token next = tokens.peek(); next.kind() == Token::Kind::next_draw) {
      behind.draw = next.value();
      tokens.advance();
    }
    behind.address = tokens.at();
    return behind;
  }
}

}  // namespace softgen::render

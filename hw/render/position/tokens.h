// SPDX-License-Identifier: GPL-2.0-or-later
// The visibility record in memory, as docs/posh.md describes it. Chosen: no public source has the formats, and only this device reads them.
#pragma once

#include <cstdint>

namespace softgen::render {

/// The free list: dwords, each the number of a page in the pool.
constexpr uint32_t free_list_entry_bytes = 4;

/// An entry of the render list, and the first qword of a page: the address of a page, if `valid`.
struct PageLink {
  static constexpr uint32_t bytes = 8;
  static constexpr uint64_t valid = 1;
  static constexpr uint64_t to(uint64_t page) { return page | valid; }
  static constexpr uint64_t page(uint64_t link) { return link & ~uint64_t{0xfff}; }
};

/// A page: a PageLink to the next one, then tokens.
struct RecordPage {
  static constexpr uint32_t bytes = 4096, first_token = PageLink::bytes, token_bytes = 4;
  /// Whether a token may be at `address`, or a page end there.
  static constexpr bool has_place(uint64_t address) {
    const uint64_t offset = address % bytes;
    return offset == 0 || (offset >= first_token && offset % token_bytes == 0);
  }
};
/// Of a frame, by 3DSTATE_PTBR_TILE_PASS_INFO.
constexpr unsigned max_tile_passes = 256;

/// A dword.
class Token {
 public:
  enum class Kind : uint8_t {
    end,         ///< of what is recorded
    hidden,      ///< so many objects that are not visible
    visible,     ///< so many that are
    draw_begin,  ///< value: the draw's number
    draw_end,
    marker,     ///< value: of 3DSTATE_PTBR_MARKER
    next_draw,  ///< behind a marker; value: the number of the next draw
  };
  static constexpr uint32_t max_count = (1u << 30) - 1, max_value = (1u << 28) - 1;

  constexpr explicit Token(uint32_t dword) : dword_(dword) {}
  /// `number` within max_count for runs, within max_value for others.
  static constexpr uint32_t dword(Kind kind, uint32_t number = 0) {
    const auto code = static_cast<uint32_t>(kind);
    return code < 3 ? code << 30 | number : 3u << 30 | (code - 3) << 28 | number;
  }

  constexpr Kind kind() const {
    const uint32_t upper = dword_ >> 30;
    return static_cast<Kind>(upper < 3 ? upper : 3 + (dword_ >> 28 & 3));
  }
  constexpr uint32_t count() const { return dword_ & max_count; }
  constexpr uint32_t value() const { return dword_ & max_value; }

 private:
  uint32_t dword_;
};

}  // namespace softgen::render

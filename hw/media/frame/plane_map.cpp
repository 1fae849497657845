// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/frame/plane_map.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"

namespace softgen::media {
namespace {

constexpr uint32_t page_bytes = memory::View::page_size, max_size = 16384, pages_between_stops = 256;

// `part` and twice `part` are the least and the most bytes: two moves that overlap, of a size that the compiler knows.
template <size_t part>
void copy_rows(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, uint32_t bytes, uint32_t rows) {
  const size_t second = bytes - part;
  for (uint32_t row = 0; row < rows; ++row, from += from_step, to += to_step) {
    std::byte both[2 * part];
    std::memcpy(both, from, part), std::memcpy(both + part, from + second, part);
    std::memcpy(to, both, part), std::memcpy(to + second, both + part, part);
  }
}

/// Rows of 1 to 16 bytes.
void copy_strip(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, uint32_t bytes, uint32_t rows) {
  if (bytes == 16) {
    for (uint32_t row = 0; row < rows; ++row, from += from_step, to += to_step) std::memcpy(to, from, 16);
    return;
  }
  if (bytes >= 8) return copy_rows<8>(from, from_step, to, to_step, bytes, rows);
  if (bytes >= 4) return copy_rows<4>(from, from_step, to, to_step, bytes, rows);
  if (bytes >= 2) return copy_rows<2>(from, from_step, to, to_step, bytes, rows);
  for (uint32_t row = 0; row < rows; ++row, from += from_step, to += to_step) *to = *from;
}

}  // namespace

void PlaneMap::open(memory::View& view, const StopFlag& stop, const PlaneLayout& layout, Access access) {
  layout_ = layout;
  layout_.width = std::clamp(layout.width, 1u, max_size);
  layout_.height = std::clamp(layout.height, 1u, max_size);
  layout_.row_step = layout.row_step == 2 ? 2 : 1;
  access_ = access;
  const surface::PageShape page = surface::page_shape(layout_.tiling, 1);
  base_ = strip_canonical(layout_.tiling == surface::Tiling::linear ? layout_.base : align_down(layout_.base, uint64_t{page_bytes}));
  layout_.pitch = layout_.tiling == surface::Tiling::linear ? std::max<uint32_t>(layout_.pitch, layout_.element)
                                                            : surface::legal_pitch(page.width, layout_.pitch);
  tiles_ = layout_.pitch / page.width;
  // A row that is longer than the pitch would leave the pages that are found here.
  if (layout_.first_byte >= layout_.pitch || layout_.pitch - layout_.first_byte < layout_.element) layout_.first_byte = 0;
  layout_.width = std::max(std::min(layout_.width, (layout_.pitch - layout_.first_byte) / layout_.element), 1u);
  stamp_ = {};
  refresh(view, stop);
}

void PlaneMap::refresh(memory::View& view, const StopFlag& stop) {
  if (!is_open() || stamp_ == view.stamp()) return;
  const uint64_t last_row = layout_.first_row + uint64_t{layout_.height - 1} * layout_.row_step;
  uint64_t last = 0;
  if (layout_.tiling == surface::Tiling::linear) {
    const uint64_t begin = base_ + uint64_t{layout_.first_row} * layout_.pitch, end = base_ + (last_row + 1) * layout_.pitch;
    first_page_ = begin / page_bytes;
    last = (end - 1) / page_bytes;
  } else {
    const uint32_t rows = surface::page_shape(layout_.tiling, 1).height;
    first_page_ = uint64_t{layout_.first_row / rows} * tiles_;
    last = (last_row / rows + 1) * tiles_ - 1;
  }
  pages_.resize(last - first_page_ + 1);
  const uint64_t from = layout_.tiling == surface::Tiling::linear ? 0 : base_;
  for (uint64_t i = 0; i < pages_.size(); ++i) {
    if (i % pages_between_stops == 0 && stop.aborting()) {
      std::fill(pages_.begin() + static_cast<ptrdiff_t>(i), pages_.end(), view.nowhere(access_));
      stamp_ = {};
      return;
    }
    const uint64_t address = from + (first_page_ + i) * page_bytes;
    pages_[i] = access_ == Access::read ? const_cast<std::byte*>(view.at(address)) : view.at_for_write(address);
  }
  stamp_ = view.stamp();
}

std::byte* PlaneMap::piece(uint32_t x, uint32_t y, uint32_t& bytes) const {
  using surface::Tiling;
  x += layout_.first_byte;
  y = layout_.first_row + y * layout_.row_step;
  if (layout_.tiling == Tiling::linear) {
    const uint64_t at = base_ + uint64_t{y} * layout_.pitch + x;
    bytes = page_bytes - at % page_bytes;
    return pages_[at / page_bytes - first_page_] + at % page_bytes;
  }
  const uint32_t whole = surface::row_piece(layout_.tiling);
  bytes = whole - x % whole;
  if (layout_.tiling == Tiling::y)
    return pages_[uint64_t{y / 32} * tiles_ + x / 128 - first_page_] + (x % 128 / 16 * 512 + y % 32 * 16 + x % 16);
  return pages_[uint64_t{y / 8} * tiles_ + x / 512 - first_page_] + (y % 8 * 512 + x % 512);
}

void PlaneMap::read_row(uint32_t x, uint32_t y, uint32_t bytes, std::byte* to) const {
  for (uint32_t done = 0; done < bytes;) {
    uint32_t together;
    const std::byte* const from = piece(x + done, y, together);
    together = std::min(together, bytes - done);
    std::memcpy(to + done, from, together);
    done += together;
  }
}

template <typename Copy>
void PlaneMap::each_column(uint32_t x, uint32_t y, uint32_t bytes, uint32_t rows, Copy&& copy) const {
  const uint32_t first = x + layout_.first_byte, end = first + bytes, step = layout_.row_step;
  for (uint32_t done = 0; done < rows;) {
    const uint32_t at = layout_.first_row + (y + done) * step, inside = at % 32;
    const uint32_t count = std::min((31 - inside) / step + 1, rows - done);
    std::byte* const* const tiles = pages_.data() + (uint64_t{at / 32} * tiles_ - first_page_);
    for (uint32_t byte = first; byte < end;) {
      const uint32_t together = std::min(16 - byte % 16, end - byte);
      copy(tiles[byte / 128] + (byte % 128 / 16 * 512 + inside * 16 + byte % 16), byte - first, done, together, count);
      byte += together;
    }
    done += count;
  }
}

void PlaneMap::read_rows(uint32_t x, uint32_t y, uint32_t bytes, uint32_t rows, std::byte* to, size_t stride) const {
  if (layout_.tiling != surface::Tiling::y) {
    for (uint32_t row = 0; row < rows; ++row) read_row(x, y + row, bytes, to + row * stride);
    return;
  }
  const size_t step = 16 * size_t{layout_.row_step};
  each_column(x, y, bytes, rows, [&](const std::byte* from, uint32_t byte, uint32_t row, uint32_t together, uint32_t count) {
    copy_strip(from, step, to + row * stride + byte, stride, together, count);
  });
}

void PlaneMap::fetch(int x, int y, unsigned columns, unsigned rows, std::byte* to, size_t stride) const {
  const int width = static_cast<int>(layout_.width), height = static_cast<int>(layout_.height), element = layout_.element;
  const int left = std::clamp(x, 0, width - 1), right = std::clamp(x + static_cast<int>(columns), left + 1, width);
  const int before = std::clamp(left - x, 0, static_cast<int>(columns) - 1),
            present = std::min(right - left, static_cast<int>(columns) - before);
  const int top = std::clamp(y, 0, height - 1), bottom = std::clamp(y + static_cast<int>(rows), top + 1, height);
  const int above = std::clamp(top - y, 0, static_cast<int>(rows) - 1), inside = std::min(bottom - top, static_cast<int>(rows) - above);
  std::byte* const first = to + static_cast<size_t>(above) * stride;
  read_rows(static_cast<uint32_t>(left * element), static_cast<uint32_t>(top), static_cast<uint32_t>(present * element),
            static_cast<uint32_t>(inside), first + before * element, stride);
  const int behind = before + present;
  if (before || behind < static_cast<int>(columns)) {
    std::byte* row = first;
    for (int i = 0; i < inside; ++i, row += stride) {
      for (int k = 0; k < before; ++k) std::memcpy(row + k * element, row + before * element, static_cast<size_t>(element));
      for (int k = behind; k < static_cast<int>(columns); ++k)
        std::memcpy(row + k * element, row + (behind - 1) * element, static_cast<size_t>(element));
    }
  }
  const size_t bytes = columns * static_cast<size_t>(element);
  for (int i = 0; i < above; ++i) std::memcpy(to + static_cast<size_t>(i) * stride, first, bytes);
  const std::byte* const last = first + static_cast<size_t>(inside - 1) * stride;
  for (int i = above + inside; i < static_cast<int>(rows); ++i) std::memcpy(to + static_cast<size_t>(i) * stride, last, bytes);
}

void PlaneMap::store(uint32_t x, uint32_t y, unsigned columns, unsigned rows, const std::byte* from, size_t stride) {
  if (x >= layout_.width || y >= layout_.height) return;
  const uint32_t bytes = std::min(columns, layout_.width - x) * layout_.element;
  rows = std::min(rows, layout_.height - y);
  if (layout_.tiling == surface::Tiling::y) {
    const size_t step = 16 * size_t{layout_.row_step};
    each_column(x * layout_.element, y, bytes, rows, [&](std::byte* to, uint32_t byte, uint32_t row, uint32_t together, uint32_t count) {
      copy_strip(from + row * stride + byte, stride, to, step, together, count);
    });
    return;
  }
  for (unsigned row = 0; row < rows; ++row, from += stride) {
    for (uint32_t done = 0; done < bytes;) {
      uint32_t together;
      std::byte* const to = piece(x * layout_.element + done, y + row, together);
      together = std::min(together, bytes - done);
      std::memcpy(to, from + done, together);
      done += together;
    }
  }
}

}  // namespace softgen::media

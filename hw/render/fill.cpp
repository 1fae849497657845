// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/fill.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "hw/surface/standard_tiling.h"

namespace softgen::render {
namespace {

constexpr uint64_t page = memory::View::page_size;

class Filler {
 public:
  Filler(memory::View& view, const surface::Surface& surface, const surface::Level& level, uint32_t slice, uint32_t sample,
         const std::byte* element, StopReasons stops)
      : view_(view),
        level_(level),
        slice_(slice),
        sample_(sample),
        bytes_(surface.format->block_bytes()),
        element_(element),
        stops_(stops) {
    for (size_t at = 0; at + bytes_ <= line_.size(); at += bytes_) std::memcpy(line_.data() + at, element, bytes_);
  }

  void elements(const PixelRect& rect) {
    for (int32_t y = rect.y0; y < rect.y1 && !stops_; ++y)
      for (int32_t x = rect.x0; x < rect.x1; ++x) view_.write(address(x, y), element_, bytes_);
  }
  /// elements() for surfaces whose rows consist of runs of `run` bytes, a power of two; no element crosses a run. `stacked`: a page has runs of a column
  /// of the surface in a row, as X tiling has, and is looked up once.
  void rows(const PixelRect& rect, uint64_t run, bool stacked = false) {
    for (int32_t y = rect.y0, count = 1; y < rect.y1 && !stops_; y += count) {
      if (stacked) count = std::min(static_cast<int32_t>((page - address(rect.x0, y) % page + run - 1) / run), rect.y1 - y);
      for (int32_t x = rect.x0; x < rect.x1;) {
        const uint64_t at = address(x, y), size = std::min(run - at % run, uint64_t{bytes_} * static_cast<uint64_t>(rect.x1 - x));
        std::byte* const to = view_.at_for_write(at);
        for (int32_t i = 0; i < count; ++i) put(to + run * static_cast<uint64_t>(i), size);
        x += std::max(static_cast<int32_t>(size / bytes_), 1);
      }
    }
  }
  /// A part of a page in Y tiling, where the rows of a column of 16 bytes are consecutive.
  void columns(const PixelRect& part) {
    for (int32_t x = part.x0; x < part.x1;) {
      const uint64_t at = address(x, part.y0), left = y_column - at % y_column;
      const int32_t end = std::min(x + static_cast<int32_t>(left / bytes_), part.x1);
      if (left == y_column && uint64_t{bytes_} * static_cast<uint64_t>(end - x) == y_column)
        put(view_.at_for_write(at), y_column * static_cast<uint64_t>(part.y1 - part.y0));
      else rows({x, part.y0, end, part.y1}, y_column);
      x = end;
    }
  }
  void whole_page(int32_t x, int32_t y) { put(view_.at_for_write(address(x, y)), page); }
  uint64_t address(int32_t x, int32_t y) const {
    return level_.address(static_cast<uint32_t>(x), static_cast<uint32_t>(y), slice_, sample_);
  }

 private:
  void put(std::byte* to, uint64_t size) {
    uint64_t done = 0;
    for (; done + line_.size() <= size; done += line_.size()) std::memcpy(to + done, line_.data(), line_.size());
    if (done < size) std::memcpy(to + done, line_.data(), size - done);
  }

  static constexpr uint64_t y_column = 16;
  memory::View& view_;
  const surface::Level& level_;
  const uint32_t slice_, sample_;
  const unsigned bytes_;
  const std::byte* element_;
  const StopReasons stops_;
  std::array<std::byte, 64> line_{};
};

/// The first of `step` coordinates from `from` on at which a page begins. Within a page x and y determine separate bits of the address.
template <typename Address>
int32_t page_start(int32_t from, int32_t step, Address&& address) {
  int32_t best = from;
  for (int32_t i = from; i < from + step; ++i)
    if (address(i) % page < address(best) % page) best = i;
  return best;
}

}  // namespace

void fill(memory::View& view, const surface::Surface& surface, const surface::Level& level, const PixelRect& rect, uint32_t slice,
          uint32_t sample, const std::byte* element, StopReasons stops) {
  if (rect.empty()) return;
  Filler filler(view, surface, level, slice, sample, element, stops);
  const unsigned bytes = surface.format->block_bytes();
  using surface::Tiling;
  const Tiling tiling = surface.tiling;
  const bool aligned = !surface.interleaved && std::has_single_bit(bytes) && surface.base % page == 0;
  // Tiles of 3D and multisampled surfaces are blocks of several slices or samples.
  const bool blocks = surface::is_standard(tiling) && (surface.type == surface::SurfaceType::three_d || surface.samples > 1);
  if (!aligned || blocks || (tiling == Tiling::linear && surface.pitch % bytes)) return filler.elements(rect);
  constexpr uint64_t x_row = 512, swizzled_run = 64, column = 16;  // swizzling exchanges runs by bit 6
  if (tiling == Tiling::linear) return filler.rows(rect, page);
  if (tiling == Tiling::x) return filler.rows(rect, x_row, true);
  if (tiling == Tiling::swizzled_x) return filler.rows(rect, swizzled_run);
  const surface::PageShape shape = surface::page_shape(surface.tiling, bytes);
  const auto width = static_cast<int32_t>(shape.width / bytes), height = static_cast<int32_t>(shape.height);
  const int32_t first_x = page_start(rect.x0, width, [&](int32_t x) { return filler.address(x, rect.y0); });
  const int32_t first_y = page_start(rect.y0, height, [&](int32_t y) { return filler.address(rect.x0, y); });
  const auto begin = [](int32_t from, int32_t first, int32_t step) { return first == from ? first : first - step; };
  for (int32_t y = begin(rect.y0, first_y, height); y < rect.y1 && !stops; y += height)
    for (int32_t x = begin(rect.x0, first_x, width); x < rect.x1; x += width) {
      PixelRect part{x, y, x + width, y + height};
      part.clip(rect);
      if (part.x1 - part.x0 == width && part.y1 - part.y0 == height) filler.whole_page(x, y);
      else if (tiling == Tiling::y) filler.columns(part);
      else if (tiling == Tiling::w) filler.elements(part);
      else filler.rows(part, column);
    }
}

}  // namespace softgen::render

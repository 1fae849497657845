// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/blit.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/blitter/rop.h"

namespace softgen::blitter {
namespace {

constexpr uint8_t rop_copy = 0xcc;

// Where one surface is read and written, blocks are taken in the order that reads each before
// it is written: against the direction of the move (KBL PRM vol 11, "BLT Engine", overlapping operands).
struct Order {
  bool bottom_up = false, right_to_left = false;
};

bool plain_copy(const Blit& b) {
  return b.rop == rop_copy && b.source_kind == SourceKind::color && b.write_mask == ~0u && b.chroma == ChromaKey::off &&
         b.pattern_mask == ~uint64_t{0};
}

// The result is the same for all blocks: a constant, or a function of a solid pattern.
bool plain_fill(const Blit& b) {
  return !rop_uses_destination(b.rop) && !rop_uses_source(b.rop) && b.write_mask == ~0u && b.chroma == ChromaKey::off &&
         b.source_kind != SourceKind::mono && b.pattern_kind != PatternKind::tile;
}

// Some pixels, or some bits of them, keep their old value whatever the raster operation says.
bool masked(const Blit& b) {
  return b.write_mask != ~0u || b.chroma != ChromaKey::off || b.pattern_mask != ~uint64_t{0} ||
         (b.source_kind == SourceKind::mono && b.mono.transparent);
}

Order choose_order(const Blit& b) {
  if (b.source_kind != SourceKind::color) return {};
  const bool both_linear = !b.source.tiled() && !b.destination.tiled();
  if (both_linear) {
    const int64_t to = static_cast<int64_t>(b.destination.row(b.rect.y1)) + int64_t{b.rect.x1} * b.pixel_bytes;
    const int64_t from = static_cast<int64_t>(b.source.row(b.source_y)) + int64_t{b.source_x} * b.pixel_bytes;
    const bool up = to > from;
    // With a negative pitch rows descend in memory.
    return {b.destination.pitch < 0 ? !up : up, up};
  }
  if (!(b.source == b.destination)) return {};
  const int32_t dx = b.rect.x1 - b.source_x, dy = b.rect.y1 - b.source_y;
  return {dy > 0, dx > 0};
}

// Pixel of 1, 2 or 4 bytes.
void put(std::byte* at, uint32_t value, unsigned bytes) { std::memcpy(at, &value, bytes); }
uint32_t get(const std::byte* at, unsigned bytes) {
  uint32_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

template <typename T>
void fill_pixels(std::byte* to, uint32_t value, size_t bytes) {
  const T pixel = static_cast<T>(value);
  for (size_t i = 0; i < bytes / sizeof(T); ++i) std::memcpy(to + i * sizeof(T), &pixel, sizeof(T));
}

void fill_pixels(std::byte* to, uint32_t value, unsigned pixel_bytes, size_t bytes) {
  if (pixel_bytes == 1) return fill_pixels<uint8_t>(to, value, bytes);
  if (pixel_bytes == 2) return fill_pixels<uint16_t>(to, value, bytes);
  fill_pixels<uint32_t>(to, value, bytes);
}

// Pixels of any size; what is left of `bytes` after the last whole one stays.
void fill_pixels(std::byte* to, const std::array<uint32_t, 4>& pixel, unsigned pixel_bytes, size_t bytes) {
  if (pixel_bytes <= sizeof(uint32_t)) return fill_pixels(to, pixel[0], pixel_bytes, bytes);
  for (size_t at = 0; at + pixel_bytes <= bytes; at += pixel_bytes) std::memcpy(to + at, pixel.data(), pixel_bytes);
}

// Chroma keys compare colour components, each with its own range; alpha takes no part.
bool in_range(uint32_t pixel, uint32_t low, uint32_t high, unsigned pixel_bytes) {
  struct Component {
    unsigned high, low;
  };
  static constexpr Component c8[] = {{7, 0}}, c565[] = {{15, 11}, {10, 5}, {4, 0}}, c8888[] = {{23, 16}, {15, 8}, {7, 0}};
  const auto components = pixel_bytes == 1   ? std::span<const Component>(c8)
                          : pixel_bytes == 2 ? std::span<const Component>(c565)
                                             : std::span<const Component>(c8888);
  return std::all_of(components.begin(), components.end(), [&](Component c) {
    const uint32_t v = bits(pixel, c.high, c.low);
    return v >= bits(low, c.high, c.low) && v <= bits(high, c.high, c.low);
  });
}

}  // namespace

struct BlitRunner::Area {
  Rect rect;
  Order order;
  uint32_t step_x, step_y;     // pixels of a block
  int32_t origin_x, origin_y;  // a corner of the grid of blocks

  uint64_t rows() const { return static_cast<uint64_t>(grid(rect.y2 - 1, origin_y, step_y) - grid(rect.y1, origin_y, step_y) + 1); }
  uint64_t bytes(const Blit& b) const {
    return static_cast<uint64_t>(int64_t{rect.x2} - rect.x1) * static_cast<uint64_t>(int64_t{rect.y2} - rect.y1) * b.pixel_bytes;
  }
  static int64_t grid(int32_t v, int32_t origin, uint32_t step) {
    const int64_t d = int64_t{v} - origin;
    return d >= 0 ? d / step : -((-d + step - 1) / step);
  }
  /// Block row i in drawing order, clipped to the rectangle: [y1, y2).
  std::pair<int32_t, int32_t> row(uint64_t i) const {
    const uint64_t index = order.bottom_up ? rows() - 1 - i : i;
    const int64_t y = (grid(rect.y1, origin_y, step_y) + static_cast<int64_t>(index)) * step_y + origin_y;
    return {static_cast<int32_t>(std::max<int64_t>(y, rect.y1)), static_cast<int32_t>(std::min<int64_t>(y + step_y, rect.y2))};
  }

  explicit Area(const Blit& b) : rect(b.rect), order(choose_order(b)) {
    if (b.clipped) {
      rect.x1 = std::max(rect.x1, b.clip.x1), rect.y1 = std::max(rect.y1, b.clip.y1);
      rect.x2 = std::min(rect.x2, b.clip.x2), rect.y2 = std::min(rect.y2, b.clip.y2);
    }
    // What would be left of or above a tiled surface is not drawn, or not drawn from.
    if (b.destination.tiled()) rect.x1 = std::max(rect.x1, 0), rect.y1 = std::max(rect.y1, 0);
    if (b.source_kind == SourceKind::color && b.source.tiled()) {
      rect.x1 = std::max(rect.x1, b.rect.x1 - b.source_x), rect.y1 = std::max(rect.y1, b.rect.y1 - b.source_y);
    }
  }

  // The grid follows the pages of the destination, else those of the source, else rows.
  void choose_blocks(const Blit& b, size_t room) {
    const bool source_tiled = b.source_kind == SourceKind::color && b.source.tiled();
    const bool by_source = !b.destination.tiled() && source_tiled;
    const auto shape = surface::page_shape(by_source ? b.source.tiling : b.destination.tiling, b.pixel_bytes);
    // Rows by the page: all the blocks that are combined fit the L1 cache.
    const bool rows = !b.destination.tiled() && !source_tiled;
    step_x = static_cast<uint32_t>((rows ? 4096 : room / shape.height) / b.pixel_bytes), step_y = shape.height;
    origin_x = origin_y = 0;
    if (by_source) origin_x = b.rect.x1 - b.source_x, origin_y = b.rect.y1 - b.source_y;
    if (rows) origin_x = rect.x1;
  }
};

ExecResult BlitRunner::run(const Blit& blit, memory::View& view, const StopFlag& stop, uint64_t& progress) {
  Area area(blit);
  if (area.rect.empty()) return ExecResult::done;
  stores_ = plain_copy(blit) && area.bytes(blit) >= stream_from_ ? Stores::streamed : Stores::cached;
  area.choose_blocks(blit, stores_ == Stores::streamed ? stream_bytes : block_bytes);
  // Operands that the code uses and the command lacks are zero.
  if (blit.source_kind == SourceKind::none) std::memset(source_.data, 0, block_bytes);
  if (blit.pattern_kind == PatternKind::none) std::memset(pattern_.data, 0, block_bytes);
  if (plain_fill(blit)) {
    if (blit.pattern_kind == PatternKind::solid) fill_pixels(pattern_.data, blit.solid, blit.pixel_bytes, block_bytes);
    apply_rop(blit.rop, result_.data, pattern_.data, source_.data, destination_.data, block_bytes);
  }
  ExecResult result = ExecResult::done;
  for (const uint64_t rows = area.rows(); progress < rows; ++progress) {
    if (stop.reasons()) {
      result = stop.aborting() ? ExecResult::aborted : ExecResult::preempted;
      break;
    }
    const auto [y1, y2] = area.row(progress);
    run_row(blit, area, view, y1, static_cast<uint32_t>(y2 - y1));
  }
  if (stores_ == Stores::streamed) surface::stream_fence();
  return result;
}

void BlitRunner::run_row(const Blit& b, const Area& area, memory::View& view, int32_t y, uint32_t height) {
  const bool copy = plain_copy(b), fill = plain_fill(b);
  if (copy && !b.source.tiled() && !b.destination.tiled()) {
    const uint64_t to = b.destination.row(y) + static_cast<uint64_t>(int64_t{area.rect.x1} * b.pixel_bytes);
    const int64_t x = int64_t{area.rect.x1} - b.rect.x1 + b.source_x;
    const uint64_t from = b.source.row(y - b.rect.y1 + b.source_y) + static_cast<uint64_t>(x * b.pixel_bytes);
    return copy_bytes(view, to, from, static_cast<uint64_t>(area.rect.x2 - area.rect.x1) * b.pixel_bytes, area.order.right_to_left,
                      stores_);
  }
  const int64_t first = Area::grid(area.rect.x1, area.origin_x, area.step_x),
                last = Area::grid(area.rect.x2 - 1, area.origin_x, area.step_x);
  const auto block = [&](int64_t i) {
    const int64_t x = (area.order.right_to_left ? last - i : first + i) * area.step_x + area.origin_x;
    return Rect{static_cast<int32_t>(std::max<int64_t>(x, area.rect.x1)), y,
                static_cast<int32_t>(std::min<int64_t>(x + area.step_x, area.rect.x2)), y + static_cast<int32_t>(height)};
  };
  const int64_t count = last - first + 1;
  for (int64_t i = 0; i < count; ++i) {
    const Rect now = block(i);
    const uint32_t width = static_cast<uint32_t>(now.x2 - now.x1) * b.pixel_bytes;
    if (copy) copy_block(b, view, now);
    else if (fill) fill_rect(view, b.destination, {now.x1 * b.pixel_bytes, y, width, height}, result_.data, width);
    else combine_block(b, view, now);
  }
}

ByteRect BlitRunner::source_area(const Blit& b, Rect block) {
  return {(block.x1 - b.rect.x1 + b.source_x) * b.pixel_bytes, block.y1 - b.rect.y1 + b.source_y,
          static_cast<uint32_t>(block.x2 - block.x1) * b.pixel_bytes, static_cast<uint32_t>(block.y2 - block.y1)};
}

void BlitRunner::copy_block(const Blit& b, memory::View& view, Rect block) {
  const ByteRect from = source_area(b, block);
  const ByteRect to{block.x1 * b.pixel_bytes, block.y1, from.width, from.height};
  if (b.destination.base != b.source.base) return copy_rect(view, b.destination, to, b.source, from.x, from.y, source_.data, stores_);
  // Within one surface a block is read whole before any of it is written.
  read_rect(view, b.source, from, source_.data, from.width);
  write_rect(view, b.destination, to, source_.data, from.width);
}

void BlitRunner::combine_block(const Blit& b, memory::View& view, Rect block) {
  const uint32_t width = static_cast<uint32_t>(block.x2 - block.x1) * b.pixel_bytes, height = static_cast<uint32_t>(block.y2 - block.y1);
  const size_t bytes = size_t{width} * height;
  const ByteRect area{block.x1 * b.pixel_bytes, block.y1, width, height};
  const bool with_mask = masked(b);
  if (!with_mask && combine_in_place(b, view, block)) return;
  if (with_mask) fill_pixels(mask_.data, b.write_mask, b.pixel_bytes, bytes);
  if (b.source_kind == SourceKind::color) read_rect(view, b.source, source_area(b, block), source_.data, width);
  if (b.source_kind == SourceKind::mono) fetch_mono(b, view, block);
  if (b.pattern_kind != PatternKind::none) make_pattern(b, block);
  if (with_mask || rop_uses_destination(b.rop)) read_rect(view, b.destination, area, destination_.data, width);
  if (b.chroma != ChromaKey::off) apply_chroma(b, bytes / b.pixel_bytes);
  apply_rop(b.rop, result_.data, pattern_.data, source_.data, destination_.data, bytes);
  if (with_mask) merge(bytes);
  write_rect(view, b.destination, area, result_.data, width);
}

// Linear surfaces without a pattern, in place. What is written is not read again: an operand either is elsewhere
// or begins after it.
bool BlitRunner::combine_in_place(const Blit& b, memory::View& view, Rect block) {
  constexpr uint64_t lane = 32, page = memory::View::page_size;
  if (b.destination.tiled() || b.source.tiled() || b.source_kind != SourceKind::color || b.pattern_kind != PatternKind::none) return false;
  const ByteRect area = source_area(b, block);
  const uint64_t to = b.destination.row(block.y1) + static_cast<uint64_t>(int64_t{block.x1} * b.pixel_bytes);
  const uint64_t from = b.source.row(area.y) + static_cast<uint64_t>(int64_t{area.x});
  if (area.height != 1 || area.width % lane || to % lane || from % lane || (to > from && to - from < area.width)) return false;
  for (uint64_t done = 0, n; done < area.width; done += n) {
    n = std::min({area.width - done, page - (to + done) % page, page - (from + done) % page});
    std::byte* target = view.at_for_write(to + done);
    const std::byte* source = view.at(from + done);
    // Two addresses may be one page.
    if (target > source && target < source + n) std::memcpy(source_.data, source, n), source = source_.data;
    apply_rop(b.rop, target, pattern_.data, source, target, n);
  }
  return true;
}

void BlitRunner::fetch_mono(const Blit& b, memory::View& view, Rect block) {
  const MonoSource& mono = b.mono;
  const uint32_t width = static_cast<uint32_t>(block.x2 - block.x1);
  std::byte bitmap[block_bytes / 8 + 2];
  std::byte* pixel = source_.data;
  std::byte* mask = mask_.data;
  for (int32_t y = block.y1; y < block.y2; ++y) {
    const uint64_t first_bit =
        static_cast<uint64_t>(y - b.rect.y1) * mono.row_bits + mono.start + static_cast<uint64_t>(block.x1 - b.rect.x1);
    const uint64_t first_byte = first_bit / 8, bytes = (first_bit % 8 + width + 7) / 8;
    if (mono.immediate.empty()) {
      view.read(mono.address + first_byte, bitmap, bytes);
    } else {
      const uint64_t have = mono.immediate.size_bytes(), from = std::min(first_byte, have), n = std::min(bytes, have - from);
      std::memset(bitmap, 0, bytes);
      std::memcpy(bitmap, reinterpret_cast<const std::byte*>(mono.immediate.data()) + from, n);
    }
    for (uint32_t i = 0; i < width; ++i, pixel += b.pixel_bytes, mask += b.pixel_bytes) {
      const uint64_t at = first_bit % 8 + i;
      const bool set = std::to_integer<unsigned>(bitmap[at / 8]) >> (7 - at % 8) & 1;
      put(pixel, set ? mono.foreground : mono.background, b.pixel_bytes);
      if (!set && mono.transparent) put(mask, 0, b.pixel_bytes);
    }
  }
}

void BlitRunner::make_pattern(const Blit& b, Rect block) {
  const uint32_t width = static_cast<uint32_t>(block.x2 - block.x1), height = static_cast<uint32_t>(block.y2 - block.y1);
  if (b.pattern_kind == PatternKind::solid)
    return fill_pixels(pattern_.data, b.solid, b.pixel_bytes, size_t{width} * height * b.pixel_bytes);
  std::byte* pixel = pattern_.data;
  std::byte* mask = mask_.data;
  for (uint32_t y = 0; y < height; ++y) {
    const uint32_t row = (static_cast<uint32_t>(block.y1) + y + b.seed_y) & 7;
    for (uint32_t x = 0; x < width; ++x, pixel += b.pixel_bytes, mask += b.pixel_bytes) {
      const uint32_t at = row * 8 + ((static_cast<uint32_t>(block.x1) + x + b.seed_x) & 7);
      put(pixel, b.pattern[at], b.pixel_bytes);
      if (!(b.pattern_mask >> at & 1)) put(mask, 0, b.pixel_bytes);
    }
  }
}

void BlitRunner::apply_chroma(const Blit& b, size_t pixels) {
  for (size_t i = 0; i < pixels; ++i) {
    const size_t at = i * b.pixel_bytes;
    const std::byte* key = b.chroma == ChromaKey::keep_if_source_in_range ? source_.data : destination_.data;
    const bool inside = in_range(get(key + at, b.pixel_bytes), b.chroma_low, b.chroma_high, b.pixel_bytes);
    if (inside == (b.chroma == ChromaKey::keep_if_source_in_range)) put(mask_.data + at, 0, b.pixel_bytes);
  }
}

void BlitRunner::merge(size_t bytes) {
  typedef uint64_t Lanes __attribute__((vector_size(32)));
  auto* result = reinterpret_cast<Lanes*>(result_.data);
  const auto* old = reinterpret_cast<const Lanes*>(destination_.data);
  const auto* mask = reinterpret_cast<const Lanes*>(mask_.data);
  for (size_t i = 0; i < (bytes + sizeof(Lanes) - 1) / sizeof(Lanes); ++i) result[i] = (result[i] & mask[i]) | (old[i] & ~mask[i]);
}

}  // namespace softgen::blitter

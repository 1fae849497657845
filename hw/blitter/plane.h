// SPDX-License-Identifier: GPL-2.0-or-later
// A surface as blit commands describe it, and moves of rectangles between it and a linear block on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/memory/view.h"
#include "hw/surface/tiling.h"

namespace softgen::blitter {

/// Tiled: `base` is page aligned, `pitch` positive, coordinates are not negative. Linear: anything goes;
/// addresses wrap at 48 bits.
struct Plane {
  uint64_t base = 0;
  int32_t pitch = 0;  ///< bytes
  surface::Tiling tiling = surface::Tiling::linear;
  uint8_t element = 1;  ///< bytes a pixel

  bool tiled() const { return tiling != surface::Tiling::linear; }
  uint64_t row(int32_t y) const { return base + static_cast<uint64_t>(int64_t{y} * pitch); }  ///< linear
  bool operator==(const Plane&) const = default;
};

/// `x` and `width` in bytes.
struct ByteRect {
  int32_t x, y;
  uint32_t width, height;
};

/// streamed: around the host's caches; the caller ends with stream_fence() (hw/surface/stream.h).
enum class Stores : uint8_t { cached, streamed };

void read_rect(memory::View& view, const Plane& plane, ByteRect rect, std::byte* block, size_t stride);
void write_rect(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block, size_t stride,
                Stores stores = Stores::cached);
/// The same where all pixels of `block`, which has at least a page, are equal: in a page of any tiling.
void fill_rect(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block, size_t stride);
/// Both have the same tiling and (ax, ay) lies in its page of `a` as (bx, by) does in its page of `b`. x in
/// bytes.
bool alike(const Plane& a, int32_t ax, int32_t ay, const Plane& b, int32_t bx, int32_t by);
/// From (x, y) of `from` to a rectangle of `to`, of which at least one is tiled and which do not share
/// memory. `block` has room for the rectangle; it is used when there is no shorter way.
void copy_rect(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y, std::byte* block,
               Stores stores);
/// Linear bytes; `backwards`: the runs go from the end, for overlapping operands with the destination above
/// the source.
void copy_bytes(memory::View& view, uint64_t to, uint64_t from, uint64_t bytes, bool backwards, Stores stores);

}  // namespace softgen::blitter

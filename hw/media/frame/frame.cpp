// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/frame/frame.h"

#include <algorithm>
#include <cstring>

#include "hw/media/frame/row_order.h"

namespace softgen::media {
namespace {

constexpr uint8_t grey = 128;
constexpr uint32_t luma_rows = 16, chroma_rows = 8;  ///< of a macroblock

const std::byte* bytes_of(const uint8_t* samples) { return reinterpret_cast<const std::byte*>(samples); }

}  // namespace

PictureLayout PictureLayout::field(unsigned parity) const {
  PictureLayout field = *this;
  for (PlaneLayout* plane : {&field.luma, &field.chroma}) {
    plane->first_row += parity;
    plane->row_step = 2;
    plane->height /= 2;
  }
  return field;
}

PictureLayout PictureLayout::limited(uint32_t width, uint32_t height) const {
  PictureLayout limited = *this;
  limited.luma.width = std::min(luma.width, width), limited.luma.height = std::min(luma.height, height);
  limited.chroma.width = (limited.luma.width + 1) / 2, limited.chroma.height = (limited.luma.height + 1) / 2;
  return limited;
}

PictureLayout nv12_layout(uint32_t pitch, surface::Tiling tiling, uint32_t width, uint32_t height, uint32_t chroma_row) {
  PictureLayout layout;
  layout.luma.pitch = pitch;
  layout.luma.tiling = tiling;
  layout.luma.width = width, layout.luma.height = height;
  layout.chroma = layout.luma;
  layout.chroma.first_row = chroma_row;
  layout.chroma.element = 2;
  layout.chroma.width = (width + 1) / 2, layout.chroma.height = (height + 1) / 2;
  return layout;
}

void PictureMap::open(memory::View& view, const StopFlag& stop, const PictureLayout& layout, uint64_t base, Access access) {
  PlaneLayout planes[] = {layout.luma, layout.chroma};
  for (PlaneLayout& plane : planes) plane.base = base;
  luma.open(view, stop, planes[0], access);
  chroma.open(view, stop, planes[1], access);
}

void store_frame(PictureMap& to, const Frame<uint8_t>& frame, WorkerPool* pool, bool has_chroma) {
  // As many rows as two rows of tiles have.
  constexpr uint32_t rows = 64;
  const uint32_t strips = (frame.luma.height() + rows - 1) / rows;
  for_each(pool_for_rows(to, pool), has_chroma ? strips + (strips + 1) / 2 : strips, [&](size_t i, unsigned) {
    const bool is_luma = i < strips;
    const auto y = static_cast<uint32_t>(is_luma ? i : i - strips) * rows;
    const Plane<uint8_t>& plane = is_luma ? frame.luma : frame.chroma;
    if (y >= plane.height()) return;
    (is_luma ? to.luma : to.chroma)
        .store(0, y, is_luma ? plane.width() : plane.width() / 2, std::min(rows, plane.height() - y), bytes_of(plane.row(y)),
               plane.stride());
  });
}

namespace {

template <typename T>
HostPicture picture_of(const Frame<T>& frame, bool has_chroma) {
  constexpr unsigned bytes = sizeof(T), bits = 8 * bytes;
  const auto plane = [](const Plane<T>& from, size_t first, unsigned samples) {
    return HostPlane{reinterpret_cast<const uint8_t*>(from.row(0) + first), from.stride() * bytes, samples * bytes, bytes, bits};
  };
  HostPicture picture{.width = frame.luma.width(), .height = frame.luma.height(), .planes = {}};
  picture.planes[0] = plane(frame.luma, 0, 1);
  for (size_t c = 0; has_chroma && c < 2; ++c) picture.planes[1 + c] = plane(frame.chroma, c, 2);
  return picture;
}

}  // namespace

HostPicture host_picture(const Frame<uint8_t>& frame, bool has_chroma) { return picture_of(frame, has_chroma); }
HostPicture host_picture(const Frame<uint16_t>& frame) { return picture_of(frame, true); }

void repeat_row_above(Frame<uint8_t>& frame, uint32_t x, uint32_t y) {
  if (!y) return make_grey(frame, x, y);
  for (uint32_t row = 0; row < luma_rows; ++row)
    std::memcpy(frame.luma.at(x * 16, y * luma_rows + row), frame.luma.at(x * 16, y * luma_rows - 1), 16);
  for (uint32_t row = 0; row < chroma_rows; ++row)
    std::memcpy(frame.chroma.at(x * 16, y * chroma_rows + row), frame.chroma.at(x * 16, y * chroma_rows - 1), 16);
}

void make_grey(Frame<uint8_t>& frame, uint32_t x, uint32_t y) {
  for (uint32_t row = 0; row < luma_rows; ++row) std::memset(frame.luma.at(x * 16, y * luma_rows + row), grey, 16);
  for (uint32_t row = 0; row < chroma_rows; ++row) std::memset(frame.chroma.at(x * 16, y * chroma_rows + row), grey, 16);
}

}  // namespace softgen::media

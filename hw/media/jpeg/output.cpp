// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/output.h"

#include <algorithm>
#include <functional>

namespace softgen::media::jpeg {
namespace {

constexpr uint32_t strip = 16;  // rows of one job

const std::byte* as_bytes(const uint8_t* samples) { return reinterpret_cast<const std::byte*>(samples); }

}  // namespace

// Clockwise: 90 degrees (right) puts the first column, from below, into the first row.
void Output::rotated_row(const Source& s, uint32_t y, uint8_t* to) {
  const Plane<uint8_t>& plane = *s.plane;
  switch (s.rotation) {
    case Rotation::none: std::copy_n(plane.row(y), s.width, to); break;
    case Rotation::half: std::reverse_copy(plane.row(s.height - 1 - y), plane.row(s.height - 1 - y) + s.width, to); break;
    case Rotation::right:
      for (uint32_t x = 0; x < s.height; ++x) to[x] = *plane.at(y, s.height - 1 - x);
      break;
    case Rotation::left:
      for (uint32_t x = 0; x < s.height; ++x) to[x] = *plane.at(s.width - 1 - y, x);
      break;
  }
}

void Output::row_of(const Resampling& from, uint32_t y, uint8_t* to, std::vector<uint8_t>& scratch) {
  const Source& source = from.source;
  const uint32_t width = source.columns(), height = source.rows();
  // Sampling differs by a factor of 1, 2 or 4 in either direction; a picture of an odd size has the larger half.
  const auto factor = [](uint32_t many, uint32_t few) { return many > few && few ? (many + few - 1) / few : 1; };
  const uint32_t down = factor(height, from.rows), up = factor(from.rows, height), across = factor(width, from.columns),
                 along = factor(from.columns, width);
  if (scratch.size() < 2 * size_t{width}) scratch.resize(2 * size_t{width});
  uint8_t *const first = scratch.data(), *const second = first + width;
  const uint32_t row = std::min(y * down / up, height - 1);
  rotated_row(source, row, first);
  if (down > 1 && from.average) {
    rotated_row(source, std::min(row + 1, height - 1), second);
    for (uint32_t x = 0; x < width; ++x) first[x] = static_cast<uint8_t>((first[x] + second[x] + 1) / 2);
  }
  for (uint32_t x = 0; x < from.columns; ++x) {
    const uint32_t at = std::min(x * across / along, width - 1);
    to[x] = across > 1 && from.average ? static_cast<uint8_t>((first[at] + first[std::min(at + 1, width - 1)] + 1) / 2) : first[at];
  }
}

void Output::rows(uint32_t count, WorkerPool* pool, const std::function<void(uint32_t row, std::vector<uint8_t>& scratch)>& body) {
  scratch_.resize(slots_of(pool));
  for_each(pool, (count + strip - 1) / strip, [&](size_t index, unsigned slot) {
    const auto first = static_cast<uint32_t>(index) * strip;
    for (uint32_t y = first; y < std::min(first + strip, count); ++y) body(y, scratch_[slot]);
  });
}

void Output::store(const ScanDecoder& picture, const Target& target, memory::View& view, const StopFlag& stop, WorkerPool* pool) {
  const Structure& structure = picture.structure();
  const bool packed = target.layout == Layout::uyvy || target.layout == Layout::yuy2, colored = structure.components == 3;
  const uint32_t half_width = (target.width + 1) / 2, half_height = (target.height + 1) / 2;
  std::array<Resampling, 3> from;
  for (unsigned i = 0; i < structure.components; ++i) {
    const Source source{&picture.plane(i), structure.real_width(i), structure.real_height(i), target.rotation};
    from[i] = {source, source.columns(), source.rows(), target.average};
    if (i == 0 || target.layout == Layout::planar) continue;
    from[i].columns = half_width;
    from[i].rows = packed ? from[0].rows : half_height;
  }
  const unsigned planes = target.layout == Layout::planar ? structure.components : packed ? 1 : 2;
  for (unsigned i = 0; i < planes; ++i) {
    PlaneLayout layout = target.planes[i];
    const bool pairs = i == 1 && target.layout == Layout::nv12;
    layout.element = packed || pairs ? 2 : 1;
    layout.width = pairs ? half_width : from[i].columns;
    layout.height = pairs ? half_height : from[i].rows;
    maps_[i].open(view, stop, layout, Access::write);
  }
  // Neutral chroma for a picture without: the same layout of bytes.
  const auto chroma = [&](unsigned component, uint32_t y, uint8_t* to, std::vector<uint8_t>& scratch) {
    if (colored) row_of(from[component], y, to, scratch);
    else std::fill_n(to, half_width, uint8_t{128});
  };
  const auto store_pairs = [&](uint32_t y, std::vector<uint8_t>& scratch) {
    std::vector<uint8_t> line(4 * size_t{half_width});
    uint8_t *const u = line.data() + 2 * size_t{half_width}, *const v = u + half_width;
    chroma(1, y, u, scratch), chroma(2, y, v, scratch);
    for (uint32_t x = 0; x < half_width; ++x) line[2 * x] = u[x], line[2 * x + 1] = v[x];
    maps_[1].store(0, y, half_width, 1, as_bytes(line.data()), 0);
  };
  const auto store_packed = [&](uint32_t y, std::vector<uint8_t>& scratch) {
    const bool luma_first = target.layout == Layout::yuy2;
    std::vector<uint8_t> line(4 * size_t{half_width}), luma(std::max(from[0].columns, 2 * half_width)), u(half_width), v(half_width);
    row_of(from[0], y, luma.data(), scratch);
    chroma(1, y, u.data(), scratch), chroma(2, y, v.data(), scratch);
    for (uint32_t x = 0; x < half_width; ++x) {
      line[4 * x + !luma_first] = luma[2 * x], line[4 * x + 2 + !luma_first] = luma[2 * x + 1];
      line[4 * x + luma_first] = u[x], line[4 * x + 2 + luma_first] = v[x];
    }
    maps_[0].store(0, y, 2 * half_width, 1, as_bytes(line.data()), 0);
  };
  if (packed) return rows(from[0].rows, pool, store_packed);
  for (unsigned i = 0; i < (target.layout == Layout::planar ? structure.components : 1u); ++i) {
    rows(from[i].rows, pool, [&](uint32_t y, std::vector<uint8_t>& scratch) {
      std::vector<uint8_t> line(from[i].columns);
      row_of(from[i], y, line.data(), scratch);
      maps_[i].store(0, y, from[i].columns, 1, as_bytes(line.data()), 0);
    });
  }
  if (target.layout == Layout::nv12) rows(half_height, pool, store_pairs);
}

}  // namespace softgen::media::jpeg

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vebox/band.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::vebox {
namespace {

constexpr int chroma_columns(Sampling sampling, int width) { return sampling == Sampling::s444 ? width : (width + 1) / 2; }

uint16_t sample_at(const std::byte* from, unsigned bytes) {
  if (bytes == 1) return static_cast<uint16_t>(static_cast<unsigned>(*from) << 8);
  uint16_t sample;
  std::memcpy(&sample, from, sizeof sample);
  return sample;
}
void put_sample(uint16_t sample, unsigned bytes, std::byte* to) {
  if (bytes == 1) *to = static_cast<std::byte>(to_byte(sample));
  else std::memcpy(to, &sample, sizeof sample);
}

/// All rows of `planes`, of which `components` take turns in each element of `map`.
template <size_t components>
void load_planes(const PlaneMap& map, int x, unsigned bytes, const std::array<SamplePlane*, components>& planes, Bytes& scratch) {
  SamplePlane& first = *planes[0];
  constexpr int margin = SamplePlane::margin;
  const auto columns = static_cast<unsigned>(first.columns + 2 * margin);
  const size_t stride = size_t{columns} * components * bytes;
  scratch.resize(stride * static_cast<size_t>(first.rows));
  map.fetch(x - margin, first.first, columns, static_cast<unsigned>(first.rows), scratch.data(), stride);
  for (int y = 0; y < first.rows; ++y)
    for (size_t c = 0; c < components; ++c) {
      const std::byte* from = scratch.data() + static_cast<size_t>(y) * stride + c * bytes;
      uint16_t* const to = planes[c]->row(first.first + y) - margin;
      for (unsigned i = 0; i < columns; ++i, from += components * bytes) to[i] = sample_at(from, bytes);
    }
}

template <size_t components>
void store_planes(PlaneMap& map, uint32_t x, unsigned bytes, int first, int rows, const std::array<const SamplePlane*, components>& planes,
                  Bytes& scratch) {
  const auto columns = static_cast<unsigned>(planes[0]->columns);
  const size_t stride = size_t{columns} * components * bytes;
  scratch.resize(stride * static_cast<size_t>(rows));
  for (int y = 0; y < rows; ++y)
    for (size_t c = 0; c < components; ++c) {
      const uint16_t* const from = planes[c]->row(first + y);
      std::byte* to = scratch.data() + static_cast<size_t>(y) * stride + c * bytes;
      for (unsigned i = 0; i < columns; ++i, to += components * bytes) put_sample(from[i], bytes, to);
    }
  map.store(x, static_cast<uint32_t>(first), columns, static_cast<unsigned>(rows), scratch.data(), stride);
}

constexpr size_t packed_bytes = 4;  ///< a pixel of s444, two of s422

}  // namespace

void SurfaceMap::open(memory::View& view, const StopFlag& stop, const Surface& surface, Access access) {
  format = surface.format;
  for (size_t i = 0; i < (format.planar ? 2 : 1); ++i) planes[i].open(view, stop, surface.planes[i], access);
}

void SamplePlane::resize(int first_row, int row_count, int column_count) {
  first = first_row, rows = row_count, columns = column_count;
  stride = static_cast<size_t>(columns + 2 * margin);
  samples.resize(stride * static_cast<size_t>(rows));
}

void Band::resize(Sampling of, int y, int n, int width, int around) {
  sampling = of, first = y, count = n;
  planes[0].resize(y - around, n + 2 * around, width);
  const int down = step_y(), columns = chroma_columns(of, width);
  for (int c = 1; c < 3; ++c) planes[static_cast<size_t>(c)].resize((y - around) / down, (n + 2 * around) / down, columns);
}

void load(const SurfaceMap& from, uint32_t x, uint32_t width, int y, int count, Band& band, Bytes& scratch) {
  const PixelFormat& format = from.format;
  band.resize(format.sampling, y, count, static_cast<int>(width), Band::margin);
  auto& [luma, u, v] = band.planes;
  const auto left = static_cast<int>(x);
  if (format.planar) {
    load_planes<1>(from.planes[0], left, format.bytes, {&luma}, scratch);
    return load_planes<2>(from.planes[1], left / 2, format.bytes, {&u, &v}, scratch);
  }
  constexpr int margin = SamplePlane::margin;
  const bool pairs = format.sampling == Sampling::s422;
  const int begin = pairs ? left / 2 - margin : left - margin;
  const auto elements = static_cast<unsigned>(u.columns + 2 * margin);
  const size_t stride = elements * packed_bytes;
  scratch.resize(stride * static_cast<size_t>(luma.rows));
  from.planes[0].fetch(begin, luma.first, elements, static_cast<unsigned>(luma.rows), scratch.data(), stride);
  for (int i = 0; i < luma.rows; ++i) {
    const std::byte* at = scratch.data() + static_cast<size_t>(i) * stride;
    uint16_t* const to[3] = {luma.row(luma.first + i), u.row(luma.first + i) - margin, v.row(luma.first + i) - margin};
    const auto& place = format.place;
    for (int e = 0; e < static_cast<int>(elements); ++e, at += packed_bytes) {
      if (!pairs) {
        for (size_t c = 0; c < 3; ++c) (c ? to[c] : to[0] - margin)[e] = sample_at(at + place[c], 1);
        continue;
      }
      to[1][e] = sample_at(at + place[1], 1), to[2][e] = sample_at(at + place[3], 1);
      for (int k = 0; k < 2; ++k)
        if (const int column = 2 * (e - margin) + k; column >= -margin && column < luma.columns + margin)
          to[0][column] = sample_at(at + place[static_cast<size_t>(2 * k)], 1);
    }
  }
}

void store(const Band& band, uint32_t x, uint32_t width, uint8_t alpha, SurfaceMap& to, Bytes& scratch) {
  const PixelFormat& format = to.format;
  const auto& [luma, u, v] = band.planes;
  if (format.planar) {
    store_planes<1>(to.planes[0], x, format.bytes, band.first, band.count, {&luma}, scratch);
    return store_planes<2>(to.planes[1], x / 2, format.bytes, band.first / 2, (band.count + 1) / 2, {&u, &v}, scratch);
  }
  const bool pairs = format.sampling == Sampling::s422;
  const auto elements = static_cast<unsigned>(u.columns);
  const size_t stride = elements * packed_bytes;
  scratch.resize(stride * static_cast<size_t>(band.count));
  for (int i = 0; i < band.count; ++i) {
    std::byte* at = scratch.data() + static_cast<size_t>(i) * stride;
    const int y = band.first + i;
    const uint16_t *const from_y = luma.row(y), *const from_u = u.row(y), *const from_v = v.row(y);
    for (size_t e = 0; e < elements; ++e, at += packed_bytes) {
      const auto& place = format.place;
      if (pairs) {
        // The second pixel of the last pair may lie beyond the width: it repeats the first.
        put_sample(from_y[2 * e], 1, at + place[0]), put_sample(from_y[2 * e + (2 * e + 1 < width)], 1, at + place[2]);
        put_sample(from_u[e], 1, at + place[1]), put_sample(from_v[e], 1, at + place[3]);
        continue;
      }
      put_sample(from_y[e], 1, at + place[0]), put_sample(from_u[e], 1, at + place[1]), put_sample(from_v[e], 1, at + place[2]);
      at[place[3]] = static_cast<std::byte>(alpha);
    }
  }
  to.planes[0].store(pairs ? x / 2 : x, static_cast<uint32_t>(band.first), elements, static_cast<unsigned>(band.count), scratch.data(),
                     stride);
}

void resample(const Band& from, Sampling sampling, int width, const Colour& colour, Band& to) {
  to.resize(sampling, from.first, from.count, width, 0);
  for (int y = 0; y < from.count; ++y) std::copy_n(from.planes[0].row(from.first + y), width, to.planes[0].row(from.first + y));
  const int from_x = from.step_x(), from_y = from.step_y(), to_x = to.step_x(), to_y = to.step_y();
  const bool wide = to_x > from_x && colour.average_horizontally, tall = to_y > from_y && colour.average_vertically;
  for (size_t c = 1; c < 3; ++c) {
    const SamplePlane& source = from.planes[c];
    SamplePlane& target = to.planes[c];
    const int last_row = (from.first + from.count - 1) / from_y, last_column = source.columns - 1;
    for (int y = target.first; y < target.first + target.rows; ++y) {
      const int top = std::min(y * to_y / from_y, last_row), bottom = std::min(top + tall, last_row);
      const uint16_t *const a = source.row(top), *const b = source.row(bottom);
      uint16_t* const out = target.row(y);
      for (int x = 0; x < target.columns; ++x) {
        const int left = std::min(x * to_x / from_x, last_column), right = std::min(left + wide, last_column);
        out[x] = static_cast<uint16_t>((a[left] + a[right] + b[left] + b[right] + 2u) / 4);
      }
    }
  }
}

}  // namespace softgen::media::vebox

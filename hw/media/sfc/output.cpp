// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc/output.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::sfc {
namespace {

using vebox::Band;
using vebox::SamplePlane;
using vebox::Sampling;

/// The upper bits of a sample, rounded.
uint32_t upper_bits(uint16_t sample, unsigned count) {
  return std::min((sample + (1u << (15 - count))) >> (16 - count), (1u << count) - 1);
}

uint32_t width_of(const Job& job) { return job.orientation.transposed ? job.y.scaled : job.x.scaled; }
uint32_t height_of(const Job& job) { return job.orientation.transposed ? job.x.scaled : job.y.scaled; }

/// The frame's planes, ended where the picture ends.
vebox::Surface picture_of(const Job& job) {
  vebox::Surface out = job.output;
  const uint32_t width = job.left + width_of(job), height = job.top + height_of(job);
  const auto end = [](PlaneLayout& plane, uint32_t columns, uint32_t rows) {
    plane.width = std::min(plane.width, columns), plane.height = std::min(plane.height, rows);
  };
  end(out.planes[0], job.target() == Sampling::s422 ? (width + 1) / 2 : width, height);
  end(out.planes[1], (width + 1) / 2, (height + 1) / 2);
  return out;
}

void flip(const SamplePlane& from, Orientation how, SamplePlane& to) {
  for (int i = 0; i < from.rows; ++i) {
    const uint16_t* const source = from.row(from.first + i);
    uint16_t* const out = to.row(how.flip_y ? to.first + to.rows - 1 - i : to.first + i);
    if (how.flip_x) std::reverse_copy(source, source + from.columns, out);
    else std::copy_n(source, from.columns, out);
  }
}

void transpose(const SamplePlane& from, Orientation how, SamplePlane& to) {
  for (int x = 0; x < from.columns; ++x) {
    uint16_t* const out = to.row(how.flip_y ? to.first + to.rows - 1 - x : to.first + x);
    for (int i = 0; i < from.rows; ++i) out[how.flip_x ? from.rows - 1 - i : i] = from.row(from.first + i)[x];
  }
}

/// The upper ten bits, rounded.
void round_to_ten_bits(Band& band) {
  constexpr uint32_t half = 1 << 5, most = 0xffc0;
  for (SamplePlane& plane : band.planes)
    for (uint16_t& sample : plane.samples) sample = static_cast<uint16_t>(std::min(sample + half, most) & most);
}

}  // namespace

Output::Output(const Job& job, memory::View& view, const StopFlag& stop) : job_(job) {
  picture_.open(view, stop, picture_of(job), Access::write);
  if (job.fill) frame_.open(view, stop, job.output, Access::write);
}

void Output::store(const Band& band, uint32_t x, uint16_t alpha, vebox::SurfaceMap& to, vebox::Bytes& bytes) const {
  const auto columns = static_cast<uint32_t>(band.planes[0].columns);
  if (job_.packing == Packing::vebox) return vebox::store(band, x, columns, static_cast<uint8_t>(upper_bits(alpha, 8)), to, bytes);
  const auto& [r, g, b] = band.planes;
  const bool wide = job_.packing == Packing::rgb10;
  const size_t element = wide ? 4 : 2, stride = columns * element;
  bytes.resize(stride * static_cast<size_t>(band.count));
  const uint32_t high = upper_bits(alpha, 2) << 30;
  for (int i = 0; i < band.count; ++i) {
    const uint16_t *const red = r.row(band.first + i), *const green = g.row(band.first + i), *const blue = b.row(band.first + i);
    std::byte* at = bytes.data() + static_cast<size_t>(i) * stride;
    for (uint32_t k = 0; k < columns; ++k, at += element) {
      const uint32_t pixel = wide ? high | upper_bits(red[k], 10) << 20 | upper_bits(green[k], 10) << 10 | upper_bits(blue[k], 10)
                                  : upper_bits(red[k], 5) << 11 | upper_bits(green[k], 6) << 5 | upper_bits(blue[k], 5);
      std::memcpy(at, &pixel, element);
    }
  }
  to.planes[0].store(x, static_cast<uint32_t>(band.first), columns, static_cast<unsigned>(band.count), bytes.data(), stride);
}

void Output::fill(int first, int count, Band& band, vebox::Bytes& bytes) {
  const PlaneLayout& plane = job_.output.planes[0];
  const uint32_t width = job_.target() == Sampling::s422 ? 2 * plane.width : plane.width;
  band.resize(job_.target(), first, count + count % 2, static_cast<int>(width), 0);
  for (size_t c = 0; c < 3; ++c) std::fill(band.planes[c].samples.begin(), band.planes[c].samples.end(), job_.fill->colour[c]);
  store(band, 0, job_.fill->alpha, frame_, bytes);
}

void Output::put(Band& rows, Band& a, Band& b, vebox::Bytes& bytes) {
  const auto left = static_cast<int>(job_.left), top = static_cast<int>(job_.top);
  const auto width = static_cast<int>(job_.x.scaled), height = static_cast<int>(job_.y.scaled);
  const int behind = height - rows.first - rows.count;
  const Orientation how = job_.orientation;
  Band* now = &a;
  int x = left;
  if (how.transposed) {
    a.resize(rows.sampling, top, width, rows.count, 0);
    for (size_t c = 0; c < 3; ++c) transpose(rows.planes[c], how, a.planes[c]);
    x = how.flip_x ? left + behind : left + rows.first;
  } else if (how.flip_x || how.flip_y) {
    a.resize(rows.sampling, how.flip_y ? top + behind : top + rows.first, rows.count, width, 0);
    for (size_t c = 0; c < 3; ++c) flip(rows.planes[c], how, a.planes[c]);
  } else {
    now = &rows;
    rows.first += top;
    for (size_t c = 0; c < 3; ++c) rows.planes[c].first += c ? top / rows.step_y() : top;
  }
  if (now->sampling != job_.target()) {
    vebox::resample(*now, job_.target(), now->planes[0].columns, {.average_horizontally = true, .average_vertically = true}, b);
    now = &b;
  }
  if (job_.ten_bits) round_to_ten_bits(*now);
  store(*now, static_cast<uint32_t>(x), job_.alpha, picture_, bytes);
}

}  // namespace softgen::media::sfc

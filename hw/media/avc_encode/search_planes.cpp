// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/search_planes.h"

#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

// (1 -5 20 20 -5 1) / 32, of samples that are `step` apart.
void half_samples(const uint8_t* from, ptrdiff_t step, uint8_t* to, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i += 8) {
    const uint8_t* const at = from + i;
    const I16x8 v =
        widen(at - 2 * step) + widen(at + 3 * step) + (widen(at) + widen(at + step)) * 20 - (widen(at - step) + widen(at + 2 * step)) * 5;
    const I16x8 rounded = (v + 16) >> 5;
    store8(narrow(rounded, rounded), to + i);
  }
}

}  // namespace

bool SearchPlanes::load(const PlaneMap& luma, uint32_t width, uint32_t height, const StopFlag& stop) {
  const int columns = static_cast<int>(width) + 2 * border, rows = static_cast<int>(height) + 2 * border;
  stride_ = columns;
  for (auto& plane : planes_) plane.resize(static_cast<size_t>(columns) * static_cast<size_t>(rows));
  for (int y = 0; y < rows; y += 16) {
    if (stop.aborting()) return false;
    luma.fetch(-border, y - border, static_cast<unsigned>(columns), 16, reinterpret_cast<std::byte*>(planes_[full].data() + y * stride_),
               static_cast<size_t>(stride_));
  }
  // The outermost samples have no half samples: no block of the search reads them.
  for (int y = 0; y < rows; ++y)
    half_samples(planes_[full].data() + y * stride_ + 8, 1, planes_[across].data() + y * stride_ + 8, stride_ - 16);
  for (int y = 2; y + 3 < rows; ++y) {
    half_samples(planes_[full].data() + y * stride_ + 8, stride_, planes_[down].data() + y * stride_ + 8, stride_ - 16);
    half_samples(planes_[across].data() + y * stride_ + 8, stride_, planes_[both].data() + y * stride_ + 8, stride_ - 16);
  }
  return loaded_ = true;
}

// 8.4.2.2.1: quarter samples are means of the two next to them.
Block SearchPlanes::block(int x, int y, unsigned width, unsigned height, std::array<uint8_t, 256>& scratch) const {
  const int fx = x & 3, fy = y & 3, left = x >> 2, top = y >> 2;
  const uint8_t* first = nullptr;
  const uint8_t* second = nullptr;
  if (fx % 2 == 0 && fy % 2 == 0) {
    first = place(fx ? (fy ? both : across) : (fy ? down : full), left, top);
  } else if (fx == 2) {
    first = place(both, left, top), second = place(across, left, top + (fy == 3));
  } else if (fy == 2) {
    first = place(both, left, top), second = place(down, left + (fx == 3), top);
    if (!fx) second = place(down, left, top);
  } else if (!fy) {
    first = place(across, left, top), second = place(full, left + (fx == 3), top);
  } else if (!fx) {
    first = place(down, left, top), second = place(full, left, top + (fy == 3));
  } else {
    first = place(across, left, top + (fy == 3)), second = place(down, left + (fx == 3), top);
  }
  if (!second) return {first, stride_};
  for (unsigned row = 0; row < height; ++row, first += stride_, second += stride_)
    for (unsigned i = 0; i < width; i += 8) store8(average(load8(first + i), load8(second + i)), scratch.data() + row * 16 + i);
  return {scratch.data(), 16};
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/picture.h"

#include <algorithm>
#include <cstring>

namespace softgen::display {

bool Picture::begin() {
  MutexLock lock(mutex_);
  if (composing_) return false;
  return composing_ = true;
}

void Picture::end() {
  MutexLock lock(mutex_);
  composing_ = false;
}

void Picture::Box::add(const Box& other) {
  left = std::min(left, other.left);
  top = std::min(top, other.top);
  right = std::max(right, other.right);
  bottom = std::max(bottom, other.bottom);
}

/// Takes row_ over as row `y`. `whole`: all of it counts as changed.
Picture::Box Picture::row_changed(uint32_t y, bool whole) {
  uint32_t* out = pixels_.data() + size_t{y} * size_.width;
  if (!whole && std::memcmp(out, row_.data(), size_.width * sizeof out[0]) == 0) return {};
  uint32_t first = 0, last = size_.width;
  if (!whole) {
    while (out[first] == row_[first]) first++;
    while (out[last - 1] == row_[last - 1]) last--;
  }
  std::copy(row_.begin() + first, row_.begin() + last, out + first);
  return {first, y, last, y + 1};
}

bool Picture::compose(const Scene& scene, SinkRange sink, Compositor::Turn& turn) {
  const Frame& frame = scene.frame;
  const bool whole = size_.width != frame.width || size_.height != frame.height;
  if (whole) {
    clear();
    pixels_.resize(size_t{frame.width} * frame.height);
    row_.resize(frame.width);
    size_ = {frame.width, frame.height};
  }
  Composer composer(frame, turn.view(), scene.palettes.legacy);
  Box changed;
  for (uint32_t y = 0; y < frame.height && turn.next_row(); y++) {
    composer.row(y, row_.data());
    expand_range(sink, row_);
    changed.add(row_changed(y, whole));
  }
  changed_.add(changed);
  return !changed.empty();
}

void Picture::clear() {
  size_ = {};
  std::vector<uint32_t>().swap(pixels_);
  changed_ = {};
}

Picture::Size Picture::size() {
  MutexLock lock(mutex_);
  return composing_ ? Size{} : size_;
}

void Picture::take(void* pixels, Size size, size_t stride, bool full, sg_dirty_rect* dirty) {
  *dirty = {};
  MutexLock lock(mutex_);
  if (composing_ || size.width != size_.width || size.height != size_.height) return;
  const Box box = full ? Box{0, 0, size_.width, size_.height} : changed_;
  changed_ = {};
  if (box.empty()) return;
  for (uint32_t y = box.top; y < box.bottom; y++) {
    const uint32_t* from = pixels_.data() + size_t{y} * size_.width + box.left;
    std::memcpy(static_cast<std::byte*>(pixels) + y * stride + box.left * sizeof from[0], from, (box.right - box.left) * sizeof from[0]);
  }
  *dirty = {box.left, box.top, box.right - box.left, box.bottom - box.top};
}

}  // namespace softgen::display

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/linear_view.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace softgen::run {
namespace {

constexpr uint64_t page_bytes = 4096, line_bytes = 64;

}  // namespace

std::unique_ptr<LinearView> LinearView::create(surface::Tiling tiling, uint32_t pitch, uint64_t size, defs::Bit6Swizzle swizzle) {
  const uint32_t tile = surface::tile_pitch(tiling, 1);
  if (!pitch || pitch % tile) return nullptr;
  const int fd = memfd_create("softgen-view", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(size)) == 0) memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    return nullptr;
  }
  return std::unique_ptr<LinearView>(new LinearView(tiling, pitch, swizzle, fd, {static_cast<std::byte*>(memory), size}));
}

LinearView::~LinearView() {
  munmap(memory_.data(), memory_.size());
  close(fd_);
}

template <typename Copy>
void LinearView::each_page(uint64_t size, Copy&& copy) const {
  const surface::PageShape shape = surface::page_shape(tiling_, 1);
  const uint64_t row_bytes = uint64_t{pitch_} * shape.height, rows = std::min<uint64_t>(size, memory_.size()) / row_bytes;
  const uint32_t columns = pitch_ / shape.width;
  for (uint64_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column)
      copy((row * columns + column) * page_bytes, surface::PageRect{0, 0, shape.width, shape.height},
           memory_.data() + row * row_bytes + uint64_t{column} * shape.width);
}

/// All bits that count are within a page, and bit 6 is not among them: the same both ways.
void LinearView::swizzle_page(const std::byte* from, std::byte* to) const {
  for (uint64_t at = 0; at < page_bytes; at += line_bytes)
    std::memcpy(to + at, from + swizzle_.of(at, tiling_ == surface::Tiling::y), line_bytes);
}

void LinearView::fill(std::span<const std::byte> tiled) {
  if (written_) return;
  each_page(tiled.size(), [&](uint64_t page, const surface::PageRect& rect, std::byte* linear) {
    alignas(64) std::byte straight[page_bytes];
    swizzle_page(tiled.data() + page, straight);
    surface::page_to_linear(tiling_, 1, straight, rect, linear, pitch_);
  });
}

void LinearView::flush(std::span<std::byte> tiled) {
  if (!written_) return;
  written_ = false;
  each_page(tiled.size(), [&](uint64_t page, const surface::PageRect& rect, const std::byte* linear) {
    alignas(64) std::byte straight[page_bytes];
    surface::linear_to_page(tiling_, 1, straight, rect, linear, pitch_);
    swizzle_page(straight, tiled.data() + page);
  });
}

}  // namespace softgen::run

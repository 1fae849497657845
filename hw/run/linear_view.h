// SPDX-License-Identifier: GPL-2.0-or-later
// A tiled buffer as its GTT mapping shows it: the fences of the hardware make it linear. Here it is a copy, which is brought up to date when the program
// states its accesses (GEM_SET_DOMAIN) and written back before anything else uses the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hw/defs/bit6_swizzle.h"
#include "hw/surface/tiling.h"

namespace softgen::run {

class LinearView {
 public:
  /// Of a buffer of `size` bytes (whole pages) with rows of `pitch` bytes, in memory that `swizzle`s. Null: the pitch is no number of whole tiles, or there is no memory.
  static std::unique_ptr<LinearView> create(surface::Tiling tiling, uint32_t pitch, uint64_t size, defs::Bit6Swizzle swizzle);
  ~LinearView();
  LinearView(const LinearView&) = delete;
  LinearView& operator=(const LinearView&) = delete;

  /// The file to be mapped instead of the buffer's.
  int fd() const { return fd_; }
  /// Takes over what the buffer has, unless the program may have written to the view since the last flush(). Rows beyond the last whole tile have
  /// no place in a tiled buffer: they are not copied.
  void fill(std::span<const std::byte> tiled);
  /// From now on the program may write to the view.
  void expect_writes() { written_ = true; }
  /// Writes what the program may have written back into the buffer.
  void flush(std::span<std::byte> tiled);

 private:
  LinearView(surface::Tiling tiling, uint32_t pitch, defs::Bit6Swizzle swizzle, int fd, std::span<std::byte> memory)
      : tiling_(tiling), pitch_(pitch), swizzle_(swizzle), fd_(fd), memory_(memory) {}
  void swizzle_page(const std::byte* from, std::byte* to) const;
  /// copy(page of the buffer, rectangle, the same in the view) for each page.
  template <typename Copy>
  void each_page(uint64_t size, Copy&& copy) const;

  const surface::Tiling tiling_;
  const uint32_t pitch_;
  const defs::Bit6Swizzle swizzle_;
  const int fd_;
  const std::span<std::byte> memory_;
  bool written_ = false;
};

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
// The multisample control surface: for each pixel, the slice in which each sample's colour lies, or that all have the clear colour.
// SKL PRM vol 7, "Multisample Compression"; codes as Mesa's blorp reads them (blorp_nir_builder.h).
#pragma once

#include <cstdint>

#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::surface {

class Mcs {
 public:
  Mcs() = default;
  /// Not there unless the surface is multisampled, of the MSS layout, and has one.
  explicit Mcs(const Surface& surface);

  explicit operator bool() const { return bytes_ != 0; }

  /// Of a pixel in `slice` counted from the surface's own first one.
  uint64_t read(memory::View& view, uint32_t x, uint32_t y, uint32_t slice) const;
  void write(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint64_t code) const;

  /// Every sample is in its own slice: all that is ever written, besides the clear code.
  static uint64_t identity(unsigned samples);
  uint64_t identity() const { return identity(samples_); }
  uint64_t clear() const { return bytes_ == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes_)) - 1; }
  bool is_clear(uint64_t code) const { return samples_ == 2 ? (code & 3) == 3 : code == clear(); }
  /// The slice of `sample`, for codes that are not clear.
  unsigned slice_of(uint64_t code, unsigned sample) const {
    const unsigned bits = samples_ == 2 ? 1 : samples_ == 4 ? 2 : samples_ == 8 ? 3 : 4;
    return static_cast<unsigned>(code >> (bits * sample)) & ((1u << bits) - 1);
  }

 private:
  uint64_t address(uint32_t x, uint32_t y, uint32_t slice) const;

  uint64_t base_ = 0;
  uint32_t pitch_ = 0, qpitch_ = 0;
  unsigned samples_ = 1, bytes_ = 0;
};

}  // namespace softgen::surface

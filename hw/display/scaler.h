// SPDX-License-Identifier: GPL-2.0-or-later
// Image scaling as a source of rows. The hardware's 7-tap polyphase filters are not published for Gen9; a tent filter whose width
// follows the shrink factor stands for them. Constant areas stay exactly constant, and a factor of 1 is the identity.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/display/pixel.h"

namespace softgen::display {

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// The whole row `y`, y < height().
  virtual void row(uint32_t y, Pixel* out) = 0;
  virtual uint32_t width() const = 0;
  virtual uint32_t height() const = 0;
};

class Scaler final : public RowSource {
 public:
  /// `source` must outlive it. Sizes 1..8192.
  Scaler(RowSource& source, uint32_t width, uint32_t height);
  void row(uint32_t y, Pixel* out) override;
  uint32_t width() const override { return width_; }
  uint32_t height() const override { return height_; }

 private:
  static constexpr unsigned max_taps = 16;  ///< beyond a shrink by 8 pixels are skipped
  struct Taps {
    uint32_t count = 0;
    uint32_t at[max_taps];
    uint32_t weight[max_taps];  ///< sum 1 << 14
  };
  static Taps taps(uint32_t position, uint32_t from, uint32_t to);
  const Pixel* squeezed_row(uint32_t y);

  RowSource& source_;
  uint32_t width_, height_;
  std::vector<Taps> columns_;
  struct Line {
    int64_t y = -1;
    std::vector<Pixel> pixels;
  };
  std::vector<Line> lines_;
  std::vector<Pixel> scratch_;
};

}  // namespace softgen::display

// SPDX-License-Identifier: GPL-2.0-or-later
// One frame of a pipe: planes blended in order, colour stages, panel fitter, row by row. Everything it shows is in `Frame`; memory is
// read while rows are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/base/hash.h"
#include "hw/display/color.h"
#include "hw/display/plane.h"
#include "hw/display/scaler.h"

namespace softgen::display {

/// Destination of a scaler on the pipe.
struct Window {
  int32_t x = 0, y = 0;
  uint32_t width = 0, height = 0;
  bool operator==(const Window&) const = default;
};

struct Layer {
  PlaneView plane;
  unsigned id = 0;  ///< 0..3 universal plane, 4 cursor
  bool scaled = false;
  Window window;  ///< its place; of the plane's own size unless scaled
};

struct Frame {
  uint32_t width = 0, height = 0;                ///< active size of the transcoder: what is shown
  uint32_t source_width = 0, source_height = 0;  ///< PIPESRC: what the planes make up
  std::optional<Window> fitter;                  ///< the pipe scaler's window
  std::vector<Layer> layers;                     ///< bottom first
  Pixel bottom;
  bool bottom_gamma = false, bottom_csc = false;
  ColorPipe color;
  unsigned bits_per_channel = 8;
};

/// All that a frame is made of except the memory that its planes show: it can be composed later, on another thread. `frame` refers to
/// `palettes`.
struct Scene {
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  Palettes palettes;
  Frame frame;
};

/// Not for several threads. `frame` and `palette` must outlive it.
class Composer {
 public:
  Composer(const Frame& frame, memory::View& view, const LegacyPalette& palette);
  ~Composer();
  uint32_t width() const { return frame_.width; }
  uint32_t height() const { return frame_.height; }
  /// Row `y` < height() as x8r8g8b8 (deeper channels rounded), width() pixels.
  void row(uint32_t y, uint32_t* out);
  /// The same with the channels' true depth: 16 bits each, as they are after quantization.
  void deep_row(uint32_t y, Pixel* out);

 private:
  class LayerRows;
  class SourceRows;
  struct Active;

  void exact_row(uint32_t y, Pixel* out);
  void source_span(uint32_t y, uint32_t x0, uint32_t x1, Pixel* out);
  void blend_layer(Active& layer, uint32_t y, uint32_t x0, uint32_t x1, Pixel* out);
  void copy_row(uint32_t y, uint32_t* out);
  void patch(uint32_t y, uint32_t x0, uint32_t x1, uint32_t* out);
  bool choose_fast_path();

  const Frame& frame_;
  std::vector<std::unique_ptr<Active>> layers_;
  std::unique_ptr<SourceRows> source_rows_;
  std::unique_ptr<Scaler> fitter_;
  bool fast_ = false;
  bool uniform_flags_ = true, any_hidden_ = false;
  ColorPipe::Table8 table_;
  std::vector<Pixel> span_, pixels_, fitted_, deep_;
  std::vector<uint32_t> keys_;
  std::vector<uint8_t> flags_, hidden_;
};

/// 32 bits that differ when frames differ (up to chance). The hardware's CRC polynomial is not published; drivers only compare.
class FrameHash {
 public:
  void add(std::span<const std::byte> row) { hash_ = hash64(row, hash_); }
  uint32_t value() const { return static_cast<uint32_t>(hash_); }

 private:
  uint64_t hash_ = 0;
};

}  // namespace softgen::display

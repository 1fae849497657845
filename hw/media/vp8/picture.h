// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a VP8 frame (RFC 6386), its macroblocks, and the surfaces it reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/media/frame/frame.h"

namespace softgen::media::vp8 {

constexpr uint32_t max_blocks = 256;  ///< macroblocks a row or column
constexpr unsigned segments = 4, max_partitions = 8;

enum class Reference : uint8_t { intra, last, golden, alternate };
/// Order of the mode tree's leaves. Those of inter prediction follow.
enum class Mode : uint8_t { dc, vertical, horizontal, true_motion, by_block, zero, nearest, near, fresh, split };
enum class BlockMode : uint8_t {
  dc,
  true_motion,
  vertical,
  horizontal,
  left_down,
  right_down,
  vertical_right,
  vertical_left,
  horizontal_down,
  horizontal_up
};
constexpr unsigned block_modes = 10;

/// A quarter of a sample is 2.
struct Vector {
  int16_t x = 0, y = 0;
  bool operator==(const Vector&) const = default;
};

/// [4 types][8 bands][3 contexts][11], 9.9 and 13.5: as in guest memory.
using TokenProbabilities = std::array<std::array<std::array<std::array<uint8_t, 11>, 3>, 8>, 4>;

/// DC and AC factors.
struct Quantizer {
  std::array<int16_t, 2> y1{}, y2{}, uv{};
};

/// Section 15.
struct LoopFilter {
  bool enabled = false, simple = false, deltas = false;
  uint8_t sharpness = 0;
  std::array<uint8_t, segments> level{};
  std::array<int8_t, 4> reference_delta{}, mode_delta{};
};

struct FrameParams {
  uint32_t width = 1, height = 1;  ///< macroblocks
  bool is_key = false, mb_no_coeff_skip = false, update_segment_map = false, segmentation = false, load_segments = false,
       store_segments = false;
  bool bilinear = false, full_pixel_chroma = false;
  std::array<bool, 4> sign_bias{};  ///< by Reference
  std::array<Quantizer, segments> quantizer;
  std::array<uint8_t, 3> segment_probs{}, uv_mode_probs{};
  std::array<uint8_t, 4> y_mode_probs{};
  uint8_t skip_prob = 0;
  std::array<uint8_t, 3> reference_probs{};               ///< inter, not last, alternate
  std::array<std::array<uint8_t, 19>, 2> vector_probs{};  ///< y, x
  LoopFilter filter;
};

struct Macroblock {
  Mode mode = Mode::dc, uv_mode = Mode::dc;
  Reference reference = Reference::intra;
  uint8_t segment = 0;
  bool skip = false;      ///< mb_skip_coeff; later: no coefficient was there
  uint8_t partition = 0;  ///< of split
  std::array<BlockMode, 16> block_mode{};
  std::array<Vector, 16> vector{};
  bool has_y2() const { return mode != Mode::by_block && mode != Mode::split; }
};

/// The frame's macroblocks with a border of one above and on both sides, which is intra.
class MacroblockMap {
 public:
  void resize(uint32_t width, uint32_t height) {
    stride_ = width + 2;
    blocks_.assign(stride_ * (height + 1), {});
  }
  Macroblock* at(uint32_t x, uint32_t y) { return blocks_.data() + (y + 1) * stride_ + x + 1; }
  const Macroblock* at(uint32_t x, uint32_t y) const { return blocks_.data() + (y + 1) * stride_ + x + 1; }
  size_t stride() const { return stride_; }

 private:
  size_t stride_ = 0;
  std::vector<Macroblock> blocks_;
};

/// last, golden, alternate. Maps that are not open read as grey.
using References = std::array<PictureMap, 3>;

}  // namespace softgen::media::vp8

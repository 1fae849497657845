// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that is being decoded: its samples, and what is kept of each macroblock for its neighbours, the loop filter and later direct prediction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hw/media/avc/params.h"
#include "hw/media/frame/frame.h"

namespace softgen::media::avc {

struct Mv {
  int16_t x = 0, y = 0;
  bool operator==(const Mv&) const = default;
};

enum class Kind : uint8_t { intra4, intra8, intra16, pcm, inter };

/// How an inter macroblock is divided.
struct Division {
  uint8_t type = 0;        ///< mb_type as in B slices (table 7-14), P's too; 22 also for B_Skip and B_Direct_16x16
  uint8_t sub_shapes = 0;  ///< of type 22: 2 bits per quarter, 0 8x8, 1 8x4, 2 4x8, 3 4x4
};

/// Blocks of 4x4 samples are in raster order: luma row * 4 + column, chroma row * 2 + column; 8x8 blocks row * 2 + column.
struct Macroblock {
  static constexpr uint16_t no_slice = 0xffff;
  uint16_t slice = no_slice;  ///< no_slice: not decoded
  Kind kind = Kind::inter;
  bool field = false;  ///< of a field picture, or a field macroblock
  bool skip = false, transform8 = false;
  bool uniform = false;  ///< inter: one motion for all of it
  Division division;
  uint8_t direct = 0;  ///< 8x8 blocks whose motion is not in the stream; bit 4: B_Skip or B_Direct_16x16
  uint8_t cbp = 0;     ///< luma 3:0, chroma 5:4
  uint8_t dc_coded = 0;
  uint8_t chroma_mode = 0;
  uint8_t qp = 0;
  std::array<uint8_t, 2> chroma_qp{};
  std::array<uint8_t, 16> intra_mode{};
  std::array<std::array<uint8_t, 16>, 3> coefficients{};  ///< total_coeff of each block
  std::array<std::array<int8_t, 4>, 2> ref{};             ///< index of the list; -1: unused
  std::array<std::array<int8_t, 4>, 2> picture{};         ///< which picture that is: motion_record.h; -1: none
  std::array<std::array<Mv, 16>, 2> mv{};
  std::array<std::array<std::array<uint8_t, 2>, 16>, 2> mvd{};  ///< absolute, at most 255

  bool intra() const { return kind != Kind::inter; }
};

/// What the loop filter needs of a slice.
struct FilterParams {
  uint8_t disable = 0;
  int8_t alpha_offset = 0, beta_offset = 0;
};

/// How far a picture is. In macroblocks or pairs, and rows of them.
struct Progress {
  uint32_t written = 0;  ///< from the first one on, without gaps
  uint32_t filtered = 0;
  bool in_order = true;  ///< slices have followed each other: their rows may be filtered before all are there
};

/// Scaled coefficients, in raster order within a block; luma by block, or by 8x8 block; chroma by plane and block. All are 0 when it is used again.
struct Residual {
  alignas(32) std::array<int16_t, 256> luma{};
  alignas(32) std::array<std::array<int16_t, 64>, 2> chroma{};
  uint32_t coded = 0;  ///< blocks with coefficients: luma 15:0, chroma 23:16
  uint8_t mode16 = 0;  ///< of Intra_16x16

  /// Those of I_PCM lie where luma's coefficients do.
  std::span<uint8_t, 384> samples() { return std::span<uint8_t, 384>(reinterpret_cast<uint8_t*>(luma.data()), 384); }
};

struct Picture {
  PictureParams params;
  uint32_t width = 0, height = 0;  ///< macroblocks
  std::vector<Macroblock> mbs;     ///< by row and column, also in MBAFF
  std::vector<FilterParams> slices;
  Frame<uint8_t> frame;
  Progress progress;
  std::array<std::vector<Residual>, 2> residuals;  ///< scratch, all without coefficients between slices

  /// `with_samples` false: there is no frame, since macroblocks are only parsed.
  void begin(const PictureParams& of, bool with_samples = true) {
    params = of;
    width = of.width_mbs, height = of.height_mbs();
    mbs.assign(size_t{width} * height, Macroblock{});
    slices.clear();
    progress = {};
    if (with_samples) frame.resize(width * 16, height * 16);
  }
  /// The number of the next slice; there is none behind Macroblock::no_slice.
  uint16_t add_slice(const SliceParams& slice) {
    slices.push_back({slice.disable_deblocking, slice.alpha_offset, slice.beta_offset});
    return static_cast<uint16_t>(slices.size() - 1);
  }
  /// The place of a macroblock in decoding order (6.4.1).
  uint32_t order(uint32_t x, uint32_t y) const { return params.mbaff ? (y / 2 * width + x) * 2 + y % 2 : y * width + x; }
  /// The column and row of the macroblock at a place in decoding order.
  std::pair<uint32_t, uint32_t> place(uint32_t order) const {
    if (!params.mbaff) return {order % width, order / width};
    return {order / 2 % width, order / 2 / width * 2 + order % 2};
  }
  Macroblock& mb(uint32_t x, uint32_t y) { return mbs[size_t{y} * width + x]; }
  const Macroblock& mb(uint32_t x, uint32_t y) const { return mbs[size_t{y} * width + x]; }
};

/// Samples of a macroblock, or of its field's rows.
struct Samples {
  uint8_t* at;
  ptrdiff_t stride;
};

}  // namespace softgen::media::avc

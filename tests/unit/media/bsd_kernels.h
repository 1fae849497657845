// SPDX-License-Identifier: GPL-2.0-or-later
// What VFE and intel-vaapi-driver's kernels (src/shaders/h264/mc and ildb) make of the bit stream decoder's records, in plain C++: a picture from records and
// references alone. Steps are H.264's equations; which field means what is as the kernels have it.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "hw/defs/gen5/all.h"
#include "hw/media/avc/edge_filter.h"
#include "hw/media/avc/intra.h"
#include "hw/media/avc/tables.h"
#include "hw/media/bsd/it_data.h"
#include "hw/media/frame/frame.h"
#include "tests/catch.h"

namespace softgen::media::bsd::test {

using Command = std::array<uint32_t, 16>;
using Inline = defs::gen5::AVC_IT_INLINE_DATA;
using Ildb = defs::gen5::AVC_ILDB_DATA;

/// The reference frames; fields are every other row.
struct ReferenceFrames {
  std::array<Frame<uint8_t>, 16> frames;
  /// Sample of a plane of a frame, or of one of its fields. Chroma: `x` counts pairs.
  int at(unsigned frame, int parity, bool chroma, unsigned component, int x, int y) const {
    const Plane<uint8_t>& plane = chroma ? frames[frame].chroma : frames[frame].luma;
    const int width = static_cast<int>(plane.width()) / (chroma ? 2 : 1), height = static_cast<int>(plane.height()) / (parity < 0 ? 1 : 2);
    x = std::clamp(x, 0, width - 1), y = std::clamp(y, 0, height - 1);
    const auto row = static_cast<uint32_t>(parity < 0 ? y : y * 2 + parity), column = static_cast<uint32_t>(x);
    return chroma ? *plane.at(column * 2 + component, row) : *plane.at(column, row);
  }
};

/// 8.4.2.2.1, one sample.
template <class At>
int luma_sample(const At& at, int x, int y, int fx, int fy) {
  const auto clip = [](int v) { return std::clamp(v, 0, 255); };
  const auto tap = [](int a, int b, int c, int d, int e, int f) { return a - 5 * b + 20 * c + 20 * d - 5 * e + f; };
  const auto across = [&](int px, int py) {
    return tap(at(px - 2, py), at(px - 1, py), at(px, py), at(px + 1, py), at(px + 2, py), at(px + 3, py));
  };
  const auto down = [&](int px, int py) {
    return tap(at(px, py - 2), at(px, py - 1), at(px, py), at(px, py + 1), at(px, py + 2), at(px, py + 3));
  };
  const int whole = at(x, y), b = clip((across(x, y) + 16) >> 5), h = clip((down(x, y) + 16) >> 5);
  const int s = clip((across(x, y + 1) + 16) >> 5), m = clip((down(x + 1, y) + 16) >> 5);
  const int j =
      clip((tap(across(x, y - 2), across(x, y - 1), across(x, y), across(x, y + 1), across(x, y + 2), across(x, y + 3)) + 512) >> 10);
  const auto average = [](int p, int q) { return (p + q + 1) >> 1; };
  switch (fy * 4 + fx) {
    case 0: return whole;
    case 1: return average(whole, b);
    case 2: return b;
    case 3: return average(b, at(x + 1, y));
    case 4: return average(whole, h);
    case 5: return average(b, h);
    case 6: return average(b, j);
    case 7: return average(b, m);
    case 8: return h;
    case 9: return average(h, j);
    case 10: return j;
    case 11: return average(j, m);
    case 12: return average(h, at(x, y + 1));
    case 13: return average(h, s);
    case 14: return average(j, s);
    default: return average(s, m);
  }
}

class Kernels {
 public:
  /// `residual_offset`: in dwords.
  Kernels(uint32_t width_mbs, uint32_t height_mbs, bool mbaff, bool field_picture, unsigned residual_offset,
          const ReferenceFrames& references, const CoefficientLayout& layout)
      : mbaff_(mbaff), field_picture_(field_picture), offset_(residual_offset), references_(references), layout_(layout) {
    frame.resize(width_mbs * 16, height_mbs * 16);
  }

  /// A command and its IT data.
  void decode(const Command& command, std::span<const uint32_t> data) {
    in_ = Inline::unpack(std::span(command).subspan(4));
    data_ = data;
    const bool field_access = in_.mbaff_field_access == Inline::MBAFFFieldAccess::FIELD;
    luma_ = place(frame.luma, 16, field_access), chroma_ = place(frame.chroma, 8, field_access);
    const std::span<const uint32_t> coefficients = data.subspan(std::min<size_t>(offset_, data.size()));
    if (in_.intra_macroblock && in_.macroblock_type == 25) return pcm(coefficients);
    residual_ = read_residual(coefficients, static_cast<uint8_t>(in_.coded_block_pattern), in_.transform_8x8, layout_);
    if (in_.intra_macroblock) return intra();
    inter(field_access);
    for (unsigned part = 0; part < 4; ++part) add_luma(part % 2 * 8, part / 2 * 8, 8);
    add_chroma();
  }

  /// Of all macroblocks, in decoding order, when all are decoded.
  void deblock(const Ildb& edges, uint32_t x, uint32_t y) {
    if (edges.disable) return;
    const bool split = mbaff_ && edges.field_macroblock;
    const ptrdiff_t luma_stride = static_cast<ptrdiff_t>(frame.luma.stride()) << split,
                    chroma_stride = static_cast<ptrdiff_t>(frame.chroma.stride()) << split;
    uint8_t* const luma = frame.luma.at(x * 16, split ? y / 2 * 32 + y % 2 : y * 16);
    uint8_t* const chroma = frame.chroma.at(x * 16, split ? y / 2 * 16 + y % 2 : y * 8);
    left(edges, luma, luma_stride, chroma, chroma_stride);
    for (unsigned e = 1; e < 4; ++e)
      if (e == 2 || edges.filter_internal_4x4_edges) inside(edges, e, true, luma + e * 4, luma_stride, 1, chroma + e * 4, chroma_stride, 2);
    top(edges, luma, luma_stride, chroma, chroma_stride);
    for (unsigned e = 1; e < 4; ++e)
      if (e == 2 || edges.filter_internal_4x4_edges)
        inside(edges, e, false, luma + e * 4 * luma_stride, 1, luma_stride, chroma + e * 2 * chroma_stride, 2, chroma_stride);
  }

  Frame<uint8_t> frame;

 private:
  avc::Samples place(Plane<uint8_t>& plane, uint32_t rows, bool field_access) {
    const auto stride = static_cast<ptrdiff_t>(plane.stride());
    const uint32_t x = in_.horizontal_origin * 16, y = in_.vertical_origin;
    if (field_access) return {plane.at(x, y * rows * 2 + in_.bottom_field), stride * 2};
    return {plane.at(x, y * rows), stride};
  }
  static uint8_t clip(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }
  uint8_t* luma_at(unsigned x, unsigned y) const { return luma_.at + static_cast<ptrdiff_t>(y) * luma_.stride + x; }
  uint8_t* chroma_at(unsigned x, unsigned y, unsigned component) const {
    return chroma_.at + static_cast<ptrdiff_t>(y) * chroma_.stride + x * 2 + component;
  }
  bool flag(uint8_t bit) const { return in_.intra_chroma_and_availability_or_sub_mb_shapes & bit; }

  void pcm(std::span<const uint32_t> words) {
    std::array<uint8_t, 384> samples{};
    std::memcpy(samples.data(), words.data(), std::min(words.size_bytes(), samples.size()));
    for (unsigned i = 0; i < 256; ++i) *luma_at(i % 16, i / 16) = samples[i];
    for (unsigned i = 0; i < 128 && in_.chroma_format_idc; ++i) *chroma_at(i % 8, i % 64 / 8, i / 64) = samples[256 + i];
  }
  void add_luma(unsigned x, unsigned y, unsigned size) const {
    for (unsigned i = 0; i < size * size; ++i) {
      const unsigned px = x + i % size, py = y + i / size;
      *luma_at(px, py) = clip(*luma_at(px, py) + residual_[(py / 8 * 2 + px / 8) * 64 + py % 8 * 8 + px % 8]);
    }
  }
  void add_chroma() const {
    for (unsigned i = 0; i < 128; ++i) {
      uint8_t* const at = chroma_at(i % 8, i % 64 / 8, i / 64);
      *at = clip(*at + residual_[256 + i]);
    }
  }

  void intra() {
    const bool a = flag(available_a), lower = flag(available_lower_a), b = flag(available_b), c = flag(available_c), d = flag(available_d);
    const auto mode = [&](unsigned i) { return in_.intra_modes_or_reference[i / 2] >> i % 2 * 4 & 15; };
    if (in_.chroma_format_idc) {
      const unsigned chroma_mode = in_.intra_chroma_and_availability_or_sub_mb_shapes >> 6;
      avc::intra_chroma(chroma_.at, chroma_.stride, chroma_mode, {a, lower}, {false, b, d, false});
      add_chroma();
    }
    if (in_.macroblock_type) {
      avc::intra16(luma_.at, luma_.stride, mode(0), {a && lower, b, d, false});
      for (unsigned part = 0; part < 4; ++part) add_luma(part % 2 * 8, part / 2 * 8, 8);
      return;
    }
    const unsigned size = in_.transform_8x8 ? 8 : 4;
    for (unsigned i = 0; i < 256 / size / size; ++i) {
      const unsigned block = size == 8 ? i * 4 : i, x = avc::block_x[block] * 4u, y = avc::block_y[block] * 4u;
      avc::Edges edges{x || (y < 8 ? a : lower), y || b, false, false};
      edges.corner = x ? y || b : !y ? d : y <= 8 ? a : lower;
      // Intra_8x8.asm: block 2 of frame macroblocks in MBAFF.
      if (size == 8 && !x && y && in_.mbaff_picture && !in_.field_macroblock && !a) edges.corner = in_.intra_8x8_block_2_corner_available;
      if (!y) edges.above_right = x + size < 16 ? b : c;
      else edges.above_right = x + size < 16 && avc::block_at[y / 4 - 1][(x + size) / 4] < block;
      (size == 8 ? avc::intra8 : avc::intra4)(luma_at(x, y), luma_.stride, mode(i), edges);
      add_luma(x, y, size);
    }
  }

  struct Prediction {
    std::array<int, 2> weight{1, 1}, offset{};
    bool plain = true;
    int denominator = 0;
  };
  // Bytes 16 * quarter of the weights.
  Prediction prediction(unsigned quarter, unsigned plane, bool both) const {
    std::array<uint8_t, 16> bytes;
    std::memcpy(bytes.data(), data_.data() + 32 + (in_.macroblock_type <= 3 ? 0 : quarter * 4), sizeof bytes);
    Prediction out;
    if (in_.weighted_prediction == Inline::WeightedPrediction::IMPLICIT && both) {
      std::array<int16_t, 2> words;
      std::memcpy(words.data(), bytes.data(), sizeof words);
      out = {{words[0], words[1]}, {}, false, 5};
    } else if (in_.weighted_prediction == Inline::WeightedPrediction::EXPLICIT) {
      out.plain = false;
      out.denominator = static_cast<int>(plane ? in_.chroma_log2_weight_denominator : in_.luma_log2_weight_denominator);
      for (unsigned list = 0; list < 2; ++list) {
        const bool is_128 = bytes[12] >> ((plane ? 2 : 0) + list) & 1;
        out.weight[list] = is_128 ? 128 : static_cast<int8_t>(bytes[plane * 4 + list * 2]);
        out.offset[list] = is_128 ? 0 : static_cast<int8_t>(bytes[plane * 4 + list * 2 + 1]);
      }
    }
    return out;
  }
  static uint8_t weighted(const Prediction& p, unsigned mode, std::array<int, 2> samples) {
    if (p.plain) return clip(mode == 2 ? (samples[0] + samples[1] + 1) >> 1 : samples[mode]);
    const int d = p.denominator;
    if (mode == 2)
      return clip(((samples[0] * p.weight[0] + samples[1] * p.weight[1] + (1 << d)) >> (d + 1)) + ((p.offset[0] + p.offset[1] + 1) >> 1));
    return clip(((samples[mode] * p.weight[mode] + (d ? 1 << (d - 1) : 0)) >> d) + p.offset[mode]);
  }

  void inter(bool field_access) {
    const uint32_t shapes = in_.intra_chroma_and_availability_or_sub_mb_shapes;
    const bool expanded = in_.macroblock_type == 22 && shapes;
    for (unsigned block = 0; block < 16; ++block) {
      const unsigned x = block % 4 * 4, y = block / 4 * 4, quarter = y / 8 * 2 + x / 8, within = y / 4 % 2 * 2 + x / 4 % 2;
      unsigned pair = in_.macroblock_type <= 3 ? 0 : quarter;
      if (expanded) pair = quarter * 4 + (shapes >> quarter * 2 & 3 ? within : 0);
      predict(x, y, quarter, pair, field_access);
    }
  }

  // A block of 4x4.
  void predict(unsigned x, unsigned y, unsigned quarter, unsigned pair, bool field_access) {
    const unsigned mode = in_.sub_mb_prediction_modes >> quarter * 2 & 3;
    const int mb_x = static_cast<int>(in_.horizontal_origin * 16), mb_y = static_cast<int>(in_.vertical_origin * 16);
    std::array<std::array<int, 2>, 16> luma{};
    std::array<std::array<std::array<int, 2>, 2>, 4> chroma{};
    for (unsigned list = 0; list < 2; ++list) {
      if (mode != 2 && mode != list) continue;
      const uint32_t reference = in_.intra_modes_or_reference[list * 4 + quarter];
      const unsigned number = reference & 0x7f;
      REQUIRE(number < 16);
      const int parity = field_access || field_picture_ ? static_cast<int>(reference >> 7) : -1;
      if (parity < 0) REQUIRE(reference < 16);
      const uint32_t word = data_[pair * 2 + list];
      const int mv_x = static_cast<int16_t>(word), mv_y = static_cast<int16_t>(word >> 16);
      const auto at = [&](int px, int py) { return references_.at(number, parity, false, 0, px, py); };
      for (unsigned i = 0; i < 16; ++i) {
        const int qx = (mb_x + static_cast<int>(x + i % 4)) * 4 + mv_x, qy = (mb_y + static_cast<int>(y + i / 4)) * 4 + mv_y;
        luma[i][list] = luma_sample(at, qx >> 2, qy >> 2, qx & 3, qy & 3);
      }
      // chromaMVAdjust.asm.
      const int adjust = parity < 0 || parity == static_cast<int>(in_.bottom_field) ? 0 : parity ? -2 : 2;
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned component = 0; component < 2; ++component) {
          const int qx = (mb_x / 2 + static_cast<int>(x / 2 + i % 2)) * 8 + mv_x;
          const int qy = (mb_y / 2 + static_cast<int>(y / 2 + i / 2)) * 8 + mv_y + adjust;
          const auto c = [&](int px, int py) { return references_.at(number, parity, true, component, (qx >> 3) + px, (qy >> 3) + py); };
          const int fx = qx & 7, fy = qy & 7;
          chroma[i][component][list] =
              ((8 - fx) * (8 - fy) * c(0, 0) + fx * (8 - fy) * c(1, 0) + (8 - fx) * fy * c(0, 1) + fx * fy * c(1, 1) + 32) >> 6;
        }
    }
    const Prediction of_luma = prediction(quarter, 0, mode == 2);
    for (unsigned i = 0; i < 16; ++i) *luma_at(x + i % 4, y + i / 4) = weighted(of_luma, mode, luma[i]);
    for (unsigned i = 0; i < 8 && in_.chroma_format_idc; ++i) {
      const unsigned component = i / 4;
      *chroma_at(x / 2 + i % 2, y / 2 + i / 2 % 2, component) =
          weighted(prediction(quarter, 1 + component, mode == 2), mode, chroma[i % 4][component]);
    }
  }

  static avc::Thresholds thresholds(const Ildb& edges, unsigned plane, unsigned kind) {
    const unsigned at = (plane * edge_kinds + kind) * 2;
    return avc::Thresholds({static_cast<uint8_t>(edges.threshold_index[at]), static_cast<uint8_t>(edges.threshold_index[at + 1])});
  }
  void left(const Ildb& edges, uint8_t* luma, ptrdiff_t luma_stride, uint8_t* chroma, ptrdiff_t chroma_stride) const {
    if (!edges.filter_left_edge) return;
    const bool mixed = mbaff_ && edges.left_field_macroblock != edges.field_macroblock;
    // AVC_ILDB_Filter_Mbaff_Y_v.asm, AVC_ILDB_Filter_Mbaff_UV_v.asm; `rows`: of the macroblock.
    const auto which = [&](unsigned row, unsigned rows) -> std::array<unsigned, 2> {
      if (!mixed) return {0, row * 4 / rows};
      if (edges.field_macroblock) return {row * 2 / rows, row % (rows / 2) * 8 / rows};
      return {row % 2, row * 4 / rows};
    };
    for (unsigned row = 0; row < 16; ++row) {
      const auto [edge, group] = which(row, 16);
      if (const uint32_t s = edges.external_strength[edge * 4 + group])
        avc::filter_luma_sample(luma + row * luma_stride, 1, s, thresholds(edges, 0, left_edge0 + edge));
    }
    for (unsigned i = 0; i < 16 && in_.chroma_format_idc; ++i) {
      const auto [edge, group] = which(i / 2, 8);
      if (const uint32_t s = edges.external_strength[edge * 4 + group])
        avc::filter_chroma_sample(chroma + i / 2 * chroma_stride + i % 2, 2, s, thresholds(edges, 1 + i % 2, left_edge0 + edge));
    }
  }
  /// `along`, `across`: steps.
  void inside(const Ildb& edges, unsigned e, bool vertical, uint8_t* luma, ptrdiff_t along, ptrdiff_t across, uint8_t* chroma,
              ptrdiff_t chroma_along, ptrdiff_t chroma_across) const {
    const uint32_t* const strengths = edges.internal_strength.data() + ((vertical ? 0u : 3u) + e - 1) * 4;
    for (unsigned i = 0; i < 16; ++i)
      if (strengths[i / 4]) avc::filter_luma_sample(luma + i * along, across, strengths[i / 4], thresholds(edges, 0, internal_edges));
    for (unsigned i = 0; i < 16 && e == 2 && in_.chroma_format_idc; ++i)
      if (strengths[i / 4])
        avc::filter_chroma_sample(chroma + i / 2 * chroma_along + i % 2, chroma_across, strengths[i / 4],
                                  thresholds(edges, 1 + i % 2, internal_edges));
  }
  void top(const Ildb& edges, uint8_t* luma, ptrdiff_t luma_stride, uint8_t* chroma, ptrdiff_t chroma_stride) const {
    if (!edges.filter_top_edge) return;
    const bool dual = mbaff_ && edges.above_field_macroblock && !edges.field_macroblock;
    for (unsigned n = 0; n < (dual ? 2u : 1u); ++n) {
      const uint32_t* const strengths = edges.external_strength.data() + 8 + n * 4;
      for (unsigned i = 0; i < 16; ++i)
        if (strengths[i / 4])
          avc::filter_luma_sample(luma + n * luma_stride + i, luma_stride << dual, strengths[i / 4], thresholds(edges, 0, top_edge0 + n));
      for (unsigned i = 0; i < 16 && in_.chroma_format_idc; ++i)
        if (strengths[i / 4])
          avc::filter_chroma_sample(chroma + n * chroma_stride + i, chroma_stride << dual, strengths[i / 4],
                                    thresholds(edges, 1 + i % 2, top_edge0 + n));
    }
  }

  const bool mbaff_, field_picture_;
  const unsigned offset_;
  const ReferenceFrames& references_;
  const CoefficientLayout& layout_;
  Inline in_{};
  std::span<const uint32_t> data_;
  ItResidual residual_{};
  avc::Samples luma_{}, chroma_{};
};

}  // namespace softgen::media::bsd::test

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/inter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace softgen::media::avc {
namespace {

constexpr unsigned stride = 16, source_stride = 32;

uint8_t clip(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

template <typename T>
int tap6(const T* at, ptrdiff_t step) {
  return at[-2 * step] - 5 * at[-step] + 20 * at[0] + 20 * at[step] - 5 * at[2 * step] + at[3 * step];
}

/// `from`: the sample of the block's first place; two more are before it, three behind.
struct Luma {
  const uint8_t* from;
  unsigned width, height;

  void copy(const uint8_t* at, uint8_t* to) const {
    for (unsigned y = 0; y < height; ++y) std::memcpy(to + y * stride, at + y * source_stride, width);
  }
  void half(const uint8_t* at, ptrdiff_t step, uint8_t* to) const {
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < width; ++x) to[y * stride + x] = clip((tap6(at + y * source_stride + x, step) + 16) >> 5);
  }
  void center(uint8_t* to) const {
    std::array<int16_t, 21 * stride> rows;
    const uint8_t* const first = from - 2 * ptrdiff_t{source_stride};
    for (unsigned y = 0; y < height + 5; ++y)
      for (unsigned x = 0; x < width; ++x) rows[y * stride + x] = static_cast<int16_t>(tap6(first + y * source_stride + x, 1));
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < width; ++x) to[y * stride + x] = clip((tap6(rows.data() + (y + 2) * stride + x, stride) + 512) >> 10);
  }
  void average(const uint8_t* with, uint8_t* to) const {
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < width; ++x) to[y * stride + x] = static_cast<uint8_t>((to[y * stride + x] + with[y * stride + x] + 1) >> 1);
  }
  // 8.4.2.2.1: quarter samples are averages of the two next to them.
  void predict(unsigned fx, unsigned fy, uint8_t* to) const {
    std::array<uint8_t, 256> other;
    const uint8_t *const right = from + (fx == 3), *const below = from + (fy == 3 ? source_stride : 0);
    if (!fx && !fy) return copy(from, to);
    if (fx == 2 && fy == 2) return center(to);
    if (!fy || !fx) {
      half(from, fx ? 1 : source_stride, to);
      if (fx == 2 || fy == 2) return;
      copy(fx ? right : below, other.data());
    } else if (fx == 2) {
      center(to);
      half(below, 1, other.data());
    } else if (fy == 2) {
      center(to);
      half(right, source_stride, other.data());
    } else {
      half(below, 1, to);
      half(right, source_stride, other.data());
    }
    average(other.data(), to);
  }
};

void chroma(const PlaneMap& map, int x, int y, unsigned width, unsigned height, uint8_t* to) {
  std::array<std::byte, 9 * source_stride> source;
  map.fetch(x >> 3, y >> 3, width + 1, height + 1, source.data(), source_stride);
  const auto* from = reinterpret_cast<const uint8_t*>(source.data());
  const int fx = x & 7, fy = y & 7, a = (8 - fx) * (8 - fy), b = fx * (8 - fy), c = (8 - fx) * fy, d = fx * fy;
  for (unsigned row = 0; row < height; ++row, from += source_stride, to += stride)
    for (unsigned i = 0; i < width * 2; ++i)
      to[i] =
          static_cast<uint8_t>((a * from[i] + b * from[i + 2] + c * from[i + source_stride] + d * from[i + source_stride + 2] + 32) >> 6);
}

}  // namespace

void InterPredictor::fetch(unsigned list, unsigned at, unsigned x, unsigned y, unsigned width, unsigned height, Block& to) const {
  const Macroblock& mb = *c_.mb;
  const int8_t picture = mb.picture[list][at / 8 * 2 + at % 4 / 2];
  const PictureMap* const map = picture < 0 ? nullptr : references_[static_cast<unsigned>(picture) % references_.size()];
  if (!map) {
    to.luma.fill(128), to.chroma.fill(128);
    return;
  }
  const Mv mv = mb.mv[list][at];
  const bool field_mb = c_.field_mb();
  const int row = static_cast<int>(field_mb ? c_.y / 2 : c_.y) * 16 + static_cast<int>(y), column = static_cast<int>(c_.x * 16 + x);
  std::array<std::byte, 21 * source_stride> source;
  map->luma.fetch(column + (mv.x >> 2) - 2, row + (mv.y >> 2) - 2, width + 5, height + 5, source.data(), source_stride);
  Luma{reinterpret_cast<const uint8_t*>(source.data()) + 2 * source_stride + 2, width, height}.predict(mv.x & 3, mv.y & 3, to.luma.data());
  if (c_.picture.params.monochrome) return;
  // Table 8-9: chroma of fields of different parity.
  int shift = 0;
  if (const unsigned part = static_cast<unsigned>(picture) & 3; part != whole) {
    const bool is_bottom = field_mb ? c_.y % 2 : c_.picture.params.bottom();
    shift = is_bottom == (part == bottom_field) ? 0 : is_bottom ? 2 : -2;
  }
  chroma(map->chroma, column * 4 + mv.x, row * 4 + mv.y + shift, width / 2, height / 2, to.chroma.data());
}

// 8.4.2.3.1, implicit mode.
std::array<int, 2> InterPredictor::implicit(int ref0, int ref1) const {
  const int32_t poc0 = motion_.poc(motion_.picture(0, ref0)), poc1 = motion_.poc(motion_.picture(1, ref1));
  const int tb = static_cast<int>(std::clamp<int64_t>(int64_t{motion_.current_poc()} - poc0, -128, 127));
  const int td = static_cast<int>(std::clamp<int64_t>(int64_t{poc1} - poc0, -128, 127));
  if (!td || motion_.long_term(0, ref0) || motion_.long_term(1, ref1)) return {32, 32};
  const int tx = (16384 + std::abs(td / 2)) / td, factor = std::clamp((tb * tx + 32) >> 6, -1024, 1023) >> 2;
  if (factor < -64 || factor > 128) return {32, 32};
  return {64 - factor, factor};
}

InterPredictor::Weights InterPredictor::weights(unsigned plane, int ref0, int ref1) const {
  const PictureParams& params = c_.picture.params;
  const SliceParams& slice = c_.slice;
  const bool both = ref0 >= 0 && ref1 >= 0, is_b = slice.type == SliceType::b;
  if (is_b && params.weighted_bipred == 2) {
    if (!both) return {};
    const auto [w0, w1] = implicit(ref0, ref1);
    return {w0 == 32 && w1 == 32, 6, w0, w1, 0};
  }
  if (is_b ? params.weighted_bipred != 1 : !params.weighted_pred) return {};
  const auto of = [&](unsigned list, int ref) {
    return slice.weights[list][(static_cast<unsigned>(ref) >> c_.field_mb()) % max_list][plane];
  };
  const int denominator = plane ? slice.chroma_denominator : slice.luma_denominator;
  if (!both) {
    const Weight one = ref0 >= 0 ? of(0, ref0) : of(1, ref1);
    return {false, denominator, one.weight, 0, one.offset};
  }
  const Weight first = of(0, ref0), second = of(1, ref1);
  return {false, denominator + 1, first.weight, second.weight, (first.offset + second.offset + 1) >> 1};
}

// `step`: 2 for one of two interleaved components, of which `first` says which. `p1` null: one list.
void InterPredictor::store(const Samples& to, unsigned width, unsigned height, const uint8_t* p0, const uint8_t* p1, unsigned first,
                           unsigned step, const Weights& w) const {
  const int round = w.shift ? 1 << (w.shift - 1) : 0;
  for (unsigned y = 0; y < height; ++y, p0 += stride, p1 = p1 ? p1 + stride : nullptr) {
    uint8_t* const row = to.at + static_cast<ptrdiff_t>(y) * to.stride;
    if (w.plain) {
      for (unsigned x = first; x < width; x += step) row[x] = p1 ? static_cast<uint8_t>((p0[x] + p1[x] + 1) >> 1) : p0[x];
    } else {
      for (unsigned x = first; x < width; x += step)
        row[x] = clip(((p0[x] * w.w0 + (p1 ? p1[x] * w.w1 : 0) + round) >> w.shift) + w.offset);
    }
  }
}

void InterPredictor::block(unsigned x, unsigned y, unsigned width, unsigned height) {
  const unsigned at = y / 4 * 4 + x / 4, quarter = y / 8 * 2 + x / 8;
  const Macroblock& mb = *c_.mb;
  const std::array<int, 2> ref{mb.ref[0][quarter], mb.ref[1][quarter]};
  for (unsigned list = 0; list < 2; ++list)
    if (ref[list] >= 0) fetch(list, at, x, y, width, height, blocks_[list]);
  const unsigned from = ref[0] >= 0 ? 0 : 1;
  const bool both = ref[0] >= 0 && ref[1] >= 0;
  Samples luma = c_.luma(), colors = c_.chroma();
  luma.at += static_cast<ptrdiff_t>(y) * luma.stride + x;
  colors.at += static_cast<ptrdiff_t>(y / 2) * colors.stride + x;
  store(luma, width, height, blocks_[from].luma.data(), both ? blocks_[1].luma.data() : nullptr, 0, 1, weights(0, ref[0], ref[1]));
  if (c_.picture.params.monochrome) return;
  const Weights cb = weights(1, ref[0], ref[1]), cr = weights(2, ref[0], ref[1]);
  const uint8_t *const p0 = blocks_[from].chroma.data(), *const p1 = both ? blocks_[1].chroma.data() : nullptr;
  if (cb.plain && cr.plain) return store(colors, width, height / 2, p0, p1, 0, 1, cb);
  store(colors, width, height / 2, p0, p1, 0, 2, cb);
  store(colors, width, height / 2, p0, p1, 1, 2, cr);
}

bool InterPredictor::same(unsigned a, unsigned b) const {
  const Macroblock& mb = *c_.mb;
  for (unsigned list = 0; list < 2; ++list) {
    const unsigned qa = a / 8 * 2 + a % 4 / 2, qb = b / 8 * 2 + b % 4 / 2;
    if (mb.ref[list][qa] != mb.ref[list][qb] || (mb.ref[list][qa] >= 0 && mb.mv[list][a] != mb.mv[list][b])) return false;
  }
  return true;
}

// Blocks with the same motion are predicted together, however the macroblock was divided.
void InterPredictor::predict() {
  unsigned whole_quarters = 0;
  for (unsigned q = 0; q < 4; ++q) {
    const unsigned at = q / 2 * 8 + q % 2 * 2;
    if (same(at, at + 1) && same(at, at + 4) && same(at, at + 5)) whole_quarters |= 1u << q;
  }
  if (whole_quarters == 15) {
    const bool rows = same(0, 2) && same(8, 10);
    if (rows && same(0, 8)) return block(0, 0, 16, 16);
    if (rows) return block(0, 0, 16, 8), block(0, 8, 16, 8);
    if (same(0, 8) && same(2, 10)) return block(0, 0, 8, 16), block(8, 0, 8, 16);
  }
  for (unsigned q = 0; q < 4; ++q) {
    const unsigned x = q % 2 * 8, y = q / 2 * 8;
    if (whole_quarters >> q & 1) {
      block(x, y, 8, 8);
      continue;
    }
    for (unsigned i = 0; i < 4; ++i) block(x + i % 2 * 4, y + i / 2 * 4, 4, 4);
  }
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/inter.h"

#include <cstring>

#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

constexpr unsigned stride = 16, source_stride = 32;

// Places are computed eight at a time: what blocks of 4 have beyond their width is dropped.

[[gnu::always_inline]] inline I16x8 tap6(I16x8 a, I16x8 b, I16x8 c, I16x8 d, I16x8 e, I16x8 f) {
  return a + f + (c + d) * 20 - (b + e) * 5;
}

/// `from`: the sample of the block's first place; two more are before it, three behind.
struct Luma {
  const uint8_t* from;
  unsigned width, height;

  I16x8 tap_row(const uint8_t* at) const {
    return tap6(widen(at - 2), widen(at - 1), widen(at), widen(at + 1), widen(at + 2), widen(at + 3));
  }
  void half_row(const uint8_t* at, uint8_t* to) const {
    for (unsigned x = 0; x < width; x += 8)
      for (unsigned y = 0; y < height; ++y) {
        const I16x8 v = (tap_row(at + y * source_stride + x) + 16) >> 5;
        store8(narrow(v, v), to + y * stride + x);
      }
  }
  void half_column(const uint8_t* at, uint8_t* to) const {
    for (unsigned x = 0; x < width; x += 8) {
      const uint8_t* next = at + x - 2 * ptrdiff_t{source_stride};
      I16x8 r[5];
      for (I16x8& row : r) row = widen(next), next += source_stride;
      for (unsigned y = 0; y < height; ++y, next += source_stride) {
        const I16x8 last = widen(next), v = (tap6(r[0], r[1], r[2], r[3], r[4], last) + 16) >> 5;
        store8(narrow(v, v), to + y * stride + x);
        r[0] = r[1], r[1] = r[2], r[2] = r[3], r[3] = r[4], r[4] = last;
      }
    }
  }
  // Sums of both directions need more than 16 bits.
  void center(uint8_t* to) const {
    const I16x8 outer = low16(splat16(1), splat16(-5)), inner = splat16(20), lower = low16(splat16(-5), splat16(1));
    for (unsigned x = 0; x < width; x += 8) {
      const uint8_t* next = from + x - 2 * ptrdiff_t{source_stride};
      I16x8 r[5];
      for (I16x8& row : r) row = tap_row(next), next += source_stride;
      for (unsigned y = 0; y < height; ++y, next += source_stride) {
        const I16x8 last = tap_row(next);
        const I32x4 low = products(low16(r[0], r[1]), outer) + products(low16(r[2], r[3]), inner) + products(low16(r[4], last), lower);
        const I32x4 high = products(high16(r[0], r[1]), outer) + products(high16(r[2], r[3]), inner) + products(high16(r[4], last), lower);
        const I16x8 v = narrow((low + 512) >> 10, (high + 512) >> 10);
        store8(narrow(v, v), to + y * stride + x);
        r[0] = r[1], r[1] = r[2], r[2] = r[3], r[3] = r[4], r[4] = last;
      }
    }
  }
  void average_with(const uint8_t* other, size_t step, uint8_t* to) const {
    for (unsigned x = 0; x < width; x += 8)
      for (unsigned y = 0; y < height; ++y) store8(average(load8(to + y * stride + x), load8(other + y * step + x)), to + y * stride + x);
  }
  // 8.4.2.2.1: quarter samples are averages of the two next to them. Not of whole places.
  void predict(unsigned fx, unsigned fy, uint8_t* other, uint8_t* to) const {
    const uint8_t *const right = from + (fx == 3), *const below = from + (fy == 3 ? source_stride : 0);
    if (fx == 2 && fy == 2) return center(to);
    if (!fy || !fx) {
      if (fx) half_row(from, to);
      else half_column(from, to);
      if (fx != 2 && fy != 2) average_with(fx ? right : below, source_stride, to);
      return;
    }
    if (fx == 2) {
      center(to);
      half_row(below, other);
    } else if (fy == 2) {
      center(to);
      half_column(right, other);
    } else {
      half_row(below, to);
      half_column(right, other);
    }
    average_with(other, stride, to);
  }
};

/// `width`: of both components together.
void bilinear(const uint8_t* from, int fx, int fy, unsigned width, unsigned height, uint8_t* to) {
  const I16x8 a = splat16((8 - fx) * (8 - fy)), b = splat16(fx * (8 - fy)), c = splat16((8 - fx) * fy), d = splat16(fx * fy);
  for (unsigned x = 0; x < width; x += 8) {
    const uint8_t* row = from + x;
    I16x8 left = widen(row), right = widen(row + 2);
    for (unsigned y = 0; y < height; ++y) {
      row += source_stride;
      const I16x8 next = widen(row), after = widen(row + 2);
      const I16x8 v = (a * left + b * right + c * next + d * after + 32) >> 6;
      store8(narrow(v, v), to + y * stride + x);
      left = next, right = after;
    }
  }
}

}  // namespace

void InterPredictor::fetch_luma(const PlaneMap& map, int x, int y, unsigned width, unsigned height, uint8_t* to) {
  const unsigned fx = static_cast<unsigned>(x) & 3, fy = static_cast<unsigned>(y) & 3;
  x >>= 2, y >>= 2;
  if (!fx && !fy) return map.fetch(x, y, width, height, reinterpret_cast<std::byte*>(to), stride);
  const unsigned left = fx ? 2 : 0, above = fy ? 2 : 0;
  uint8_t* const first = source_.data() + (2 - above) * source_stride + 2 - left;
  map.fetch(x - static_cast<int>(left), y - static_cast<int>(above), width + (fx ? 5 : 0), height + (fy ? 5 : 0),
            reinterpret_cast<std::byte*>(first), source_stride);
  Luma{source_.data() + 2 * source_stride + 2, width, height}.predict(fx, fy, other_.data(), to);
}

void InterPredictor::fetch_chroma(const PlaneMap& map, int x, int y, unsigned width, unsigned height, uint8_t* to) {
  const int fx = x & 7, fy = y & 7;
  x >>= 3, y >>= 3;
  if (!fx && !fy) return map.fetch(x, y, width, height, reinterpret_cast<std::byte*>(to), stride);
  map.fetch(x, y, width + 1, height + 1, reinterpret_cast<std::byte*>(source_.data()), source_stride);
  bilinear(source_.data(), fx, fy, width * 2, height, to);
}

void InterPredictor::fetch(unsigned list, unsigned at, unsigned x, unsigned y, unsigned width, unsigned height, Block& to) {
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
  fetch_luma(map->luma, column * 4 + mv.x, row * 4 + mv.y, width, height, to.luma.data());
  if (c_.picture.params.monochrome) return;
  // Table 8-9: chroma of fields of different parity.
  int shift = 0;
  if (const unsigned part = static_cast<unsigned>(picture) & 3; part != whole) {
    const bool is_bottom = field_mb ? c_.y % 2 : c_.picture.params.bottom();
    shift = is_bottom == (part == bottom_field) ? 0 : is_bottom ? 2 : -2;
  }
  fetch_chroma(map->chroma, column * 4 + mv.x, row * 4 + mv.y + shift, width / 2, height / 2, to.chroma.data());
}

InterPredictor::Weights InterPredictor::weights(unsigned plane, int ref0, int ref1) const {
  const PictureParams& params = c_.picture.params;
  const SliceParams& slice = c_.slice;
  const bool both = ref0 >= 0 && ref1 >= 0, is_b = slice.type == SliceType::b;
  if (is_b && params.weighted_bipred == 2) {
    if (!both) return {};
    const auto [w0, w1] = motion_.implicit_weights(ref0, ref1);
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

// Samples of even and odd places have weights of their own: chroma's two components. `p1` null: one list.
void InterPredictor::store(const Samples& to, unsigned width, unsigned height, const uint8_t* p0, const uint8_t* p1, const Weights& even,
                           const Weights& odd) const {
  if (even.plain) {
    for (unsigned y = 0; y < height; ++y, p0 += stride, p1 = p1 ? p1 + stride : nullptr) {
      uint8_t* const row = to.at + static_cast<ptrdiff_t>(y) * to.stride;
      const U8x16 v = p1 ? average(load16(p0), load16(p1)) : load16(p0);
      if (width == 16) store16(v, row);
      else if (width == 8) store8(v, row);
      else store4(v, row);
    }
    return;
  }
  const auto even0 = static_cast<int16_t>(even.w0), even1 = static_cast<int16_t>(even.w1), odd0 = static_cast<int16_t>(odd.w0),
             odd1 = static_cast<int16_t>(odd.w1);
  const I16x8 factors{even0, even1, odd0, odd1, even0, even1, odd0, odd1};
  const int shift = even.shift;
  const I32x4 round = I32x4{} + (shift ? 1 << (shift - 1) : 0), offset{even.offset, odd.offset, even.offset, odd.offset};
  for (unsigned y = 0; y < height; ++y, p0 += stride, p1 = p1 ? p1 + stride : nullptr) {
    uint8_t* const row = to.at + static_cast<ptrdiff_t>(y) * to.stride;
    for (unsigned x = 0; x < width; x += 8) {
      const I16x8 first = widen(p0 + x), second = p1 ? widen(p1 + x) : I16x8{};
      const I32x4 low = ((products(low16(first, second), factors) + round) >> shift) + offset,
                  high = ((products(high16(first, second), factors) + round) >> shift) + offset;
      const I16x8 v = narrow(low, high);
      if (width == 4) store4(narrow(v, v), row + x);
      else store8(narrow(v, v), row + x);
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
  const Weights plane = weights(0, ref[0], ref[1]);
  store(luma, width, height, blocks_[from].luma.data(), both ? blocks_[1].luma.data() : nullptr, plane, plane);
  if (c_.picture.params.monochrome) return;
  // Either both components are plain, or none.
  const Weights cb = plane.plain ? plane : weights(1, ref[0], ref[1]), cr = plane.plain ? plane : weights(2, ref[0], ref[1]);
  store(colors, width, height / 2, blocks_[from].chroma.data(), both ? blocks_[1].chroma.data() : nullptr, cb, cr);
}

bool InterPredictor::same(unsigned a, unsigned b) const {
  const Macroblock& mb = *c_.mb;
  for (unsigned list = 0; list < 2; ++list) {
    const unsigned qa = a / 8 * 2 + a % 4 / 2, qb = b / 8 * 2 + b % 4 / 2;
    if (mb.ref[list][qa] != mb.ref[list][qb] || (mb.ref[list][qa] >= 0 && mb.mv[list][a] != mb.mv[list][b])) return false;
  }
  return true;
}

/// All of the macroblock has one motion; vectors of unused lists are whatever they are.
bool InterPredictor::uniform() const {
  const Macroblock& mb = *c_.mb;
  for (unsigned list = 0; list < 2; ++list) {
    const auto& ref = mb.ref[list];
    if (ref[0] != ref[1] || ref[0] != ref[2] || ref[0] != ref[3]) return false;
    if (ref[0] < 0) continue;
    uint32_t first;
    std::memcpy(&first, mb.mv[list].data(), sizeof first);
    U64x2 differ{};
    for (unsigned i = 0; i < 4; ++i) differ |= reinterpret_cast<U64x2>(load16(mb.mv[list].data() + i * 4)) ^ (first * 0x1'0000'0001u);
    if (differ[0] | differ[1]) return false;
  }
  return true;
}

// Blocks with the same motion are predicted together, however the macroblock was divided.
void InterPredictor::predict() {
  if (uniform()) {
    c_.mb->uniform = true;
    return block(0, 0, 16, 16);
  }
  unsigned whole_quarters = 0;
  for (unsigned q = 0; q < 4; ++q) {
    const unsigned at = q / 2 * 8 + q % 2 * 2;
    if (same(at, at + 1) && same(at, at + 4) && same(at, at + 5)) whole_quarters |= 1u << q;
  }
  if (whole_quarters == 15) {
    const bool rows = same(0, 2) && same(8, 10);
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

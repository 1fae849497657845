// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once per instruction set (BYTE_KERNELS and WORD_KERNELS name the tables).
#include "hw/media/hevc/sample_kernels.h"

#include "hw/media/lane_vectors.h"

namespace softgen::media::hevc {
namespace {

/// Tables 8-11 and 8-12, by the fraction: quarters of luma samples, eighths of chroma samples.
constexpr int8_t luma_filter[4][8] = {
    {0, 0, 0, 64, 0, 0, 0, 0}, {-1, 4, -10, 58, 17, -5, 1, 0}, {-1, 4, -11, 40, 40, -11, 4, -1}, {0, 1, -5, 17, 58, -10, 4, -1}};
constexpr int8_t chroma_filter[8][4] = {{0, 64, 0, 0},    {-2, 58, 10, -2}, {-4, 54, 16, -2}, {-6, 46, 28, -4},
                                        {-4, 36, 36, -4}, {-4, 28, 46, -6}, {-2, 16, 54, -4}, {-2, 10, 58, -2}};

/// `rows` rows of a filter whose taps are `distance` apart.
template <unsigned taps, typename From>
[[gnu::always_inline]] inline void filter_rows(const From* from, ptrdiff_t stride, ptrdiff_t distance, unsigned columns, unsigned rows,
                                               const int8_t* filter, unsigned shift, int16_t* to) {
  from -= (static_cast<ptrdiff_t>(taps) / 2 - 1) * distance;
  decltype(Sums::pair_of(0, 0)) pairs[taps / 2];
  for (unsigned i = 0; i < taps / 2; ++i) pairs[i] = Sums::pair_of(filter[2 * i], filter[2 * i + 1]);
  for (unsigned y = 0; y < rows; ++y, from += stride, to += max_block) {
    for (unsigned x = 0; x < columns; x += lanes) {
      Sums sums;
      for (unsigned i = 0; i < taps / 2; ++i) {
        const From* const at = from + x + static_cast<ptrdiff_t>(2 * i) * distance;
        sums.add(load(at), load(at + distance), pairs[i]);
      }
      const I16 result = sums.shifted(shift);
      std::memcpy(to + x, &result, sizeof result);
    }
  }
}

template <typename T, unsigned taps>
[[gnu::always_inline]] inline void interpolate(const T* from, ptrdiff_t stride, ptrdiff_t step, unsigned columns, unsigned rows,
                                               const int8_t (*filter)[taps], unsigned fraction_x, unsigned fraction_y, unsigned bits,
                                               int16_t* to) {
  const unsigned first_shift = bits - 8, up = 14 - bits;
  if (!fraction_x && !fraction_y) {
    for (unsigned y = 0; y < rows; ++y, from += stride, to += max_block) {
      for (unsigned x = 0; x < columns; x += lanes) {
        const I16 result = load(from + x) << static_cast<int16_t>(up);
        std::memcpy(to + x, &result, sizeof result);
      }
    }
    return;
  }
  if (!fraction_y) return filter_rows<taps>(from, stride, step, columns, rows, filter[fraction_x], first_shift, to);
  if (!fraction_x) return filter_rows<taps>(from, stride, stride, columns, rows, filter[fraction_y], first_shift, to);
  constexpr unsigned before = taps / 2 - 1;
  alignas(32) int16_t middle[max_block * (max_block + taps - 1) + kernel_overread];
  filter_rows<taps>(from - static_cast<ptrdiff_t>(before) * stride, stride, step, columns, rows + taps - 1, filter[fraction_x], first_shift,
                    middle);
  filter_rows<taps>(middle + before * max_block, max_block, max_block, columns, rows, filter[fraction_y], 6, to);
}

template <typename T>
void interpolate_luma(const T* from, ptrdiff_t stride, unsigned columns, unsigned rows, unsigned fraction_x, unsigned fraction_y,
                      unsigned bits, int16_t* to) {
  interpolate<T, 8>(from, stride, 1, columns, rows, luma_filter, fraction_x, fraction_y, bits, to);
}
template <typename T>
void interpolate_chroma(const T* from, ptrdiff_t stride, unsigned columns, unsigned rows, unsigned fraction_x, unsigned fraction_y,
                        unsigned bits, int16_t* to) {
  interpolate<T, 4>(from, stride, 2, columns, rows, chroma_filter, fraction_x, fraction_y, bits, to);
}

// Sums that do not fit 16 bits are beyond the largest sample, too: they are clamped twice.
template <typename T>
void combine(const int16_t* a, const int16_t* b, unsigned columns, unsigned rows, unsigned bits, T* to, ptrdiff_t stride) {
  const int limit = (1 << bits) - 1;
  const auto shift = static_cast<int16_t>(14 - bits + (b ? 1 : 0));
  const I16 round = splat(1 << shift >> 1);
  for (unsigned y = 0; y < rows; ++y, to += stride, a += max_block) {
    for (unsigned x = 0; x < columns; x += lanes) {
      I16 sum = load(a + x);
      if (b) sum = saturated_sum(sum, load(b + y * max_block + x));
      store(clamped(saturated_sum(sum, round) >> shift, limit), columns - x, to + x);
    }
  }
}

template <typename T>
void weigh(const int16_t* a, const int16_t* b, unsigned columns, unsigned rows, const Weighting (&by)[2], int limit, T* to,
           ptrdiff_t stride) {
  for (unsigned y = 0; y < rows; ++y, to += stride, a += max_block, b += b ? max_block : 0) {
    for (unsigned x = 0; x < columns; ++x) {
      const Weighting& w = by[x & 1];
      const int value =
          b ? (a[x] * w.weight[0] + b[x] * w.weight[1] + w.round) >> w.shift : ((a[x] * w.weight[0] + w.round) >> w.shift) + w.offset[0];
      to[x] = static_cast<T>(value < 0 ? 0 : value > limit ? limit : value);
    }
  }
}

template <unsigned size, typename T>
[[gnu::always_inline]] inline void add_rows(const int16_t* residuals, T* to, ptrdiff_t stride, int limit) {
  for (unsigned y = 0; y < size; ++y, to += stride, residuals += size) {
    int16_t sums[size];
    for (unsigned x = 0; x < size; ++x) {
      const int value = to[x] + residuals[x];
      sums[x] = static_cast<int16_t>(value < 0 ? 0 : value > limit ? limit : value);
    }
    for (unsigned x = 0; x < size; ++x) to[x] = static_cast<T>(sums[x]);
  }
}
/// Every second sample; the others are written as they are.
template <unsigned size, typename T>
[[gnu::always_inline]] inline void add_pairs(const int16_t* residuals, T* to, ptrdiff_t stride, int limit) {
  for (unsigned y = 0; y < size; ++y, to += stride, residuals += size) {
    for (unsigned x = 0; x < size; ++x) {
      const int value = to[2 * x] + residuals[x];
      to[2 * x] = static_cast<T>(value < 0 ? 0 : value > limit ? limit : value);
    }
  }
}
template <typename T>
void add(const int16_t* residuals, unsigned size, T* to, ptrdiff_t stride, unsigned step, int limit) {
  if (step == 2) {
    if (size == 4) add_pairs<4>(residuals, to, stride, limit);
    else if (size == 8) add_pairs<8>(residuals, to, stride, limit);
    else if (size == 16) add_pairs<16>(residuals, to, stride, limit);
    else add_pairs<32>(residuals, to, stride, limit);
  } else {
    if (size == 4) add_rows<4>(residuals, to, stride, limit);
    else if (size == 8) add_rows<8>(residuals, to, stride, limit);
    else if (size == 16) add_rows<16>(residuals, to, stride, limit);
    else add_rows<32>(residuals, to, stride, limit);
  }
}

/// `even` and `odd` in turn.
[[gnu::always_inline]] inline I16 alternating(int even, int odd) {
  I16 v;
  for (unsigned i = 0; i < lanes; ++i) v[i] = static_cast<int16_t>(i & 1 ? odd : even);
  return v;
}

/// Calls body(x, count) for vectors of the row, the last of which may overlap the one before; `count` is less than 16 in short rows alone.
template <typename Body>
[[gnu::always_inline]] inline void for_vectors(unsigned count, const Body& body) {
  unsigned x = 0;
  for (; x + lanes <= count; x += lanes) body(x);
  // An even distance: columns keep their parity.
  if (x < count) body(count - lanes);
}

template <typename T>
void sao_edge(const T* from, ptrdiff_t distance, unsigned count, const SaoKernel (&by)[2], int limit, T* to) {
  if (count < lanes || count & 1) {
    for (unsigned x = 0; x < count; ++x) {
      const int here = from[x], a = from[static_cast<ptrdiff_t>(x) + distance], b = from[static_cast<ptrdiff_t>(x) - distance];
      const int edge = (here > a) - (here < a) + (here > b) - (here < b);
      const int value = here + (edge == 0 ? 0 : by[x & 1].offset[edge < 0 ? edge + 2 : edge + 1]);
      to[x] = static_cast<T>(value < 0 ? 0 : value > limit ? limit : value);
    }
    return;
  }
  I16 offsets[4];
  for (unsigned i = 0; i < 4; ++i) offsets[i] = alternating(by[0].offset[i], by[1].offset[i]);
  for_vectors(count, [&](unsigned x) {
    const I16 here = load(from + x), a = load(from + static_cast<ptrdiff_t>(x) + distance),
              b = load(from + static_cast<ptrdiff_t>(x) - distance);
    // Masks are -1 where they hold.
    const I16 edge = (here < a) - (here > a) + (here < b) - (here > b);
    const I16 offset = ((edge == -2) & offsets[0]) | ((edge == -1) & offsets[1]) | ((edge == 1) & offsets[2]) | ((edge == 2) & offsets[3]);
    store(clamped(here + offset, limit), lanes, to + x);
  });
}

template <typename T>
void sao_band(const T* from, unsigned count, const SaoKernel (&by)[2], unsigned bits, T* to) {
  const int limit = (1 << bits) - 1;
  const unsigned shift = bits - 5;
  if (count < lanes || count & 1) {
    for (unsigned x = 0; x < count; ++x) {
      const SaoKernel& sao = by[x & 1];
      const unsigned band = ((static_cast<unsigned>(from[x]) >> shift) - sao.position) & 31;
      const int value = from[x] + (band < 4 ? sao.offset[band] : 0);
      to[x] = static_cast<T>(value < 0 ? 0 : value > limit ? limit : value);
    }
    return;
  }
  I16 offsets[4];
  for (unsigned i = 0; i < 4; ++i) offsets[i] = alternating(by[0].offset[i], by[1].offset[i]);
  const I16 position = alternating(by[0].position, by[1].position);
  for_vectors(count, [&](unsigned x) {
    const I16 here = load(from + x), band = ((here >> static_cast<int16_t>(shift)) - position) & 31;
    const I16 offset = ((band == 0) & offsets[0]) | ((band == 1) & offsets[1]) | ((band == 2) & offsets[2]) | ((band == 3) & offsets[3]);
    store(clamped(here + offset, limit), lanes, to + x);
  });
}

template <typename T>
void shift_down(T* samples, size_t stride, unsigned columns, unsigned rows, unsigned shift) {
  for (unsigned y = 0; y < rows; ++y, samples += stride)
    for (unsigned x = 0; x < columns; ++x) samples[x] = static_cast<T>(samples[x] >> shift);
}
template <typename T>
void shift_up(T* samples, size_t count, unsigned shift) {
  for (size_t i = 0; i < count; ++i) samples[i] = static_cast<T>(samples[i] << shift);
}

template <typename T>
constexpr SampleKernels<T> table = {.luma = interpolate_luma<T>,
                                    .chroma = interpolate_chroma<T>,
                                    .combine = combine<T>,
                                    .weigh = weigh<T>,
                                    .add = add<T>,
                                    .sao_edge = sao_edge<T>,
                                    .sao_band = sao_band<T>,
                                    .shift_down = shift_down<T>,
                                    .shift_up = shift_up<T>};

}  // namespace

extern const SampleKernels<uint8_t> BYTE_KERNELS;
extern const SampleKernels<uint16_t> WORD_KERNELS;
constexpr SampleKernels<uint8_t> BYTE_KERNELS = table<uint8_t>;
constexpr SampleKernels<uint16_t> WORD_KERNELS = table<uint16_t>;

}  // namespace softgen::media::hevc

// SPDX-License-Identifier: GPL-2.0-or-later
// Depth tests of 4x4 and 8x8 pixels. See pixel_vectors.h.
#include <iterator>

#include "hw/render/depth_stencil_rules.h"
#include "hw/render/pixel_vectors.h"

namespace softgen::render {
namespace {

/// Rounds values that are not negative to the nearest integer, halves up. Adds the largest double below one half: with 0.5 itself the
/// largest value below one half would be rounded up to 1.
I4 nearest_away(D4 v) { return __builtin_convertvector(v + 0x1.fffffffffffffp-2, I4); }

using DepthStored = DepthKernel::Stored;

}  // namespace

uint32_t PIXEL_ISA::depth_test(const DepthKernel& d, double x, double y, const std::byte* old, uint32_t mask, uint32_t* values) {
  const D4 xs = {x, x + 1, x + 2, x + 3};
  const D4 along = d.a * xs;
  uint32_t passed = 0;
  for (unsigned row = 0; row < 4; ++row) {
    if (!(mask >> 4 * row & 15)) continue;
    D4 z = along + d.b * (y + row) + d.c + d.bias;
    z = between(z, d.low, d.high);
    I4 there, ok;
    if (d.stored == DepthStored::unorm16) {
      H4 codes;
      std::memcpy(&codes, old + 16 * row, sizeof codes);
      there = __builtin_convertvector(codes, I4);
    } else {
      std::memcpy(&there, old + 16 * row, sizeof there);
    }
    I4 value;
    if (d.stored == DepthStored::float32) {
      const F4 f = __builtin_convertvector(z, F4);
      value = reinterpret_cast<I4>(f);
      ok = compare(static_cast<Compare>(d.function), f, reinterpret_cast<F4>(there));
    } else {
#ifdef __FMA__
      const D4 unit = _mm256_min_pd(splat(1.0), _mm256_max_pd(z, D4{}));  // NaN: zero
#else
      const D4 unit = z > D4{} ? (splat(1.0) < z ? splat(1.0) : z) : D4{};
#endif
      value = nearest_away(unit * (d.stored == DepthStored::unorm16 ? 65535.0 : 16777215.0));
      ok = compare(static_cast<Compare>(d.function), value, there & 0xffffff);
    }
    std::memcpy(values + 4 * row, &value, 16);
    uint32_t bits = 0xf;
    if (d.test) {
#ifdef __AVX2__
      bits = static_cast<uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<F4>(ok)));
#else
      bits = (ok[0] & 1) | (ok[1] & 2) | (ok[2] & 4) | (ok[3] & 8);
#endif
    }
    passed |= bits << 4 * row;
  }
  return passed & mask;
}

void PIXEL_ISA::depth_write(const DepthKernel& d, std::byte* at, uint32_t mask, const uint32_t* values) {
  const bool halves = d.stored == DepthStored::unorm16;
  if (mask == 0xffff) {
    if (!halves) {
      std::memcpy(at, values, 64);
      return;
    }
    for (unsigned row = 0; row < 4; ++row) {
      I4 value;
      std::memcpy(&value, values + 4 * row, sizeof value);
      const H4 codes = __builtin_convertvector(value, H4);
      std::memcpy(at + 16 * row, &codes, sizeof codes);
    }
    return;
  }
  for (; mask; mask &= mask - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(mask));
    if (halves) std::memcpy(at + 16 * (i / 4) + 2 * (i % 4), values + i, 2);  // the low half: hosts are little-endian
    else std::memcpy(at + 4 * i, values + i, 4);
  }
}

#ifdef __AVX512F__
namespace {

/// compare() with a bit mask as result.
template <Compare function>
[[gnu::always_inline]] inline uint32_t passes(I8 a, I8 b) {
  if constexpr (function == Compare::always) return 0xff;
  // By function, from "less" on.
  constexpr int predicates[] = {_MM_CMPINT_LT, _MM_CMPINT_EQ, _MM_CMPINT_LE, _MM_CMPINT_GT, _MM_CMPINT_NE, _MM_CMPINT_GE};
  constexpr int predicate = predicates[(static_cast<unsigned>(function) - static_cast<unsigned>(Compare::less)) % std::size(predicates)];
  return _mm256_cmp_epi32_mask(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b), predicate);
}

/// Tests all rows before it writes one, so that loads do not wait for stores. Pixels that fail are rewritten with their old values, which
/// is safe: no other thread accesses the block.
template <Compare function, DepthStored stored>
uint64_t depth_block_of(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  typedef int32_t Half __attribute__((vector_size(16)));
  constexpr unsigned rows = 8, row_bytes = 16;
  const Eight along = d.a * (x + Eight{0, 1, 2, 3, 4, 5, 6, 7});
  I8 there[rows]{}, value[rows]{};
  uint64_t passed = 0;
#pragma GCC unroll 8
  for (unsigned row = 0; row < rows; ++row) {
    if (!(mask >> 8 * row & 0xff)) continue;  // small objects have few rows
    const std::byte* const from = at + row_bytes * row;
    const Eight z = between(along + d.b * (y + row) + d.c + d.bias, d.low, d.high);
    if constexpr (stored == DepthStored::unorm16) {
      there[row] = reinterpret_cast<I8>(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    } else {
      Half left, right;
      std::memcpy(&left, from, sizeof left);
      std::memcpy(&right, from + depth_column, sizeof right);
      there[row] = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    uint32_t ok;
    if constexpr (stored == DepthStored::float32) {
      const F8 f = floats(z);
      value[row] = reinterpret_cast<I8>(f);
      ok = sign_bits(compare(function, f, reinterpret_cast<F8>(there[row])));
    } else {
      // NaN: zero.
      const Eight unit = _mm512_maskz_min_pd(0xff, eight_of(1.0), _mm512_maskz_max_pd(0xff, z, Eight{}));
      value[row] = __builtin_convertvector(unit * (stored == DepthStored::unorm16 ? 65535.0 : 16777215.0) + 0x1.fffffffffffffp-2, I8);
      ok = passes<function>(value[row], stored == DepthStored::unorm24 ? there[row] & 0xffffff : there[row]);
    }
    passed |= uint64_t{ok} << 8 * row;
  }
  passed &= mask;
  if (!passed || !d.write) return passed;
#pragma GCC unroll 8
  for (unsigned row = 0; row < rows; ++row) {
    const auto ok = static_cast<__mmask8>(passed >> 8 * row);
    if (!ok) continue;
    std::byte* const to = at + row_bytes * row;
    const I8 now =
        reinterpret_cast<I8>(_mm256_mask_blend_epi32(ok, reinterpret_cast<__m256i>(there[row]), reinterpret_cast<__m256i>(value[row])));
    if constexpr (stored == DepthStored::unorm16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_maskz_cvtepi32_epi16(0xff, reinterpret_cast<__m256i>(now)));
    } else {
      const Half left = __builtin_shufflevector(now, now, 0, 1, 2, 3), right = __builtin_shufflevector(now, now, 4, 5, 6, 7);
      std::memcpy(to, &left, sizeof left);
      std::memcpy(to + depth_column, &right, sizeof right);
    }
  }
  return passed;
}

template <Compare function>
uint64_t depth_block_of(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  switch (d.stored) {
    case DepthStored::unorm16: return depth_block_of<function, DepthStored::unorm16>(d, x, y, at, mask);
    case DepthStored::float32: return depth_block_of<function, DepthStored::float32>(d, x, y, at, mask);
    case DepthStored::unorm24: break;
  }
  return depth_block_of<function, DepthStored::unorm24>(d, x, y, at, mask);
}

}  // namespace

uint64_t PIXEL_ISA::depth_block(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  switch (d.test ? static_cast<Compare>(d.function) : Compare::always) {
    case Compare::never: return 0;
    case Compare::less: return depth_block_of<Compare::less>(d, x, y, at, mask);
    case Compare::equal: return depth_block_of<Compare::equal>(d, x, y, at, mask);
    case Compare::less_equal: return depth_block_of<Compare::less_equal>(d, x, y, at, mask);
    case Compare::greater: return depth_block_of<Compare::greater>(d, x, y, at, mask);
    case Compare::not_equal: return depth_block_of<Compare::not_equal>(d, x, y, at, mask);
    case Compare::greater_equal: return depth_block_of<Compare::greater_equal>(d, x, y, at, mask);
    case Compare::always: break;
  }
  return depth_block_of<Compare::always>(d, x, y, at, mask);
}

#else

uint64_t PIXEL_ISA::depth_block(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  uint64_t passed = 0;
  for (unsigned below = 0; below < 8; below += 4)
    for (unsigned right = 0; right < 8; right += 4) {
      const uint32_t part = part_mask(mask, right, below);
      if (!part) continue;
      std::byte* const there = at + 16 * below + (right ? d.stored == DepthStored::unorm16 ? 8 : depth_column : 0);
      alignas(64) uint32_t values[16];
      const uint32_t ok = depth_test(d, x + right, y + below, there, part, values);
      if (ok && d.write) depth_write(d, there, ok, values);
      passed |= block_mask(ok, right, below);
    }
  return passed;
}

#endif

}  // namespace softgen::render

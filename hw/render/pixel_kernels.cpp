// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once for each instruction set (PIXEL_KERNELS names the table): everything here is local to the file, so that the linker cannot
// give one build's functions to the other.
#include "hw/render/pixel_kernels.h"

#include <cstring>
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "hw/defs/gen9/enums.h"
#include "hw/render/depth_stencil_rules.h"
#include "hw/surface/format.h"
#include "hw/surface/unorm8.h"

namespace softgen::render {
namespace {

using Factor = defs::gen9::BlendFactor;
using Function = defs::gen9::BlendFunction;

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef uint16_t H4 __attribute__((vector_size(8)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

/// Eight at once: as memcpy, compilers copy halves, and a load of what was just stored in halves waits for both.
F8 eight(const float* from) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  return *reinterpret_cast<const Unaligned*>(from);
}

F8 splat(float v) { return F8{v, v, v, v, v, v, v, v}; }
D4 splat(double v) { return D4{v, v, v, v}; }

uint32_t sign_bits(I8 v) {
#ifdef __AVX2__
  return static_cast<uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<F8>(v)));
#else
  uint32_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= (static_cast<uint32_t>(v[i]) >> 31) << i;
  return bits;
#endif
}

uint64_t coverage(const BlockEdge* edges, size_t count) {
  uint64_t out = 0;
  for (size_t e = 0; e < count; ++e) {
    const I8 step = {0, 1, 2, 3, 4, 5, 6, 7};
    I8 value = edges[e].corner + step * edges[e].a;
    for (unsigned row = 0; row < 8; ++row, value += edges[e].b) out |= uint64_t{sign_bits(value)} << 8 * row;
  }
  return ~out;
}

/// Nearest, halves away from zero; not negative. The greatest double below one half is added, so that what is just below a half stays below one.
I4 nearest_away(D4 v) { return __builtin_convertvector(v + 0x1.fffffffffffffp-2, I4); }

/// Between the two; the second operand is the result where one is NaN, as in clamped().
D4 between(D4 v, double low, double high) {
#ifdef __FMA__
  return _mm256_min_pd(splat(high), _mm256_max_pd(splat(low), v));
#else
  v = v < splat(low) ? splat(low) : v;
  return splat(high) < v ? splat(high) : v;
#endif
}

using DepthStored = DepthKernel::Stored;

uint32_t depth_test(const DepthKernel& d, double x, double y, const std::byte* old, uint32_t mask, uint32_t* values) {
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

#ifdef __AVX512F__
typedef double Eight __attribute__((vector_size(64)));
typedef float F16 __attribute__((vector_size(64)));
Eight eight_of(double v) { return Eight{v, v, v, v, v, v, v, v}; }
Eight eight_of(I8 v) { return __builtin_convertvector(v, Eight); }
F8 floats(Eight v) { return __builtin_convertvector(v, F8); }
/// GCC 12 warns of its own forms without a mask.
Eight between(Eight v, Eight low, Eight high) { return _mm512_maskz_min_pd(0xff, high, _mm512_maskz_max_pd(0xff, low, v)); }
Eight between(Eight v, double low, double high) { return between(v, eight_of(low), eight_of(high)); }
#endif

void depth_write(const DepthKernel& d, std::byte* at, uint32_t mask, const uint32_t* values) {
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
/// A row at a time. What was there is written again where a pixel does not pass: the block is the caller's alone.
template <Compare function, DepthStored stored>
uint64_t depth_block_of(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  typedef int32_t Half __attribute__((vector_size(16)));
  const Eight along = d.a * (x + Eight{0, 1, 2, 3, 4, 5, 6, 7});
  uint64_t passed = 0;
  for (unsigned row = 0; row < 8; ++row, at += 16) {
    const auto wanted = static_cast<uint32_t>(mask >> 8 * row & 255);
    if (!wanted) continue;
    const Eight z = between(along + d.b * (y + row) + d.c + d.bias, d.low, d.high);
    I8 there, value;
    uint32_t ok;
    if constexpr (stored == DepthStored::unorm16) {
      there = reinterpret_cast<I8>(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
    } else {
      Half left, right;
      std::memcpy(&left, at, sizeof left);
      std::memcpy(&right, at + depth_column, sizeof right);
      there = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    if constexpr (stored == DepthStored::float32) {
      const F8 f = floats(z);
      value = reinterpret_cast<I8>(f);
      ok = sign_bits(compare(function, f, reinterpret_cast<F8>(there)));
    } else {
      // NaN: zero.
      const Eight unit = _mm512_maskz_min_pd(0xff, eight_of(1.0), _mm512_maskz_max_pd(0xff, z, Eight{}));
      value = __builtin_convertvector(unit * (stored == DepthStored::unorm16 ? 65535.0 : 16777215.0) + 0x1.fffffffffffffp-2, I8);
      ok = sign_bits(compare(function, value, there & 0xffffff));
    }
    ok &= wanted;
    passed |= uint64_t{ok} << 8 * row;
    if (!ok || !d.write) continue;
    const I8 now = reinterpret_cast<I8>(_mm256_mask_blend_epi32(static_cast<__mmask8>(ok), reinterpret_cast<__m256i>(there), reinterpret_cast<__m256i>(value)));
    if constexpr (stored == DepthStored::unorm16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm256_maskz_cvtepi32_epi16(0xff, reinterpret_cast<__m256i>(now)));
    } else {
      const Half left = __builtin_shufflevector(now, now, 0, 1, 2, 3), right = __builtin_shufflevector(now, now, 4, 5, 6, 7);
      std::memcpy(at, &left, sizeof left);
      std::memcpy(at + depth_column, &right, sizeof right);
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

uint64_t depth_block(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
  switch (d.test ? static_cast<Compare>(d.function) : Compare::COMPAREFUNCTION_ALWAYS) {
    case Compare::COMPAREFUNCTION_NEVER: return 0;
    case Compare::COMPAREFUNCTION_LESS: return depth_block_of<Compare::COMPAREFUNCTION_LESS>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_EQUAL: return depth_block_of<Compare::COMPAREFUNCTION_EQUAL>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_LEQUAL: return depth_block_of<Compare::COMPAREFUNCTION_LEQUAL>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_GREATER: return depth_block_of<Compare::COMPAREFUNCTION_GREATER>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_NOTEQUAL: return depth_block_of<Compare::COMPAREFUNCTION_NOTEQUAL>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_GEQUAL: return depth_block_of<Compare::COMPAREFUNCTION_GEQUAL>(d, x, y, at, mask);
    case Compare::COMPAREFUNCTION_ALWAYS: break;
  }
  return depth_block_of<Compare::COMPAREFUNCTION_ALWAYS>(d, x, y, at, mask);
}
#else
uint64_t depth_block(const DepthKernel& d, double x, double y, std::byte* at, uint64_t mask) {
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

struct Four {
  F4 i, j;
};
/// As CenterPlanes has it, anywhere in a pixel.
inline Four interpolate_four(const Planes& p, D4 px, D4 py) {
  const D4 x = __builtin_convertvector(__builtin_convertvector(px, I4) & ~3, D4), y = __builtin_convertvector(__builtin_convertvector(py, I4) & ~3, D4);
  const F4 right = __builtin_convertvector(px - x, F4), down = __builtin_convertvector(py - y, F4);
  const auto value = [&](const double* plane) {
    const F4 there = __builtin_convertvector(plane[0] * x + plane[1] * y + plane[2], F4);
    return there + (static_cast<float>(plane[0]) * right + static_cast<float>(plane[1]) * down);
  };
  if (!p.one_over_w) return {value(p.i), value(p.j)};
  const F4 w = 1.0f / value(p.one_over_w);
  return {value(p.i) * w, value(p.j) * w};
}

void interpolate(const Planes& p, const double* x, const double* y, size_t count, float* i, float* j) {
  for (size_t at = 0; at < count; at += 4) {
    D4 px, py;
    std::memcpy(&px, x + at, sizeof px);
    std::memcpy(&py, y + at, sizeof py);
    const Four four = interpolate_four(p, px, py);
    std::memcpy(i + at, &four.i, sizeof four.i);
    std::memcpy(j + at, &four.j, sizeof four.j);
  }
}

#ifndef __AVX512F__
/// Two quads' pixels.
struct Eight {
  D4 half[2];
};
Eight operator+(Eight a, Eight b) { return {{a.half[0] + b.half[0], a.half[1] + b.half[1]}}; }
Eight operator*(Eight a, Eight b) { return {{a.half[0] * b.half[0], a.half[1] * b.half[1]}}; }
Eight eight_of(double v) { return {{splat(v), splat(v)}}; }
Eight eight_of(I8 v) {
  I4 half[2];
  std::memcpy(half, &v, sizeof half);
  return {{__builtin_convertvector(half[0], D4), __builtin_convertvector(half[1], D4)}};
}
F8 floats(Eight v) {
  return __builtin_shufflevector(__builtin_convertvector(v.half[0], F4), __builtin_convertvector(v.half[1], F4), 0, 1, 2, 3, 4, 5, 6, 7);
}
Eight between(Eight v, double low, double high) { return {{between(v.half[0], low, high), between(v.half[1], low, high)}}; }
#endif

/// Of two quads: their pixels' centres.
struct Centers {
  Eight x, y;
};

void put_eight(float* to, F8 v) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  *reinterpret_cast<Unaligned*>(to) = v;
}

Centers centers_of(uint32_t one, uint32_t other) {
  const auto a = static_cast<int32_t>(one), b = static_cast<int32_t>(other);
  const I8 quads{a, a, a, a, b, b, b, b}, right{0, 1, 0, 1, 0, 1, 0, 1}, below{0, 0, 1, 1, 0, 0, 1, 1};
  const Eight half = eight_of(0.5);
  return {eight_of((quads & 0xffff) + right) + half, eight_of((quads >> 16 & 0xffff) + below) + half};
}

/// Up to four planes, each a float at a square's corner and what is added for its pixels (see CenterPlanes).
struct SquarePlanes {
  D4 a, b, c;
  F8 added[4][2];  ///< of the two upper quads, and the two lower ones
  uint32_t corner; ///< x | y << 16
  F4 there;

  [[gnu::always_inline]] inline void set(const CenterPlanes::Plane* const (&planes)[4], unsigned count) {
    constexpr CenterPlanes::Plane nothing{};
    for (unsigned n = 0; n < 4; ++n) {
      const CenterPlanes::Plane& p = n < count ? *planes[n] : nothing;
      a[n] = p[0], b[n] = p[1], c[n] = p[2];
    }
    const F4 right = __builtin_convertvector(a, F4), down = __builtin_convertvector(b, F4);
    constexpr F8 x = {0.5f, 1.5f, 0.5f, 1.5f, 2.5f, 3.5f, 2.5f, 3.5f}, y = {0.5f, 0.5f, 1.5f, 1.5f, 0.5f, 0.5f, 1.5f, 1.5f};
    for (unsigned n = 0; n < count; ++n)
      for (unsigned half = 0; half < 2; ++half) added[n][half] = right[n] * x + down[n] * (y + 2.0f * static_cast<float>(half));
    at(0);
  }
  [[gnu::always_inline]] inline void at(uint32_t square) {
    corner = square;
    there = __builtin_convertvector(a * static_cast<double>(square & 0xffff) + b * static_cast<double>(square >> 16) + c, F4);
  }
#ifdef __AVX512F__
  /// Of the square at `where`.
  [[gnu::always_inline]] inline void squares(uint32_t where, unsigned count, F16 (&out)[4]) {
    if (where != corner) at(where);
    for (unsigned n = 0; n < count; ++n) {
      const F16 all = __builtin_shufflevector(added[n][0], added[n][1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      out[n] = (F16{} + there[n]) + all;
    }
  }
#endif
  /// Of two quads.
  [[gnu::always_inline]] inline void values(uint32_t one, uint32_t other, unsigned count, F8 (&out)[4]) {
    constexpr uint32_t squares = 0xfffcfffc;
    if ((one & squares) != corner) at(one & squares);
    const unsigned half = one >> 17 & 1;
    if (other == one + 2 && !(one & 2)) {
      for (unsigned n = 0; n < count; ++n) out[n] = splat(there[n]) + added[n][half];
      return;
    }
    const F4 here = there;
    if ((other & squares) != corner) at(other & squares);
    const auto four = [](F8 v, uint32_t quad) { return quad & 2 ? __builtin_shufflevector(v, v, 4, 5, 6, 7) : __builtin_shufflevector(v, v, 0, 1, 2, 3); };
    for (unsigned n = 0; n < count; ++n) {
      const F4 left = here[n] + four(added[n][half], one), right = there[n] + four(added[n][other >> 17 & 1], other);
      out[n] = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    }
  }
};

#ifdef __AVX512F__
/// Both halves of a square, `apart` floats from each other.
void put_halves(float* to, size_t apart, F16 v) {
  put_eight(to, __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
  put_eight(to + apart, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}

bool is_square(const uint32_t* quads) {
  constexpr uint32_t right = 2, below = 2 << 16;
  return !(quads[0] & (right | below)) && quads[1] == quads[0] + right && quads[2] == quads[0] + below && quads[3] == quads[0] + (right | below);
}

/// Barycentrics alone, of a whole square. `same_w`: W, where it is the same everywhere.
void center_square(const CenterPlanes& p, SquarePlanes& perspective, SquarePlanes& linear, const float* same_w, uint32_t where, float* to) {
  constexpr uint32_t with_perspective = 7;
  F16 values[4];
  for (const bool divided : {true, false}) {
    uint32_t modes = divided ? p.modes & with_perspective : p.modes & ~with_perspective;
    if (!modes) continue;
    if (divided) {
      perspective.squares(where, 3, values);
      const F16 w = same_w ? F16{} + *same_w : 1.0f / values[0];
      values[0] = values[1] * w, values[1] = values[2] * w;
    } else {
      linear.squares(where, 2, values);
    }
    for (; modes; modes &= modes - 1, to += 32) put_halves(to, 16, values[0]), put_halves(to + 8, 16, values[1]);
  }
}
#endif

void center_planes(const CenterPlanes& p, const CenterThread* threads, size_t count, size_t quads) {
  constexpr uint32_t with_perspective = 7, without = 070;
  const bool divides = p.w || (p.modes & with_perspective);
  SquarePlanes perspective, linear;
  if (divides) perspective.set({&p.one_over_w, &p.perspective[0], &p.perspective[1], nullptr}, 3);
  if (p.modes & without) linear.set({&p.linear[0], &p.linear[1], nullptr, nullptr}, 2);
#ifdef __AVX512F__
  float w;
  const float* same_w = nullptr;
  if (divides && p.one_over_w[0] == 0 && p.one_over_w[1] == 0) w = 1.0f / (perspective.there[0] + perspective.added[0][0][0]), same_w = &w;
#endif
  for (const CenterThread* thread = threads; thread != threads + count; ++thread) {
#ifdef __AVX512F__
    if (quads == 4 && !p.depth && !p.w && is_square(thread->quads)) {
      center_square(p, perspective, linear, same_w, thread->quads[0], thread->out);
      continue;
    }
#endif
    for (size_t n = 0; n < quads; n += 2) {
      const uint32_t one = thread->quads[n], other = thread->quads[n + 1];
      F8 divided[4]{}, plain[4]{};
      if (divides) {
        perspective.values(one, other, 3, divided);
        divided[0] = 1.0f / divided[0];
      }
      if (p.modes & without) linear.values(one, other, 2, plain);
      const F8 i = divided[1] * divided[0], j = divided[2] * divided[0];
      float* to = thread->out;
      for (uint32_t mode = 0, modes = p.modes & (with_perspective | without); modes >> mode; ++mode) {
        if (!(modes >> mode & 1)) continue;
        const bool linearly = without >> mode & 1;
        put_eight(to + 8 * n, linearly ? plain[0] : i);
        put_eight(to + 8 * n + 8, linearly ? plain[1] : j);
        to += 8 * quads;
      }
      if (p.depth) {
        const Centers at = centers_of(one, other);
        const Eight z = eight_of(p.z[0]) * at.x + eight_of(p.z[1]) * at.y + eight_of(p.z[2]) + eight_of(p.bias);
        put_eight(to + 4 * n, floats(between(z, p.low, p.high)));
        to += 4 * quads;
      }
      if (p.w) put_eight(to + 4 * n, divided[0]);
    }
  }
}

// -- colour
using Colors = F8[4];

F8 clamped(F8 c, float low) {
#ifdef __FMA__
  // The second operand is the result where both are zero.
  c = _mm256_and_ps(c, _mm256_cmp_ps(c, c, _CMP_ORD_Q));
  return _mm256_min_ps(splat(1.0f), _mm256_max_ps(splat(low), c));
#else
  c = c != c ? F8{} : c;
  c = c < splat(low) ? splat(low) : c;
  return splat(1.0f) < c ? splat(1.0f) : c;
#endif
}

F8 factor(Factor f, const Colors& source, const Colors& source1, const Colors& destination, const std::array<float, 4>& constant, unsigned c) {
  const F8 one = splat(1.0f);
  switch (f) {
    case Factor::BLENDFACTOR_ONE: return one;
    case Factor::BLENDFACTOR_SRC_COLOR: return source[c];
    case Factor::BLENDFACTOR_SRC_ALPHA: return source[3];
    case Factor::BLENDFACTOR_DST_ALPHA: return destination[3];
    case Factor::BLENDFACTOR_DST_COLOR: return destination[c];
    case Factor::BLENDFACTOR_SRC_ALPHA_SATURATE: {
      const F8 rest = one - destination[3];
      return c == 3 ? one : rest < source[3] ? rest : source[3];
    }
    case Factor::BLENDFACTOR_CONST_COLOR: return splat(constant[c]);
    case Factor::BLENDFACTOR_CONST_ALPHA: return splat(constant[3]);
    case Factor::BLENDFACTOR_SRC1_COLOR: return source1[c];
    case Factor::BLENDFACTOR_SRC1_ALPHA: return source1[3];
    case Factor::BLENDFACTOR_INV_SRC_COLOR: return one - source[c];
    case Factor::BLENDFACTOR_INV_SRC_ALPHA: return one - source[3];
    case Factor::BLENDFACTOR_INV_DST_ALPHA: return one - destination[3];
    case Factor::BLENDFACTOR_INV_DST_COLOR: return one - destination[c];
    case Factor::BLENDFACTOR_INV_CONST_COLOR: return one - constant[c];
    case Factor::BLENDFACTOR_INV_CONST_ALPHA: return one - constant[3];
    case Factor::BLENDFACTOR_INV_SRC1_COLOR: return one - source1[c];
    case Factor::BLENDFACTOR_INV_SRC1_ALPHA: return one - source1[3];
    default: return F8{};
  }
}

F8 combined(Function function, F8 source, F8 source_factor, F8 destination, F8 destination_factor) {
  switch (function) {
    case Function::BLENDFUNCTION_ADD: return source * source_factor + destination * destination_factor;
    case Function::BLENDFUNCTION_SUBTRACT: return source * source_factor - destination * destination_factor;
    case Function::BLENDFUNCTION_REVERSE_SUBTRACT: return destination * destination_factor - source * source_factor;
    case Function::BLENDFUNCTION_MIN: return destination < source ? destination : source;
    case Function::BLENDFUNCTION_MAX: return source < destination ? destination : source;
  }
  return source;
}

void blend(const ColorKernel& k, Colors& source, const Colors& source1, U8 there) {
  const auto& srgb_values = surface::srgb8_values();
  Colors destination;
  for (unsigned c = 0; c < 4; ++c) {
    const U8 code = there >> k.shift[c] & 255u;
    if (k.srgb && c < 3) {
      for (unsigned i = 0; i < 8; ++i) destination[c][i] = srgb_values[code[i]];
    } else {
      destination[c] = surface::unorm8(__builtin_convertvector(reinterpret_cast<I8>(code), F8));
    }
  }
  if (!k.alpha_stored) destination[3] = splat(1.0f);
  // What is stored without a curve is clamped on the way.
  const bool clamps = k.clamp_after && (k.srgb || k.stored != ColorKernel::Stored::unorm8);
  Colors out;
  for (unsigned c = 0; c < 4; ++c)
    out[c] = combined(static_cast<Function>(k.function[c]), source[c],
                      factor(static_cast<Factor>(k.source_factor[c]), source, source1, destination, k.constant, c), destination[c],
                      factor(static_cast<Factor>(k.destination_factor[c]), source, source1, destination, k.constant, c));
  for (unsigned c = 0; c < 4; ++c) source[c] = clamps ? clamped(out[c], k.clamp_low) : out[c];
}

/// Nearest even of 255 times the value, of the exact product: it is rounded once.
U8 unorm8(F8 v) {
#ifdef __FMA__
  // The second operand is the result when the first is NaN. Adding 2^23 + 2^22 rounds to whole numbers, which then stand in the low bits.
  v = _mm256_min_ps(_mm256_max_ps(v, F8{}), splat(1.0f));
  return reinterpret_cast<U8>(_mm256_fmadd_ps(v, splat(255.0f), splat(0x1.8p23f))) & 255u;
#else
  v = v > F8{} ? v : F8{};
  v = splat(1.0f) < v ? splat(1.0f) : v;
  F4 half[2];
  std::memcpy(half, &v, sizeof half);
  U8 out;
  for (unsigned h = 0; h < 2; ++h) {
    // Adding 2^52 + 2^51 rounds to whole numbers, which then stand in the low bits.
    const D4 rounded = __builtin_convertvector(half[h], D4) * 255.0 + 0x1.8p52;
    const I4 low = __builtin_convertvector(reinterpret_cast<L4>(rounded) & 255, I4);
    std::memcpy(reinterpret_cast<char*>(&out) + 16 * h, &low, 16);
  }
  return out;
#endif
}

U8 encoded(const ColorKernel& k, const Colors& color) {
  U8 word{};
  if (k.stored == ColorKernel::Stored::word) return reinterpret_cast<U8>(color[0]);
  if (k.stored == ColorKernel::Stored::uint8) {
    for (unsigned c = 0; c < 4; ++c) {
      const U8 value = reinterpret_cast<U8>(color[c]);
      word |= (value < 255u ? value : U8{} + 255u) << k.shift[c];
    }
    return word;
  }
  if (!k.srgb) {
    word = unorm8(color[0]) << k.shift[0] | unorm8(color[1]) << k.shift[1] | unorm8(color[2]) << k.shift[2];
  } else {
    for (unsigned c = 0; c < 3; ++c) {
      U8 code;
      for (unsigned i = 0; i < 8; ++i) code[i] = surface::linear_to_srgb8(color[c][i]);
      word |= code << k.shift[c];
    }
  }
  return k.alpha_stored ? word | unorm8(color[3]) << k.shift[3] : word;
}

/// Two rows of four pixels to two quads, and back.
U8 exchanged(U8 v) {
  typedef uint64_t W4 __attribute__((vector_size(32)));
  const W4 w = reinterpret_cast<W4>(v);
  return reinterpret_cast<U8>(W4{w[0], w[2], w[1], w[3]});
}

U8 loaded(const ColorPixels& p) {
  if (p.pair) {
    U8 rows;
    std::memcpy(&rows, p.rows[0], 16);
    std::memcpy(reinterpret_cast<char*>(&rows) + 16, p.rows[1], 16);
    return exchanged(rows);
  }
  U8 there{};
  for (unsigned row = 0; row < 4; ++row)
    if (p.lanes >> (row & 2) * 2 & 15) std::memcpy(reinterpret_cast<char*>(&there) + 8 * row, p.rows[row], 8);
  return there;
}

void stored(const ColorPixels& p, U8 word) {
  if (p.pair) {
    const U8 rows = exchanged(word);
    std::memcpy(p.rows[0], &rows, 16);
    std::memcpy(p.rows[1], reinterpret_cast<const char*>(&rows) + 16, 16);
    return;
  }
  for (unsigned row = 0; row < 4; ++row) {
    const char* from = reinterpret_cast<const char*>(&word) + 8 * row;
    switch (p.lanes >> 2 * row & 3) {
      case 1: std::memcpy(p.rows[row], from, 4); break;
      case 2: std::memcpy(p.rows[row] + 4, from + 4, 4); break;
      case 3: std::memcpy(p.rows[row], from, 8); break;
      default: break;
    }
  }
}

#ifdef __AVX512F__
typedef uint32_t U16 __attribute__((vector_size(64)));
typedef uint64_t W8 __attribute__((vector_size(64)));
typedef uint64_t W2 __attribute__((vector_size(16)));
F16 sixteen(float v) { return F16{} + v; }

/// GCC 12 warns of its own forms without a mask.
F16 at_most(F16 v, F16 low, F16 high) { return _mm512_maskz_min_ps(0xffff, high, _mm512_maskz_max_ps(0xffff, low, v)); }
/// clamped() and unorm8() of sixteen.
F16 clamped(F16 v, float low) {
  // The second operand is the result where one is NaN. Which zero a zero becomes tells nobody.
  if (low == 0) return _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, F16{}), sixteen(1.0f));
  return at_most(_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v), sixteen(low), sixteen(1.0f));
}
U16 unorm8(F16 v) {
  v = _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, F16{}), sixteen(1.0f));
  return reinterpret_cast<U16>(_mm512_fmadd_ps(v, sixteen(255.0f), sixteen(0x1.8p23f))) & 255u;
}
#endif

/// factor() where it is of alpha or a constant.
template <typename Floats>
[[gnu::always_inline]] inline Floats alpha_factor(uint8_t f, Floats source, Floats destination, float constant) {
  const Floats one = Floats{} + 1.0f, same = Floats{} + constant;
  switch (static_cast<Factor>(f)) {
    case Factor::BLENDFACTOR_ONE:
    case Factor::BLENDFACTOR_SRC_ALPHA_SATURATE: return one;
    case Factor::BLENDFACTOR_SRC_COLOR:
    case Factor::BLENDFACTOR_SRC_ALPHA: return source;
    case Factor::BLENDFACTOR_DST_COLOR:
    case Factor::BLENDFACTOR_DST_ALPHA: return destination;
    case Factor::BLENDFACTOR_CONST_COLOR:
    case Factor::BLENDFACTOR_CONST_ALPHA: return same;
    case Factor::BLENDFACTOR_INV_SRC_COLOR:
    case Factor::BLENDFACTOR_INV_SRC_ALPHA: return one - source;
    case Factor::BLENDFACTOR_INV_DST_COLOR:
    case Factor::BLENDFACTOR_INV_DST_ALPHA: return one - destination;
    case Factor::BLENDFACTOR_INV_CONST_COLOR:
    case Factor::BLENDFACTOR_INV_CONST_ALPHA: return one - same;
    default: return Floats{};
  }
}

/// ColorKernel::added, with everything in registers; the sources are clamped, where they are to be.
template <typename Floats, typename Words>
[[gnu::always_inline]] inline Words added_word(const ColorKernel& k, Floats r, Floats g, Floats b, Floats a, Words there) {
  typedef decltype(Floats{} < Floats{}) Integers;
  const auto old = [&](unsigned c) { return surface::unorm8(__builtin_convertvector(reinterpret_cast<Integers>(there >> k.shift[c] & 255u), Floats)); };
  const Floats old_a = k.alpha_stored ? old(3) : Floats{} + 1.0f;
  const float constant = k.constant[3];
  const Floats own = alpha_factor(k.source_factor[0], a, old_a, constant), other = alpha_factor(k.destination_factor[0], a, old_a, constant);
  const auto channel = [&](Floats source, unsigned c) { return unorm8(source * own + old(c) * other) << k.shift[c]; };
  Words word = channel(r, 0) | channel(g, 1) | channel(b, 2);
  if (k.alpha_stored) {
    const Floats own_a = alpha_factor(k.source_factor[3], a, old_a, constant), other_a = alpha_factor(k.destination_factor[3], a, old_a, constant);
    word |= unorm8(a * own_a + old_a * other_a) << k.shift[3];
  }
  return (there & k.keep) | (word & ~k.keep);
}

[[gnu::always_inline]] inline U8 plain_word(const ColorKernel& k, const float* const* source) {
  U8 word = unorm8(eight(source[0])) << k.shift[0] | unorm8(eight(source[1])) << k.shift[1] | unorm8(eight(source[2])) << k.shift[2];
  if (k.alpha_stored) word |= unorm8(eight(source[3])) << k.shift[3];
  return word;
}

void write_color(const ColorKernel& k, const ColorPixels& p) {
  if (k.plain() && !p.replicated) return stored(p, plain_word(k, p.source));
  if (k.added && !p.replicated) {
    Colors c;
    for (unsigned i = 0; i < 4; ++i) c[i] = k.clamp_before ? clamped(eight(p.source[i]), k.clamp_low) : eight(p.source[i]);
    return stored(p, added_word(k, c[0], c[1], c[2], c[3], loaded(p)));
  }
  Colors source, source1;
  const unsigned used = k.stored == ColorKernel::Stored::word ? 1 : 4;
  for (unsigned c = 0; c < used; ++c) {
    if (p.replicated) source[c] = splat(*p.source[c]);
    else source[c] = eight(p.source[c]);
    if (k.blending && p.source1[c]) source1[c] = eight(p.source1[c]);
    else source1[c] = F8{};
  }
  if (k.alpha_to_one && k.stored == ColorKernel::Stored::unorm8) source[3] = source1[3] = splat(1.0f);
  U8 there{};
  if (k.blending || k.keep) there = loaded(p);
  if (k.blending) {
    if (k.clamp_before)
      for (unsigned c = 0; c < 4; ++c) {
        source[c] = clamped(source[c], k.clamp_low);
        if (p.source1[c]) source1[c] = clamped(source1[c], k.clamp_low);
      }
    blend(k, source, source1, there);
  }
  U8 word = encoded(k, source);
  if (k.keep) word = (there & k.keep) | (word & ~k.keep);
  stored(p, word);
}

#ifdef __AVX512F__
/// As two loads: the kernel may have stored the halves by themselves, which one load would have to wait for.
F16 source_of(const ColorSquare& r, unsigned c) {
  return __builtin_shufflevector(eight(r.source[0][c]), eight(r.source[1][c]), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

constexpr size_t square_row = 16;

/// Rows of four pixels to quads and back: it is its own inverse.
U16 exchanged(U16 v) {
  const auto w = reinterpret_cast<W8>(v);
  return reinterpret_cast<U16>(__builtin_shufflevector(w, w, 0, 2, 1, 3, 4, 6, 5, 7));
}

U16 loaded(const ColorSquare& s) {
  U16 rows;
  if (s.row == square_row) {
    std::memcpy(&rows, s.at, sizeof rows);
  } else {
    W2 row[4];
    for (unsigned y = 0; y < 4; ++y) std::memcpy(&row[y], s.at + y * size_t{s.row}, sizeof row[y]);
    const auto upper = __builtin_shufflevector(row[0], row[1], 0, 1, 2, 3), lower = __builtin_shufflevector(row[2], row[3], 0, 1, 2, 3);
    rows = reinterpret_cast<U16>(__builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7));
  }
  return exchanged(rows);
}

void stored(const ColorSquare& s, U16 word) {
  const U16 rows = exchanged(word);
  if (s.row == square_row) {
    std::memcpy(s.at, &rows, sizeof rows);
    return;
  }
  const auto w = reinterpret_cast<W8>(rows);
  const auto put = [&](unsigned y, W2 pixels) { std::memcpy(s.at + y * size_t{s.row}, &pixels, sizeof pixels); };
  put(0, __builtin_shufflevector(w, w, 0, 1));
  put(1, __builtin_shufflevector(w, w, 2, 3));
  put(2, __builtin_shufflevector(w, w, 4, 5));
  put(3, __builtin_shufflevector(w, w, 6, 7));
}

void write_plain_square(const ColorKernel& k, const ColorSquare& r) {
  const auto channel = [&](unsigned c) { return unorm8(source_of(r, c)) << k.shift[c]; };
  U16 word = channel(0) | channel(1) | channel(2);
  if (k.alpha_stored) word |= channel(3);
  stored(r, word);
}

void write_added_square(const ColorKernel& k, const ColorSquare& r) {
  F16 source[4];
  for (unsigned c = 0; c < 4; ++c) source[c] = k.clamp_before ? clamped(source_of(r, c), k.clamp_low) : source_of(r, c);
  stored(r, added_word(k, source[0], source[1], source[2], source[3], loaded(r)));
}
#endif

[[gnu::noinline]] void write_halves(const ColorKernel& k, const ColorSquare& s) {
  for (unsigned half = 0; half < 2; ++half) {
    std::byte *const at = s.at + half * 2 * size_t{s.row}, *const below = at + s.row;
    const ColorPixels p{.source = {s.source[half][0], s.source[half][1], s.source[half][2], s.source[half][3]}, .source1 = {}, .lanes = 0xff, .pair = true,
                        .rows = {at, below, at + 8, below + 8}};
    write_color(k, p);
  }
}

void write_square(const ColorKernel& k, const ColorSquare& s) {
#ifdef __AVX512F__
  if (k.plain()) return write_plain_square(k, s);
  if (k.added) return write_added_square(k, s);
#endif
  write_halves(k, s);
}

}  // namespace

extern const PixelKernels PIXEL_KERNELS;
const PixelKernels PIXEL_KERNELS{coverage, depth_test, depth_write, depth_block, interpolate, center_planes, write_color, write_square};

}  // namespace softgen::render

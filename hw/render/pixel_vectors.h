// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors, only for the files that are compiled once per instruction set (pixel_kernels.h). PIXEL_ISA is the namespace of the functions in
// the set's table. All else is local to each file, so that the linker cannot merge functions of different builds.
#pragma once

#include <cstring>
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "hw/render/pixel_kernels.h"

namespace softgen::render {
namespace PIXEL_ISA {

uint32_t depth_test(const DepthKernel& depth, double x, double y, const std::byte* old, uint32_t mask, uint32_t* values);
void depth_write(const DepthKernel& depth, std::byte* at, uint32_t mask, const uint32_t* values);
uint64_t depth_block(const DepthKernel& depth, double x, double y, std::byte* at, uint64_t mask);
void interpolate(const Planes& planes, const double* x, const double* y, size_t count, float* i, float* j);
void center_planes(const CenterPlanes& planes, const CenterThread* threads, size_t count, size_t quads);
void square_steps(const CenterPlanes& planes, float (*steps)[16]);
void square_corners(const CenterPlanes& planes, const SquareCorners& squares);
void write_color(const ColorKernel& color, const ColorPixels& pixels);
void write_square(const ColorKernel& color, const ColorSquare& square);

}  // namespace PIXEL_ISA

namespace {

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef uint16_t H4 __attribute__((vector_size(8)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

/// One load of 32 bytes. Compilers split memcpy into two halves; a later load of 32 bytes cannot forward from two stores and stalls.
[[gnu::always_inline]] inline F8 eight(const float* from) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  return *reinterpret_cast<const Unaligned*>(from);
}

[[gnu::always_inline]] inline F8 splat(float v) { return F8{v, v, v, v, v, v, v, v}; }
[[gnu::always_inline]] inline D4 splat(double v) { return D4{v, v, v, v}; }

[[gnu::always_inline]] inline uint32_t sign_bits(I8 v) {
#ifdef __AVX2__
  return static_cast<uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<F8>(v)));
#else
  uint32_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= (static_cast<uint32_t>(v[i]) >> 31) << i;
  return bits;
#endif
}

/// Clamps to low and high. The min and max instructions return their second operand if one is NaN, as in clamped().
[[gnu::always_inline]] inline D4 between(D4 v, double low, double high) {
#ifdef __FMA__
  return _mm256_min_pd(splat(high), _mm256_max_pd(splat(low), v));
#else
  v = v < splat(low) ? splat(low) : v;
  return splat(high) < v ? splat(high) : v;
#endif
}

#ifdef __AVX512F__
typedef double Eight __attribute__((vector_size(64)));
typedef float F16 __attribute__((vector_size(64)));
[[gnu::always_inline]] inline Eight eight_of(double v) { return Eight{v, v, v, v, v, v, v, v}; }
[[gnu::always_inline]] inline Eight eight_of(I8 v) { return __builtin_convertvector(v, Eight); }
[[gnu::always_inline]] inline F8 floats(Eight v) { return __builtin_convertvector(v, F8); }
/// Masked forms, since GCC 12 warns about its own forms without a mask.
[[gnu::always_inline]] inline Eight between(Eight v, Eight low, Eight high) {
  return _mm512_maskz_min_pd(0xff, high, _mm512_maskz_max_pd(0xff, low, v));
}
[[gnu::always_inline]] inline Eight between(Eight v, double low, double high) { return between(v, eight_of(low), eight_of(high)); }
#else
/// The pixels of two quads.
struct Eight {
  D4 half[2];
};
[[gnu::always_inline]] inline Eight operator+(Eight a, Eight b) { return {{a.half[0] + b.half[0], a.half[1] + b.half[1]}}; }
[[gnu::always_inline]] inline Eight operator*(Eight a, Eight b) { return {{a.half[0] * b.half[0], a.half[1] * b.half[1]}}; }
[[gnu::always_inline]] inline Eight eight_of(double v) { return {{splat(v), splat(v)}}; }
[[gnu::always_inline]] inline Eight eight_of(I8 v) {
  I4 half[2];
  std::memcpy(half, &v, sizeof half);
  return {{__builtin_convertvector(half[0], D4), __builtin_convertvector(half[1], D4)}};
}
[[gnu::always_inline]] inline F8 floats(Eight v) {
  return __builtin_shufflevector(__builtin_convertvector(v.half[0], F4), __builtin_convertvector(v.half[1], F4), 0, 1, 2, 3, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline Eight between(Eight v, double low, double high) {
  return {{between(v.half[0], low, high), between(v.half[1], low, high)}};
}
#endif

}  // namespace
}  // namespace softgen::render

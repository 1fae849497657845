// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once for each instruction set (QUAD_KERNELS names the table); everything here is local to the file.
#include "hw/sampler/quad_kernels.h"

#include <cstring>

namespace softgen::sampler {
namespace {

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef uint32_t U4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

constexpr int32_t one = 256;                // a texel: eight bits of fraction
constexpr double far = 1 << 22;             // texels; times 256 they are within 32 bits

template <typename V, typename T>
V get(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
void put(T* to, V v) {
  std::memcpy(to, &v, sizeof v);
}

I4 floored(D4 v) {
  const I4 cut = __builtin_convertvector(v, I4);
  return cut + __builtin_convertvector(__builtin_convertvector(cut, D4) > v, I4);
}

I4 modulo(I4 i, int32_t size) {
  if ((size & (size - 1)) == 0) return i & (size - 1);
  // The quotient's distance from a whole number is at least 1 / size, or nothing: double has it right.
  const D4 quotient = __builtin_convertvector(i, D4) / static_cast<double>(size);
  return i - floored(quotient) * size;
}

I4 wrapped(Wrap mode, I4 i, int32_t size) {
  switch (mode) {
    case Wrap::wrap: return modulo(i, size);
    case Wrap::mirror: {
      const I4 m = modulo(i, 2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case Wrap::clamp: break;
  }
  const I4 last = I4{} + (size - 1);
  i = i < 0 ? I4{} : i;
  return i > last ? last : i;
}

bool axis(const AxisKernel& a, bool linear, const float* coordinates, QuadAxis& out) {
  D4 texels = __builtin_convertvector(get<F4>(coordinates), D4);
  if (a.normalized) texels *= static_cast<double>(a.size);
  texels = texels == texels ? texels : D4{};
  const L4 outside = (texels > far) | (texels < -far);
  if (outside[0] | outside[1] | outside[2] | outside[3]) return false;
  texels *= static_cast<double>(one);
  if (a.rounded) texels += 0.5;
  I4 fixed = floored(texels) + a.offset * one;
  if (!linear) {
    const I4 i = wrapped(a.mode, fixed >> 8, a.size);
    put(out.low, i), put(out.high, i);
    put(out.weight, F4{});
    return true;
  }
  fixed -= one / 2;
  const I4 low = fixed >> 8;
  put(out.low, wrapped(a.mode, low, a.size));
  put(out.high, wrapped(a.mode, low + 1, a.size));
  put(out.weight, __builtin_convertvector(fixed & (one - 1), F4) / static_cast<float>(one));
  return true;
}

void y_tile(const QuadAxis& across, const QuadAxis& down, uint32_t x, uint32_t y, uint32_t pitch, uint32_t (&out)[4][4]) {
  // As surface::offset_y().
  const auto column = [&](const int32_t* at) {
    const U4 byte = (get<U4>(at) + x) * 4u;
    return (byte >> 7) * 4096u + ((byte & 0x70u) << 5) + (byte & 15u);
  };
  const auto row = [&](const int32_t* at) {
    const U4 line = get<U4>(at) + y;
    return (line & ~31u) * pitch + ((line & 31u) << 4);
  };
  const U4 left = column(across.low), right = column(across.high), top = row(down.low), bottom = row(down.high);
  put(out[0], left + top), put(out[1], right + top), put(out[2], left + bottom), put(out[3], right + bottom);
}

/// i / 255 rounded once: the double's error does not reach the float's rounding for any code.
F4 unorm8(U4 code) { return __builtin_convertvector(__builtin_convertvector(reinterpret_cast<I4>(code), D4) * (1 / 255.0), F4); }

void decode(const DecodeKernel& d, U4 texel, F4 (&out)[4]) {
  for (unsigned c = 0; c < 4; ++c) {
    if (c == 3 && !d.alpha) {
      out[c] = F4{1, 1, 1, 1};
      break;
    }
    const unsigned byte = d.bgra && c < 3 ? 2 - c : c;
    const U4 code = texel >> 8 * byte & 255u;
    if (d.srgb && c < 3) out[c] = F4{d.srgb[code[0]], d.srgb[code[1]], d.srgb[code[2]], d.srgb[code[3]]};
    else out[c] = unorm8(code);
  }
}

void linear(const DecodeKernel& d, const uint32_t (&texels)[4][4], const float* u_weight, const float* v_weight, float (&out)[4][4]) {
  const F4 u = get<F4>(u_weight), v = get<F4>(v_weight);
  F4 corner[4][4];
  for (unsigned i = 0; i < 4; ++i) decode(d, get<U4>(texels[i]), corner[i]);
  // Weights of zero change nothing: all values are finite and none is -0.
  for (unsigned c = 0; c < 4; ++c) {
    const F4 top = corner[0][c] + (corner[1][c] - corner[0][c]) * u, bottom = corner[2][c] + (corner[3][c] - corner[2][c]) * u;
    put(out[c], top + (bottom - top) * v);
  }
}

void nearest(const DecodeKernel& d, const uint32_t (&texels)[4], float (&out)[4][4]) {
  F4 color[4];
  decode(d, get<U4>(texels), color);
  for (unsigned c = 0; c < 4; ++c) put(out[c], color[c]);
}

void mix(float (&a)[4][4], const float (&b)[4][4], float weight) {
  for (unsigned c = 0; c < 4; ++c) {
    const F4 from = get<F4>(a[c]), to = get<F4>(b[c]);
    put(a[c], from + (to - from) * weight);
  }
}

}  // namespace

extern const QuadKernels QUAD_KERNELS;
const QuadKernels QUAD_KERNELS{axis, y_tile, linear, nearest, mix};

}  // namespace softgen::sampler

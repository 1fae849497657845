// SPDX-License-Identifier: GPL-2.0-or-later
// Lane arithmetic with the compiler's vector extensions. meson compiles this file once for the baseline of the host and, on x86-64,
// once more with AVX2 and FMA (EU_KERNELS names the table); only types of lanes.h and builtins are used, so the copies share no code.
// No contraction (-ffp-contract=off): a*b+c is fused where __builtin_fma says so and nowhere else.
#include <type_traits>

#include "hw/eu/program/lanes.h"

namespace softgen::eu {

extern const KernelTable EU_KERNELS;

namespace {

template <typename T, unsigned N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T)), aligned(alignof(T))));
};
using V8f = VectorOf<float, 8>::type;
using V8i = VectorOf<int32_t, 8>::type;
using V8u = VectorOf<uint32_t, 8>::type;
using V4d = VectorOf<double, 4>::type;
using V4q = VectorOf<int64_t, 4>::type;
using V4uq = VectorOf<uint64_t, 4>::type;

template <typename V>
using Element = std::remove_reference_t<decltype(V{}[0])>;

/// Lanes `at` and on.
template <typename V>
inline V load(const void* from, unsigned at) {
  V v;
  __builtin_memcpy(&v, static_cast<const char*>(from) + at * sizeof(Element<V>), sizeof(V));
  return v;
}
template <typename V>
inline void store(void* to, unsigned at, V v) {
  __builtin_memcpy(static_cast<char*>(to) + at * sizeof(Element<V>), &v, sizeof(V));
}

inline V8f quiet(V8f r) {
  const V8i nan = {0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000};
  return r == r ? r : reinterpret_cast<V8f>(nan);
}
inline V4d quiet(V4d r) {
  const int64_t bits = 0x7ff8000000000000;
  const V4q nan = {bits, bits, bits, bits};
  return r == r ? r : reinterpret_cast<V4d>(nan);
}

template <typename V>
constexpr unsigned lanes_of = sizeof(V) / sizeof(V{}[0]);

// clang-format off: an operator per line
struct Add { template <typename V> static V of(V a, V b, V) { return a + b; } };
struct Mul { template <typename V> static V of(V a, V b, V) { return a * b; } };
struct And { template <typename V> static V of(V a, V b, V) { return a & b; } };
struct Or { template <typename V> static V of(V a, V b, V) { return a | b; } };
struct Xor { template <typename V> static V of(V a, V b, V) { return a ^ b; } };
struct Not { template <typename V> static V of(V a, V, V) { return ~a; } };
struct Shift { template <typename V> static V of(V a, V b, V) { return a << b; } };
struct ShiftRight { template <typename V> static V of(V a, V b, V) { return a >> b; } };
struct Copy { template <typename V> static V of(V a, V, V) { return a; } };
// cmpn: src0 is taken as well when src1 is NaN.
struct Min { template <typename V> static V of(V a, V b, V) { return ((a < b) | (b != b)) ? a : b; } };
struct Max { template <typename V> static V of(V a, V b, V) { return ((a >= b) | (b != b)) ? a : b; } };

template <typename Op, typename V, bool canonical>
void apply(void* r, const void* a, const void* b, const void* c, unsigned groups) {
  constexpr unsigned n = lanes_of<V>;
  for (unsigned at = 0; at < groups * 8; at += n) {
    V v = Op::of(load<V>(a, at), load<V>(b, at), load<V>(c, at));
    if constexpr (canonical) v = quiet(v);
    store(r, at, v);
  }
}

template <typename Op, typename T>
void each(void* r, const void* a, const void* b, const void* c, unsigned groups) {
  constexpr bool single = sizeof(T) == 4;
  using V = typename VectorOf<T, single ? 8 : 4>::type;
  for (unsigned at = 0; at < groups * 8; at += lanes_of<V>) {
    const V x = load<V>(a, at), y = load<V>(b, at), z = load<V>(c, at);
    V v;
    for (unsigned n = 0; n < lanes_of<V>; n++) v[n] = Op::of(x[n], y[n], z[n]);
    store(r, at, quiet(v));
  }
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// mad: src1 * src2 + src0, rounded once.
struct Mad { template <typename T> static T of(T a, T b, T c) { return fused(b, c, a); } };
/// lrp's second product; execute_lrp fuses the first one with it.
struct Rest { template <typename T> static T of(T a, T, T c) { return (T(1) - a) * c; } };
struct Floor { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_floorf(float(a))) : T(__builtin_floor(double(a))); } };
struct Ceil { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_ceilf(float(a))) : T(__builtin_ceil(double(a))); } };
/// Whatever the host's rounding mode is.
struct Even {
  template <typename T>
  static T of(T a, T, T) {
#if __has_builtin(__builtin_roundeven)
    return sizeof(T) == 4 ? T(__builtin_roundevenf(float(a))) : T(__builtin_roundeven(double(a)));
#else  // clang before 17
    const T low = Floor::of(a, a, a), rest = a - low, half = T(0.5);
    const bool odd = Floor::of(low * half, a, a) * T(2) != low;
    const T r = rest > half || (rest == half && odd) ? low + T(1) : low;
    return sizeof(T) == 4 ? T(__builtin_copysignf(float(r), float(a))) : T(__builtin_copysign(double(r), double(a)));
#endif
  }
};
struct Trunc { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_truncf(float(a))) : T(__builtin_trunc(double(a))); } };
// clang-format on
/// frc: x - floor(x), in [0, 1): just below one where the difference rounds up.
struct Fraction {
  template <typename T>
  static T of(T a, T b, T c) {
    const T below = sizeof(T) == 4 ? T(0x1.fffffep-1) : T(0x1.fffffffffffffp-1);
    const T r = a - Floor::of(a, b, c);
    return r >= T(1) ? below : r;
  }
};

/// pln: p * u + q * v + r with one rounding at the end of a double-precision sum. a = (p, q, -, r) in lanes 0..3, b = u, c = v.
void plane(void* r, const void* a, const void* b, const void* c, unsigned groups) {
  const auto* plane = static_cast<const float*>(a);
  const double p = plane[0], q = plane[1], s = plane[3];
  for (unsigned at = 0; at < groups * 8; at += 8) {
    const V8f u = load<V8f>(b, at), w = load<V8f>(c, at);
    V8f v;
    for (unsigned n = 0; n < 8; n++) v[n] = static_cast<float>(p * u[n] + (q * w[n] + s));
    store(r, at, quiet(v));
  }
}

// clang-format off: an operator per line
struct Eq { template <typename V> static auto of(V a, V b) { return a == b; } };
struct Ne { template <typename V> static auto of(V a, V b) { return a != b; } };
struct Gt { template <typename V> static auto of(V a, V b) { return a > b; } };
struct Ge { template <typename V> static auto of(V a, V b) { return a >= b; } };
struct Lt { template <typename V> static auto of(V a, V b) { return a < b; } };
struct Le { template <typename V> static auto of(V a, V b) { return a <= b; } };
struct Unordered { template <typename V> static auto of(V a, V b) { return (a != a) | (b != b); } };
struct Never { template <typename V> static auto of(V a, V) { return a != a; } };
/// Infinite: what is left of an overflow.
struct Infinite { template <typename V> static auto of(V a, V) { return (a == a) & (a - a != a - a); } };
// clang-format on

inline uint32_t mask_bits(V8i m) {
  const V8i weights = {1, 2, 4, 8, 16, 32, 64, 128};
  m &= weights;
  m |= __builtin_shufflevector(m, m, 4, 5, 6, 7, 0, 1, 2, 3);
  m |= __builtin_shufflevector(m, m, 2, 3, 0, 1, 2, 3, 0, 1);
  return static_cast<uint32_t>(m[0] | m[1]);
}
inline uint32_t mask_bits(V4q m) {
  const V4q weights = {1, 2, 4, 8};
  m &= weights;
  m |= __builtin_shufflevector(m, m, 2, 3, 0, 1);
  return static_cast<uint32_t>(m[0] | m[1]);
}

template <typename Op, typename V>
uint32_t compare(const void* a, const void* b, unsigned groups) {
  constexpr unsigned n = lanes_of<V>;
  using Mask = std::conditional_t<n == 8, V8i, V4q>;
  uint32_t bits = 0;
  for (unsigned at = 0; at < groups * 8; at += n) bits |= mask_bits(reinterpret_cast<Mask>(Op::of(load<V>(a, at), load<V>(b, at)))) << at;
  return bits;
}

void unavailable(void*, const void*, const void*, const void*, unsigned) { __builtin_trap(); }

V8u flushed(V8u v) {
  // An exponent of zero: a zero or a denormal.
  return (v & 0x7f800000u) == 0 ? v & 0x80000000u : v;
}

void flush_f32(void* r, const void* a, unsigned groups) {
  for (unsigned at = 0; at < groups * 8; at += 8) store(r, at, flushed(load<V8u>(a, at)));
}

void finish_f32(void* r, bool saturate, bool flush, unsigned groups) {
  const V8f zero = {}, one = {1, 1, 1, 1, 1, 1, 1, 1};
  for (unsigned at = 0; at < groups * 8; at += 8) {
    V8f v = load<V8f>(r, at);
    if (saturate) {
      v = v > zero ? v : zero;
      v = v < one ? v : one;
    }
    if (flush) v = reinterpret_cast<V8f>(flushed(reinterpret_cast<V8u>(v)));
    store(r, at, v);
  }
}

void store_32(void* r, const void* a, uint32_t mask, unsigned groups) {
  const V8u weights = {1, 2, 4, 8, 16, 32, 64, 128};
  for (unsigned at = 0; at < groups * 8; at += 8) {
    const uint32_t part = mask >> at & 255;
    if (!part) continue;
    const V8u bits = weights & part;
    store(r, at, bits != 0 ? load<V8u>(a, at) : load<V8u>(r, at));
  }
}

}  // namespace

// clang-format off: in the order of KernelOp
#define FLOAT_KERNELS(T, V)                                                                                               \
  {apply<Add, V, true>, apply<Mul, V, true>, each<Mad, T>, apply<Min, V, false>, apply<Max, V, false>, each<Fraction, T>, \
   each<Ceil, T>, each<Floor, T>, each<Even, T>, each<Trunc, T>, each<Rest, T>, plane, unavailable, unavailable,           \
   unavailable, unavailable, unavailable, unavailable, unavailable, apply<Copy, V, false>}
#define INTEGER_KERNELS(V, U)                                                                                             \
  {apply<Add, U, false>, apply<Mul, U, false>, unavailable, apply<Min, V, false>, apply<Max, V, false>, unavailable,      \
   unavailable, unavailable, unavailable, unavailable, unavailable, unavailable, apply<And, U, false>,                    \
   apply<Or, U, false>, apply<Xor, U, false>, apply<Not, U, false>, apply<Shift, U, false>, apply<ShiftRight, U, false>,  \
   apply<ShiftRight, V, false>, apply<Copy, U, false>}
#define COMPARES(V, U, O) \
  {compare<Eq, V>, compare<Ne, V>, compare<Gt, V>, compare<Ge, V>, compare<Lt, V>, compare<Le, V>, compare<U, V>, compare<O, V>}
// clang-format on

const KernelTable EU_KERNELS = {
    FLOAT_KERNELS(float, V8f),
    FLOAT_KERNELS(double, V4d),
    INTEGER_KERNELS(V8i, V8u),
    INTEGER_KERNELS(V4q, V4uq),
    COMPARES(V8f, Unordered, Infinite),
    COMPARES(V4d, Unordered, Infinite),
    COMPARES(V8i, Never, Never),
    COMPARES(V8u, Never, Never),
    COMPARES(V4q, Never, Never),
    COMPARES(V4uq, Never, Never),
    flush_f32,
    finish_f32,
    store_32,
};

}  // namespace softgen::eu

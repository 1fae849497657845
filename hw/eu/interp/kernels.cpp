// SPDX-License-Identifier: GPL-2.0-or-later
// Lane arithmetic with the compiler's vector extensions. meson compiles this file once for the baseline of the host and, on x86-64,
// once more with AVX2 and FMA (EU_KERNELS names the table); only types of lanes.h and builtins are used, so the copies share no code.
// No contraction (-ffp-contract=off): a*b+c is fused where __builtin_fma says so and nowhere else.
#include <cmath>
#include <cstring>

#include "hw/eu/interp/lanes.h"

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

template <typename V, typename T>
inline V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <typename V, typename T>
inline void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
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

/// Which array of Lanes a vector type belongs to.
inline const float* array(const Lanes& l, V8f) { return l.f; }
inline const int32_t* array(const Lanes& l, V8i) { return l.i; }
inline const uint32_t* array(const Lanes& l, V8u) { return l.u; }
inline const double* array(const Lanes& l, V4d) { return l.d; }
inline const int64_t* array(const Lanes& l, V4q) { return l.q; }
inline const uint64_t* array(const Lanes& l, V4uq) { return l.uq; }
inline float* array(Lanes& l, V8f) { return l.f; }
inline int32_t* array(Lanes& l, V8i) { return l.i; }
inline uint32_t* array(Lanes& l, V8u) { return l.u; }
inline double* array(Lanes& l, V4d) { return l.d; }
inline int64_t* array(Lanes& l, V4q) { return l.q; }
inline uint64_t* array(Lanes& l, V4uq) { return l.uq; }

template <typename V>
constexpr unsigned lanes_of = sizeof(V) / sizeof(V{}[0]);

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
struct Min { template <typename V> static V of(V a, V b, V) { return (a < b) | (b != b) ? a : b; } };
struct Max { template <typename V> static V of(V a, V b, V) { return (a >= b) | (b != b) ? a : b; } };

template <typename Op, typename V, bool canonical>
void apply(Lanes& r, const Lanes& a, const Lanes& b, const Lanes& c, unsigned groups) {
  constexpr unsigned n = lanes_of<V>;
  for (unsigned at = 0; at < groups * 8; at += n) {
    V v = Op::of(load<V>(array(a, V{}) + at), load<V>(array(b, V{}) + at), load<V>(array(c, V{}) + at));
    if constexpr (canonical) v = quiet(v);
    store(array(r, V{}) + at, v);
  }
}

template <typename Op, typename T>
void each(Lanes& r, const Lanes& a, const Lanes& b, const Lanes& c, unsigned groups) {
  constexpr bool single = sizeof(T) == 4;
  using V = typename VectorOf<T, single ? 8 : 4>::type;
  for (unsigned at = 0; at < groups * 8; at += lanes_of<V>) {
    V v;
    for (unsigned n = 0; n < lanes_of<V>; n++) v[n] = Op::of(array(a, V{})[at + n], array(b, V{})[at + n], array(c, V{})[at + n]);
    store(array(r, V{}) + at, quiet(v));
  }
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// mad: src1 * src2 + src0, rounded once.
struct Mad { template <typename T> static T of(T a, T b, T c) { return fused(b, c, a); } };
/// lrp: src0 * src1 + (1 - src0) * src2.
struct Lrp {
  template <typename T>
  static T of(T a, T b, T c) {
    const T rest = (T(1) - a) * c;
    return fused(a, b, rest);
  }
};
struct Floor { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_floorf(float(a))) : T(__builtin_floor(double(a))); } };
struct Ceil { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_ceilf(float(a))) : T(__builtin_ceil(double(a))); } };
struct Even { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_roundevenf(float(a))) : T(__builtin_roundeven(double(a))); } };
struct Trunc { template <typename T> static T of(T a, T, T) { return sizeof(T) == 4 ? T(__builtin_truncf(float(a))) : T(__builtin_trunc(double(a))); } };
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
void plane(Lanes& r, const Lanes& a, const Lanes& b, const Lanes& c, unsigned groups) {
  const double p = a.f[0], q = a.f[1], s = a.f[3];
  for (unsigned at = 0; at < groups * 8; at += 8) {
    V8f v;
    for (unsigned n = 0; n < 8; n++) v[n] = static_cast<float>(p * b.f[at + n] + (q * c.f[at + n] + s));
    store(r.f + at, quiet(v));
  }
}

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

template <typename Op, typename V>
uint32_t compare(const Lanes& a, const Lanes& b, unsigned groups) {
  constexpr unsigned n = lanes_of<V>;
  uint32_t bits = 0;
  for (unsigned at = 0; at < groups * 8; at += n) {
    const auto m = Op::of(load<V>(array(a, V{}) + at), load<V>(array(b, V{}) + at));
    uint32_t part = 0;
    for (unsigned k = 0; k < n; k++) part |= (m[k] ? 1u : 0u) << k;
    bits |= part << at;
  }
  return bits;
}


void unavailable(Lanes& r, const Lanes& a, const Lanes&, const Lanes&, unsigned) { r = a; }

}  // namespace

#define FLOAT_KERNELS(T, V)                                                                                               \
  {apply<Add, V, true>, apply<Mul, V, true>, each<Mad, T>, apply<Min, V, false>, apply<Max, V, false>, each<Fraction, T>, \
   each<Ceil, T>, each<Floor, T>, each<Even, T>, each<Trunc, T>, each<Lrp, T>, plane, unavailable, unavailable,           \
   unavailable, unavailable, unavailable, unavailable, unavailable, apply<Copy, V, false>}
#define INTEGER_KERNELS(V, U)                                                                                             \
  {apply<Add, U, false>, apply<Mul, U, false>, unavailable, apply<Min, V, false>, apply<Max, V, false>, unavailable,      \
   unavailable, unavailable, unavailable, unavailable, unavailable, unavailable, apply<And, U, false>,                    \
   apply<Or, U, false>, apply<Xor, U, false>, apply<Not, U, false>, apply<Shift, U, false>, apply<ShiftRight, U, false>,  \
   apply<ShiftRight, V, false>, apply<Copy, U, false>}
#define COMPARES(V, U, O) \
  {compare<Eq, V>, compare<Ne, V>, compare<Gt, V>, compare<Ge, V>, compare<Lt, V>, compare<Le, V>, compare<U, V>, compare<O, V>}

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
};

}  // namespace softgen::eu

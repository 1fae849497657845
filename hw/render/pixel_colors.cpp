// SPDX-License-Identifier: GPL-2.0-or-later
// Colour writes to 32-bit pixels, with or without blending. See pixel_vectors.h.
#include "hw/render/pixel_vectors.h"
#include "hw/render/state_enums.h"
#include "hw/surface/format.h"
#include "hw/surface/unorm8.h"

namespace softgen::render {
namespace {

using Factor = BlendFactor;
using Function = BlendFunction;

using Colors = F8[4];

F8 clamped(F8 c, float low) {
#ifdef __FMA__
  // max and min return their second operand if both are zero (of any sign), like the code below.
  c = _mm256_and_ps(c, _mm256_cmp_ps(c, c, _CMP_ORD_Q));
  return _mm256_min_ps(splat(1.0f), _mm256_max_ps(splat(low), c));
#else
  c = c != c ? F8{} : c;
  c = c < splat(low) ? splat(low) : c;
  return splat(1.0f) < c ? splat(1.0f) : c;
#endif
}

/// `source1`: only where it is a factor.
template <typename Floats>
[[gnu::always_inline]] inline Floats factor(uint8_t f, const Floats (&source)[4], const Floats (&source1)[4],
                                            const Floats (&destination)[4], const std::array<float, 4>& constant, unsigned c) {
  const Floats one = Floats{} + 1.0f;
  switch (static_cast<Factor>(f)) {
    case Factor::one: return one;
    case Factor::source_color: return source[c];
    case Factor::source_alpha: return source[3];
    case Factor::destination_alpha: return destination[3];
    case Factor::destination_color: return destination[c];
    case Factor::source_alpha_saturate: {
      const Floats rest = one - destination[3];
      return c == 3 ? one : rest < source[3] ? rest : source[3];
    }
    case Factor::constant_color: return Floats{} + constant[c];
    case Factor::constant_alpha: return Floats{} + constant[3];
    case Factor::source1_color: return source1[c];
    case Factor::source1_alpha: return source1[3];
    case Factor::inverse_source_color: return one - source[c];
    case Factor::inverse_source_alpha: return one - source[3];
    case Factor::inverse_destination_alpha: return one - destination[3];
    case Factor::inverse_destination_color: return one - destination[c];
    case Factor::inverse_constant_color: return one - constant[c];
    case Factor::inverse_constant_alpha: return one - constant[3];
    case Factor::inverse_source1_color: return one - source1[c];
    case Factor::inverse_source1_alpha: return one - source1[3];
    default: return Floats{};
  }
}

F8 combined(Function function, F8 source, F8 source_factor, F8 destination, F8 destination_factor) {
  switch (function) {
    case Function::add: return source * source_factor + destination * destination_factor;
    case Function::subtract: return source * source_factor - destination * destination_factor;
    case Function::reverse_subtract: return destination * destination_factor - source * source_factor;
    case Function::min: return destination < source ? destination : source;
    case Function::max: return source < destination ? destination : source;
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
  // unorm8() clamps anyway; only sRGB and other forms need it here.
  const bool clamps = k.clamp_after && (k.srgb || k.stored != ColorKernel::Stored::unorm8);
  Colors out;
  for (unsigned c = 0; c < 4; ++c)
    out[c] =
        combined(static_cast<Function>(k.function[c]), source[c], factor(k.source_factor[c], source, source1, destination, k.constant, c),
                 destination[c], factor(k.destination_factor[c], source, source1, destination, k.constant, c));
  for (unsigned c = 0; c < 4; ++c) source[c] = clamps ? clamped(out[c], k.clamp_low) : out[c];
}

/// The exact product of 255 and the value, rounded once to the nearest integer, ties to even.
U8 unorm8(F8 v) {
#ifdef __FMA__
  // max returns its second operand if the first is NaN. Adding 2^23 + 2^22 rounds to an integer, which is in the low bits.
  v = _mm256_min_ps(_mm256_max_ps(v, F8{}), splat(1.0f));
  return reinterpret_cast<U8>(_mm256_fmadd_ps(v, splat(255.0f), splat(0x1.8p23f))) & 255u;
#else
  v = v > F8{} ? v : F8{};
  v = splat(1.0f) < v ? splat(1.0f) : v;
  F4 half[2];
  std::memcpy(half, &v, sizeof half);
  U8 out;
  for (unsigned h = 0; h < 2; ++h) {
    // Adding 2^52 + 2^51 rounds to an integer, which is in the low bits.
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

/// Converts two rows of four pixels to two quads. It is its own inverse.
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
  if (p.owns_rows) {
    // Without branches on single pixels, which the host would predict badly.
    constexpr uint64_t left = 0xffffffff;
    static constexpr uint64_t masks[] = {0, left, ~left, ~uint64_t{0}};
    typedef uint64_t W4 __attribute__((vector_size(32)));
    const W4 words = reinterpret_cast<W4>(word);
    for (unsigned quad = 0; quad < 4; quad += 2) {
      if (!(p.lanes >> 2 * quad & 15)) continue;
      for (unsigned row = quad; row < quad + 2; ++row) {
        const uint64_t mask = masks[p.lanes >> 2 * row & 3];
        uint64_t there;
        std::memcpy(&there, p.rows[row], sizeof there);
        there = (there & ~mask) | (words[row] & mask);
        std::memcpy(p.rows[row], &there, sizeof there);
      }
    }
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

/// Masked forms, since GCC 12 warns about its own forms without a mask.
F16 at_most(F16 v, F16 low, F16 high) { return _mm512_maskz_min_ps(0xffff, high, _mm512_maskz_max_ps(0xffff, low, v)); }
/// clamped() and unorm8() of sixteen values.
F16 clamped(F16 v, float low) {
  // max returns its second operand if one is NaN. The sign of zero is not observable.
  if (low == 0) return _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, F16{}), sixteen(1.0f));
  return at_most(_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v), sixteen(low), sixteen(1.0f));
}
U16 unorm8(F16 v) {
  v = _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, F16{}), sixteen(1.0f));
  return reinterpret_cast<U16>(_mm512_fmadd_ps(v, sixteen(255.0f), sixteen(0x1.8p23f))) & 255u;
}
#endif

/// ColorKernel::added, with all values in registers. The sources are clamped already if the blend state asks for it.
template <typename Floats, typename Words>
[[gnu::always_inline]] inline Words added_word(const ColorKernel& k, const Floats (&source)[4], Words there) {
  typedef decltype(Floats{} < Floats{}) Integers;
  const auto old = [&](unsigned c) {
    return surface::unorm8(__builtin_convertvector(reinterpret_cast<Integers>(there >> k.shift[c] & 255u), Floats));
  };
  const Floats none[4]{}, before[4] = {old(0), old(1), old(2), k.alpha_stored ? old(3) : Floats{} + 1.0f};
  const auto of = [&](const std::array<uint8_t, 4>& factors, unsigned c) {
    return factor(factors[c], source, none, before, k.constant, c);
  };
  const auto mixed = [&](unsigned c, Floats own, Floats other) { return unorm8(source[c] * own + before[c] * other) << k.shift[c]; };
  Words word{};
  if (k.by_alpha) {
    const Floats own = of(k.source_factor, 0), other = of(k.destination_factor, 0);
    word = mixed(0, own, other) | mixed(1, own, other) | mixed(2, own, other);
  } else {
    for (unsigned c = 0; c < 3; ++c) word |= mixed(c, of(k.source_factor, c), of(k.destination_factor, c));
  }
  if (k.alpha_stored) word |= mixed(3, of(k.source_factor, 3), of(k.destination_factor, 3));
  return (there & k.keep) | (word & ~k.keep);
}

[[gnu::always_inline]] inline U8 plain_word(const ColorKernel& k, const float* const* source) {
  U8 word = unorm8(eight(source[0])) << k.shift[0] | unorm8(eight(source[1])) << k.shift[1] | unorm8(eight(source[2])) << k.shift[2];
  if (k.alpha_stored) word |= unorm8(eight(source[3])) << k.shift[3];
  return word;
}

}  // namespace

void PIXEL_ISA::write_color(const ColorKernel& k, const ColorPixels& p) {
  if (k.plain() && !p.replicated) return stored(p, plain_word(k, p.source));
  if (k.added && !p.replicated) {
    Colors c;
    for (unsigned i = 0; i < 4; ++i) c[i] = k.clamp_before ? clamped(eight(p.source[i]), k.clamp_low) : eight(p.source[i]);
    return stored(p, added_word(k, c, loaded(p)));
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

namespace {

#ifdef __AVX512F__
/// Two loads: the kernel may have stored the halves separately, and a single load could not forward from both stores.
F16 source_of(const ColorSquare& r, unsigned c) {
  return __builtin_shufflevector(eight(r.source[0][c]), eight(r.source[1][c]), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

constexpr size_t square_row = 16;

/// Converts rows of four pixels to quads. It is its own inverse.
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
  stored(r, added_word(k, source, loaded(r)));
}
#endif

[[gnu::noinline]] void write_halves(const ColorKernel& k, const ColorSquare& s) {
  for (unsigned half = 0; half < 2; ++half) {
    std::byte *const at = s.at + half * 2 * size_t{s.row}, *const below = at + s.row;
    const ColorPixels p{.source = {s.source[half][0], s.source[half][1], s.source[half][2], s.source[half][3]},
                        .source1 = {},
                        .lanes = 0xff,
                        .pair = true,
                        .rows = {at, below, at + 8, below + 8}};
    PIXEL_ISA::write_color(k, p);
  }
}

}  // namespace

void PIXEL_ISA::write_square(const ColorKernel& k, const ColorSquare& s) {
#ifdef __AVX512F__
  if (k.plain()) return write_plain_square(k, s);
  if (k.added) return write_added_square(k, s);
#endif
  write_halves(k, s);
}

}  // namespace softgen::render

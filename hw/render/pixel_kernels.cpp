// SPDX-License-Identifier: GPL-2.0-or-later
// Coverage of a block, and the table of one instruction set (its name is PIXEL_KERNELS). See pixel_vectors.h.
#include "hw/render/pixel_kernels.h"

#include "hw/render/pixel_vectors.h"
#include "hw/surface/ccs.h"

namespace softgen::render {
namespace {

template <size_t count>
uint64_t inside(const BlockEdge* edges) {
  const I8 step = {0, 1, 2, 3, 4, 5, 6, 7};
  I8 value[count];
  for (size_t e = 0; e < count; ++e) value[e] = edges[e].corner + step * edges[e].a;
  uint64_t outside = 0;
#pragma GCC unroll 8
  for (unsigned row = 0; row < 8; ++row) {
    I8 any = value[0];  // negative where one is
    for (size_t e = 1; e < count; ++e) any |= value[e];
    outside |= uint64_t{sign_bits(any)} << 8 * row;
    for (size_t e = 0; e < count; ++e) value[e] += edges[e].b;
  }
  return ~outside;
}

uint64_t coverage(const BlockEdge* edges, size_t count) {
  switch (count) {
    case 0: return ~uint64_t{0};
    case 1: return inside<1>(edges);
    case 2: return inside<2>(edges);
    case 3: return inside<3>(edges);
    default: return inside<4>(edges);
  }
}

bool pair_compresses(const std::byte* line, const std::byte* other, unsigned element) {
#ifdef __AVX512F__
  const __m512i a = _mm512_loadu_si512(line), b = _mm512_loadu_si512(other);
  const __m128i corner = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line));
  const __m128i first = element == 16 ? corner : element == 8 ? _mm_broadcastq_epi64(corner) : _mm_broadcastd_epi32(corner);
  const __m512i all = _mm512_maskz_broadcast_i32x4(0xffff, first),
                differ = _mm512_or_si512(_mm512_xor_si512(a, all), _mm512_xor_si512(b, all));
  typedef uint64_t U8x8 __attribute__((vector_size(64)));
  const auto eight = reinterpret_cast<U8x8>(differ);
  return surface::pair_compresses(std::array{eight[0] | eight[2] | eight[4] | eight[6], eight[1] | eight[3] | eight[5] | eight[7]},
                                  element);
#else
  return surface::pair_compresses(line, other, element);
#endif
}

}  // namespace

extern const PixelKernels PIXEL_KERNELS;
const PixelKernels PIXEL_KERNELS{coverage,
                                 PIXEL_ISA::depth_test,
                                 PIXEL_ISA::depth_write,
                                 PIXEL_ISA::depth_block,
                                 PIXEL_ISA::interpolate,
                                 PIXEL_ISA::center_planes,
                                 PIXEL_ISA::square_steps,
                                 PIXEL_ISA::square_corners,
                                 PIXEL_ISA::write_color,
                                 PIXEL_ISA::write_square,
                                 pair_compresses};

}  // namespace softgen::render

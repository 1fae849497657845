// SPDX-License-Identifier: GPL-2.0-or-later
// The filter's arithmetic for all channels of a message: nearest or linear, two coordinates, formats of up to four bytes. Built for the
// baseline, AVX2 and AVX-512, without contraction; repeats the bits of Filter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::sampler {

constexpr unsigned max_lanes = 16, max_quads = 4;

enum class Wrap : uint8_t { wrap, mirror, clamp };
enum class LaneTiling : uint8_t { linear, x, y, yf };  ///< yf: of elements of 2 or 4 bytes

/// How the stored codes become floats.
enum class LaneCodes : uint8_t {
  unorm8,   ///< a byte a component
  srgb8,    ///< the same; the bytes of red, green and blue by the table
  unorm24,  ///< one component in the low bits of a dword
  float32,  ///< one component
};

struct LaneDecode {
  static constexpr uint8_t zero = 4, one = 5;
  LaneCodes codes = LaneCodes::unorm8;
  /// For red, green, blue and alpha of the result, channel selects included: which stored component it is, or a constant.
  uint8_t from[4] = {zero, zero, zero, one};
  uint8_t linear_component = 4;  ///< srgb8: the component that is alpha, which is linear
  const float* srgb = nullptr;   ///< by code
};

/// One surface seen through one sampler.
struct LaneSurface {
  Wrap wrap[2] = {Wrap::wrap, Wrap::wrap};  ///< u, v
  bool normalized = true;
  bool powers = false;  ///< widths and heights of all levels are powers of two
  LaneTiling tiling = LaneTiling::linear;
  uint8_t shift = 2;  ///< log2 of an element's bytes, up to 2
  uint32_t pitch = 0;
  LaneDecode decode;
};

struct LaneLevel {
  int32_t width = 1, height = 1;
  uint32_t x = 0, y = 0;  ///< of its first element in the surface
};

/// Where the elements at four-byte aligned offsets from the surface's base are: when its memory is not in one piece. `count`: of offsets.
using LaneLoad = void (*)(void* context, const uint32_t* offsets, unsigned count, const std::byte** out);

/// One sample of the levels by the channels of a message. The caller sets the first five members; the others are outputs.
struct LaneTap {
  const float *u, *v;                 ///< 16 can be read, whatever they are; any coordinates give some texel
  unsigned channels = 8;              ///< or 16
  uint32_t mask = 0;                  ///< those that are sampled
  int32_t offset[2] = {0, 0};         ///< texels
  bool one_level;                     ///< it is level[0] for all
  bool rounded[2];                    ///< coordinates go to the nearest 1/256 texel, else down
  const LaneLevel* level[max_quads];  ///< by quad
  const std::byte* memory;            ///< the surface in one piece; null: load()
  LaneLoad load;
  void* context;
};

/// Colours by component: out[c][lane]; null: not wanted. Channels beyond the mask stay as they are.
using LaneSample = void (*)(const LaneSurface& surface, const LaneTap& tap, float* const (&out)[4]);

/// Coordinates stay within so many texels, as in Filter::axis: 256 times that are within 32 bits. Rounding adds a half or this to 1/256 texels.
constexpr float lane_far = 1 << 22, lane_rounding = 0.5f, lane_least = 0x1p-64f;
/// The base two logarithm of 1 + t is t (a + b t + c t^2 + d t^3), exactly at 0 and 1, else to 2^-13.
constexpr float log2_terms[4] = {0x1.70504ep+0f, -0x1.5b0638p-1f, 0x1.48e4dap-2f, -0x1.506684p-4f};
/// Added to floats of up to 2^22, it rounds them to whole numbers, to even ones from the middle.
constexpr float lod_rounding = 0x1.8p23f;
/// 1 / 65280 in two parts, for sums of 8-bit codes by weights of 1/256 in both directions: sum * unit + sum * rest, the second product rounded.
constexpr float byte_sum_unit = 0x1.010102p-16f, byte_sum_rest = -0x1.fdfdfep-41f;

/// Between levels of detail.
enum class LaneMips : uint8_t { none, nearest, linear };

/// What turns derivatives into levels of detail: of a sampler and a surface (finish_lod()).
struct LaneDetail {
  LaneMips mips = LaneMips::none;
  float width = 1, height = 1;  ///< what coordinates of 1 span, in texels
  float bias = 0;
  bool preclamped = false;
  // In 1/256:
  int32_t pre_low = 0, pre_high = 0;  ///< the sampler's own range
  int32_t magnified = 0;              ///< the last level of detail that magnifies
  int32_t low = 0, high = 0, last = 0;
};
/// Of four quads.
struct LaneLods {
  int32_t level[max_quads];
  float weight[max_quads];  ///< of the next level: of eight bits
  uint32_t magnify = 0;     ///< bit: quad
  bool one_level = false;   ///< all quads have the same
  bool mixed = false;       ///< some have a weight
};

/// The commonest samples take the shortest way: one level of four 8-bit UNORM components (not sRGB) in Y tiles and one piece of host memory, clamped
/// at its edges or wrapped to powers of two, from registers (of eight dwords) to registers. All channels of the message are in the same order.
struct LanePlain {
  static constexpr uint8_t nowhere = 0xff;
  const std::byte* memory = nullptr;  ///< of the level's first texel, which is a tile's first
  uint32_t pitch = 0;
  float scale[2] = {1, 1};  ///< u, v: from coordinates to 1/256 texels, and what rounding adds
  float added[2] = {0, 0};
  float min[2] = {0, 0}, max[2] = {0, 0};       ///< they stay within
  int32_t first[2] = {0, 0}, last[2] = {0, 0};  ///< so do texels with linear filters, before
  int32_t mask[2] = {-1, -1};                   ///< they are wrapped
  /// Where a window of 12x8 texels is within the level no texel is clamped or wrapped: the greatest such place, and how places are wrapped; u (multiples
  /// of four) in element 0, v in element 4.
  bool has_window = false;
  alignas(16) int16_t window_last[8] = {}, window_mask[8] = {};
  float size[2] = {1, 1};                                ///< for nearest texels without rounding
  uint8_t u = 0, v = 0;                                  ///< first registers
  uint8_t to[4] = {nowhere, nowhere, nowhere, nowhere};  ///< where components go
  uint8_t ones = nowhere;                                ///< receives 1
};
/// For the channels of `mask`, with a LanePlain. False: no effect, the caller takes the general way.
using LanePlainSample = bool (*)(const void* plain, uint32_t* registers, uint32_t mask);
/// By whether there are 16 channels (else 8) and whether it is linear.
struct LanePlainKernels {
  LanePlainSample sample[2][2];
};

struct LaneKernels {
  /// 16 floats, in pieces that can be loaded again at once.
  void (*copy)(float* to, const float* from);
  /// plane_lod() of four quads and then finish_lod(). `u`, `v`: 16 channels. `given`, `bias`: a value a quad; null: from u and v, none.
  void (*lods)(const LaneDetail& detail, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
  /// By LaneCodes, LaneTiling, and whether it is linear.
  LaneSample sample[4][4][2];
  /// a + (b - a) weight in `a`, for the channels of `mask`; a weight for each quad, no change where it is zero.
  void (*mix)(float* const (&a)[4], const float (&b)[4][max_lanes], const float (&weight)[max_quads], unsigned channels, uint32_t mask);
  const LanePlainKernels* plain;
};

/// The host's.
const LaneKernels& lane_kernels();
/// All that run on this host; the first one is the baseline's.
KernelSet<LaneKernels> all_lane_kernels();

}  // namespace softgen::sampler

// SPDX-License-Identifier: GPL-2.0-or-later
// Vector code of the filter for all channels of a message: nearest or linear, two coordinates, formats of up to four bytes. Compiled for
// the baseline, AVX2 and AVX-512, without contraction; gives the same bits as Filter.
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

/// How stored codes are converted to floats.
enum class LaneCodes : uint8_t {
  unorm8,   ///< a byte per component
  srgb8,    ///< the same; red, green and blue are converted by the table
  unorm24,  ///< one component in the low bits of a dword
  float32,  ///< one component
};

struct LaneDecode {
  static constexpr uint8_t zero = 4, one = 5;
  LaneCodes codes = LaneCodes::unorm8;
  /// By component of the result: the stored component, or a constant. Channel selects are applied.
  uint8_t from[4] = {zero, zero, zero, one};
  uint8_t linear_component = 4;  ///< srgb8: the alpha component, which is linear
  const float* srgb = nullptr;   ///< by code
};

/// A surface with a sampler.
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
  uint32_t x = 0, y = 0;  ///< position of its first element in the surface
};

/// Finds host addresses of elements at `count` four-byte aligned offsets from the surface's base, if its memory is not in one piece.
using LaneLoad = void (*)(void* context, const uint32_t* offsets, unsigned count, const std::byte** out);

/// One sample of the levels by the channels of a message. The caller sets the first five members; the others are outputs.
struct LaneTap {
  const float *u, *v;                 ///< 16 are read, of any value: all coordinates give some texel
  unsigned channels = 8;              ///< or 16
  uint32_t mask = 0;                  ///< channels that are sampled
  int32_t offset[2] = {0, 0};         ///< texels
  bool one_level;                     ///< level[0] is that of all quads
  bool rounded[2];                    ///< coordinates are rounded to the nearest 1/256 texel, else down
  const LaneLevel* level[max_quads];  ///< by quad
  const std::byte* memory;            ///< the surface in one piece; null: load()
  LaneLoad load;
  void* context;
  /// By quad: the sample's weight in a mix with the colours that are there. Null: it replaces them.
  const float* weight = nullptr;
};

/// Colours by component: out[c][lane]; null: not needed. Channels that are not in the mask keep their values.
using LaneSample = void (*)(const LaneSurface& surface, const LaneTap& tap, float* const (&out)[4]);

/// Coordinates are clamped to lane_far texels, as in Filter::axis, so that 1/256 texels fit into 32 bits. lane_rounding or lane_least is
/// added to 1/256 texels before they are rounded down.
constexpr float lane_far = 1 << 22, lane_rounding = 0.5f, lane_least = 0x1p-64f;
/// log2(1 + t) is t (a + b t + c t^2 + d t^3): exact at 0 and 1, else with an error up to 2^-13.
constexpr float log2_terms[4] = {0x1.70504ep+0f, -0x1.5b0638p-1f, 0x1.48e4dap-2f, -0x1.506684p-4f};
/// Adding this to floats of up to 2^22 rounds them to integers, ties to even.
constexpr float lod_rounding = 0x1.8p23f;
/// 1 / 65280 in two parts, for sums of 8-bit codes with weights in 1/256: sum * unit + sum * rest; only the second product is rounded.
constexpr float byte_sum_unit = 0x1.010102p-16f, byte_sum_rest = -0x1.fdfdfep-41f;

/// The mip filter.
enum class LaneMips : uint8_t { none, nearest, linear };

/// Parameters that turn derivatives into levels of detail, of a sampler and a surface (finish_lod()).
struct LaneDetail {
  LaneMips mips = LaneMips::none;
  float width = 1, height = 1;  ///< texels per coordinate of 1
  float bias = 0;
  bool preclamped = false;
  // In 1/256:
  int32_t pre_low = 0, pre_high = 0;  ///< the sampler's own range
  int32_t magnified = 0;              ///< the highest level of detail that magnifies
  int32_t low = 0, high = 0, last = 0;
};
/// Levels of detail of four quads.
struct LaneLods {
  int32_t level[max_quads];
  float weight[max_quads];  ///< of the next level: multiples of 1/256
  uint32_t magnify = 0;     ///< a bit per quad
  bool one_level = false;   ///< all quads have the same level
  bool mixed = false;       ///< some weights are not zero
};

/// Of each quad: anisotropic samples at equal distances along a footprint's longer axis.
struct LaneFootprints {
  float taps[max_quads] = {1, 1, 1, 1}, step_u[max_quads] = {}, step_v[max_quads] = {};
};

/// The fast path of the most common samples: one level of four 8-bit UNORM or sRGB components, or nearest texels of 24 bits, in tiles Y or Yf, in one
/// piece of host memory, from registers (of eight dwords) to registers.
struct LanePlain {
  static constexpr int32_t nowhere = -1;
  const std::byte* memory = nullptr;  ///< the first texel of the level's first row of tiles; Yf: of its first tile
  uint32_t pitch = 0;
  uint32_t within[2] = {0, 0};  ///< the level's first column (Y: 0) and row in that tile, multiples of four; 0 without mip levels
  uint32_t tile_step = 0;       ///< Y: an address is 16 row + tile_step (row / 32), plus an offset for the column
  float scale[2] = {1, 1};      ///< u, v: 1/256 texels are coordinate * scale + added
  float added[2] = {0, 0};      ///< for rounding
  float min[2] = {0, 0}, max[2] = {0, 0};       ///< 1/256 texels are clamped to these
  int32_t first[2] = {0, 0}, last[2] = {0, 0};  ///< linear filters: texels are clamped to these,
  int32_t mask[2] = {-1, -1};                   ///< then wrapped by this, or
  bool folded[2] = {false, false};              ///< by the mode and the number of texels, where a mask does not do it
  Wrap wrap[2] = {Wrap::clamp, Wrap::clamp};
  int32_t texels[2] = {1, 1};
  /// In a window of 12x8 texels inside the level no texel is clamped or wrapped. The largest such position, and the mask that wraps
  /// positions; u (a multiple of four) in element 0, v in element 4.
  bool has_window = false;
  alignas(16) int16_t window_last[8] = {}, window_mask[8] = {}, window_top[8] = {};
  float size[2] = {1, 1};  ///< for nearest texels without rounding
  /// Where the last message's window was (Yf: its column and row); the next one is usually as far from this one.
  mutable uint64_t before = 0;
  // Places in the registers, in dwords.
  int32_t u = 0, v = 0;
  /// Of the stored components; with 24 bits all of the one that there is.
  int32_t to[4] = {nowhere, nowhere, nowhere, nowhere};
  const float* srgb = nullptr;  ///< the values of components 0 to 2 by code; component 3 is linear
  int32_t ones = nowhere, zeros = nowhere;  ///< what is set to 1 and to 0
};
/// The same of all levels, for implicit levels of detail and linear or anisotropic filters.
struct LanePlainLevels {
  LaneDetail detail;
  unsigned max_taps = 1;             ///< of an anisotropic filter
  const LanePlain* level = nullptr;  ///< all with the same registers
  mutable int32_t likely = 0;        ///< the last message's level: one that is likely, and is worked on before it is known
};
/// Samples the channels of `mask`; `plain`: a LanePlain, or LanePlainLevels. False: no effect, the caller uses the general path.
using LanePlainSample = bool (*)(const void* plain, uint32_t* registers, uint32_t mask);
struct LanePlainKernels {
  LanePlainSample sample[2][2][2];   ///< sRGB; linear filter; 16 channels (else 8)
  LanePlainSample nearest24[2];      ///< of 24 bits; 16 channels; null: there is none
  LanePlainSample levels[2][2];      ///< sRGB; 16 channels; null: there is none
  LanePlainSample footprints[2][2];  ///< the same of anisotropic filters
};

struct LaneKernels {
  /// Copies 16 floats by stores from which vector loads can forward.
  void (*copy)(float* to, const float* from);
  /// plane_lod() and finish_lod() of four quads. `u`, `v`: 16 channels. `given`, `bias`: one value per quad; null: computed from u and v;
  /// no bias.
  void (*lods)(const LaneDetail& detail, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
  /// plane_footprint() of four quads, of up to `max_taps` taps, and their levels of detail.
  void (*footprints)(const LaneDetail& detail, const float* u, const float* v, unsigned max_taps, LaneFootprints& out, float* lod);
  /// Indices: LaneCodes, LaneTiling, linear filter.
  LaneSample sample[4][4][2];
  /// The mean of a footprint's samples, as Filter::taps() has it.
  void (*taps)(LaneSample sample, const LaneSurface& surface, const LaneTap& tap, const LaneFootprints& footprints, float* const (&out)[4]);
  /// Of tiles Y, and of Yf.
  const LanePlainKernels* plain;
};

/// The best kernels of this host.
const LaneKernels& lane_kernels();
/// All kernels that run on this host; the first are the baseline's.
KernelSet<LaneKernels> all_lane_kernels();

}  // namespace softgen::sampler

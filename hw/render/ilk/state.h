// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a draw on Ironlake. What it has in common with the other platforms is a DrawState; the rest is what 3DSTATE_PIPELINED_POINTERS points to:
// units that run kernels, and the regions of the URB. All values are in range where a comment states one.
#pragma once

#include <array>
#include <cstdint>

#include "hw/render/draw_state.h"

namespace softgen::render::ilk {

/// Those that start threads, in pipeline order.
enum class Unit : uint8_t { vs, gs, clip, sf, wm };

/// What the states of all five have. Registers are 32 bytes, rows of the URB 64.
struct ThreadUnit {
  uint32_t kernel = 0;      ///< offset from the instruction base
  unsigned registers = 16;  ///< of a thread: 16 to 128
  bool single_program_flow = false, alternate_float = false;
  uint32_t scratch_base = 0, scratch_bytes = 0;       ///< offset from General State Base Address; bytes per thread, 0: none
  unsigned max_threads = 1;                           ///< as many have scratch space: at most 128
  unsigned grf_start = 0;                             ///< first register of constants, at most 15; of URB data behind them
  unsigned constant_offset = 0, constant_length = 0;  ///< registers of the CS unit's entry, at most 63 each
  unsigned read_offset = 0, read_length = 0;          ///< registers of an input entry, at most 63 each
  unsigned entries = 0, entry_rows = 1;               ///< of its region of the URB: at most 1020; 1 to 32
  uint32_t samplers = 0;                              ///< an offset from General State Base Address
  uint32_t binding_table = 0;                         ///< offset from the surface state base
  bool statistics = false;
};

struct VertexUnitState : ThreadUnit {
  bool enable = false;  ///< else what vertex fetch puts together are the vertices
};

struct GeometryUnitState : ThreadUnit {
  bool enable = false;
  bool rendering = true;
};

enum class ClipMode : uint8_t { normal, all, non_rejected, reject_all, accept_all };

/// x and y from low to high.
struct ClipBounds {
  float x0 = -1, x1 = 1, y0 = -1, y1 = 1;
};

struct ClipUnitState : ThreadUnit {
  bool enable = false;  ///< else objects pass
  ClipMode mode{};
  bool d3d = false;  ///< depth begins at 0, not at -1
  bool xy = false, z = false, guardband = false, negative_w = false;
  bool user_must_clip = false;  ///< flags of `user_flags` make a thread clip, else they only reject
  uint8_t user_flags = 0;       ///< mask
  ClipBounds view, guard;
};

struct SetupUnitState : ThreadUnit {
  bool transform = false;
  ViewportTransform viewport;          ///< without guard band
  float bias_x = 0, bias_y = 0;        ///< from a pixel's number to where it is sampled: 0 to 15/16
  int32_t origin_x = 0, origin_y = 0;  ///< of the drawing rectangle
  bool sprites = false;
  bool four_bits = false;  ///< vertices are placed in 16ths of a pixel, not in 256ths
};

/// How depth and stencil tests are distributed between the windowizer and what a thread sends back.
enum class DepthMode : uint8_t { before_thread, after_thread, carried };

/// What the payload and the message of a pixel thread hold besides colours, by the state of the draw (depth_case()).
struct DepthCase {
  DepthMode mode{};
  bool source_depth = false;      ///< in the payload
  bool source_to_target = false;  ///< in the message
  bool stored_depth = false;      ///< in both
  bool stored_stencil = false;    ///< in both
};

struct PixelUnitState : ThreadUnit {
  std::array<uint32_t, 2> kernels{};  ///< of 8 and 16 pixels, offsets from the instruction base
  std::array<bool, 2> has_kernel{};
  bool dispatch = false, kills = false, computes_depth = false, uses_depth = false;
  bool counts_pixels = false;  ///< PS_DEPTH_COUNT
  unsigned depth_row = 0;      ///< Depth Coefficient URB Read Offset, registers
  DepthCase depth;
};

/// The part of the URB that a unit has: rows [first, first + rows).
struct UrbRegion {
  unsigned first = 0, rows = 0;
};

/// The depth buffer, with its stencil.
struct PackedDepth {
  surface::Surface surface;  ///< null: none
  bool stencil = false;      ///< its elements have one: in bits 31:24, or of D32_FLOAT_S8X24 in the second dword's low byte
};

struct UrbRegions {
  static constexpr unsigned rows = 1024;
  UrbRegion vs, gs, clip, sf, vfe, cs;
  unsigned constant_entries = 0, constant_rows = 1;  ///< CS_URB_STATE: at most 7; 1 to 32
};

struct State {
  DrawState draw;
  VertexUnitState vs;
  GeometryUnitState gs;
  ClipUnitState clip;
  SetupUnitState sf;
  PixelUnitState wm;
  PackedDepth depth;
  TargetBlend blend;  ///< of all targets; Surface state says where it is on
  UrbRegions urb;
};

/// What a unit's threads count addresses from.
inline ShaderBases unit_bases(const State& state, const ThreadUnit& unit) {
  ShaderBases bases = state.draw.common_bases;
  bases.binding_table = unit.binding_table;
  bases.sampler_state = unit.samplers;
  return bases;
}

/// A 3DPRIMITIVE.
struct Primitive {
  Topology topology{};
  bool indexed = false, indirect = false;
  uint32_t vertex_count = 0, start_vertex = 0, instance_count = 0, start_instance = 0;
  int32_t base_vertex = 0;
};

/// A CONSTANT_BUFFER.
struct ConstantBuffer {
  bool valid = false;
  uint32_t address = 0;
  unsigned registers = 0;  ///< at most 128
};

/// What a surface state says of a target's colours.
struct TargetControls {
  bool blend = false;
  uint8_t disabled = 0;  ///< as TargetBlend
};

}  // namespace softgen::render::ilk

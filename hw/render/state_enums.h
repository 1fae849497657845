// SPDX-License-Identifier: GPL-2.0-or-later
// Enumerations of draw state, one for all generations. A decoder (hw/render/decode/) gives them their values. Where numbers are stated, the
// decoder passes a field on as it is, which it asserts.
#pragma once

#include <cstdint>

namespace softgen::render {

/// Programmable stages in pipeline order.
enum class Stage : uint8_t { vs, hs, ds, gs, ps };
constexpr unsigned stage_count = 5;

/// How a stream of vertices becomes objects. The number is also what a pixel thread's header says (Mesa, gl_FrontFacing).
enum class Topology : uint8_t {
  point_list = 1,
  line_list,
  line_strip,
  triangle_list,
  triangle_strip,
  triangle_fan,
  quad_list,
  quad_strip,
  line_list_adjacency,
  line_strip_adjacency,
  triangle_list_adjacency,
  triangle_strip_adjacency,
  triangle_strip_reverse,
  polygon,
  rectangle_list,
  line_loop,
  point_list_back,  ///< "BF": outlines of polygons that face backwards
  line_strip_continued,
  line_strip_back,
  line_strip_continued_back,
  triangle_fan_no_stipple = 22,
  patch_list_1 = 32,  ///< and so on to patch_list_1 + 31, patches of 32 control points
};

/// What a component of a fetched vertex holds.
enum class VertexComponent : uint8_t { none, source, zero, one_float, one_integer };

enum class CompareFunction : uint8_t { always, never, less, equal, less_equal, greater, not_equal, greater_equal };
enum class StencilOperation : uint8_t { keep, zero, replace, increment_saturate, decrement_saturate, increment, decrement, invert };

enum class BlendFactor : uint8_t {
  one = 1,
  source_color,
  source_alpha,
  destination_alpha,
  destination_color,
  source_alpha_saturate,
  constant_color,
  constant_alpha,
  source1_color,
  source1_alpha,
  zero = 17,
  inverse_source_color,
  inverse_source_alpha,
  inverse_destination_alpha,
  inverse_destination_color,
  inverse_constant_color = 23,
  inverse_constant_alpha,
  inverse_source1_color,
  inverse_source1_alpha,
};
enum class BlendFunction : uint8_t { add, subtract, reverse_subtract, min, max };
/// The range that blending's inputs and results are clamped to.
enum class ColorClamp : uint8_t { unorm, snorm, format };

enum class CullMode : uint8_t { both, none, front, back };
enum class FillMode : uint8_t { solid, wireframe, point };
enum class DepthFormat : uint8_t { float32, unorm24, unorm16 };

/// Which vertex keeps its place when a reversed triangle is given its strip's winding.
enum class Reorder : uint8_t { leading, trailing };

enum class HullDispatch : uint8_t { single_patch, dual_patch, eight_patch };
enum class TessellationPartitioning : uint8_t { integer, odd_fractional, even_fractional };
enum class TessellationDomain : uint8_t { quad, triangle, isoline };
enum class TessellationOutput : uint8_t { point, line, triangle_clockwise, triangle_counterclockwise };

/// What stream output says of rendering.
enum class ForceRendering : uint8_t { no, off, on };

/// What replaces components of an attribute.
enum class AttributeConstant : uint8_t { zeros, zeros_and_one, ones, primitive_id };

/// Where within a pixel something is evaluated.
enum class Location : uint8_t { pixel, centroid, sample };
/// When depth and stencil tests happen: `normal` leaves it to what the shader does.
enum class EarlyTests : uint8_t { normal, after_shader, before_shader };
/// How 3DSTATE_CPS chooses the size of coarse pixels.
enum class CoarseMode : uint8_t { none, constant, radial };
/// Which samples the coverage mask of a shader names.
enum class InputCoverage : uint8_t { none, normal, inner_conservative, after_depth };
/// ambiguate: the CCS is made to say that all pixels are as the surface has them, and what it said is lost.
enum class ResolveType : uint8_t { none, partial, full, ambiguate };

}  // namespace softgen::render

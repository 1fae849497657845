// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a draw, in groups, without any generation's packets: what a StateDecoder (state_decoder.h) makes of them, and all that the
// units of this folder see. Fields that the guest controls are in range where a comment states one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/render/state_enums.h"
#include "hw/surface/surface.h"

namespace softgen::render {

/// Pixels [x0, x1) x [y0, y1).
struct PixelRect {
  int32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  void clip(const PixelRect& other) {
    x0 = std::max(x0, other.x0), y0 = std::max(y0, other.y0);
    x1 = std::min(x1, other.x1), y1 = std::min(y1, other.y1);
  }
  /// Grows to the least rectangle that holds both.
  void include(const PixelRect& other) {
    x0 = std::min(x0, other.x0), y0 = std::min(y0, other.y0);
    x1 = std::max(x1, other.x1), y1 = std::max(y1, other.y1);
  }
  /// An empty one, to begin with include().
  static constexpr PixelRect none() { return {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN}; }
};

struct VertexBuffer {
  uint64_t address = 0;
  uint32_t size = 0;  ///< bytes
  uint32_t pitch = 0;
  bool null = true;
};

struct VertexElement {
  bool valid = false;      ///< else its components are zero
  bool edge_flag = false;  ///< it is the edge flag, and is not stored
  bool per_instance = false;
  uint8_t buffer = 0;      ///< index; may name none
  uint32_t offset = 0;     ///< bytes
  uint32_t step_rate = 0;  ///< instances per element; 0: the first element for all
  surface::SurfaceFormat format{};
  std::array<VertexComponent, 4> components{};
};

struct IndexBuffer {
  uint64_t address = 0;
  uint32_t size = 0;        ///< bytes
  uint8_t index_bytes = 1;  ///< 1, 2 or 4
};

/// A system-generated value: which component of which element it replaces.
struct SystemValue {
  bool enable = false;
  uint8_t element = 0;    ///< may name none
  uint8_t component = 0;  ///< at most 3
};

/// One that is the same for all vertices of a draw (3DSTATE_VF_SGVS_2).
struct DrawValue : SystemValue {
  enum class Source : uint8_t { parameter, vertex_location, start_instance } source{};
};

struct VertexInput {
  static constexpr unsigned max_buffers = 33, max_elements = 34, packed_elements = 32;
  std::array<VertexBuffer, max_buffers> buffers{};
  std::vector<VertexElement> elements;
  IndexBuffer index;
  bool cut_indexed = false, cut_sequential = false;  ///< strips are cut at cut_index
  uint32_t cut_index = 0;
  SystemValue vertex_id, instance_id;
  bool vertex_id_offset = false;        ///< VertexID counts from Start Vertex or Base Vertex, else from zero
  std::array<DrawValue, 3> extended{};  ///< of extended parameters 0 to 2; stored after the IDs
  Topology topology{};
  bool statistics = false;
  bool packing = false;                           ///< only the components of `packed` are delivered
  std::array<uint8_t, packed_elements> packed{};  ///< by element: bit c, component c
};

/// Push constants of a stage: up to four ranges, read one after the other into registers.
struct PushConstants {
  static constexpr uint32_t max_registers = 1024;  ///< all ranges together: the 32 KiB of a stage's push constant space
  struct Range {
    uint64_t address;
    uint32_t registers;  ///< 32 bytes each
  };
  std::array<Range, 4> ranges{};
  uint32_t registers = 0;
};

/// A kernel and how its threads start.
struct ThreadState {
  uint64_t kernel = 0;         ///< offset from the instruction base
  uint32_t grf_start = 0;      ///< first register of constants; what follows them is the stage's
  uint64_t scratch_base = 0;   ///< offset from the general state base
  uint32_t scratch_bytes = 0;  ///< per thread
  bool alternate_float = false;
  bool vector_mask = false;
};

/// What VS, HS, DS and GS have in common.
struct StageState {
  bool enable = false;
  bool statistics = false;
  ThreadState thread;
  uint32_t entry_bytes = 64;                       ///< of its URB entries
  uint32_t read_offset = 0, read_length = 0;       ///< of an input entry, 32 bytes each
  uint32_t output_offset = 0, output_length = 0;   ///< of its vertices' attributes, 32 bytes each
  uint8_t clip_distances = 0, cull_distances = 0;  ///< masks of user distances
};

/// Where a stage finds its resources.
struct StageBindings {
  uint32_t binding_table = 0;  ///< as the packet has it: see ShaderBases::binding_table_shift
  uint32_t samplers = 0;       ///< offset from the dynamic state base
  PushConstants constants;     ///< addresses as the packet has them: see push_constants()
};

struct HullState {
  HullDispatch dispatch{};
  unsigned instances = 1;      ///< at most 32
  uint8_t instance_shift = 0;  ///< of a thread's instance number in r0.2
  bool vertex_handles = false, primitive_id = false;
};

struct TessellationState {
  bool enable = false;
  TessellationPartitioning partitioning{};
  TessellationDomain domain{};
  TessellationOutput output{};
  float max_factor_odd = 0, max_factor_not_odd = 0;
  bool factors_ascend = false;   ///< tessellation factors in the patch header: from dword 0 upwards, else from dword 7 downwards
  bool inside_separate = false;  ///< a triangle's inside factor follows four outside factors, not three
};

struct DomainState {
  bool simd8 = false;       ///< the one dispatch mode that is done
  bool computes_w = false;  ///< the third barycentric is in the payload
};

struct GeometryState {
  bool simd8 = false;         ///< the one dispatch mode that is done
  uint8_t dispatch_mode = 0;  ///< the field, for messages
  unsigned instances = 1;     ///< at most 32
  Topology topology{};        ///< of what it emits
  Reorder reorder{};          ///< of its input
  bool discard_adjacency = false, vertex_handles = false, primitive_id = false;
  uint32_t vertex_dwords = 4;      ///< of a vertex in its entry
  uint32_t control_registers = 0;  ///< of the control data header
  bool stream_ids = false;         ///< control data are stream ids, not cuts
  unsigned default_stream = 0;     ///< at most 3
  bool static_output = false;
  uint32_t static_vertices = 0;
};

struct StreamOutBuffer {
  bool enable = false;
  bool offset_address_enable = false;
  uint64_t address = 0, size = 0;  ///< bytes
  uint32_t pitch = 0;
  uint64_t offset_address = 0;
};

/// Components of a vertex that go to a buffer.
struct StreamOutDecl {
  uint8_t buffer = 0;  ///< at most 3
  uint8_t mask = 0;
  bool hole = false;   ///< the buffer's memory is left alone
  uint32_t dword = 0;  ///< of the vertex, component 0
};

struct OutputStream {
  uint8_t buffers = 0;  ///< mask
  uint32_t end = 0;     ///< dwords of the vertex that are read
  std::vector<StreamOutDecl> decls;
};

struct StreamOutState {
  bool enable = false;
  bool rendering_disable = false, statistics = false;
  ForceRendering force{};
  Reorder reorder{};
  unsigned render_stream = 0;
  std::array<StreamOutBuffer, 4> buffers{};
  std::array<OutputStream, 4> streams;
};

struct ClipState {
  bool enable = false;
  bool reject_all = false, accept_all = false;
  bool d3d = false;  ///< depth begins at 0, not at -w
  bool xy_test = false, guardband = false, perspective_divide = true;
  bool force_layer_zero = false;
  bool force_clip_distances = false, force_cull_distances = false;  ///< the masks below replace the stage's
  uint8_t clip_distances = 0, cull_distances = 0;
  float min_point_width = 0, max_point_width = 0;
  unsigned viewports = 1;  ///< 1 to 16
  bool statistics = false;
};

/// Vertex `triangle`, `line`, `fan` of an object provokes.
struct Provoking {
  uint8_t triangle = 0, line = 0, fan = 1;
};

struct DepthBias {
  bool solid = false, wireframe = false, point = false;  ///< for which fill modes
  bool legacy = false;                                   ///< the constant is a depth, not a number of steps of the buffer's format
  float constant = 0, scale = 0, clamp = 0;
};

struct PointState {
  bool smooth = false;
  bool width_from_state = false;
  float width = 0;
  bool upper_right = false;  ///< which edges of a point's square belong to it
};

struct RasterizerState {
  bool viewport_transform = false;
  bool z_near_clip = false, z_far_clip = false;
  bool conservative = false, scissor = false, antialiasing = false;
  bool front_clockwise = true;
  CullMode cull{};
  FillMode front_fill{}, back_fill{};
  DepthBias bias;
  float line_width = 0;
  bool last_pixel = false;
  PointState point;
  bool line_stipple = false, polygon_stipple = false;
  Provoking provoking{0, 0, 0};
  PixelRect drawing_rectangle{0, 0, 1, 1};
};

struct StippleState {
  uint16_t line_pattern = 0;
  uint32_t line_repeat = 0;
  uint8_t polygon_x = 0, polygon_y = 0;
  std::array<uint32_t, 32> polygon_rows{};
};

struct MultisampleState {
  static constexpr unsigned max_samples = 16;
  unsigned log2_samples = 0;  ///< at most 4
  uint32_t sample_mask = 0;
  bool rasterization = false;                                 ///< coverage is found at each sample
  std::array<std::array<float, 2>, max_samples> positions{};  ///< of 1 << log2_samples samples: x, y from the pixel's upper left
};

/// A viewport as memory has it. Matrix element mij of the PRM: 3 is the translation.
struct ViewportTransform {
  float m00 = 0, m11 = 0, m22 = 0, m30 = 0, m31 = 0, m32 = 0;
  float guardband_x0 = 0, guardband_x1 = 0, guardband_y0 = 0, guardband_y1 = 0;
};

struct ViewportState {
  ViewportTransform transform;
  float min_depth = 0, max_depth = 0;
  PixelRect extent;   ///< pixels of the viewport; when the viewport transform is enabled
  PixelRect scissor;  ///< when scissors are enabled
};

/// What setup takes of the vertices.
struct AttributeOverride {
  uint8_t source = 0;      ///< attribute number
  bool by_facing = false;  ///< back faces take the next attribute
  uint8_t components = 0;  ///< bit c: component c is `constant`
  AttributeConstant constant{};
};

/// An object that is drawn several times, each with a position of its own of those that follow each other in its vertices.
struct ReplicationState {
  static constexpr unsigned max_replicas = 16;
  unsigned positions = 1;                           ///< of a vertex; at most 16
  uint16_t replicas = 1;                            ///< mask of those that are drawn
  std::array<uint8_t, max_replicas> viewport{};     ///< added to the vertex' viewport
  std::array<uint8_t, max_replicas> array_index{};  ///< and to its slice
};

struct SetupState {
  static constexpr unsigned max_attributes = 32, swizzled_attributes = 16;
  unsigned attributes = 0;  ///< at most 32
  bool force_read_offset = false, force_read_length = false;
  uint32_t read_offset = 0, read_length = 0;  ///< replace the stage's, 32 bytes each
  bool swizzle = false;                       ///< `overrides` count for the first 16 attributes
  std::array<AttributeOverride, swizzled_attributes> overrides{};
  uint8_t primitive_id_attribute = 0, primitive_id_components = 0;  ///< that attribute's components (mask) are the primitive's id
  uint32_t constant_attributes = 0, sprite_attributes = 0;          ///< masks
  bool sprite_lower_left = false;
  ReplicationState replication;
};

struct StencilFace {
  CompareFunction function{};
  StencilOperation fail{}, depth_fail{}, pass{};
  uint8_t test_mask = 0, write_mask = 0, reference = 0;
};

struct DepthStencilState {
  bool depth_test = false, depth_write = false;
  CompareFunction depth_function{};
  bool stencil_test = false, stencil_write = false;
  std::array<StencilFace, 2> faces{};  ///< front, back
  bool bounds_test = false;            ///< samples whose depth in the buffer is beyond these fail
  float min_bound = 0, max_bound = 0;
};

/// Null surfaces where there is none.
struct DepthBuffers {
  surface::Surface depth, stencil;
};

struct DepthTargets {
  DepthBuffers buffers;                            ///< with the samples of MultisampleState
  uint64_t version = 0;                            ///< another one: other buffers, perhaps
  bool missing = false;                            ///< a depth buffer is declared, but its type or format is reserved, or it has no memory
  uint8_t declared_type = 0, declared_format = 0;  ///< the fields, for messages
  DepthFormat format{};
  bool depth_write = false, stencil_write = false, stencil_enable = false;
  bool hiz = false;
  uint64_t hiz_address = 0;
  uint32_t hiz_pitch = 0, hiz_qpitch = 0;  ///< bytes; rows
  bool clear_value_valid = false;
  float clear_value = 0;
};

/// One of a pixel shader's kernels.
struct PixelKernel {
  bool enable = false;
  uint64_t kernel = 0;
  uint32_t grf_start = 0;
};

/// Coefficients that a pixel shader evaluates itself, at the end of its payload.
struct PixelCoefficients {
  bool requested_size = false;  ///< of coarse pixels
  bool depth_w = false, perspective = false, linear = false;
  bool sample_offsets = false;

  bool planes() const { return depth_w || perspective || linear; }
  bool any() const { return requested_size || planes() || sample_offsets; }
};

/// The sizes of coarse pixels. Pairs are along x and y.
struct CoarseSizes {
  CoarseMode mode{};
  bool statistics = false;
  std::array<float, 2> min{}, max{};  ///< requested sizes, pixels
  std::array<float, 2> focal{};       ///< pixels
  std::array<float, 2> slope{};       ///< of the size by the distance
  float min_radius = 0, aspect = 1;
  bool scales_y = false;  ///< the axis whose distances are multiplied by `aspect`
};

/// Coarse pixel shading.
struct CoarseState {
  bool per_coarse_pixel = false;          ///< the pixel shader is run for coarse pixels, of 1x1 pixels without a mode
  std::array<CoarseSizes, 16> viewports;  ///< as many as clip.viewports
};

/// The payload of a pixel shader.
struct PixelInputs {
  bool object_in_r1 = false;  ///< r1.1 of a thread has what r0.0 else has: facing, viewport and slice of its object
  bool dual_simd8 = false;    ///< 16 pixels are of two objects
  uint8_t barycentrics = 0;   ///< mask: perspective at Location 0, 1, 2, then the same without perspective
  bool depth = false, w = false;
  Location zw_at{};     ///< where these two are evaluated
  bool offset = false;  ///< offsets within the pixel
  Location offset_at{};
  InputCoverage coverage{};
  PixelCoefficients coefficients;
};

struct PixelState {
  bool valid = false;                    ///< there is a pixel shader
  std::array<PixelKernel, 3> kernels{};  ///< of 8, 16 and 32 pixels
  ThreadState thread;                    ///< of all of them, but for `kernel` and `grf_start`
  uint8_t rounding = 0;                  ///< as cr0's field
  bool statistics = false;
  bool fast_clear = false;
  ResolveType resolve{};
  PixelInputs inputs;
  bool computes_depth = false, computes_stencil = false, kills = false, sample_mask = false;
  bool per_sample = false, pulls_barycentrics = false, uav = false, disables_alpha_to_coverage = false;
  EarlyTests early{};
  bool alpha_test = false, alpha_to_coverage = false;  ///< of any target
  CoarseState coarse;
};

/// Blending of one target.
struct TargetBlend {
  bool blend = false;
  BlendFactor source_factor{}, destination_factor{}, source_alpha_factor{}, destination_alpha_factor{};  ///< other numbers count as zero
  BlendFunction function{}, alpha_function{};  ///< other numbers: the source as it is
  uint8_t disabled = 0;                        ///< bit c: channel c (red first) is not written
  bool logic_op = false;
  uint8_t logic_table = 0;  ///< bit (2 source + destination) of the result
  ColorClamp clamp{};
  bool clamp_before = false, clamp_source_only = false, clamp_after = false;
};

struct BlendState {
  bool bound = false;
  uint64_t address = 0;  ///< of the structure, whose entries are read target by target
  bool alpha_to_coverage = false, alpha_to_coverage_dither = false, alpha_to_one = false;
  bool independent_alpha = false;
  bool alpha_test = false;
  CompareFunction alpha_function{};
  bool alpha_reference_unorm = false;  ///< the reference is 0 to 255, and alpha is rounded to that
  float alpha_reference = 0;
  std::array<float, 4> constant{};
};

struct DrawState {
  VertexInput vertex;
  std::array<StageState, stage_count - 1> stages{};  ///< VS, HS, DS, GS
  bool vertex_simd8 = false;
  HullState hull;
  TessellationState tessellation;
  DomainState domain;
  GeometryState geometry;
  StreamOutState stream_out;
  ClipState clip;
  RasterizerState raster;
  StippleState stipple;
  MultisampleState multisample;
  std::array<ViewportState, 16> viewports{};  ///< as many as clip.viewports
  SetupState setup;
  DepthStencilState depth_stencil;
  DepthTargets depth;
  PixelState pixel;
  BlendState blend;
  std::array<StageBindings, stage_count> bindings{};
  ShaderBases common_bases;

  const StageState& stage(Stage stage) const { return stages[static_cast<size_t>(stage)]; }
  /// Bases with the stage's binding table and samplers.
  ShaderBases bases(Stage stage) const;
  /// `absolute`: the addresses of 3DSTATE_CONSTANT_* are graphics addresses, else buffer 0 counts from Dynamic State Base
  /// (CS_DEBUG_MODE2, SKL PRM vol 2c).
  PushConstants push_constants(Stage stage, bool absolute) const;
};

/// The last enabled stage before clipping: its state says where positions, attributes and clip distances are.
Stage last_geometry_stage(const DrawState& state);

}  // namespace softgen::render

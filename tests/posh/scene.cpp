// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/scene.h"

#include <bit>

#include "hw/eu/isa/gen11/isa.h"
#include "tests/catch.h"
#include "tests/unit/render/scene_packets.h"

namespace softgen::posh::test {
namespace {

using eu::Opcode;
using eu::RegType;
using eu::test::grf;
namespace code = render::test;

constexpr uint64_t target_offset = 0x100'0000;  // apart: binding tables lie in the 64 KiB behind their base
constexpr unsigned first_input = 2;             // register of the first vertex element
constexpr unsigned offset_element = 8;          // and of the offset, behind position and color

/// position + offset
code::Code place_vertex() {
  code::Code code;
  for (unsigned i = 0; i < 4; ++i)
    code.push_back(eu::test::op(Opcode::add, 8, grf(first_input + i, RegType::f), grf(first_input + i, RegType::f),
                                grf(first_input + offset_element + i, RegType::f)));
  return code::operator+(code, code::write_vertex(1, first_input, first_input + 4, 0, true));
}

}  // namespace

Scene::Scene(const Form& form) : form_(form), next_(form.address), next_target_(form.address + target_offset) {
  set_bases();
  set_viewport();
  set_target();
  set_depth();
  set_samples();
  set_shaders();
  set_fixed_functions();
  set_elements();
  const std::array<float, 4> none{};
  set_buffer(1, data(std::as_bytes(std::span(none))), sizeof none, 0);
}

uint64_t Scene::reserve(uint64_t bytes) {
  constexpr uint64_t alignment = 64;
  const uint64_t va = next_;
  next_ = (next_ + bytes + alignment - 1) / alignment * alignment;
  return va;
}

uint64_t Scene::new_target(uint64_t bytes) {
  const uint64_t va = next_target_;
  targets_.push_back({va, bytes});
  next_target_ += bytes;
  return va;
}

uint64_t Scene::data(std::span<const std::byte> bytes) {
  const uint64_t va = reserve(bytes.size());
  contents_.push_back({va, {bytes.begin(), bytes.end()}});
  return va;
}

uint64_t Scene::put(std::span<const uint32_t> dwords) { return data(std::as_bytes(dwords)) - form_.address; }

uint64_t Scene::kernel(const code::Code& code) {
  constexpr uint64_t prefetched = 512;
  const auto bytes = eu::test::assemble(code, eu::gen11_isa());
  const uint64_t va = reserve(bytes.size() + prefetched);
  contents_.push_back({va, bytes});
  return va - form_.address;
}

void Scene::set_bases() {
  gen11::STATE_BASE_ADDRESS bases;
  bases.instruction_base_address = bases.dynamic_state_base_address = bases.surface_state_base_address = form_.address;
  bases.instruction_base_address_modify_enable = bases.dynamic_state_base_address_modify_enable =
      bases.surface_state_base_address_modify_enable = true;
  add(bases);
}

void Scene::set_viewport() {
  const auto viewport = code::scene_viewport<defs::Gen11>(form_.width, form_.height, 16);
  gen11::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP clip_pointer;
  clip_pointer.sf_clip_viewport_pointer = static_cast<uint32_t>(put(viewport.pack()));
  add(clip_pointer);
  gen11::CC_VIEWPORT depth;
  depth.maximum_depth = 1;
  gen11::_3DSTATE_VIEWPORT_STATE_POINTERS_CC depth_pointer;
  depth_pointer.cc_viewport_pointer = static_cast<uint32_t>(put(depth.pack()));
  add(depth_pointer);
  gen11::_3DSTATE_DRAWING_RECTANGLE rectangle;
  rectangle.clipped_drawing_rectangle_x_max = form_.width - 1;
  rectangle.clipped_drawing_rectangle_y_max = form_.height - 1;
  add(rectangle);
}

void Scene::set_target() {
  using State = gen11::RENDER_SURFACE_STATE;
  const uint64_t bytes = uint64_t{form_.width} * form_.height * 4 * form_.samples;
  auto surface = code::scene_target<defs::Gen11>(new_target(bytes), form_.width, form_.height);
  if (form_.samples > 1) {
    surface.tile_mode = State::TileMode::YMAJOR;
    surface.number_of_multisamples = State::NumberOfMultisamples::MULTISAMPLECOUNT_4;
  }
  const std::array table{static_cast<uint32_t>(put(surface.pack()))};
  gen11::_3DSTATE_BINDING_TABLE_POINTERS_PS pointer;
  pointer.pointer_to_ps_binding_table = static_cast<uint32_t>(put(table));
  add(pointer);
}

void Scene::set_depth() {
  using Depth = gen11::_3DSTATE_DEPTH_BUFFER;
  Depth depth;
  depth.surface_type = Depth::SurfaceType::SURFTYPE_NULL;
  gen11::_3DSTATE_WM_DEPTH_STENCIL test;
  if (form_.depth) {
    const std::vector<float> cleared(size_t{form_.width} * form_.height, 1);
    const auto bytes = std::as_bytes(std::span(cleared));
    const uint64_t va = new_target(bytes.size());
    contents_.push_back({va, {bytes.begin(), bytes.end()}});
    depth.surface_type = Depth::SurfaceType::SURFTYPE_2D;
    depth.surface_format = Depth::SurfaceFormat::D32_FLOAT;
    depth.depth_write_enable = true;
    depth.width = form_.width - 1;
    depth.height = form_.height - 1;
    depth.surface_pitch = form_.width * 4 - 1;
    depth.surface_base_address = va;
    test.depth_test_enable = test.depth_buffer_write_enable = true;
    test.depth_test_function = gen11::CompareFunction::COMPAREFUNCTION_LESS;
  }
  add(depth);
  add(test);
}

void Scene::set_samples() {
  add(code::scene_samples<defs::Gen11>());
  gen11::_3DSTATE_MULTISAMPLE samples;
  samples.number_of_multisamples = static_cast<uint32_t>(std::countr_zero(form_.samples));
  add(samples);
  gen11::_3DSTATE_SAMPLE_MASK mask;
  mask.sample_mask = (1u << form_.samples) - 1;
  add(mask);
}

void Scene::set_shaders() {
  gen11::_3DSTATE_VS vs;
  vs.kernel_start_pointer = kernel(place_vertex());
  vs.enable = vs.simd8_dispatch_enable = vs.statistics_enable = true;
  vs.dispatch_grf_start_register_for_urb_data = first_input;
  vs.vertex_urb_entry_read_length = 2;  // twelve dwords
  add(vs);
  gen11::_3DSTATE_PS ps;
  ps.kernel_start_pointer_0 = kernel(code::paint_attribute(8));
  ps._8_pixel_dispatch_enable = true;
  ps.dispatch_grf_start_register_for_constant_setup_data_0 = first_input;
  add(ps);
  gen11::_3DSTATE_PS_EXTRA extra;
  extra.pixel_shader_valid = extra.attribute_enable = true;
  add(extra);
  add(code::scene_attribute<defs::Gen11>());
}

void Scene::set_fixed_functions() {
  clip = code::scene_clip<defs::Gen11>();
  add(clip);
  setup = code::scene_setup<defs::Gen11>();
  add(setup);
  raster.cull_mode = gen11::_3DSTATE_RASTER::CullMode::CULLMODE_NONE;
  raster.viewport_z_near_clip_test_enable = raster.viewport_z_far_clip_test_enable = true;
  raster.dx_multisample_rasterization_enable = form_.samples > 1;
  add(raster);
  gen11::_3DSTATE_WM wm;
  wm.statistics_enable = true;
  add(wm);
  gen11::_3DSTATE_VF_STATISTICS statistics;
  statistics.statistics_enable = true;
  add(statistics);
}

void Scene::set_elements() {
  using Component = gen11::VertexComponentControl;
  std::vector<uint32_t> elements{gen11::_3DSTATE_VERTEX_ELEMENTS::match | (2 * 3 - 1)};
  for (unsigned i = 0; i < 3; ++i) {
    gen11::VERTEX_ELEMENT_STATE element;
    element.valid = true;
    element.vertex_buffer_index = i / 2;
    element.source_element_format = gen11::SurfaceFormat::R32G32B32A32_FLOAT;
    element.source_element_offset = i == 1 ? 4 * sizeof(float) : 0;
    element.component_0_control = element.component_1_control = element.component_2_control = element.component_3_control =
        Component::VFCOMP_STORE_SRC;
    for (const uint32_t dword : element.pack()) elements.push_back(dword);
  }
  copy(elements);
}

void Scene::set_buffer(uint32_t index, uint64_t at, size_t bytes, uint32_t pitch) {
  gen11::VERTEX_BUFFER_STATE buffer;
  buffer.vertex_buffer_index = index;
  buffer.buffer_starting_address = at;
  buffer.buffer_size = static_cast<uint32_t>(bytes);
  buffer.buffer_pitch = pitch;
  buffer.address_modify_enable = true;
  std::vector<uint32_t> packet{gen11::_3DSTATE_VERTEX_BUFFERS::match | 3};
  for (const uint32_t dword : buffer.pack()) packet.push_back(dword);
  copy(packet);
}

Vertex Scene::at(float x, float y, unsigned color) const {
  constexpr std::array<std::array<float, 4>, 6> palette{
      {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 0, 1}, {0, 1, 1, 1}, {0.25f, 0.25f, 0.25f, 0.25f}}};
  return {.x = 2 * x / static_cast<float>(form_.width) - 1,
          .y = 2 * y / static_cast<float>(form_.height) - 1,
          .color = palette[color % palette.size()]};
}

uint64_t Scene::vertices(const std::vector<Vertex>& vertices) {
  const uint64_t at = data(std::as_bytes(std::span(vertices)));
  bind(at, vertices.size());
  return at;
}

void Scene::bind(uint64_t at, size_t count) { set_buffer(0, at, count * sizeof(Vertex), sizeof(Vertex)); }

void Scene::store(uint64_t at, uint32_t value) {
  copy(std::array{gen11::MI_STORE_DATA_IMM::match | 2, static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), value});
}

void Scene::offsets(const std::vector<std::array<float, 4>>& offsets, uint32_t step) {
  set_buffer(1, data(std::as_bytes(std::span(offsets))), offsets.size() * sizeof offsets[0], sizeof offsets[0]);
  gen11::_3DSTATE_VF_INSTANCING instancing;
  instancing.instancing_enable = true;
  instancing.vertex_element_index = 2;
  instancing.instance_data_step_rate = step;
  add(instancing);
}

void Scene::indices(const std::vector<uint16_t>& indices) {
  gen11::_3DSTATE_INDEX_BUFFER buffer;
  buffer.index_format = gen11::_3DSTATE_INDEX_BUFFER::IndexFormat::INDEX_WORD;
  buffer.buffer_starting_address = data(std::as_bytes(std::span(indices)));
  buffer.buffer_size = static_cast<uint32_t>(indices.size() * sizeof(uint16_t));
  add(buffer);
  gen11::_3DSTATE_VF cuts;
  cuts.indexed_draw_cut_index_enable = true;
  cuts.cut_index = 0xffff;
  add(cuts);
}

void Scene::topology(Topology topology) {
  gen11::_3DSTATE_VF_TOPOLOGY assembly;
  assembly.primitive_topology_type = topology;
  add(assembly);
}

void Scene::scissor(uint32_t x_min, uint32_t y_min, uint32_t x_max, uint32_t y_max) {
  const gen11::SCISSOR_RECT rectangle{.scissor_rectangle_y_min = y_min,
                                      .scissor_rectangle_x_min = x_min,
                                      .scissor_rectangle_y_max = y_max,
                                      .scissor_rectangle_x_max = x_max};
  gen11::_3DSTATE_SCISSOR_STATE_POINTERS pointer;
  pointer.scissor_rect_pointer = static_cast<uint32_t>(put(rectangle.pack()));
  add(pointer);
  raster.scissor_rectangle_enable = true;
  add(raster);
}

void Scene::blending() {
  std::vector<uint32_t> state{0};
  for (const uint32_t dword : code::scene_addition<defs::Gen11>().pack()) state.push_back(dword);
  gen11::_3DSTATE_BLEND_STATE_POINTERS pointer;
  pointer.blend_state_pointer = static_cast<uint32_t>(put(state));
  pointer.blend_state_pointer_valid = true;
  add(pointer);
}

void Scene::draw(const Range& range) {
  using Primitive = gen11::_3DPRIMITIVE;
  Primitive primitive;
  primitive.vertex_access_type = range.indexed ? Primitive::VertexAccessType::RANDOM : Primitive::VertexAccessType::SEQUENTIAL;
  primitive.vertex_count_per_instance = range.count;
  primitive.start_vertex_location = range.start;
  primitive.instance_count = range.instances;
  primitive.indirect_parameter_enable = range.indirect;
  primitive.predicate_enable = range.predicated;
  add(primitive);
}

void Scene::draw(Topology assembly, const std::vector<Vertex>& list) {
  vertices(list);
  topology(assembly);
  draw({.count = static_cast<uint32_t>(list.size())});
}

void Scene::flush() {
  gen11::PIPE_CONTROL control;
  control.render_target_cache_flush_enable = control.command_streamer_stall_enable = true;
  add(control);
}

}  // namespace softgen::posh::test

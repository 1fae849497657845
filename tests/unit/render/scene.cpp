// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/render/scene.h"

#include <bit>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen11/set.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen12/set.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen9/isa.h"
#include "tests/catch.h"
#include "tests/unit/render/scene_packets.h"

namespace softgen::render::test {
namespace {

using eu::Opcode;
using eu::RegType;
using eu::test::grf;

constexpr uint64_t kernel_bytes = 0x1000;
constexpr uint32_t depth_viewport = 0x100, clip_viewport = 0x200, blend_state = 0x300;  // from the dynamic base
constexpr uint32_t target_state = 0x100;                                                // from the surface base; the table is at 0

}  // namespace

const Generation gen9_scenes{defs::gen9::commands, defs::gen9::registers, make_state_decoder<defs::Gen9>, eu::gen9_isa},
    gen11_scenes{defs::gen11::commands, defs::gen11::registers, make_state_decoder<defs::Gen11>, eu::gen11_isa},
    gen12_scenes{defs::gen12::commands, defs::gen12::registers, make_state_decoder<defs::Gen12>, eu::gen12_isa, Opcode::send2};

Scene::Scene(uint32_t size, unsigned threads, const Generation& generation)
    : Mapped(0x1000, 0x100000),
      generation_(generation),
      size_(size),
      pool_(threads),
      registers_(generation.registers),
      engine_(generation.commands, generation.decoder(), generation.isa(), threads ? &pool_ : nullptr) {
  set_bases();
  set_viewport();
  set_target();
  set_shaders();
  set_pixel_state();
}

void Scene::execute(std::span<const uint32_t> dwords) {
  const defs::Command* command = generation_.commands.find(defs::EngineClass::render, dwords[0]);
  REQUIRE(command);
  executed_.emplace_back(dwords.begin(), dwords.end());
  REQUIRE(engine_.execute({0, command, dwords}, env_) == ExecResult::done);
}

uint64_t Scene::kernel(const Code& code) {
  Code own = code;
  for (eu::Instruction& i : own)
    if (i.opcode == Opcode::send && generation_.send != Opcode::send) i.opcode = generation_.send, i.src[1] = eu::test::null();
  const auto bytes = eu::test::assemble(own, generation_.isa());
  REQUIRE(bytes.size() <= kernel_bytes);
  const uint64_t offset = next_kernel_;
  next_kernel_ += kernel_bytes;
  REQUIRE(kernels + next_kernel_ <= dynamic);
  view.write(kernels + offset, bytes.data(), bytes.size());
  return offset;
}

void Scene::set_bases() {
  gen9::STATE_BASE_ADDRESS bases;
  bases.instruction_base_address = kernels;
  bases.dynamic_state_base_address = dynamic;
  bases.surface_state_base_address = surfaces;
  bases.instruction_base_address_modify_enable = bases.dynamic_state_base_address_modify_enable =
      bases.surface_state_base_address_modify_enable = true;
  set(bases);
}

void Scene::set_viewport() {
  const auto viewport = scene_viewport<defs::Gen9>(size_, size_, 64);
  const auto clip = viewport.pack();
  view.write(dynamic + clip_viewport, clip.data(), sizeof clip);
  gen9::CC_VIEWPORT depth;
  depth.maximum_depth = 1;
  const auto range = depth.pack();
  view.write(dynamic + depth_viewport, range.data(), sizeof range);
  gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP clip_pointer;
  clip_pointer.sf_clip_viewport_pointer = clip_viewport;
  set(clip_pointer);
  gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_CC depth_pointer;
  depth_pointer.cc_viewport_pointer = depth_viewport;
  set(depth_pointer);
  gen9::_3DSTATE_DRAWING_RECTANGLE rectangle;
  rectangle.clipped_drawing_rectangle_x_max = rectangle.clipped_drawing_rectangle_y_max = size_ - 1;
  set(rectangle);
}

void Scene::set_target(gen9::RENDER_SURFACE_STATE::NumberOfMultisamples samples) {
  auto surface = scene_target<defs::Gen9>(target, size_, size_);
  surface.number_of_multisamples = samples;
  const auto dwords = surface.pack();
  view.write(surfaces + target_state, dwords.data(), sizeof dwords);
  view.store(surfaces, target_state);
  REQUIRE(target + uint64_t{size_} * size_ * 4 <= 0x100000);
  gen9::_3DSTATE_DEPTH_BUFFER none;
  none.surface_type = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_NULL;
  set(none);
}

void Scene::set_shaders() {
  gen9::_3DSTATE_VS vs;
  vs.kernel_start_pointer = kernel(write_vertex(1, first_constant, first_constant + 4, 0, true));
  vs.enable = vs.simd8_dispatch_enable = vs.statistics_enable = true;
  vs.dispatch_grf_start_register_for_urb_data = first_constant;
  vs.vertex_urb_entry_read_length = 1;  // eight dwords: position and attribute
  set(vs);
  pixel_shader(8, paint_attribute(8));
  gen9::_3DSTATE_PS_EXTRA extra;
  extra.pixel_shader_valid = extra.attribute_enable = true;
  set(extra);
  set(scene_attribute<defs::Gen9>());
}

void Scene::multisample() {
  set_target(gen9::RENDER_SURFACE_STATE::NumberOfMultisamples::MULTISAMPLECOUNT_4);
  gen9::_3DSTATE_MULTISAMPLE multisample;
  multisample.number_of_multisamples = 2;
  set(multisample);
  gen9::_3DSTATE_SAMPLE_MASK mask;
  mask.sample_mask = 15;
  set(mask);
  raster.dx_multisample_rasterization_enable = true;
  set(raster);
}

void Scene::depth_test(gen9::CompareFunction function) {
  REQUIRE(size_ <= 32);
  for (uint64_t at = 0; at < 0x1000; at += 4) view.store(depth_data + at, std::bit_cast<uint32_t>(1.0f));
  gen9::_3DSTATE_DEPTH_BUFFER buffer;
  buffer.surface_type = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_2D;
  buffer.surface_format = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat::D32_FLOAT;
  buffer.depth_write_enable = true;
  buffer.surface_pitch = 127;
  buffer.surface_base_address = depth_data;
  buffer.width = buffer.height = size_ - 1;
  set(buffer);
  gen9::_3DSTATE_WM_DEPTH_STENCIL test;
  test.depth_test_enable = true;
  test.depth_buffer_write_enable = true;
  test.depth_test_function = function;
  set(test);
}

void Scene::pixel_shader(unsigned width, const Code& code, unsigned first_register) {
  gen9::_3DSTATE_PS ps;
  ps.kernel_start_pointer_0 = kernel(code);
  ps._8_pixel_dispatch_enable = width == 8;
  ps._16_pixel_dispatch_enable = width == 16;
  ps.dispatch_grf_start_register_for_constant_setup_data_0 = first_register;
  set(ps);
}

void Scene::set_pixel_state() {
  set(scene_clip<defs::Gen9>());
  setup = scene_setup<defs::Gen9>();
  set(setup);
  raster.cull_mode = gen9::_3DSTATE_RASTER::CullMode::CULLMODE_NONE;
  set(raster);
  gen9::_3DSTATE_WM wm;
  wm.statistics_enable = true;
  set(wm);
  gen9::_3DSTATE_SAMPLE_MASK mask;
  mask.sample_mask = 1;
  set(mask);
  set(scene_samples<defs::Gen9>());
  gen9::_3DSTATE_VF_STATISTICS statistics;
  statistics.statistics_enable = true;
  set(statistics);
}

void Scene::count_coverage() {
  const auto dwords = scene_addition<defs::Gen9>().pack();
  view.store(dynamic + blend_state, 0u);
  view.write(dynamic + blend_state + 4, dwords.data(), sizeof dwords);
  gen9::_3DSTATE_BLEND_STATE_POINTERS pointer;
  pointer.blend_state_pointer = blend_state;
  pointer.blend_state_pointer_valid = true;
  set(pointer);
  pixel_shader(8, paint(8, 1 / 255.f, 0, 0));
}

void Scene::set_vertices(const std::vector<SceneVertex>& vertices) {
  std::vector<SceneVertex> placed = vertices;
  for (SceneVertex& v : placed) v.x = position(v.x), v.y = position(v.y);
  const auto bytes = static_cast<uint32_t>(placed.size() * sizeof(SceneVertex));
  REQUIRE(next_vertex_ + bytes <= target);
  view.write(next_vertex_, placed.data(), bytes);
  gen9::VERTEX_BUFFER_STATE buffer;
  buffer.buffer_starting_address = next_vertex_;
  buffer.buffer_size = bytes;
  buffer.buffer_pitch = sizeof(SceneVertex);
  buffer.address_modify_enable = true;
  std::vector<uint32_t> buffers{0x78080003};
  for (const uint32_t dword : buffer.pack()) buffers.push_back(dword);
  execute(buffers);
  next_vertex_ += bytes;
}

void Scene::set_indices(const std::vector<uint16_t>& indices) {
  const auto bytes = static_cast<uint32_t>(indices.size() * sizeof(uint16_t));
  next_vertex_ = (next_vertex_ + 63) & ~uint64_t{63};
  REQUIRE(next_vertex_ + bytes <= target);
  view.write(next_vertex_, indices.data(), bytes);
  gen9::_3DSTATE_INDEX_BUFFER buffer;
  buffer.index_format = gen9::_3DSTATE_INDEX_BUFFER::IndexFormat::INDEX_WORD;
  buffer.buffer_starting_address = next_vertex_;
  buffer.buffer_size = bytes;
  set(buffer);
  next_vertex_ += (bytes + 63) & ~63u;
}

void Scene::draw(gen9::PrimitiveTopologyType topology, const std::vector<SceneVertex>& vertices, const Way& way) {
  set_vertices(vertices);
  using Component = gen9::VertexComponentControl;
  gen9::VERTEX_ELEMENT_STATE place, color;
  place.valid = color.valid = true;
  place.source_element_format = gen9::SurfaceFormat::R32G32_FLOAT;
  place.component_0_control = place.component_1_control = Component::VFCOMP_STORE_SRC;
  place.component_2_control = Component::VFCOMP_STORE_0;
  color.source_element_format = gen9::SurfaceFormat::R32G32B32_FLOAT;
  color.source_element_offset = 2 * sizeof(float);
  color.component_0_control = color.component_1_control = color.component_2_control = Component::VFCOMP_STORE_SRC;
  place.component_3_control = color.component_3_control = Component::VFCOMP_STORE_1_FP;
  std::vector<uint32_t> elements{0x78090003};
  for (const auto& element : {place.pack(), color.pack()}) elements.insert(elements.end(), element.begin(), element.end());
  execute(elements);

  gen9::_3DSTATE_VF_TOPOLOGY assembly;
  assembly.primitive_topology_type = topology;
  set(assembly);
  gen9::_3DPRIMITIVE primitive;
  primitive.vertex_count_per_instance = static_cast<uint32_t>(vertices.size());
  primitive.instance_count = way.instances;
  if (!way.indices.empty()) {
    set_indices(way.indices);
    primitive.vertex_access_type = gen9::_3DPRIMITIVE::VertexAccessType::RANDOM;
    primitive.vertex_count_per_instance = static_cast<uint32_t>(way.indices.size());
  }
  set(primitive);
}

void Scene::finish() {
  REQUIRE(engine_.flush({}, env_) == ExecResult::done);
  next_vertex_ = vertex_data;
}

std::vector<uint32_t> Scene::pixels(unsigned sample) {
  finish();
  std::vector<uint32_t> result(size_t{size_} * size_);
  view.read(target + sample * result.size() * 4, result.data(), result.size() * 4);
  return result;
}

std::vector<std::string> Scene::picture() {
  std::vector<std::string> rows;
  const std::vector<uint32_t> all = pixels();
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % size_ == 0) rows.emplace_back();
    rows.back() += all[i] == 0 ? '.' : all[i] == 0xff0000ff ? 'R' : all[i] == 0xff00ff00 ? 'G' : all[i] == 0xffff0000 ? 'B' : '?';
  }
  return rows;
}

eu::Instruction copy(unsigned to, unsigned from) { return eu::test::op(Opcode::mov, 8, grf(to, RegType::ud), grf(from, RegType::ud)); }
eu::Instruction load(unsigned to, float value) {
  return eu::test::mov_imm(8, grf(to, RegType::f), RegType::f, std::bit_cast<uint32_t>(value));
}
eu::Instruction load_dword(unsigned to, uint32_t value) { return eu::test::mov_imm(8, grf(to, RegType::ud), RegType::ud, value); }

namespace {

eu::Instruction send(Sfid unit, unsigned width, uint32_t descriptor, bool ends) {
  eu::Instruction i = eu::test::op(Opcode::send, width, eu::test::null(), grf(message, RegType::ud), eu::test::imm(RegType::ud));
  i.cond_mod = static_cast<uint8_t>(unit);
  i.descriptor = descriptor;
  i.end_of_thread = ends;
  return i;
}

}  // namespace

eu::Instruction write_target(unsigned width, bool coarse) {
  constexpr uint32_t type = 12u << 14, last_target = 1u << 12, simd8 = 4u << 8, coarse_write = 1u << 18;
  return send(Sfid::dp_render, width, type | last_target | (width == 8 ? simd8 : 0) | (coarse ? coarse_write : 0) | (4 * width / 8) << 25,
              true);
}

eu::Instruction urb_write(unsigned dwords, unsigned offset, bool ends) {
  constexpr uint32_t simd8_write = 7, header = 1u << 19;
  return send(Sfid::urb, 8, simd8_write | offset << 4 | header | (1 + dwords) << 25, ends);
}

eu::Instruction urb_read(unsigned to, unsigned dwords, unsigned offset) {
  constexpr uint32_t simd8_read = 8, header = 1u << 19;
  eu::Instruction read = send(Sfid::urb, 8, simd8_read | offset << 4 | header | dwords << 20 | 1u << 25, false);
  read.dst = eu::test::dst_of(grf(to, RegType::ud));
  return read;
}

Code scaled(unsigned result, unsigned value, float factor, float addend) {
  const auto f = [](unsigned reg) { return grf(reg, RegType::f); };
  return {eu::test::op_imm(Opcode::mul, 8, f(result), f(value), RegType::f, std::bit_cast<uint32_t>(factor)),
          eu::test::op_imm(Opcode::add, 8, f(result), f(result), RegType::f, std::bit_cast<uint32_t>(addend))};
}

Code write_vertex(unsigned handles, unsigned position, unsigned attribute, unsigned offset, bool ends) {
  Code code{copy(message, handles)};
  for (unsigned i = 0; i < 4; ++i) code.push_back(load_dword(message + 1 + i, 0));
  for (unsigned i = 0; i < 4; ++i) code.push_back(copy(message + 5 + i, position + i));
  for (unsigned i = 0; i < 4; ++i) code.push_back(copy(message + 9 + i, attribute + i));
  code.push_back(urb_write(vertex_dwords, offset, ends));
  return code;
}

Code operator+(Code a, const Code& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Code paint_attribute(unsigned width) {
  // Two components a register; the last of four dwords is the value at the object's origin, which is all that a constant one has.
  Code code;
  for (unsigned c = 0; c < 4; ++c)
    code.push_back(eu::test::op(Opcode::mov, width, grf(message + c * width / 8, RegType::f),
                                eu::test::scalar(first_constant + c / 2, RegType::f, c % 2 * 4 + 3)));
  code.push_back(write_target(width));
  return code;
}

Code paint(unsigned width, float red, float green, float blue) {
  Code code;
  const float channels[] = {red, green, blue, 1};
  for (unsigned c = 0; c < 4; ++c)
    code.push_back(eu::test::mov_imm(width, grf(message + c * width / 8, RegType::f), RegType::f, std::bit_cast<uint32_t>(channels[c])));
  code.push_back(write_target(width));
  return code;
}

}  // namespace softgen::render::test

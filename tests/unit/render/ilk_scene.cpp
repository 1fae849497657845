// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/render/ilk_scene.h"

#include <bit>

#include "hw/defs/registers/registers.h"
#include "hw/render/assembly.h"
#include "tests/catch.h"

namespace softgen::render::ilk::test {

float as_float(uint32_t word) { return std::bit_cast<float>(word); }
uint32_t as_word(float value) { return std::bit_cast<uint32_t>(value); }

ThreadEnd FakeRunner::run(const ThreadJob& job, UnitMessages& messages, EngineEnv&) {
  {
    const std::lock_guard lock(mutex_);
    runs.push_back({job.unit, {job.payload.begin(), job.payload.end()}, job.channels, job.dispatch_mask});
  }
  const auto kernel = kernels.find(job.kernel);
  return kernel == kernels.end() ? ThreadEnd::failed : kernel->second(job, messages);
}

std::vector<FakeRunner::Run> FakeRunner::of(Unit unit) const {
  std::vector<Run> found;
  for (const Run& run : runs)
    if (run.unit == unit) found.push_back(run);
  return found;
}

Scene::Scene(unsigned workers) : Mapped(0x1000, 0x80000), SceneThreads{.pool = WorkerPool(workers)}, registers(gen5::registers) {
  default_units();
  runner.kernels = {{vs_kernel, vertex_kernel()}, {gs_kernel, quads_kernel()}, {clip_kernel, clip_triangles_kernel()},
                    {sf_kernel, setup_kernel(2)}, {wm_kernel, paint_kernel()}, {wide_kernel, paint_kernel()}};
  gen5::STATE_BASE_ADDRESS bases;
  bases.surface_state_base_address = surfaces, bases.surface_state_base_address_modify_enable = true;
  set(bases);
  set_fences();
  gen5::_3DSTATE_DRAWING_RECTANGLE rectangle;
  rectangle.clipped_drawing_rectangle_x_max = rectangle.clipped_drawing_rectangle_y_max = size - 1;
  set(rectangle);
  // Position and colour of SceneVertex.
  std::vector<uint32_t> elements{0x78090003};
  for (uint32_t i = 0; i < 2; ++i) {
    gen5::VERTEX_ELEMENT_STATE e;
    e.valid = true, e.source_element_format = gen5::SurfaceFormat::R32G32B32A32_FLOAT, e.source_element_offset = 16 * i;
    e.component_0_control = e.component_1_control = e.component_2_control = e.component_3_control =
        gen5::VertexComponentControl::VFCOMP_STORE_SRC;
    for (const uint32_t dw : e.pack()) elements.push_back(dw);
  }
  execute(elements);
}

void Scene::default_units() {
  vs.kernel_start_pointer = vs_kernel, vs.enable = true;
  vs.dispatch_grf_start_register_for_urb_data = 1, vs.vertex_urb_entry_read_length = 1;
  vs.urb_entry_allocation_size = 1, vs.number_of_urb_entries = 8;
  gs.kernel_start_pointer = gs_kernel, gs.rendering_enabled = true;
  gs.dispatch_grf_start_register_for_urb_data = 1, gs.vertex_urb_entry_read_length = 2;
  gs.urb_entry_allocation_size = 1, gs.number_of_urb_entries = 8;
  clip.kernel_start_pointer = clip_kernel;
  clip.dispatch_grf_start_register_for_urb_data = 1, clip.vertex_urb_entry_read_length = 2;
  clip.urb_entry_allocation_size = 1, clip.number_of_urb_entries = 10;
  clip.viewport_xy_cliptest_enable = clip.viewport_z_cliptest_enable = true;
  clip.userclipflags_mustclip_enable = true;
  sf.kernel_start_pointer = sf_kernel, sf.dispatch_grf_start_register_for_urb_data = 3;
  sf.vertex_urb_entry_read_offset = 1, sf.vertex_urb_entry_read_length = 1;
  sf.urb_entry_allocation_size = 3, sf.number_of_urb_entries = 8;
  sf.viewport_transform_enable = true, sf.cull_mode = gen5::SF_STATE::CullMode::NONE;
  sf.destination_origin_horizontal_bias = sf.destination_origin_vertical_bias = 0.5;
  viewport.viewport_matrix_element_m00 = size / 2, viewport.viewport_matrix_element_m30 = size / 2;
  viewport.viewport_matrix_element_m11 = size / 2, viewport.viewport_matrix_element_m31 = size / 2;
  viewport.viewport_matrix_element_m22 = 0.5, viewport.viewport_matrix_element_m32 = 0.5;
  wm.kernel_start_pointer_0 = wm_kernel, wm._16_pixel_dispatch_enable = true, wm.thread_dispatch_enable = true;
  wm.dispatch_grf_start_register_for_constant_setup_data_0 = 2, wm.setup_urb_entry_read_length = 4;
  depth_range.maximum_depth = 1;
  guard.xmin_clip_guardband = guard.ymin_clip_guardband = -8, guard.xmax_clip_guardband = guard.ymax_clip_guardband = 8;
  surface.surface_type = decltype(surface.surface_type)::SURFTYPE_2D;
  surface.surface_format = gen5::SurfaceFormat::R8G8B8A8_UNORM;
  surface.surface_base_address = target, surface.width = surface.height = size - 1, surface.surface_pitch = pitch - 1;
}

void Scene::set_fences() {
  gen5::URB_FENCE fence;
  fence.vs_unit_urb_reallocation_request = fence.gs_unit_urb_reallocation_request = fence.clip_unit_urb_reallocation_request = true;
  fence.sf_unit_urb_reallocation_request = fence.vfe_unit_urb_reallocation_request = fence.cs_unit_urb_reallocation_request = true;
  fence.vs_fence = 256, fence.gs_fence = 300, fence.clip_fence = 400, fence.sf_fence = 800, fence.vfe_fence = 800, fence.cs_fence = 1024;
  set(fence);
  gen5::CS_URB_STATE cs;
  cs.number_of_urb_entries = 1, cs.urb_entry_allocation_size = 3;
  set(cs);
}

ExecResult Scene::execute(std::span<const uint32_t> dwords) {
  const defs::Command* const command = gen5::commands.find(defs::EngineClass::render, dwords[0]);
  REQUIRE(command);
  return engine.execute({0x1000, command, dwords}, env);
}

void Scene::set_units() {
  uint64_t at = states;
  const auto put = [&](const auto& state) {
    const auto dwords = state.pack();
    view.write(at, dwords.data(), dwords.size() * 4);
    const auto offset = static_cast<uint32_t>(at) - general_base;
    at += 64;
    return offset;
  };
  sf.setup_viewport_state_offset = put(viewport);
  cc.cc_viewport_state_pointer = put(depth_range);
  clip.clipper_viewport_state_pointer = put(guard);
  gen5::_3DSTATE_PIPELINED_POINTERS pointers;
  pointers.pointer_to_vs_state = put(vs), pointers.pointer_to_gs_state = put(gs), pointers.pointer_to_clip_state = put(clip);
  pointers.pointer_to_sf_state = put(sf), pointers.pointer_to_wm_state = put(wm), pointers.pointer_to_color_calc_state = put(cc);
  pointers.gs_enable = gs_enable, pointers.clip_enable = clip_enable;
  set(pointers);
  // The binding table is at the surface base, the surface 32 bytes behind it.
  view.store<uint32_t>(surfaces, 32);
  const auto dwords = surface.pack();
  view.write(surfaces + 32, dwords.data(), dwords.size() * 4);
  set(gen5::_3DSTATE_BINDING_TABLE_POINTERS{});
}

void Scene::set_vertices(const std::vector<SceneVertex>& vertices) {
  view.write(vertex_data, vertices.data(), vertices.size() * sizeof(SceneVertex));
  gen5::VERTEX_BUFFER_STATE buffer;
  buffer.buffer_pitch = sizeof(SceneVertex);
  buffer.buffer_starting_address = vertex_data;
  buffer.end_address = static_cast<uint32_t>(vertex_data + vertices.size() * sizeof(SceneVertex) - 1);
  std::vector<uint32_t> packet{0x78080003};
  for (const uint32_t dw : buffer.pack()) packet.push_back(dw);
  execute(packet);
}

ExecResult Scene::draw(gen5::PrimitiveTopologyType topology, uint32_t count, bool indexed, uint32_t instances) {
  set_units();
  gen5::_3DPRIMITIVE p;
  p.primitive_topology_type = topology, p.vertex_count_per_instance = count, p.instance_count = instances;
  if (indexed) p.vertex_access_type = gen5::_3DPRIMITIVE::VertexAccessType::RANDOM;
  return execute(p.pack());
}

size_t Scene::painted() {
  size_t count = 0;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) count += pixel(x, y) != 0;
  return count;
}

void Scene::use_depth(gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat format) {
  gen5::_3DSTATE_DEPTH_BUFFER depth;
  depth.surface_type = decltype(depth.surface_type)::SURFTYPE_2D, depth.surface_format = format;
  depth.tiled_surface = true, depth.tile_walk = decltype(depth.tile_walk)::TILEWALK_YMAJOR;
  depth.surface_pitch = 511, depth.surface_base_address = depth_data, depth.width = depth.height = size - 1;
  set(depth);
}

namespace {

std::array<float, 4> four(const Grf& reg, unsigned half) {
  std::array<float, 4> out;
  for (unsigned c = 0; c < 4; ++c) out[c] = as_float(reg.dw[4 * half + c]);
  return out;
}
void put_four(Grf& reg, unsigned half, const std::array<float, 4>& value) {
  for (unsigned c = 0; c < 4; ++c) reg.dw[4 * half + c] = as_word(value[c]);
}

}  // namespace

Kernel vertex_kernel(unsigned attributes) {
  return [attributes](const ThreadJob& job, UnitMessages& messages) {
    const unsigned inputs = job.state.grf_start + job.state.constant_length;
    std::vector<Grf> message(1 + 3 + attributes);
    message[0] = job.payload[0];
    for (unsigned v = 0; v < 2; ++v) {
      const auto position = four(job.payload[inputs], v);
      const float w = 1 / position[3];
      put_four(message[2], v, {position[0] * w, position[1] * w, position[2] * w, w});
      put_four(message[3], v, position);
      for (unsigned a = 0; a < attributes; ++a) put_four(message[4 + a], v, four(job.payload[inputs + 1 + a], v));
    }
    return messages.urb({.swizzle = UrbMessage::Swizzle::interleave, .complete = true}, message, {}) ? ThreadEnd::finished
                                                                                                     : ThreadEnd::failed;
  };
}

Kernel setup_kernel(unsigned /*registers*/) {
  return [](const ThreadJob& job, UnitMessages& messages) {
    const auto& r = job.payload;
    const unsigned pairs = job.state.read_length;
    const auto topology = static_cast<Topology>(r[1].dw[0] & 0x1f);
    const unsigned count = object_type(topology) == ObjectType::point ? 1 : object_type(topology) == ObjectType::line ? 2 : 3;
    const auto f = [&](unsigned reg, unsigned dw) { return as_float(r[reg].dw[dw]); };
    const float inverse = 1 / f(1, 2), dx0 = f(1, 3), dx2 = f(1, 4), dy0 = f(1, 5), dy2 = f(1, 6);
    for (unsigned i = 0; i < pairs; ++i) {
      std::vector<Grf> message(4);
      message[0] = r[0];
      for (unsigned c = 0; c < 8; ++c) {
        std::array<float, 3> a{};
        for (unsigned v = 0; v < count; ++v) {
          a[v] = f(3 + v * pairs + i, c);
          if (i == 0 && (c == 2 || c == 3)) a[v] = f(2, 2 * v + (c - 2));  // the position's z and w are depth and 1/w
          else if (i > 0 || c >= 4) a[v] *= f(2, 2 * v + 1);
        }
        float cx = 0, cy = 0;
        if (count == 3) {
          cx = ((a[1] - a[0]) * dy2 - (a[2] - a[0]) * dy0) * inverse;
          cy = ((a[2] - a[0]) * dx0 - (a[1] - a[0]) * dx2) * inverse;
        } else if (count == 2) {
          cx = (a[1] - a[0]) * dx0 * inverse, cy = (a[1] - a[0]) * dy0 * inverse;
        }
        message[1].dw[c] = as_word(cx), message[2].dw[c] = as_word(cy), message[3].dw[c] = as_word(a[0]);
      }
      const UrbMessage how{.swizzle = UrbMessage::Swizzle::transpose, .offset = 4 * i, .complete = i + 1 == pairs};
      if (!messages.urb(how, message, {})) return ThreadEnd::failed;
    }
    return ThreadEnd::finished;
  };
}

Kernel paint_kernel() {
  return [](const ThreadJob& job, UnitMessages& messages) {
    const auto& r = job.payload;
    const unsigned planes = job.state.grf_start + job.state.constant_length;
    const float x0 = as_float(r[1].dw[0]), y0 = as_float(r[1].dw[1]);
    const unsigned wide = job.channels / 8;
    std::vector<Grf> message(2 + 4 * wide);
    message[0] = r[0], message[1] = r[1];
    for (unsigned i = 0; i < job.channels; ++i) {
      const uint32_t quad = r[1].dw[2 + i / 4];
      const float x = static_cast<float>((quad & 0xffff) + (i & 1)) - x0, y = static_cast<float>((quad >> 16) + (i >> 1 & 1)) - y0;
      // Component n of attribute a: four dwords d/dx, d/dy, -, constant.
      const auto plane = [&](unsigned a, unsigned c) {
        const unsigned dw = 16 * a + 4 * c;
        const auto at = [&](unsigned k) { return as_float(r[planes + (dw + k) / 8].dw[(dw + k) % 8]); };
        return at(0) * x + at(1) * y + at(3);
      };
      const float w = 1 / plane(0, 3);
      for (unsigned c = 0; c < 4; ++c) message[2 + c + 4 * (i / 8)].dw[i % 8] = as_word(plane(1, c) * w);
    }
    const auto form = wide == 2 ? TargetMessage::Form::simd16 : TargetMessage::Form::simd8;
    return messages.target_write({.form = form}, message) ? ThreadEnd::finished : ThreadEnd::failed;
  };
}

namespace {

/// A vertex of two registers as a GS or CLIP kernel writes it. `handle` follows the reply.
bool write_vertex(UnitMessages& messages, Grf& header, std::span<const Grf> vertex, uint32_t dw2, bool more) {
  header.dw[2] = dw2;
  std::vector<Grf> message{header};
  message.insert(message.end(), vertex.begin(), vertex.end());
  std::array<Grf, 1> reply{};
  if (!messages.urb({.allocate = more, .complete = true}, message, std::span(reply).first(more ? 1 : 0))) return false;
  if (more) header.dw[0] = reply[0].dw[0];
  return true;
}

bool sync(UnitMessages& messages, Grf& header) {
  std::array<Grf, 1> reply{};
  const std::array<Grf, 1> message{header};
  if (!messages.urb({.sync = true, .allocate = true}, message, reply)) return false;
  header.dw[0] = reply[0].dw[0];
  return true;
}

bool write_polygon(UnitMessages& messages, const Grf& r0, const std::vector<std::vector<Grf>>& vertices, Topology topology) {
  Grf header = r0;
  if (!sync(messages, header)) return false;
  for (size_t i = 0; i < vertices.size(); ++i) {
    const bool first = i == 0, last = i + 1 == vertices.size();
    const uint32_t dw2 = static_cast<uint32_t>(topology) << 2 | (first ? 2 : 0) | (last ? 1 : 0);
    if (!write_vertex(messages, header, vertices[i], dw2, !last)) return false;
  }
  if (!vertices.empty()) return true;
  return messages.urb({.used = false, .complete = true}, std::span(&header, 1), {});
}

std::vector<std::vector<Grf>> vertices_of(const ThreadJob& job, unsigned count) {
  std::vector<std::vector<Grf>> out;
  const unsigned length = job.state.read_length;
  for (unsigned v = 0; v < count; ++v) {
    const auto first = job.payload.begin() + 1 + v * length;
    out.emplace_back(first, first + length);
  }
  return out;
}

}  // namespace

Kernel quads_kernel() {
  return [](const ThreadJob& job, UnitMessages& messages) {
    const auto v = vertices_of(job, 4);
    return write_polygon(messages, job.payload[0], {v[3], v[0], v[1], v[2]}, Topology::polygon) ? ThreadEnd::finished : ThreadEnd::failed;
  };
}

/// Sutherland and Hodgman on the planes of the payload's mask.
Kernel clip_triangles_kernel() {
  return [](const ThreadJob& job, UnitMessages& messages) {
    static constexpr float planes[6][4] = {{0, 0, -1, 1}, {0, 0, 1, 1}, {0, -1, 0, 1}, {0, 1, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, 1}};
    auto polygon = vertices_of(job, 3);
    const auto distance = [](const std::vector<Grf>& v, const float* p) {
      const auto at = four(v[1], 0);
      return at[0] * p[0] + at[1] * p[1] + at[2] * p[2] + at[3] * p[3];
    };
    for (unsigned n = 0; n < 6; ++n) {
      if (!(job.payload[0].dw[2] >> (26 + n) & 1)) continue;
      std::vector<std::vector<Grf>> next;
      for (size_t i = 0; i < polygon.size(); ++i) {
        const auto &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const float da = distance(a, planes[n]), db = distance(b, planes[n]);
        if (da >= 0) next.push_back(a);
        if ((da >= 0) == (db >= 0)) continue;
        std::vector<Grf> cut = a;
        const float t = da / (da - db);
        for (unsigned dw = 0; dw < 8; ++dw) cut[1].dw[dw] = as_word(as_float(a[1].dw[dw]) * (1 - t) + as_float(b[1].dw[dw]) * t);
        const auto p = four(cut[1], 0);
        put_four(cut[0], 1, {p[0] / p[3], p[1] / p[3], p[2] / p[3], 1 / p[3]});
        next.push_back(cut);
      }
      polygon = next;
    }
    if (polygon.size() < 3) polygon.clear();
    return write_polygon(messages, job.payload[0], polygon, Topology::triangle_fan) ? ThreadEnd::finished : ThreadEnd::failed;
  };
}

}  // namespace softgen::render::ilk::test

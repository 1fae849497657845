// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw.h"

#include <algorithm>
#include <unordered_map>

#include "hw/base/log.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/binding.h"

namespace softgen::render {
namespace {

// A draw is worked off in pieces, so that the guest's vertex counts bound nothing of ours.
constexpr size_t objects_a_piece = 2048;
constexpr int32_t tile_size = 64;
constexpr uint32_t constant_buffer_address_offset_disable = 1u << 4;  // CS_DEBUG_MODE2
constexpr unsigned channels = 8;

void count(mmio::RegisterFile& registers, uint32_t offset, uint64_t n) {
  if (n) registers.poke64(offset, registers.peek64(offset) + n);
}

eu::ThreadStart start_of(const auto& stage) {
  eu::ThreadStart start;
  start.alt_mode = static_cast<uint32_t>(stage.floating_point_mode) == 1;
  start.run_vector_mask = stage.vector_mask_enable;
  return start;
}

}  // namespace

/// One draw's way through the geometry stages.
class Drawer::Geometry {
 public:
  Geometry(Drawer& drawer, const State& state, const StateStore& store, const DrawCall& call, EngineEnv& env)
      : drawer_(drawer), state_(state), call_(call), env_(env), fetch_(state, env.view, call), objects_type_(object_type(call.topology)),
        raster_(load_raster()), setup_(state, raster_, Stage::vs),
        pixels_{state, raster_, {}, {}, DepthStencil(state, store, raster_.samples), OutputMerger(state, env.view), {}, drawer.shared_, env.stop} {
    load_vertex_shader();
    load_pixel_shader();
  }

  ExecResult run();

 private:
  RasterState load_raster() {
    RasterState raster;
    raster.load(state_, env_.view, Stage::vs);
    return raster;
  }
  bool absolute() const { return env_.registers.peek(reg::CS_DEBUG_MODE2) & constant_buffer_address_offset_disable; }
  void load_vertex_shader();
  void load_pixel_shader();
  void bind_targets();
  void flush();
  void shade(std::span<const uint32_t> indices, std::span<uint32_t> handles);
  void pass_through(std::span<const std::vector<Vec4>> inputs, std::span<const uint32_t> handles);
  void draw_pixels(std::span<const PreparedObject> objects);
  void fast_clear(const PreparedObject& object);
  uint32_t entry_bytes() const;

  Drawer& drawer_;
  const State& state_;
  const DrawCall& call_;
  EngineEnv& env_;
  VertexFetch fetch_;
  const ObjectType objects_type_;
  const RasterState raster_;
  Setup setup_;
  PixelDraw pixels_;
  Kernel vs_;
  eu::Thread thread_;
  Urb urb_;
  std::vector<Object> objects_;
  uint32_t instance_ = 0;
  uint64_t vertices_ = 0, shaded_ = 0, assembled_ = 0;
};

uint32_t Drawer::Geometry::entry_bytes() const {
  const uint32_t allocated = (state_.get<gen9::_3DSTATE_URB_VS>().vs_urb_entry_allocation_size + 1) * 64;
  return std::max<uint32_t>(allocated, static_cast<uint32_t>(fetch_.elements()) * 16);
}

void Drawer::Geometry::load_vertex_shader() {
  const auto& vs = state_.get<gen9::_3DSTATE_VS>();
  if (!vs.enable) return;
  if (!vs.simd8_dispatch_enable) return unimplemented("vertex shader in SIMD4x2 mode");
  vs_.bases = state_.bases(Stage::vs);
  vs_.program = drawer_.kernels_.load(env_.view, vs_.bases, vs.kernel_start_pointer);
  vs_.constants = KernelLoader::read_constants(env_.view, state_.push_constants(Stage::vs, absolute()));
  vs_.grf_start = vs.dispatch_grf_start_register_for_urb_data;
  vs_.scratch_base = vs.scratch_space_base_pointer;
  vs_.scratch_size = scratch_bytes(vs.per_thread_scratch_space);
  vs_.start = start_of(vs);
}

void Drawer::Geometry::load_pixel_shader() {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (!state_.get<gen9::_3DSTATE_PS_EXTRA>().pixel_shader_valid) return;
  Kernel kernel;
  kernel.bases = state_.bases(Stage::ps);
  kernel.constants = KernelLoader::read_constants(env_.view, state_.push_constants(Stage::ps, absolute()));
  kernel.scratch_base = ps.scratch_space_base_pointer;
  kernel.scratch_size = scratch_bytes(ps.per_thread_scratch_space);
  kernel.start = start_of(ps);
  kernel.start.rounding = static_cast<uint8_t>(ps.rounding_mode);
  // Which of the three kernel pointers is which width: SKL PRM vol 2a, 3DSTATE_PS, "Kernel Start Pointer" table.
  if (ps._8_pixel_dispatch_enable) {
    kernel.grf_start = ps.dispatch_grf_start_register_for_constant_setup_data_0;
    kernel.program = drawer_.kernels_.load(env_.view, kernel.bases, ps.kernel_start_pointer_0);
    pixels_.kernel8 = kernel;
  } else if (ps._16_pixel_dispatch_enable) {
    const bool second = ps._32_pixel_dispatch_enable;
    kernel.grf_start = second ? ps.dispatch_grf_start_register_for_constant_setup_data_2 : ps.dispatch_grf_start_register_for_constant_setup_data_0;
    kernel.program = drawer_.kernels_.load(env_.view, kernel.bases, second ? ps.kernel_start_pointer_2 : ps.kernel_start_pointer_0);
    pixels_.kernel16 = kernel;
  } else {
    unimplemented("pixel shader with SIMD32 dispatch only");
  }
  bind_targets();
}

void Drawer::Geometry::bind_targets() {
  // Drivers put render targets first in the table: at most eight.
  const ShaderBases bases = state_.bases(Stage::ps);
  for (uint32_t i = 0; i < 8; ++i) {
    RenderTarget rt{surface::load_surface(env_.view, bases, i), {}};
    if (!rt.surface.is_null() && !rt.surface.is_buffer() && rt.surface.format && rt.surface.format->is(surface::use_render))
      rt.level.emplace(rt.surface, rt.surface.mip_count);
    pixels_.targets.push_back(rt);
  }
}

void Drawer::Geometry::pass_through(std::span<const std::vector<Vec4>> inputs, std::span<const uint32_t> handles) {
  for (size_t i = 0; i < handles.size(); ++i)
    for (size_t e = 0; e < inputs[i].size(); ++e) {
      const auto out = urb_.dwords(handles[i], 4 * e, 4);
      std::copy_n(inputs[i][e].begin(), out.size(), out.begin());
    }
}

void Drawer::Geometry::shade(std::span<const uint32_t> indices, std::span<uint32_t> handles) {
  std::array<std::vector<Vec4>, channels> inputs;
  for (size_t i = 0; i < indices.size(); ++i) {
    inputs[i].resize(fetch_.elements());
    fetch_.fetch(indices[i], instance_, inputs[i]);
    handles[i] = urb_.allocate(entry_bytes());
  }
  if (!vs_) return pass_through(std::span(inputs).first(indices.size()), handles);
  const auto& vs = state_.get<gen9::_3DSTATE_VS>();
  thread_.clear_registers();
  thread_.grf(0).dw[3] = vs_.bases.sampler_state;  // kernels copy it to message headers
  for (size_t i = 0; i < indices.size(); ++i) thread_.grf(1).dw[i] = handles[i];
  unsigned reg = vs_.grf_start;
  for (const Grf& constant : vs_.constants) thread_.grf(reg++) = constant;
  const size_t first = vs.vertex_urb_entry_read_offset * 2, last = first + vs.vertex_urb_entry_read_length * 2;
  for (size_t e = first; e < last; ++e)
    for (unsigned c = 0; c < 4; ++c, ++reg)
      for (size_t i = 0; i < indices.size(); ++i) thread_.grf(reg).dw[i] = e < inputs[i].size() ? inputs[i][e][c] : 0;
  eu::ThreadStart start = vs_.start;
  start.program = vs_.program.get();
  start.dispatch_mask = (1u << indices.size()) - 1;
  thread_.start(start);
  ThreadOwner owner{&urb_, nullptr, drawer_.shared_};
  ThreadEnv env{env_.view, vs_.bases, env_.stop, {}, 0, vs_.scratch_base, vs_.scratch_size, &owner};
  RenderMessages messages;
  eu::run(thread_, env, messages);
  shaded_ += indices.size();
}

void Drawer::Geometry::flush() {
  if (objects_.empty()) return;
  std::unordered_map<uint32_t, uint32_t> handle_of;
  std::vector<uint32_t> order;
  for (const Object& object : objects_)
    for (unsigned i = 0; i < object.count; ++i)
      if (handle_of.emplace(object.vertices[i], 0).second) order.push_back(object.vertices[i]);
  urb_.clear();
  for (size_t at = 0; at < order.size() && !env_.stop.aborting(); at += channels) {
    const auto batch = std::span(order).subspan(at, std::min<size_t>(channels, order.size() - at));
    std::array<uint32_t, channels> handles{};
    shade(batch, std::span(handles).first(batch.size()));
    for (size_t i = 0; i < batch.size(); ++i) handle_of[batch[i]] = handles[i];
  }
  std::vector<PreparedObject> prepared;
  const ObjectType type = without_adjacency(objects_type_);
  for (const Object& object : objects_) {
    std::array<Vue, 3> vues;
    const unsigned step = objects_type_ == ObjectType::triangle_adjacency ? 2 : 1, skip = objects_type_ == ObjectType::line_adjacency ? 1 : 0;
    const unsigned n = type == ObjectType::point ? 1 : type == ObjectType::line ? 2 : 3;
    for (unsigned i = 0; i < n; ++i) vues[i] = Vue(urb_.dwords(handle_of[object.vertices[skip + i * step]], 0, entry_bytes() / 4));
    Object plain = object;
    plain.provoking = static_cast<uint8_t>((object.provoking - skip) / step);
    PreparedObject out;
    if (setup_.prepare(type, plain, std::span(vues).first(n), out)) prepared.push_back(std::move(out));
  }
  assembled_ += objects_.size();
  objects_.clear();
  draw_pixels(prepared);
}

void Drawer::Geometry::fast_clear(const PreparedObject& object) {
  // The rectangle counts in blocks of the CCS (Mesa blorp_clear.c, get_fast_clear_rect): 8 CCS elements of 8x4, 4x4 or 2x4 pixels each way.
  const RenderTarget& rt = pixels_.targets[0];
  if (!rt.level) return;
  if (rt.surface.samples > 1) unimplemented("MCS", "fast clear of a multisampled target fills its samples");
  const int32_t scale_x = rt.surface.samples > 1 ? 8 : rt.surface.format->block_bits == 32 ? 64 : rt.surface.format->block_bits == 64 ? 32 : 16;
  const int32_t scale_y = rt.surface.samples > 1 ? 2 : 32;
  PixelRect rect{object.bounds.x0 * scale_x, object.bounds.y0 * scale_y, object.bounds.x1 * scale_x, object.bounds.y1 * scale_y};
  rect.clip({0, 0, static_cast<int32_t>(rt.level->extent().width), static_cast<int32_t>(rt.level->extent().height)});
  std::array<std::byte, 16> texel{};
  surface::encode(*rt.surface.format, rt.surface.clear_color, texel.data());
  for (int32_t y = rect.y0; y < rect.y1; ++y)
    for (int32_t x = rect.x0; x < rect.x1; ++x)
      for (unsigned s = 0; s < rt.surface.samples; ++s)
        env_.view.write(rt.level->address(static_cast<uint32_t>(x), static_cast<uint32_t>(y), object.layer + rt.surface.min_array_element, s),
                        texel.data(), rt.surface.format->block_bytes());
}

void Drawer::Geometry::draw_pixels(std::span<const PreparedObject> objects) {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (ps.render_target_fast_clear_enable) {
    for (const PreparedObject& object : objects) fast_clear(object);
    return;
  }
  // Nothing is ever left compressed here, so there is nothing to resolve.
  if (ps.render_target_resolve_type != gen9::_3DSTATE_PS::RenderTargetResolveType::RESOLVE_DISABLED) return;
  PixelRect all{INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  for (const PreparedObject& o : objects)
    all = {std::min(all.x0, o.bounds.x0), std::min(all.y0, o.bounds.y0), std::max(all.x1, o.bounds.x1), std::max(all.y1, o.bounds.y1)};
  if (objects.empty() || all.empty()) return;
  std::vector<PixelRect> tiles;
  for (int32_t y = all.y0 & ~(tile_size - 1); y < all.y1; y += tile_size)
    for (int32_t x = all.x0 & ~(tile_size - 1); x < all.x1; x += tile_size) tiles.push_back({x, y, x + tile_size, y + tile_size});
  auto& workers = drawer_.workers_;
  const unsigned slots = drawer_.pool_ ? drawer_.pool_->slots() : 1;
  while (workers.size() < slots) workers.push_back(std::make_unique<PixelWorker>(env_.view.memory(), static_cast<unsigned>(workers.size())));
  for (auto& worker : workers) worker->view().set_space(env_.view.space());
  const auto draw_tile = [&](size_t index, unsigned slot) {
    for (const PreparedObject& object : objects) {
      PixelRect part = object.bounds;
      part.clip(tiles[index]);
      if (!part.empty()) workers[slot]->draw(pixels_, object, tiles[index]);
    }
  };
  if (drawer_.pool_) drawer_.pool_->for_each(tiles.size(), draw_tile);
  else
    for (size_t i = 0; i < tiles.size(); ++i) draw_tile(i, 0);
}

ExecResult Drawer::Geometry::run() {
  const auto& sf = state_.get<gen9::_3DSTATE_SF>();
  const Provoking provoking{static_cast<uint8_t>(sf.triangle_strip_list_provoking_vertex_select),
                            static_cast<uint8_t>(sf.line_strip_list_provoking_vertex_select),
                            static_cast<uint8_t>(sf.triangle_fan_provoking_vertex_select)};
  Assembler assembler(call_.topology, provoking, [this](const Object& object) {
    objects_.push_back(object);
    if (objects_.size() >= objects_a_piece) flush();
  });
  for (instance_ = 0; instance_ < call_.instance_count && !env_.stop.aborting(); ++instance_) {
    for (uint32_t n = 0; n < call_.vertex_count && !env_.stop.aborting(); ++n) {
      const uint64_t index = fetch_.index(n);
      if (index == VertexFetch::cut) assembler.cut();
      else assembler.vertex(static_cast<uint32_t>(index)), ++vertices_;
    }
    assembler.next_instance();
    flush();
  }
  auto& registers = env_.registers;
  if (state_.get<gen9::_3DSTATE_VF_STATISTICS>().statistics_enable) {
    count(registers, reg::IA_VERTICES_COUNT(0), vertices_);
    count(registers, reg::IA_PRIMITIVES_COUNT(0), assembled_);
  }
  if (state_.get<gen9::_3DSTATE_VS>().statistics_enable) count(registers, reg::VS_INVOCATION_COUNT(0), shaded_);
  if (state_.get<gen9::_3DSTATE_CLIP>().statistics_enable) {
    count(registers, reg::CL_INVOCATION_COUNT(0), assembled_);
    count(registers, reg::CL_PRIMITIVES_COUNT(0), setup_.primitives());
  }
  if (state_.get<gen9::_3DSTATE_WM>().statistics_enable) {
    count(registers, reg::PS_INVOCATION_COUNT(0), pixels_.invocations);
    count(registers, reg::PS_DEPTH_COUNT(0), pixels_.depth_count);
  }
  return env_.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

ExecResult Drawer::draw(const State& state, const StateStore& store, const DrawCall& call, EngineEnv& env) {
  const auto missing = [](const char* what) {
    unimplemented(what, "the draw is left out");
    return ExecResult::done;
  };
  if (state.get<gen9::_3DSTATE_HS>().enable || object_type(call.topology) == ObjectType::patch) return missing("tessellation");
  if (state.get<gen9::_3DSTATE_GS>().enable) return missing("geometry shader");
  if (state.get<gen9::_3DSTATE_STREAMOUT>().so_function_enable) return missing("stream output");
  return Geometry(*this, state, store, call, env).run();
}

void Drawer::hz_op(const State& state, const StateStore& store, EngineEnv& env) {
  const auto& op = state.get<gen9::_3DSTATE_WM_HZ_OP>();
  if (!op.depth_buffer_clear_enable && !op.stencil_buffer_clear_enable) return;
  DepthStencil(state, store, 1u << std::min(op.number_of_multisamples, 4u)).clear(env.view, state, op);
}

}  // namespace softgen::render

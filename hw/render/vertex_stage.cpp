// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Shader (VS) Stage".
#include "hw/render/vertex_stage.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/base/log.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::render {
namespace {

/// Edge flags count where polygons are separate.
bool takes_edge_flags(Topology topology) {
  return topology == Topology::triangle_list || topology == Topology::quad_list || topology == Topology::polygon;
}

}  // namespace

VertexStage::VertexStage(GeometryWorker& worker, const DrawCall& call)
    : worker_(worker), fetch_(worker.state, worker.view, call), scratch_(worker.vertices) {
  const StageState& vs = worker.state.stage(Stage::vs);
  entry_bytes_ = std::max(vs.entry_bytes, static_cast<uint32_t>(fetch_.slots()) * 16);
  packed_ = fetch_.delivered();
  edge_flags_ = fetch_.has_edge_flags() && takes_edge_flags(call.topology);
  if (!vs.enable) return;
  if (!worker.state.vertex_simd8) unimplemented("vertex shader in SIMD4x2 mode");
  else kernel_ = worker.load(Stage::vs);
}

VertexStage::VertexStage(GeometryWorker& worker, const VertexStage& like)
    : worker_(worker),
      fetch_(like.fetch_, worker.view),
      edge_flags_(like.edge_flags_),
      kernel_(like.kernel_),
      entry_bytes_(like.entry_bytes_),
      packed_(like.packed_),
      scratch_(worker.vertices) {}

VertexStage::~VertexStage() {
  scratch_.answers.clear(eu::count_answers);
  count_work(Work::vertex_bytes, fetch_.bytes());
}

/// Payloads of `threads`: they begin with header and handles; after the push constants are the packed components, from Vertex URB Entry Read
/// Offset on. Not before some are started: most draws are small, and assembly alone starts none.
void VertexStage::lay_out(size_t threads) {
  payloads_ = threads;
  const StageState& vs = worker_.state.stage(Stage::vs);
  const size_t first = vs.read_offset * 8, last = std::min(first + vs.read_length * 8, packed_.size());
  input_registers_ = std::max<unsigned>(vs.read_length * 8, 1);
  const size_t constants = std::clamp<size_t>(kernel_.grf_start, 1, eu::grf_count),
               inputs = std::min<size_t>(constants + kernel_.constants.size(), eu::grf_count);
  const size_t end = std::min<size_t>(inputs + vs.read_length * 8, eu::grf_count);
  layout_ = {static_cast<uint8_t>(constants), static_cast<uint8_t>(inputs), static_cast<uint8_t>(end)};
  own_registers_ = std::max<unsigned>(layout_.constants, 2);
  Grf header{};
  worker_.put_header(header, kernel_);
  scratch_.own.assign(threads * own_registers_, {});
  for (size_t i = 0; i < threads; ++i) scratch_.own[i * own_registers_] = header;
  scratch_.attributes.assign(threads * input_registers_, {});
  scratch_.inputs.assign(fetch_.slots() * 4, nullptr);
  for (size_t at = first; at < last; ++at) scratch_.inputs[packed_[at]] = &scratch_.attributes[at - first];
}

/// Without a shader the fetched vertex is the VUE.
void VertexStage::pass_on(const VertexName& name, std::span<uint32_t> entry) {
  scratch_.fetched.resize(fetch_.slots());
  fetch_.fetch(name.index, name.instance, scratch_.fetched);
  for (size_t at = 0; at < packed_.size() && at < entry.size(); ++at) entry[at] = scratch_.fetched[packed_[at] / 4][packed_[at] % 4];
}

/// URB entries, one a vertex of at most eight.
void VertexStage::allocate(std::span<Vertex> out) {
  // All or none: one after the other they would end where the buffer does.
  const uint32_t units = Urb::units(entry_bytes_), first = worker_.urb.allocate(units * Urb::unit * static_cast<uint32_t>(out.size()));
  const std::span<uint32_t> entries = worker_.urb.dwords(first, 0, units * (Urb::unit / 4) * static_cast<uint32_t>(out.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].handle = first ? first + static_cast<uint32_t>(i) * units : 0;
    out[i].vue = first ? Vue(entries.subspan(i * units * (Urb::unit / 4), entry_bytes_ / 4)) : Vue();
  }
}

/// Of thread `number`.
void VertexStage::put_payload(size_t number, std::span<const VertexName> names, std::span<const Vertex> vertices) {
  Grf& handles = scratch_.own[number * own_registers_ + 1];
  Grf* const inputs = &scratch_.attributes[number * input_registers_];
  // Inputs perhaps fewer than eight vertices.
  if (names.size() < simd8) handles = {}, std::fill_n(inputs, input_registers_, Grf{});
  for (size_t i = 0; i < names.size(); ++i) handles.dw[i] = vertices[i].handle;
  fetch_.fetch_lanes(names, scratch_.inputs, number * input_registers_);
}

/// Threads of eight vertices each, or one of fewer.
void VertexStage::shade_some(std::span<const VertexName> names, std::span<Vertex> out) {
  std::array<eu::SeriesThread, max_threads> threads;
  if (const size_t wanted = (names.size() + simd8 - 1) / simd8; kernel_ && wanted > payloads_) lay_out(wanted);
  const auto mask = (1u << std::min<size_t>(names.size(), simd8)) - 1;
  size_t count = 0;
  for (size_t at = 0; at < names.size(); at += simd8, ++count) {
    const size_t eight = std::min<size_t>(simd8, names.size() - at);
    const std::span<Vertex> vertices = out.subspan(at, eight);
    allocate(vertices);
    if (!kernel_) {
      for (size_t i = 0; i < eight; ++i) pass_on(names[at + i], worker_.urb.dwords(vertices[i].handle, 0, entry_bytes_ / 4));
      continue;
    }
    put_payload(count, names.subspan(at, eight), vertices);
    eu::SeriesThread& thread = threads[count];
    thread.own = &scratch_.own[count * own_registers_];
    thread.attributes = &scratch_.attributes[count * input_registers_];
    thread.channels = thread.dispatch_mask = thread.vector_mask = mask;
    if (count) threads[count - 1].next = &threads[count];
  }
  if (!kernel_) return;
  eu::ThreadStart start = kernel_.start;
  start.program = kernel_.program.get();
  ThreadEnv env{.view = worker_.view,
                .bases = kernel_.bases,
                .stop = worker_.stop,
                .slm = {},
                .fftid = worker_.slot,
                .scratch_base = kernel_.scratch_base,
                .scratch_size = kernel_.scratch_size,
                .direct = &scratch_.answers};
  eu::count_threads(Work::vs_threads, *kernel_.program, count);
  RenderMessages messages({.urb = &worker_.urb, .shared = worker_.shared});
  eu::SeriesThread* running = nullptr;
  eu::run_series(worker_.thread, start,
                 {layout_, threads.data(), static_cast<uint32_t>(count), mask == 0xff ? mask : 0, kernel_.constants.data(), &running}, env,
                 messages);
  invocations_ += names.size();
}

/// The flag of a vertex belongs to the edge that starts there.
void VertexStage::apply_edge_flags(std::span<Object> objects) {
  for (Object& object : objects)
    for (unsigned i = 0; i < object.count && i < 3; ++i)
      if (!fetch_.edge_flag(object.vertices[i], object.instance)) object.edges &= static_cast<uint8_t>(~(1u << i));
}

bool NearNumbers::clear(size_t count, uint32_t low, uint32_t high) {
  constexpr size_t per_vertex = 8, min_entries = 4096;  // the table stays in the second cache
  if (count >= UINT32_MAX / 2 || high - low >= std::max(per_vertex * count, min_entries)) return false;
  const size_t room = size_t{high - low} + 1;
  base_ = end_;
  if (base_ > UINT32_MAX - count) base_ = 1, std::fill(table_.begin(), table_.end(), 0u);
  end_ = base_ + static_cast<uint32_t>(count);
  if (table_.size() < room) table_.resize(std::bit_ceil(room));
  low_ = low;
  return true;
}

size_t NearNumbers::number(std::span<uint32_t> indices, uint32_t instance, VertexName* order) {
  uint32_t next = base_;
  uint32_t* const table = table_.data();
  const uint32_t low = low_, base = base_;
  // Without branches: whether a vertex is new does not follow a pattern.
  for (uint32_t& index : indices) {
    uint32_t& entry = table[index - low];
    const bool added = entry < base;
    const uint32_t number = added ? next : entry;
    order[next - base] = {index, instance};
    next += added;
    entry = number;
    index = number - base;
  }
  return next - base;
}

void VertexNumbers::clear(size_t max) {
  const size_t room = std::bit_ceil(2 * max + 1);
  if (slots_.size() < room || ++stamp_ == 0) slots_.assign(std::max(room, slots_.size()), {}), stamp_ = 1;
}

/// Gives the vertices of one instance numbers, by which scratch_.order has them; returns how many there are.
size_t VertexStage::number_indices(std::span<uint32_t> indices, uint32_t instance, bool alone) {
  auto& order = scratch_.order;
  if (order.size() < indices.size() + 1) order.resize(indices.size() + 1);
  if (alone) {
    for (size_t i = 0; i < indices.size(); ++i) order[i] = {std::exchange(indices[i], static_cast<uint32_t>(i)), instance};
    return indices.size();
  }
  const auto [low, high] = setup_kernels().extremes(indices.data(), indices.size());
  if (scratch_.near.clear(indices.size(), low, high)) return scratch_.near.number(indices, instance, order.data());
  scratch_.numbers.clear(indices.size());
  uint32_t count = 0;
  for (uint32_t& index : indices) {
    order[count] = {index, instance};
    index = scratch_.numbers.find_or_add(order[count], count);
    count += index == count;
  }
  return count;
}

/// The same for the vertices of objects.
size_t VertexStage::number_objects(std::span<Object> objects, bool alone) {
  auto& indices = scratch_.indices;
  indices.clear();
  size_t count = 0;
  bool one_instance = true;
  for (const Object& object : objects) {
    one_instance = one_instance && object.instance == objects[0].instance;
    indices.insert(indices.end(), object.vertices.begin(), object.vertices.begin() + object.count);
  }
  if (one_instance) {
    count = number_indices(indices, objects.empty() ? 0 : objects[0].instance, alone);
  } else {
    if (scratch_.order.size() < indices.size() + 1) scratch_.order.resize(indices.size() + 1);
    scratch_.numbers.clear(indices.size());
    uint32_t* index = indices.data();
    for (const Object& object : objects)
      for (unsigned i = 0; i < object.count; ++i, ++index) {
        const VertexName name = scratch_.order[count] = {*index, object.instance};
        *index = scratch_.numbers.find_or_add(name, static_cast<uint32_t>(count));
        count += *index == count;
      }
  }
  const uint32_t* number = indices.data();
  for (Object& object : objects) std::copy_n(number, object.count, object.vertices.begin()), number += object.count;
  return count;
}

std::span<const Vertex> VertexStage::shade(std::span<Object> objects, bool alone) {
  if (edge_flags_) apply_edge_flags(objects);
  return shade_numbered(number_objects(objects, alone));
}

std::span<const Vertex> VertexStage::shade_indices(std::span<uint32_t> indices, bool alone) {
  return shade_numbered(number_indices(indices, 0, alone));
}

/// Fetches and shades the first `count` vertices of scratch_.order.
std::span<const Vertex> VertexStage::shade_numbered(size_t count) {
  scratch_.vertices.assign(count, {});
  const std::span names = std::span(scratch_.order).first(count);
  const std::span<Vertex> vertices = scratch_.vertices;
  for (size_t at = 0, some = 0; at < count && !worker_.stop.aborting(); at += some) {
    const size_t left = count - at;
    some = left < simd8 ? left : std::min(left / simd8, max_threads) * simd8;
    shade_some(names.subspan(at, some), vertices.subspan(at, some));
  }
  return vertices;
}

}  // namespace softgen::render

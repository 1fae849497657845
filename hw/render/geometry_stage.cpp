// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Geometry Shader (GS) Stage"; payload and entry as Mesa uses them (brw_fs_thread_payload.cpp, emit_gs_thread_end).
#include "hw/render/geometry_stage.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::render {
namespace {

constexpr uint32_t hword = 8;  // dwords
constexpr unsigned instance_shift = 27;

}  // namespace

GeometryStage::GeometryStage(GeometryWorker& worker, Provoking provoking)
    : worker_(worker),
      stage_(worker.state.stage(Stage::gs)),
      gs_(worker.state.geometry),
      provoking_(provoking),
      entry_bytes_(stage_.entry_bytes),
      instances_(gs_.instances),
      one_object_(instances_ > 1) {
  if (!gs_.simd8) unimplemented("geometry shader dispatch mode", "{}: nothing comes out", gs_.dispatch_mode);
  else kernel_ = worker.load(Stage::gs);
}

unsigned GeometryStage::put_handles(const Batch& batch, std::span<const Output> outputs, unsigned reg) {
  eu::Thread& thread = worker_.thread;
  const unsigned count = outputs[0].object->count;
  if (one_object_) {
    // One dword a vertex.
    for (unsigned v = 0; v < count; ++v) thread.grf(reg + v / 8).dw[v % 8] = batch.vertices[outputs[0].object->vertices[v]].handle;
    return reg + (count + 7) / 8;
  }
  // One register a vertex, a dword an object.
  for (unsigned v = 0; v < count; ++v)
    for (size_t i = 0; i < outputs.size(); ++i) thread.grf(reg + v).dw[i] = batch.vertices[outputs[i].object->vertices[v]].handle;
  return reg + count;
}

void GeometryStage::put_inputs(const Batch& batch, std::span<const Output> outputs, unsigned reg) {
  const uint32_t first = stage_.read_offset * hword, length = stage_.read_length * hword;
  for (unsigned v = 0; v < outputs[0].object->count; ++v)
    for (uint32_t c = 0; c < length; ++c, ++reg)
      for (size_t i = 0; i < outputs.size(); ++i)
        worker_.thread.grf(reg).dw[i] = batch.vertices[outputs[i].object->vertices[v]].vue.dword(first + c);
}

void GeometryStage::dispatch(const Batch& batch, std::span<const Output> outputs) {
  eu::Thread& thread = worker_.thread;
  thread.clear_registers();
  worker_.put_header(thread, kernel_);
  for (size_t i = 0; i < outputs.size(); ++i) thread.grf(1).dw[i] = outputs[i].handle | outputs[i].instance << instance_shift;
  unsigned reg = 2;
  if (gs_.primitive_id) {
    for (size_t i = 0; i < outputs.size(); ++i) thread.grf(reg).dw[i] = outputs[i].object->primitive_id;
    ++reg;
  }
  if (gs_.vertex_handles) put_handles(batch, outputs, reg);
  put_inputs(batch, outputs, GeometryWorker::put_constants(thread, kernel_));
  GeometryWorker::start(thread, kernel_, (1u << outputs.size()) - 1);
  eu::count_threads(Work::gs_threads, *kernel_.program, 1);
  worker_.run(thread, kernel_);
  invocations_ += outputs.size();
}

/// The entry: vertex count (unless static), control data header, vertices.
void GeometryStage::gather(const Output& output) {
  const std::span<uint32_t> entry = worker_.urb.dwords(output.handle, 0, entry_bytes_ / 4);
  if (entry.empty()) return;
  const uint32_t control_at = gs_.static_output ? 0 : hword;
  const uint32_t vertices_at = control_at + gs_.control_registers * hword;
  const uint32_t size = gs_.vertex_dwords;
  const uint32_t fit = vertices_at < entry.size() ? static_cast<uint32_t>(entry.size() - vertices_at) / size : 0;
  const uint32_t count = std::min(gs_.static_output ? gs_.static_vertices : entry[0], fit);
  const bool have_control = gs_.control_registers > 0, ids = gs_.stream_ids;
  const auto control = [&](uint32_t first_bit, uint32_t width) {
    const uint32_t at = control_at + first_bit / 32;
    return at < vertices_at && at < entry.size() ? entry[at] >> (first_bit % 32) & ((1u << width) - 1) : 0;
  };
  unsigned stream = gs_.default_stream;
  const auto emit = [&](const Object& object) {
    Object out = object;
    out.primitive_id = output.object->primitive_id;
    out.instance = output.object->instance;
    out.stream = static_cast<uint8_t>(stream);
    objects_.push_back(out);
  };
  std::vector<Assembler> assemblers;
  for (unsigned s = 0; s < 4; ++s) assemblers.emplace_back(gs_.topology, provoking_, emit);
  for (uint32_t v = 0; v < count; ++v) {
    if (have_control && ids) stream = control(2 * v, 2);
    assemblers[stream].vertex(static_cast<uint32_t>(vertices_.size()));
    vertices_.push_back({output.handle, Vue(entry.subspan(vertices_at + size_t{v} * size, size))});
    if (have_control && !ids && control(v, 1)) assemblers[stream].cut();
  }
  for (stream = 0; stream < 4; ++stream) assemblers[stream].cut();
}

Batch GeometryStage::take() {
  primitives_ += objects_.size();
  return {object_type(gs_.topology), vertices_, objects_, {}};
}

/// Gives back what was shaded.
void GeometryStage::discard() {
  vertices_.clear();
  objects_.clear();
  worker_.urb.release(mark_);
}

void GeometryStage::begin(const Batch& input) {
  input_ = input;
  object_ = 0, instance_ = 0;
  mark_ = worker_.urb.mark();
}

bool GeometryStage::full() const { return worker_.urb.room() < simd8 * Urb::units(entry_bytes_) || objects_.size() >= objects_per_batch; }

/// A thread: up to eight objects, or up to eight instances of one.
void GeometryStage::shade_some() {
  std::array<Output, simd8> outputs;
  std::array<Object, simd8> turned;
  const size_t objects = std::min<size_t>(one_object_ ? 1 : simd8, input_.objects.size() - object_);
  for (size_t i = 0; i < objects; ++i) {
    const Object& object = input_.objects[object_ + i];
    turned[i] = reordered(gs_.discard_adjacency ? primary_vertices(object, input_.type) : object, gs_.reorder);
  }
  const size_t count = one_object_ ? std::min<size_t>(simd8, instances_ - instance_) : objects;
  for (size_t i = 0; i < count; ++i)
    outputs[i] = {worker_.urb.allocate(entry_bytes_), one_object_ ? static_cast<uint32_t>(instance_ + i) : 0, &turned[one_object_ ? 0 : i]};
  dispatch(input_, std::span(outputs).first(count));
  for (size_t i = 0; i < count; ++i) gather(outputs[i]);
  instance_ += one_object_ ? simd8 : 1;
  if (instance_ < instances_) return;
  instance_ = 0;
  object_ += objects;
}

std::optional<Batch> GeometryStage::next() {
  if (!kernel_) return std::nullopt;
  discard();  // the batch before
  while (object_ < input_.objects.size() && !worker_.stop.aborting()) {
    if (full()) {
      if (!objects_.empty()) return take();
      discard();
    }
    shade_some();
  }
  if (!objects_.empty()) return take();
  discard();
  return std::nullopt;
}

}  // namespace softgen::render

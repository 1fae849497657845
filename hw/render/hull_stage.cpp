// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Hull Shader (HS) Stage"; payloads as Mesa uses them (brw_fs_thread_payload.cpp, set_tcs_invocation_id, emit_tcs_barrier).
#include "hw/render/hull_stage.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::render {
namespace {

constexpr uint32_t hword = 8;  // dwords

}  // namespace

HullStage::HullStage(GeometryWorker& worker)
    : worker_(worker),
      stage_(worker.state.stage(Stage::hs)),
      hs_(worker.state.hull),
      entry_bytes_(stage_.entry_bytes),
      instances_(hs_.instances),
      eight_(hs_.dispatch == HullDispatch::eight_patch) {
  if (!stage_.enable) return;
  if (hs_.dispatch == HullDispatch::dual_patch) {
    unimplemented("hull shader dispatch mode", "DUAL_PATCH: the patches are culled");
    return;
  }
  kernel_ = worker.load(Stage::hs);
  for (unsigned i = 0; i < instances_; ++i) threads_.push_back(std::make_unique<eu::Thread>());
}

void HullStage::payload_single(eu::Thread& thread, const Batch& batch, const Patch& patch, unsigned instance) {
  thread.grf(0).dw[0] = patch.handle;
  thread.grf(0).dw[1] = patch.object->primitive_id;
  thread.grf(0).dw[2] = instance << hs_.instance_shift;
  const Object& object = *patch.object;
  if (hs_.vertex_handles)
    for (unsigned v = 0; v < object.count; ++v) thread.grf(1 + v / 8).dw[v % 8] = batch.vertices[object.vertices[v]].handle;
  unsigned reg = GeometryWorker::put_constants(thread, kernel_);
  for (unsigned v = 0; v < object.count; ++v)
    for (uint32_t h = 0; h < stage_.read_length; ++h, ++reg)
      for (unsigned c = 0; c < hword; ++c)
        thread.grf(reg).dw[c] = batch.vertices[object.vertices[v]].vue.dword((stage_.read_offset + h) * hword + c);
}

void HullStage::payload_eight(eu::Thread& thread, const Batch& batch, std::span<const Patch> patches, unsigned instance) {
  thread.grf(0).dw[2] = instance << hs_.instance_shift;
  const unsigned handles = hs_.primitive_id ? 3 : 2, count = patches[0].object->count;
  for (size_t i = 0; i < patches.size(); ++i) {
    const Object& object = *patches[i].object;
    thread.grf(1).dw[i] = patches[i].handle;
    if (hs_.primitive_id) thread.grf(2).dw[i] = object.primitive_id;
    if (hs_.vertex_handles)
      for (unsigned v = 0; v < count; ++v) thread.grf(handles + v).dw[i] = batch.vertices[object.vertices[v]].handle;
  }
  GeometryWorker::put_constants(thread, kernel_);
}

/// The threads of a patch take turns: each runs until it ends or waits; waiting threads resume when the last has reached the barrier.
void HullStage::run_together(uint32_t dispatch_mask) {
  for (auto& thread : threads_) GeometryWorker::start(*thread, kernel_, dispatch_mask);
  eu::count_threads(Work::hs_threads, *kernel_.program, threads_.size());
  std::vector<bool> ended(threads_.size());
  size_t running = threads_.size();
  Barrier barrier;
  while (running > 0) {
    for (size_t i = 0; i < threads_.size(); ++i) {
      if (ended[i]) continue;
      const eu::RunResult result = worker_.run(*threads_[i], kernel_, &barrier);
      if (result == eu::RunResult::aborted) return;
      if (result != eu::RunResult::blocked) ended[i] = true, --running;
    }
    if (running == 0) return;
    if (barrier.arrived < running)
      return guest_error("hull shader", "{} of {} threads wait at a barrier that the others never reach", barrier.arrived, running);
    barrier.arrived = 0;
    for (auto& thread : threads_) thread->notify();
  }
}

void HullStage::run(const Batch& batch, std::span<const Patch> patches) {
  if (!kernel_) return;
  for (unsigned instance = 0; instance < instances_; ++instance) {
    eu::Thread& thread = *threads_[instance];
    thread.clear_registers();
    worker_.put_header(thread, kernel_);
    if (eight_) payload_eight(thread, batch, patches, instance);
    else payload_single(thread, batch, patches[0], instance);
  }
  // A thread of one patch runs all its channels; shaders mask those beyond the last control point.
  run_together(eight_ ? (1u << patches.size()) - 1 : 0xff);
  invocations_ += patches.size();
}

}  // namespace softgen::render

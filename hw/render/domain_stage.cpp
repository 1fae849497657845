// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Domain Shader (DS) Stage"; payload as Mesa uses it (brw_fs_thread_payload.cpp).
#include "hw/render/domain_stage.h"

#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::render {
namespace {

constexpr uint32_t hword = 8;  // dwords

uint32_t as_float(uint32_t fixed) { return std::bit_cast<uint32_t>(static_cast<float>(fixed) / DomainPoint::one); }

}  // namespace

DomainStage::DomainStage(GeometryWorker& worker) : worker_(worker), ds_(worker.state.stage(Stage::ds)), entry_bytes_(ds_.entry_bytes) {
  if (!ds_.enable) return;
  // The kernel for single patches serves the mode with dual patches, too.
  if (!worker.state.domain.simd8) unimplemented("domain shader in SIMD4x2 mode");
  else kernel_ = worker.load(Stage::ds);
}

void DomainStage::shade_eight(const Patch& patch, std::span<const DomainPoint> points, std::span<Vertex> out) {
  for (Vertex& vertex : out) {
    vertex.handle = worker_.urb.allocate(entry_bytes_);
    vertex.vue = Vue(worker_.urb.dwords(vertex.handle, 0, entry_bytes_ / 4));
  }
  if (!kernel_) return;
  eu::Thread& thread = worker_.thread;
  thread.clear_registers();
  worker_.put_header(thread, kernel_);
  thread.grf(0).dw[0] = patch.handle;
  thread.grf(0).dw[1] = patch.object->primitive_id;
  for (size_t i = 0; i < points.size(); ++i) {
    thread.grf(1).dw[i] = as_float(points[i].u);
    thread.grf(2).dw[i] = as_float(points[i].v);
    if (worker_.state.domain.computes_w) thread.grf(3).dw[i] = as_float(DomainPoint::one - points[i].u - points[i].v);
    thread.grf(4).dw[i] = out[i].handle;
  }
  const unsigned reg = GeometryWorker::put_constants(thread, kernel_);
  const std::span<uint32_t> data = worker_.urb.dwords(patch.handle, ds_.read_offset * hword, ds_.read_length * hword);
  for (size_t i = 0; i < data.size(); ++i) thread.grf(reg + static_cast<unsigned>(i / hword)).dw[i % hword] = data[i];
  GeometryWorker::start(thread, kernel_, (1u << points.size()) - 1);
  eu::count_threads(Work::ds_threads, *kernel_.program, 1);
  worker_.run(thread, kernel_);
}

void DomainStage::shade(const Patch& patch, std::span<const DomainPoint> points, std::vector<Vertex>& out) {
  const size_t first = out.size();
  out.resize(first + points.size());
  for (size_t at = 0; at < points.size() && !worker_.stop.aborting(); at += simd8) {
    const size_t count = std::min<size_t>(simd8, points.size() - at);
    shade_eight(patch, points.subspan(at, count), std::span(out).subspan(first + at, count));
  }
  invocations_ += points.size();
}

}  // namespace softgen::render

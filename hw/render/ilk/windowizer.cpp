// SPDX-License-Identifier: GPL-2.0-or-later
// Payload: Mesa brw_fs_thread_payload.cpp, brw_fs_visitor.cpp (emit_interpolation_setup_gfx4).
#include "hw/render/ilk/windowizer.h"

#include <algorithm>
#include <cmath>

#include "hw/base/log.h"
#include "hw/surface/binding.h"

namespace softgen::render::ilk {
namespace {

constexpr uint32_t back_face = 1u << 31, covered_in_part = 1u << 26;  // of r1.6

uint32_t word(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace

Windowizer::Windowizer(const DrawContext& context)
    : context_(context),
      tests_(context.state),
      merger_(context.state.draw),
      early_(!context.state.wm.dispatch || context.state.wm.depth.mode == DepthMode::before_thread),
      counts_sent_(early_ && context.state.wm.dispatch && (context.state.wm.kills || context.state.draw.blend.alpha_test)),
      bases_(context.state.draw.common_bases) {
  bases_.binding_table = context.state.wm.binding_table;
  bases_.sampler_state = context.state.wm.samplers;
}

uint32_t Windowizer::layer() const { return object_->prepared.layer; }

void Windowizer::draw(const PixelObject& object) {
  object_ = &object;
  group_ = {};
  quad_ = 0;
  for (const Coverage& part : object.prepared.parts)
    if (stopped_ || !draw_part(part)) return;
  dispatch();
  object_ = nullptr;
}

bool Windowizer::draw_part(const Coverage& part) {
  PartRaster raster(part, object_->raster);
  return raster.each_quad(part.bounds, [&](uint32_t x, uint32_t y, const QuadCoverage& covered) { return draw_quad(x, y, covered); });
}

bool Windowizer::stippled_out(uint32_t x, uint32_t y) const {
  const DrawState& state = context_.state.draw;
  const PreparedObject& object = object_->prepared;
  if (object.stipple) {
    const auto number = static_cast<int64_t>(std::floor(object.stipple->at(x + 0.5, y + 0.5)));
    const int64_t repeat = std::max<int64_t>(state.stipple.line_repeat, 1);
    if (!(state.stipple.line_pattern >> (std::max<int64_t>(number, 0) / repeat & 15) & 1)) return true;
  }
  if (object.filled && state.raster.polygon_stipple) {
    const uint32_t row = state.stipple.polygon_rows[(y + state.stipple.polygon_y) & 31];
    if (!(row >> (31 - ((x + state.stipple.polygon_x) & 31)) & 1)) return true;
  }
  return object.fade && object.fade->at(x + 0.5, y + 0.5) <= 0;
}

double Windowizer::depth_at(uint32_t x, uint32_t y) const {
  const PreparedObject& object = object_->prepared;
  const ViewportState& viewport = context_.state.draw.viewports[0];
  const double z = object.z.at(x + 0.5, y + 0.5) + object.depth_bias;
  return std::max<double>(std::min<double>(z, viewport.max_depth), viewport.min_depth);
}

bool Windowizer::passes(uint32_t x, uint32_t y, double z) {
  const bool passed = tests_.test_and_write(context_.env.view, {x, y, layer(), z, object_->prepared.front});
  passed_ += passed && !counts_sent_ ? 1 : 0;
  return passed;
}

/// The draw stops behind the last quad, of which threads have run. At least one quad is drawn each time.
bool Windowizer::preempted() {
  constexpr uint32_t reasons = StopFlag::preempt | StopFlag::pause;
  if (!has_drawn_ || !(context_.env.stop.reasons() & reasons)) return false;
  dispatch();
  if (!stopped_) context_.progress.quads = quad_, context_.preempted = true;
  return true;
}

/// False: the draw is dropped or preempted.
bool Windowizer::draw_quad(uint32_t x, uint32_t y, const QuadCoverage& covered) {
  if (stopped_ || context_.env.stop.aborting() || preempted()) return false;
  if (quad_++ < context_.progress.quads) return true;
  has_drawn_ = true;
  uint32_t live = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t px = x + (i & 1), py = y + (i >> 1);
    if (!covered[i] || stippled_out(px, py)) continue;
    if (early_ && !passes(px, py, depth_at(px, py))) continue;
    live |= 1u << i;
  }
  if (!live || !context_.state.wm.dispatch) return true;
  group_.quads[group_.count] = {static_cast<uint16_t>(x), static_cast<uint16_t>(y)};
  group_.live |= live << 4 * group_.count;
  invocations_ += static_cast<uint64_t>(std::popcount(live));
  const unsigned most = context_.state.wm.has_kernel[1] ? 4 : 2;
  if (++group_.count == most) dispatch();
  return !stopped_;
}

/// What is left of the gathered quads: in a wide thread, or a narrow one where that is enough and there is a kernel for it.
void Windowizer::dispatch() {
  const PixelUnitState& wm = context_.state.wm;
  if (group_.count && (wm.has_kernel[0] || wm.has_kernel[1]) && !stopped_) {
    const bool narrow = wm.has_kernel[0] && (group_.count <= 2 || !wm.has_kernel[1]);
    dispatch_group(group_, narrow ? 8 : 16);
  }
  group_ = {};
}

/// r1: what planes count from, the places of the quads, and flags. Quads that are not there are where the first one is.
void Windowizer::put_positions(const Group& group) {
  Grf& r1 = payload_.add();
  r1.dw[0] = word(object_->x), r1.dw[1] = word(object_->y);
  for (unsigned q = 0; q < group.quads.size(); ++q) {
    const auto& quad = group.quads[q < group.count ? q : 0];
    r1.dw[2 + q] = quad[0] | uint32_t{quad[1]} << 16;
  }
  r1.dw[6] = (object_->prepared.front ? 0 : back_face) | (carries_coverage() ? covered_in_part : 0);
}

/// Smooth lines have their pixels' coverage in the payload, which the thread sends back.
bool Windowizer::carries_coverage() const { return object_->line && object_->prepared.fade; }

/// What the windowizer's table says of depth and stencil.
void Windowizer::put_depths(const Group& group) {
  const PixelUnitState& wm = context_.state.wm;
  const auto each = [&](auto&& put) {
    for (unsigned i = 0; i < 4 * group.count; ++i) put(i, group.x(i), group.y(i));
  };
  if (wm.depth.source_depth) {
    Grf* const to[2] = {&payload_.add(), &payload_.add()};
    each([&](unsigned i, uint32_t x, uint32_t y) { to[i / 8]->dw[i % 8] = word(static_cast<float>(depth_at(x, y))); });
  }
  // The register is there, too, where only the kernel's constants leave room for it: of a kernel that also draws smooth lines.
  const unsigned behind = payload_.size() + (wm.depth.stored_depth ? 2 : 0);
  const bool room = context_.state.draw.raster.antialiasing && behind < wm.grf_start;
  if (wm.depth.stored_stencil || carries_coverage() || room) {
    // Chosen, as kernels only send it back: stencil in bytes 0 to 15, coverage in bytes 16 to 31.
    Grf& reg = payload_.add();
    auto* const bytes = reinterpret_cast<uint8_t*>(reg.dw);
    each([&](unsigned i, uint32_t x, uint32_t y) {
      if (wm.depth.stored_stencil) bytes[i] = tests_.stored(context_.env.view, x, y, layer()).stencil;
      if (carries_coverage()) bytes[16 + i] = static_cast<uint8_t>(std::lround(object_->prepared.fade->at(x + 0.5, y + 0.5) * 255));
    });
  }
  if (wm.depth.stored_depth) {
    Grf* const to[2] = {&payload_.add(), &payload_.add()};
    each([&](unsigned i, uint32_t x, uint32_t y) { to[i / 8]->dw[i % 8] = word(tests_.stored(context_.env.view, x, y, layer()).depth); });
  }
  if (payload_.size() > wm.grf_start)
    guest_error("WM_STATE's dispatch register lies within the payload", "register {}, the payload has {}", wm.grf_start, payload_.size());
}

void Windowizer::dispatch_group(Group& group, unsigned width) {
  const PixelUnitState& wm = context_.state.wm;
  payload_.begin(wm, 0);
  payload_[0].dw[0] = group.live;
  put_positions(group);
  put_depths(group);
  payload_.add_constants(wm, context_.constants);
  payload_.add_vertex(wm, object_->planes);
  const uint32_t all = width == 16 ? 0xffff : 0xff;
  // Quads run as a whole: what they derive needs all four pixels.
  uint32_t quads = 0;
  for (unsigned q = 0; q < group.count; ++q) quads |= 0xfu << 4 * q;
  const ThreadJob job{Unit::wm, wm, wm.kernels[width / 8 - 1], bases_, payload_.registers(), width, quads & all};
  running_ = &group;
  stopped_ = context_.runner.run(job, *this, context_.env) == ThreadEnd::aborted || stopped_;
  running_ = nullptr;
}

}  // namespace softgen::render::ilk

// SPDX-License-Identifier: GPL-2.0-or-later
// Payload: Mesa brw_fs_thread_payload.cpp, brw_fs_visitor.cpp (emit_interpolation_setup_gfx4).
#include "hw/render/ilk/windowizer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/log.h"

namespace softgen::render::ilk {
namespace {

constexpr uint32_t back_face = 1u << 31, covered_in_part = 1u << 26;  // of r1.6

uint32_t word(float value) { return std::bit_cast<uint32_t>(value); }

uint64_t count_of(uint32_t pixels) { return static_cast<uint64_t>(std::popcount(pixels)); }

}  // namespace

void PixelTally::add(const PixelTally& other) {
  rasterized += other.rasterized, passed += other.passed, invocations += other.invocations;
  failed_early += other.failed_early, failed_late += other.failed_late, written += other.written, blended += other.blended;
  tested_singly += other.tested_singly, written_singly += other.written_singly;
  filled += other.filled, replaced_threads += other.replaced_threads;
}

Windowizer::Windowizer(const DrawContext& context, EngineEnv& env, unsigned slot)
    : context_(context),
      env_(env),
      slot_(slot),
      tests_(context.state),
      merger_(context.state.draw),
      early_(!context.state.wm.dispatch || context.state.wm.depth.mode == DepthMode::before_thread),
      counts_sent_(early_ && context.state.wm.dispatch && (context.state.wm.kills || context.state.draw.blend.alpha_test)),
      bases_(unit_bases(context.state, context.state.wm)) {}

void Windowizer::draw(const PixelObject& object, const PixelRect& tile) {
  begin(object);
  if (object.fill) return fill_object(tile);
  for (const Coverage& part : object.prepared.parts)
    if (!draw_part(part, tile)) return;
  dispatch();
}

/// What all threads of the object have.
void Windowizer::begin(const PixelObject& object) {
  const PixelUnitState& wm = context_.state.wm;
  const DrawState& state = context_.state.draw;
  const PreparedObject& prepared = object.prepared;
  object_ = &object;
  group_ = {};
  places_ = {};
  stippled_ = prepared.stipple || prepared.fade || (prepared.filled && state.raster.polygon_stipple);
  const ViewportState& viewport = state.viewports[0];
  depth_ = tests_.kernel({prepared.z.a, prepared.z.b, prepared.z.c, prepared.depth_bias, viewport.min_depth, viewport.max_depth});
  if (!wm.dispatch) return;
  payload_.begin(wm, slot_);
  Grf& r1 = payload_.add();
  r1.dw[0] = word(object.x), r1.dw[1] = word(object.y);
  // Kernels negate this dword to get the face (Mesa brw_fs.cpp, emit_frontfacing_interpolation), which a front face's must not survive as zero: the
  // topology is below (brw_fs_nir.cpp, optimize_frontfacing_ternary).
  r1.dw[6] = (prepared.front ? 0 : back_face) | (carries_coverage() ? covered_in_part : 0) | static_cast<uint32_t>(object.topology);
  const auto place = [&](unsigned registers) {
    const unsigned at = payload_.size();
    for (unsigned i = 0; i < registers; ++i) payload_.add();
    return at;
  };
  if (wm.depth.source_depth) places_.source_depth = place(2);
  // The register is there, too, where only the kernel's constants leave room for it: of a kernel that also draws smooth lines.
  const unsigned behind = payload_.size() + (wm.depth.stored_depth ? 2 : 0);
  const bool room = state.raster.antialiasing && behind < wm.grf_start;
  if (wm.depth.stored_stencil || carries_coverage() || room) places_.extra = place(1);
  if (wm.depth.stored_depth) places_.stored_depth = place(2);
  if (payload_.size() > wm.grf_start)
    guest_error("WM_STATE's dispatch register lies within the payload", "register {}, the payload has {}", wm.grf_start, payload_.size());
  uniform_.from = std::max(payload_.size(), wm.grf_start);
  payload_.add_constants(wm, context_.constants);
  payload_.add_vertex(wm, object.planes);
}

/// False: the draw is dropped.
bool Windowizer::draw_part(const Coverage& part, const PixelRect& tile) {
  PartRaster raster(part, object_->raster);
  if (!stippled_ && raster.by_blocks())
    return raster.each_block(tile, [&](uint32_t x, uint32_t y, uint64_t covered) { return draw_block(x, y, covered); });
  return raster.each_quad(tile, [&](uint32_t x, uint32_t y, const QuadCoverage& covered) { return draw_quad(x, y, covered); });
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

/// Within the viewport's range, as DepthKernel does it.
double Windowizer::in_range(double z) const { return std::min(std::max(z, depth_.low), depth_.high); }

double Windowizer::depth_at(uint32_t x, uint32_t y) const {
  const PreparedObject& object = object_->prepared;
  return in_range(object.z.at(x + 0.5, y + 0.5) + object.depth_bias);
}

bool Windowizer::passes(uint32_t x, uint32_t y, double z) {
  tally_.tested_singly += tests_.any();
  const bool passed = tests_.test_and_write(env_.view, {x, y, layer(), z, object_->prepared.front});
  tally_.passed += passed && !counts_sent_;
  return passed;
}

/// Tests of pixels (bit 4 y + x): those that pass.
uint32_t Windowizer::test_square(uint32_t x, uint32_t y, uint32_t pixels) {
  const DepthTests::Square square{x, y, layer(), object_->prepared.front};
  if (!tests_.any() || tests_.holds_square(square)) {
    const uint32_t passed = tests_.test_square(env_.view, depth_, square, pixels);
    tally_.passed += counts_sent_ ? 0 : count_of(passed);
    return passed;
  }
  uint32_t passed = 0;
  for (uint32_t left = pixels; left; left &= left - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(left));
    if (const uint32_t px = x + i % 4, py = y + i / 4; passes(px, py, depth_at(px, py))) passed |= 1u << i;
  }
  return passed;
}

/// 8x8 pixels (bit 8 y + x). False: the draw is dropped.
bool Windowizer::draw_block(uint32_t x, uint32_t y, uint64_t covered) {
  if (stopped()) return false;
  for (uint32_t square = 0; square < 4; ++square) {
    const uint32_t left = 4 * (square & 1), top = 4 * (square >> 1);
    const uint32_t pixels = part_mask(covered, left, top);
    if (!pixels) continue;
    const uint32_t live = early_ ? test_square(x + left, y + top, pixels) : pixels;
    tally_.rasterized += count_of(pixels), tally_.failed_early += count_of(pixels & ~live);
    if (live && context_.state.wm.dispatch) add_square(x + left, y + top, by_quads(live));
  }
  return !stopped_;
}

/// False: the draw is dropped.
bool Windowizer::draw_quad(uint32_t x, uint32_t y, const QuadCoverage& covered) {
  if (stopped()) return false;
  uint32_t live = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t px = x + (i & 1), py = y + (i >> 1);
    if (!covered[i] || stippled_out(px, py)) continue;
    ++tally_.rasterized;
    if (early_ && !passes(px, py, depth_at(px, py))) ++tally_.failed_early;
    else live |= 1u << i;
  }
  if (live && context_.state.wm.dispatch) add_quad(x, y, live);
  return !stopped_;
}

/// `live`: in a thread's order.
void Windowizer::add_square(uint32_t x, uint32_t y, uint32_t live) {
  const auto has = [&](unsigned quad) { return (live >> 4 * quad & 15) != 0; };
  const auto corner = [&](unsigned quad) { return (x + 2 * (quad & 1)) | (y + 2 * (quad >> 1)) << 16; };
  if (context_.state.wm.has_kernel[1] && has(0) && has(1) && has(2) && has(3)) {
    Group whole{.quads = {corner(0), corner(1), corner(2), corner(3)}, .count = max_quads, .square = true, .live = live};
    return dispatch_group(whole);
  }
  for (unsigned quad = 0; quad < max_quads; ++quad)
    if (has(quad)) add_quad(corner(quad) & 0xffff, corner(quad) >> 16, live >> 4 * quad & 15);
}

void Windowizer::add_quad(uint32_t x, uint32_t y, uint32_t live) {
  const uint32_t at = x | y << 16;
  if (group_.count == 0) group_.quads.fill(at);
  group_.quads[group_.count] = at;
  group_.live |= live << 4 * group_.count;
  if (++group_.count == max_quads_of_thread()) dispatch();
}

/// What is left of the gathered quads.
void Windowizer::dispatch() {
  if (group_.count) dispatch_group(group_);
  group_ = {};
}

/// The places of the quads.
void Windowizer::put_positions(const Group& group) {
  payload_[0].dw[0] = group.live;
  for (unsigned q = 0; q < max_quads; ++q) payload_[1].dw[2 + q] = group.quads[q];
}

/// Smooth lines have their pixels' coverage in the payload, which the thread sends back.
bool Windowizer::carries_coverage() const { return object_->line && object_->prepared.fade; }

/// What the windowizer's table says of depth and stencil.
void Windowizer::put_depths(const Group& group) {
  const auto each = [&](auto&& put) {
    for (unsigned i = 0; i < 4 * group.count; ++i) put(i, group.x(i), group.y(i));
  };
  const auto floats = [&](unsigned at, auto&& depth) {
    payload_[at] = payload_[at + 1] = {};
    each([&](unsigned i, uint32_t x, uint32_t y) { payload_[at + i / 8].dw[i % 8] = word(depth(x, y)); });
  };
  const auto stored = [&](uint32_t x, uint32_t y) { return tests_.stored(env_.view, x, y, layer()); };
  if (places_.source_depth) floats(places_.source_depth, [&](uint32_t x, uint32_t y) { return static_cast<float>(depth_at(x, y)); });
  if (places_.extra) {
    // Chosen, as kernels only send it back: stencil in bytes 0 to 15, coverage in bytes 16 to 31.
    Grf& reg = payload_[places_.extra] = {};
    auto* const bytes = reinterpret_cast<uint8_t*>(reg.dw);
    each([&](unsigned i, uint32_t x, uint32_t y) {
      if (context_.state.wm.depth.stored_stencil) bytes[i] = stored(x, y).stencil;
      if (carries_coverage()) bytes[16 + i] = static_cast<uint8_t>(std::lround(object_->prepared.fade->at(x + 0.5, y + 0.5) * 255));
    });
  }
  if (places_.stored_depth) floats(places_.stored_depth, [&](uint32_t x, uint32_t y) { return stored(x, y).depth; });
}

void Windowizer::dispatch_group(Group& group) {
  tally_.invocations += count_of(group.live);
  run_group(group);
}

/// In a wide thread, or a narrow one where that is enough and there is a kernel for it.
void Windowizer::run_group(Group& group) {
  const PixelUnitState& wm = context_.state.wm;
  if (stopped_ || (!wm.has_kernel[0] && !wm.has_kernel[1])) return;
  const bool narrow = wm.has_kernel[0] && (group.count <= max_quads / 2 || !wm.has_kernel[1]);
  put_positions(group);
  put_depths(group);
  // Quads run as a whole: what they derive needs all four pixels.
  const ThreadJob job{.unit = Unit::wm,
                      .state = wm,
                      .kernel = wm.kernels[narrow ? 0 : 1],
                      .bases = bases_,
                      .payload = payload_.registers(),
                      .channels = narrow ? 8u : 16u,
                      .dispatch_mask = (1u << 4 * group.count) - 1,
                      .draw = context_.number,
                      .counted = !uniform_.trial};
  running_ = &group;
  stopped_ = context_.runner.run(job, *this, env_) == ThreadEnd::aborted || stopped_;
  running_ = nullptr;
}

}  // namespace softgen::render::ilk

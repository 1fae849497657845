// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Windower": coverage, early tests, thread payloads; "Render Target Write".
#include "hw/render/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::render {
namespace {

uint32_t as_dword(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

/// Covered samples of pixel (x, y).
uint32_t coverage_of(const Coverage& part, const RasterState& raster, uint32_t x, uint32_t y) {
  const unsigned count = raster.multisample_rasterization ? raster.samples : 1;
  uint32_t mask = 0;
  for (unsigned s = 0; s < count; ++s) {
    const auto position = raster.multisample_rasterization ? raster.sample_positions[s] : std::array<int32_t, 2>{subpixels / 2, subpixels / 2};
    const int64_t px = int64_t{x} * subpixels + position[0], py = int64_t{y} * subpixels + position[1];
    bool inside = true;
    for (unsigned e = 0; inside && e < part.edge_count; ++e) inside = part.edges[e].at(px, py) >= 0;
    if (inside) mask |= 1u << s;
  }
  // Without multisample rasterization a covered pixel covers all of its samples.
  if (!raster.multisample_rasterization && mask) mask = (1u << raster.samples) - 1;
  return mask & raster.sample_mask;
}

using Extra = gen9::_3DSTATE_PS_EXTRA;

}  // namespace

bool PixelWorker::early() const {
  const auto& extra = draw_->state.get<Extra>();
  const auto control = draw_->state.get<gen9::_3DSTATE_WM>().early_depth_stencil_control;
  if (control == gen9::_3DSTATE_WM::EarlyDepthStencilControl::EDSC_PREPS) return true;
  return extra.pixel_shader_computed_depth_mode == Extra::PixelShaderComputedDepthMode::PSCDEPTH_OFF && !extra.pixel_shader_kills_pixel &&
         !extra.pixel_shader_computes_stencil && !extra.omask_present_to_render_target &&
         !draw_->state.get<gen9::_3DSTATE_PS_BLEND>().alpha_test_enable && !draw_->state.get<gen9::_3DSTATE_PS_BLEND>().alpha_to_coverage_enable &&
         !extra.pixel_shader_has_uav;
}

float PixelWorker::depth_at(uint32_t x, uint32_t y, unsigned sample) const {
  const auto& position = draw_->raster.sample_positions[sample];
  const double z = object_->z.at(x + position[0] / double{subpixels}, y + position[1] / double{subpixels}) + object_->depth_bias;
  const Viewport& viewport = draw_->raster.viewports[object_->viewport];
  return std::clamp(static_cast<float>(z), viewport.min_depth, viewport.max_depth);
}

uint32_t PixelWorker::test(uint32_t x, uint32_t y, uint32_t samples, std::optional<float> z, std::optional<uint8_t> stencil) {
  uint32_t passed = 0;
  for (unsigned s = 0; s < draw_->raster.samples; ++s) {
    if (!(samples >> s & 1)) continue;
    const DepthStencil::Sample sample{x, y, object_->layer, s, z ? *z : depth_at(x, y, s), object_->front};
    if (draw_->depth_stencil.test_and_write(view_, sample, stencil)) passed |= 1u << s;
  }
  draw_->depth_count.fetch_add(static_cast<uint64_t>(std::popcount(passed)), std::memory_order_relaxed);
  return passed;
}

void PixelWorker::draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile) {
  draw_ = &draw;
  object_ = &object;
  simd_ = draw.kernel8 ? 8 : 16;
  batch_.pixels = 0;
  for (const Coverage& part : object.parts) {
    PixelRect rect = part.bounds;
    rect.clip(tile);
    for (int32_t y = rect.y0 & ~1; y < rect.y1; y += 2) {
      if (draw.stop.aborting()) return;
      for (int32_t x = rect.x0 & ~1; x < rect.x1; x += 2) {
        std::array<uint32_t, 4> covered{};
        for (int32_t i = 0; i < 4; ++i) {
          const int32_t px = x + (i & 1), py = y + (i >> 1);
          if (px >= rect.x0 && px < rect.x1 && py >= rect.y0 && py < rect.y1)
            covered[static_cast<size_t>(i)] = coverage_of(part, draw.raster, static_cast<uint32_t>(px), static_cast<uint32_t>(py));
        }
        if (covered[0] | covered[1] | covered[2] | covered[3]) add_quad(static_cast<uint32_t>(x), static_cast<uint32_t>(y), covered);
      }
    }
  }
  flush();
}

void PixelWorker::add_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& coverage) {
  for (uint32_t i = 0; i < 4; ++i) {
    const unsigned at = batch_.pixels + i;
    batch_.x[at] = x + (i & 1);
    batch_.y[at] = y + (i >> 1);
    batch_.samples[at] = coverage[i];
  }
  batch_.pixels += 4;
  if (batch_.pixels == simd_) flush();
}

void PixelWorker::flush() {
  if (batch_.pixels == 0) return;
  Batch batch = batch_;
  batch_.pixels = 0;
  for (unsigned i = batch.pixels; i < max_pixels; ++i) {
    batch.samples[i] = 0;
    batch.x[i] = batch.x[i % 4], batch.y[i] = batch.y[i % 4];
  }
  uint32_t any = 0;
  for (unsigned i = 0; i < batch.pixels; ++i) {
    if (early() && batch.samples[i]) batch.samples[i] = test(batch.x[i], batch.y[i], batch.samples[i], std::nullopt, std::nullopt);
    any |= batch.samples[i];
  }
  if (!any) return;
  const auto& extra = draw_->state.get<Extra>();
  if (!extra.pixel_shader_valid || (!draw_->kernel8 && !draw_->kernel16)) {
    // Depth and stencil only: there is nobody to ask for the late tests.
    if (!early())
      for (unsigned i = 0; i < batch.pixels; ++i)
        if (batch.samples[i]) test(batch.x[i], batch.y[i], batch.samples[i], std::nullopt, std::nullopt);
    return;
  }
  if (!extra.pixel_shader_is_per_sample) return run(batch);
  for (unsigned s = 0; s < draw_->raster.samples; ++s) {
    Batch one = batch;
    one.sample_id = s;
    uint32_t left = 0;
    for (unsigned i = 0; i < batch.pixels; ++i) left |= one.samples[i] &= 1u << s;
    if (left) run(one);
  }
}

std::array<double, 2> PixelWorker::position(const Batch& batch, unsigned pixel, bool centroid) const {
  unsigned sample = batch.sample_id;
  if (centroid) {
    // The pixel's centre when it is wholly covered (or not at all), else its first covered sample.
    const uint32_t all = (1u << draw_->raster.samples) - 1;
    const uint32_t covered = batch.samples[pixel] & all;
    if (covered == all || covered == 0) return {batch.x[pixel] + 0.5, batch.y[pixel] + 0.5};
    sample = static_cast<unsigned>(std::countr_zero(covered));
  }
  const auto& p = draw_->raster.sample_positions[sample];
  return {batch.x[pixel] + p[0] / double{subpixels}, batch.y[pixel] + p[1] / double{subpixels}};
}

unsigned PixelWorker::put_barycentrics(const Batch& batch, unsigned reg) {
  const auto modes = static_cast<uint32_t>(draw_->state.get<gen9::_3DSTATE_WM>().barycentric_interpolation_mode);
  for (unsigned mode = 0; mode < 6; ++mode) {
    if (!(modes >> mode & 1)) continue;
    const bool linear = mode >= 3;
    for (unsigned i = 0; i < simd_; ++i) {
      const auto [x, y] = mode % 3 == 0 ? std::array{batch.x[i] + 0.5, batch.y[i] + 0.5} : position(batch, i, mode % 3 == 1);
      const double w = linear ? 1 : 1 / object_->one_over_w.at(x, y);
      const auto& planes = linear ? object_->linear : object_->perspective;
      for (unsigned k = 0; k < 2; ++k) thread_.grf(reg + 2 * (i / 8) + k).dw[i % 8] = as_dword(planes[k].at(x, y) * w);
    }
    reg += 2 * simd_ / 8;
  }
  return reg;
}

void PixelWorker::payload(const Batch& batch, const Kernel& kernel) {
  const State& state = draw_->state;
  const auto& extra = state.get<Extra>();
  uint32_t lit = 0;
  for (unsigned i = 0; i < batch.pixels; ++i) lit |= (batch.samples[i] != 0) << i;
  Grf& r0 = thread_.grf(0);
  Grf& r1 = thread_.grf(1);
  r0 = {};
  r1 = {};
  r0.dw[0] = (object_->layer & 0x7ff) << 16 | (object_->front ? 0u : 1u << 15);
  r0.dw[3] = kernel.bases.sampler_state;
  r0.dw[5] = slot_;
  for (unsigned quad = 0; quad < simd_ / 4; ++quad) {
    r1.dw[0] |= batch.sample_id << (4 * quad);
    r1.dw[2 + quad] = (batch.x[4 * quad] & 0xffff) | batch.y[4 * quad] << 16;
  }
  r1.dw[7] = lit | lit << 16;
  unsigned reg = put_barycentrics(batch, 2);
  const unsigned halves = simd_ / 8;
  const auto per_pixel = [&](auto value) {
    for (unsigned i = 0; i < simd_; ++i) thread_.grf(reg + i / 8).dw[i % 8] = value(i);
    reg += halves;
  };
  const auto centre = [&](unsigned i) { return extra.pixel_shader_is_per_sample ? position(batch, i, false) : std::array{batch.x[i] + 0.5, batch.y[i] + 0.5}; };
  if (extra.pixel_shader_uses_source_depth)
    per_pixel([&](unsigned i) {
      const auto [x, y] = centre(i);
      const Viewport& viewport = draw_->raster.viewports[object_->viewport];
      return as_dword(std::clamp(object_->z.at(x, y) + object_->depth_bias, double{viewport.min_depth}, double{viewport.max_depth}));
    });
  if (extra.pixel_shader_uses_source_w)
    per_pixel([&](unsigned i) {
      const auto [x, y] = centre(i);
      return as_dword(1 / object_->one_over_w.at(x, y));
    });
  if (state.get<gen9::_3DSTATE_PS>().position_xy_offset_select != gen9::_3DSTATE_PS::PositionXYOffsetSelect::POSOFFSET_NONE) {
    // A byte pair a pixel: x and y in sixteenths.
    auto* bytes = reinterpret_cast<uint8_t*>(thread_.grf(reg).dw);
    for (unsigned i = 0; i < simd_; ++i) {
      const auto [x, y] = position(batch, i, false);
      bytes[2 * i] = static_cast<uint8_t>((x - batch.x[i]) * 16);
      bytes[2 * i + 1] = static_cast<uint8_t>((y - batch.y[i]) * 16);
    }
    reg += 1;
  }
  if (extra.input_coverage_mask_state != Extra::InputCoverageMaskState::ICMS_NONE) per_pixel([&](unsigned i) { return batch.samples[i]; });
  reg = kernel.grf_start;
  for (const Grf& constant : kernel.constants) thread_.grf(reg++) = constant;
  for (const AttributeSetup& attribute : object_->attributes)
    for (const Grf& half : attribute.registers) thread_.grf(reg++) = half;
}

void PixelWorker::run(Batch& batch) {
  const Kernel& kernel = simd_ == 8 ? draw_->kernel8 : draw_->kernel16;
  thread_.clear_registers();
  payload(batch, kernel);
  eu::ThreadStart start = kernel.start;
  start.program = kernel.program.get();
  start.dispatch_mask = start.vector_mask = 0;
  for (unsigned i = 0; i < batch.pixels; ++i) {
    if (batch.samples[i]) start.dispatch_mask |= 1u << i;
    if (batch.samples[i & ~3u] | batch.samples[i | 1] | batch.samples[i | 2] | batch.samples[i | 3]) start.vector_mask |= 1u << i;
  }
  const unsigned lit = static_cast<unsigned>(std::popcount(start.dispatch_mask));
  draw_->invocations.fetch_add(lit, std::memory_order_relaxed);
  thread_.start(start);
  ThreadOwner owner{nullptr, this, draw_->shared_functions};
  ThreadEnv env{view_, kernel.bases, draw_->stop, {}, slot_, kernel.scratch_base, kernel.scratch_size, &owner};
  RenderMessages messages;
  running_ = &batch;
  tested_ = 0;
  eu::run(thread_, env, messages);
  running_ = nullptr;
}

SendResult PixelWorker::render_target_write(const Message& message) {
  const Batch& batch = *running_;
  const uint32_t control = bits(message.descriptor, 10u, 8u);
  // 0 SIMD16, 1 SIMD16 replicated, 2 and 3 SIMD8 dual source (low, high half), 4 SIMD8.
  const bool replicated = control == 1, dual = control == 2 || control == 3, wide = control <= 1;
  if (control > 4) return SendResult::failed;
  const bool high_half = control == 3 || bit(message.descriptor, 11);
  const unsigned first = high_half ? 8 : 0, count = wide ? 16 : 8, registers = wide ? 2 : 1;
  std::array<Grf, 32> m{};
  size_t size = 0;
  for (const auto& part : {message.payload, message.payload2})
    for (const Grf& grf : part)
      if (size < m.size()) m[size++] = grf;

  size_t at = 0;
  unsigned target = 0;
  uint32_t pixels = message.exec_mask;
  bool have_alpha = false;
  if (message.header_present()) {
    have_alpha = bit(m[0].dw[0], 11);
    target = m[0].dw[2] & 7;
    pixels = m[1].dw[7] & 0xffff;
    if (first) pixels >>= 8;
    at = 2;
  }
  const auto& extra = draw_->state.get<Extra>();
  const size_t alpha_at = at;
  if (have_alpha && !replicated) at += registers;
  const size_t omask_at = at;
  const bool have_omask = extra.omask_present_to_render_target;
  if (have_omask) at += 1;
  const size_t color_at = at;
  at += replicated ? 1 : 4 * registers;
  const size_t source1_at = at;
  if (dual) at += 4;
  const size_t depth_at_register = at;
  const bool have_depth = extra.pixel_shader_computed_depth_mode != Extra::PixelShaderComputedDepthMode::PSCDEPTH_OFF;
  if (have_depth) at += registers;
  const size_t stencil_at = at;
  const bool have_stencil = extra.pixel_shader_computes_stencil;
  const uint32_t bti = bits(message.descriptor, 7u, 0u);
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  const bool late = !early();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned pixel = first + i;
    if (pixel >= batch.pixels || !(pixels >> i & 1) || !batch.samples[pixel]) continue;
    const auto lane = [&](size_t reg, unsigned component) {
      const size_t index = reg + component * registers + i / 8;
      return index < m.size() ? m[index].dw[i % 8] : 0;
    };
    PixelColor color;
    for (unsigned c = 0; c < 4; ++c) {
      color.source0[c] = replicated ? m[color_at].dw[c] : lane(color_at, c);
      if (dual) color.source1[c] = lane(source1_at, c);
    }
    color.source0_alpha = std::bit_cast<float>(have_alpha && !replicated ? lane(alpha_at, 0) : color.source0[3]);
    uint32_t samples = batch.samples[pixel];
    if (have_omask) samples &= reinterpret_cast<const uint16_t*>(m[omask_at].dw)[pixel];
    if (!draw_->merger.alpha_passes(color.source0_alpha)) continue;
    samples &= draw_->merger.alpha_to_coverage(color.source0_alpha, draw_->raster.samples);
    if (!samples) continue;
    if (late) {
      // The tests belong to the pixel, not to each target: they are done with the first write and remembered in the batch.
      std::optional<float> z;
      if (have_depth) z = std::bit_cast<float>(lane(depth_at_register, 0));
      std::optional<uint8_t> stencil;
      if (have_stencil) stencil = static_cast<uint8_t>(lane(stencil_at, 0));
      if (!(tested_ >> pixel & 1)) {
        tested_ |= 1u << pixel;
        passed_[pixel] = test(batch.x[pixel], batch.y[pixel], samples, z, stencil);
      }
      samples &= passed_[pixel];
    }
    draw_->merger.write(view_, rt, target, batch.x[pixel], batch.y[pixel], object_->layer, samples, color);
  }
  return SendResult::done;
}

}  // namespace softgen::render

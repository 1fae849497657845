// SPDX-License-Identifier: GPL-2.0-or-later
// A draw's pixel shader and render targets.
#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/render/one_draw.h"
#include "hw/render/texel_copy.h"
#include "hw/render/uniform_color.h"
#include "hw/surface/binding.h"

namespace softgen::render {

void Drawer::Draw::load_program(Kernel& kernel, const PixelKernel& from) {
  kernel.grf_start = from.grf_start;
  kernel.program = drawer_.kernels_.load(env_.view, kernel.bases, from.kernel, env_.stop);
}

void Drawer::Draw::load_pixel_shader() {
  const PixelState& state = state_.pixel;
  if (!state.valid) return;
  // Of dual SIMD8 dispatch the kernel for eight pixels takes two objects, eight pixels of each. Wider kernels shade all that it does.
  const auto narrowest = state.kernels.begin() + (state.inputs.dual_simd8 ? 1 : 0);
  const auto first = std::find_if(narrowest, state.kernels.end(), [](const PixelKernel& k) { return k.enable; });
  if (first == state.kernels.end()) {
    if (state.inputs.dual_simd8) return unimplemented("pixel shader dispatch", "dual SIMD8 alone: no pixel is shaded");
    return guest_error("3DSTATE_PS without a dispatch width", "no pixel is shaded");
  }
  PixelDraw& pixels = work_->pixels;
  pixels.simd = 8u << (first - state.kernels.begin());
  Kernel& kernel = pixels.kernel;
  kernel = Kernel(state.thread);
  kernel.bases = state_.bases(Stage::ps);
  kernel.constants = KernelLoader::read_constants(env_.view, state_.push_constants(Stage::ps, worker_.absolute_constants));
  kernel.start.rounding = state.rounding;
  load_program(kernel, *first);
  pixels.coarse = runs_for_coarse_pixels();
  pixels.uniform = !pixels.coarse && sends_one_color(*kernel.program, kernel.grf_start);
  bind_targets();
  pixels.unobservable = is_unobservable(*kernel.program);
  for (const RenderTarget& rt : pixels.targets)
    if (rt.ccs) work_->controlled.push_back(&rt);
  pixels.copies = may_copy(pixels);
  const PixelKernel& wider = state.kernels[1];
  if (pixels.simd != 8 || !wider.enable || pixels.uniform) return;
  work_->wide = std::make_unique<PixelDraw>(pixels);
  work_->wide->simd = 16;
  load_program(work_->wide->kernel, wider);
  work_->wide->copies = may_copy(*work_->wide);
}

/// Whether its objects may be copies of texels, as far as all of them have this in common.
bool Drawer::Draw::may_copy(const PixelDraw& pixels) const {
  const PixelState& state = state_.pixel;
  if (state.sample_mask || state.computes_depth || state.computes_stencil || pixels.coarse || pixels.kernel.start.run_vector_mask)
    return false;
  return may_copy_texels(*pixels.kernel.program, pixels.simd) && !pixels.targets.empty() &&
         pixels.merger.stores_texels(pixels.targets[0], 0);
}

/// One invocation per sample excludes coarse pixels (Mesa quotes ICL PRM vol 2d in anv's genX_state.c).
bool Drawer::Draw::runs_for_coarse_pixels() const {
  const PixelState& pixel = state_.pixel;
  if (!pixel.per_sample) return pixel.coarse.per_coarse_pixel;
  if (pixel.coarse.per_coarse_pixel && pixel.coarse.viewports[0].mode != CoarseMode::none)
    guest_error("coarse pixel shading", "with sample shading: there are none");
  return false;
}

/// True if no output of the pixel shader is observable: its targets are null surfaces, as with shadow maps, and tests do not depend on it.
bool Drawer::Draw::is_unobservable(const eu::Program& program) const {
  const PixelDraw& pixels = work_->pixels;
  return pixels.early && writes_only_targets(program) && !state_.pixel.per_sample &&
         std::none_of(pixels.targets.begin(), pixels.targets.end(), [](const RenderTarget& rt) { return rt.level.has_value(); });
}

void Drawer::Draw::bind_targets() {
  // Drivers put render targets first in the table: at most eight. What no message names may be anything. Fast clears are of the first.
  const ShaderBases bases = state_.bases(Stage::ps);
  PixelDraw& pixels = work_->pixels;
  const uint32_t named = pixels.kernel.program->render_targets() | (state_.pixel.fast_clear ? 1u : 0u);
  pixels.targets.reserve(static_cast<size_t>(std::bit_width(named)));
  for (uint32_t i = 0; i < 8 && named >> i; ++i) {
    if (!bit(named, i)) {
      pixels.targets.emplace_back();
      continue;
    }
    pixels.targets.emplace_back(surface::cached_surface(env_.view, bases, {.index = static_cast<uint8_t>(i)}));
    pixels.merger.set_target(i, decoder_.target_blend(env_.view, state_, i));
    if (work_->raster.samples == 1) pixels.color[i] = pixels.merger.color_kernel(pixels.targets[i], i);
  }
}

}  // namespace softgen::render

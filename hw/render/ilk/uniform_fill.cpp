// SPDX-License-Identifier: GPL-2.0-or-later
// Objects whose threads give all pixels one colour, as drivers clear with: their kernels run for a few trial threads, and blocks are filled.
#include <algorithm>
#include <bit>

#include "hw/render/covered_fill.h"
#include "hw/render/ilk/target_layout.h"
#include "hw/render/target_quads.h"

namespace softgen::render::ilk {

/// What the trial threads of an object have sent so far.
struct Windowizer::Trial {
  unsigned messages = 0;
  bool same = true;  ///< plain writes of one colour to one target, to all pixels of each thread
  std::optional<UniformColor> color;
};

/// Whether the kernels' code can only send one colour, whatever differs between the object's threads.
bool Windowizer::has_uniform_kernels() {
  if (uniform_.kernels && uniform_.kernels->first == uniform_.from) return uniform_.kernels->second;
  const PixelUnitState& wm = context_.state.wm;
  bool all = wm.has_kernel[0] || wm.has_kernel[1];
  for (unsigned wide = 0; wide < 2; ++wide) {
    if (!wm.has_kernel[wide]) continue;
    const ThreadJob job{.unit = Unit::wm, .state = wm, .kernel = wm.kernels[wide], .bases = bases_, .payload = {}, .draw = context_.number};
    all = all && context_.runner.sends_one_color(job, uniform_.from, env_);
  }
  uniform_.kernels = {uniform_.from, all};
  return all;
}

std::optional<UniformColor> Windowizer::uniform_color(const PixelObject& object) {
  const PixelUnitState& wm = context_.state.wm;
  // Neither tests nor threads discard a pixel.
  if (!wm.dispatch || !early_ || counts_sent_ || tests_.any()) return std::nullopt;
  begin(object);
  const auto by_blocks = [&](const Coverage& part) { return PartRaster(part, object.raster).by_blocks(); };
  if (stippled_ || !std::ranges::all_of(object.prepared.parts, by_blocks) || !has_uniform_kernels()) return std::nullopt;
  // Which channels run depends on the number of quads alone.
  Trial trial;
  uniform_.trial = &trial;
  unsigned threads = 0;
  for (unsigned quads = 1; quads <= max_quads_of_thread() && trial.same; ++quads, ++threads) {
    Group group{.count = quads, .live = (1u << 4 * quads) - 1};
    run_group(group);
  }
  uniform_.trial = nullptr;
  return trial.same && trial.messages == threads ? trial.color : std::nullopt;
}

void Windowizer::keep_trial(const WriteLayout& layout, unsigned binding) {
  Trial& trial = *uniform_.trial;
  ++trial.messages;
  const BoundTarget& bound = find_target(binding);
  const unsigned pixels = 4 * running_->count;
  trial.same = trial.same && bound.kernel && bound.target.level && !bound.kernel->blending && !bound.kernel->keep && !layout.dual &&
               layout.first == 0 && layout.count >= pixels && (layout.pixels() & running_->live) == running_->live;
  if (!trial.same) return;
  std::array<float, 4> color;
  for (unsigned c = 0; c < 4; ++c) {
    const uint32_t word = layout.color(layout.color_at, c, 0);
    for (unsigned lane = 1; lane < pixels; ++lane) trial.same = trial.same && layout.color(layout.color_at, c, lane) == word;
    color[c] = std::bit_cast<float>(word);
  }
  const UniformColor found{binding, stored_color(pixel_kernels(), *bound.kernel, color)};
  if (!trial.color) trial.color = found;
  trial.same = trial.same && trial.color->binding == found.binding && trial.color->word == found.word;
}

/// What `object_` covers of `tile`.
void Windowizer::fill_object(const PixelRect& tile) {
  const auto [binding, word] = *object_->fill;
  const RenderTarget& rt = find_target(binding).target;
  const CoveredFill how{.view = env_.view,
                        .target = rt,
                        .slice = (layer() < rt.surface.view_extent ? layer() : 0) + rt.surface.min_array_element,
                        .word = word,
                        .stop = env_.stop};
  ThreadCount threads(4 * max_quads_of_thread(), context_.state.wm.has_kernel[1] ? WholeSquares::touched : WholeSquares::none);
  for (const Coverage& part : object_->prepared.parts) {
    const auto [pixels, written] = fill_covered(how, part, object_->raster, tile, threads);
    tally_.rasterized += pixels, tally_.passed += pixels, tally_.invocations += pixels, tally_.filled += pixels;
    tally_.written += written;
    if (stopped()) break;
  }
  tally_.replaced_threads += threads.threads();
}

}  // namespace softgen::render::ilk

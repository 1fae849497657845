// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Render Target Write", "Render Target Read"; payload order as Mesa's brw_lower_logical_sends.cpp sends it.
#include "hw/render/target_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/defs/messages/headers.h"
#include "hw/render/target_layout.h"

namespace softgen::render {

TargetWriter::WriteLayout::WriteLayout(const Message& m, const PixelState& pixel) : message(m) {
  valid = m.op.simd != 0;
  replicated = m.op.replicated;
  dual = m.op.dual_source;
  count = m.op.simd;
  registers = count / 8;
  // The slot group chooses the upper 16 of 32 pixels; the upper half of 16 is a message of its own for dual sources.
  const unsigned half = m.op.second_half ? 8 : 0;
  first = (m.op.high_slots ? 16 : 0) + half;
  pixels = m.exec_mask;
  size_t at = 0;
  target = m.op.target;
  bool alpha = m.op.alpha_present;
  if (m.header_present()) {
    const message_header::RenderTarget header{message.reg(0).dw};
    at = 2;
    target = header.render_target_index();
    pixels = message_header::RenderTargetMasks{message.reg(1).dw}.pixel_sample_mask() >> half;
    alpha = header.source_0_alpha_present();
  }
  if (alpha && !replicated) alpha_at = at, at += registers;
  if (pixel.sample_mask) omask_at = at++;
  color_at = at;
  at += replicated ? 1 : 4 * registers;
  if (dual) source1_at = at, at += 4;
  if (pixel.computes_depth) depth_at = at, at += registers;
  if (pixel.computes_stencil) stencil_at = at;
}

void TargetWriter::begin(PixelDraw& draw) {
  draw_ = &draw;
  block_.target = nullptr;
  for (Tile& tile : tiles_) tile.target = nullptr;
}

TargetWriter::ShaderDepth TargetWriter::shader_depth(const PixelThread& thread, const WriteLayout& layout, unsigned lane) const {
  ShaderDepth result;
  if (layout.depth_at != WriteLayout::none) {
    const Viewport& viewport = draw_->raster.viewports[thread.object->viewport];
    result.z = std::min(std::max(std::bit_cast<float>(layout.dword(layout.depth_at, lane)), viewport.min_depth), viewport.max_depth);
  }
  if (layout.stencil_at != WriteLayout::none) result.stencil = layout.stencil(lane);
  return result;
}

/// Late tests of `pixel`, whose registers are those of `lane` in the message: those of `samples` that pass.
uint32_t TargetWriter::late_samples(PixelThread& thread, const WriteLayout& layout, unsigned pixel, unsigned lane, uint32_t samples) {
  // The tests belong to the pixel, not to each target: they are done with the first write and remembered in the thread.
  if (!(thread.tested >> pixel & 1)) {
    const auto [z, stencil] = shader_depth(thread, layout, lane);
    thread.tested |= 1u << pixel;
    passed_[pixel] = test_samples(context_, *draw_, *thread.object, thread.x(pixel), thread.y(pixel), samples, z, stencil);
    context_.tally.failed_late += count_samples(samples & ~passed_[pixel]);
  }
  return samples & passed_[pixel];
}

/// Late tests of `pixels`, which have a sample each, as late_samples() has them. It is left to those that do not lie in a whole block of the buffers.
void TargetWriter::test_blocks(PixelThread& thread, uint32_t pixels) {
  const DepthStencil& tests = draw_->depth_stencil;
  const PreparedObject& object = *thread.object;
  DepthKernel depth = tests.kernel({});
  set_depth_plane(depth, object, draw_->raster.viewports[object.viewport]);
  constexpr uint32_t size = 8;
  while (pixels) {
    const auto first = static_cast<unsigned>(std::countr_zero(pixels));
    const uint32_t x = thread.x(first) & ~(size - 1), y = thread.y(first) & ~(size - 1);
    uint64_t covered = 0;
    std::array<uint8_t, max_pixels> place;  // of the pixels that are in the block
    uint32_t inside = 0;
    for (uint32_t left = pixels; left; left &= left - 1) {
      const auto pixel = static_cast<unsigned>(std::countr_zero(left));
      const uint32_t across = thread.x(pixel) - x, down = thread.y(pixel) - y;
      if (across >= size || down >= size) continue;
      place[pixel] = static_cast<uint8_t>(size * down + across);
      covered |= uint64_t{1} << place[pixel], inside |= 1u << pixel;
    }
    pixels &= ~inside;
    if (!tests.holds_block(x, y, object.layer)) continue;
    const uint64_t passed = tests.test_block(context_.view, depth, depth_block(*draw_, object, x, y), covered);
    for (uint32_t left = inside; left; left &= left - 1) {
      const auto pixel = static_cast<unsigned>(std::countr_zero(left));
      passed_[pixel] = passed >> place[pixel] & 1;
    }
    thread.tested |= inside;
    context_.tally.depth += static_cast<uint64_t>(std::popcount(passed));
    context_.tally.failed_late += static_cast<uint64_t>(std::popcount(covered & ~passed));
  }
}

/// The alpha test of live pixels, which have a sample each: those that pass.
uint32_t TargetWriter::alpha_pixels(const PixelThread& thread, const WriteLayout& layout, uint32_t pixels) {
  const uint32_t passed = draw_->merger.alpha_passing(pixels, [&](unsigned pixel) { return layout.alpha(pixel - layout.first); });
  // Counted with the pixel's first write, as late tests are.
  context_.tally.failed_late += static_cast<uint64_t>(std::popcount(pixels & ~passed & ~thread.written));
  return passed;
}

/// Late tests of live pixels: those that pass.
uint32_t TargetWriter::late_pixels(PixelThread& thread, const WriteLayout& layout, uint32_t pixels) {
  if (draw_->early) return pixels;
  if (tests_pass_trivially()) return pass(thread, pixels), pixels;
  if (draw_->depth_by_blocks && layout.depth_at == WriteLayout::none && layout.stencil_at == WriteLayout::none)
    test_blocks(thread, pixels & ~thread.tested);
  uint32_t passed = pixels;
  for (uint32_t left = pixels; left; left &= left - 1) {
    const auto pixel = static_cast<unsigned>(std::countr_zero(left));
    if (!late_samples(thread, layout, pixel, pixel - layout.first, thread.samples_of(pixel))) passed &= ~(1u << pixel);
  }
  return passed;
}

/// Whether late tests are enabled but neither test nor write anything.
bool TargetWriter::tests_pass_trivially() const {
  return !draw_->early && !draw_->depth_stencil.any_test() && !draw_->depth_stencil.any_write();
}

/// late_samples() of live pixels, where tests_pass_trivially().
void TargetWriter::pass(PixelThread& thread, uint32_t pixels) {
  const uint32_t fresh = pixels & ~thread.tested;
  context_.tally.depth += static_cast<uint64_t>(std::popcount(fresh));
  for (uint32_t left = fresh; left; left &= left - 1) {
    const auto pixel = static_cast<unsigned>(std::countr_zero(left));
    passed_[pixel] = thread.samples_of(pixel);
  }
  thread.tested |= pixels;
}

/// Keeps what a write of one colour to all pixels would store in each.
void TargetWriter::capture(const WriteLayout& layout, uint32_t bti) {
  if (bti >= draw_->color.size() || !draw_->color[bti] || layout.target != bti || layout.omask_at != WriteLayout::none || layout.dual ||
      draw_->merger.tests_alpha())
    return;
  if (layout.first != 0 || layout.count != draw_->simd) return;
  const ColorKernel& kernel = *draw_->color[bti];
  if (kernel.blending || kernel.keep) return;
  std::array<float, 4> color;
  for (unsigned c = 0; c < 4; ++c) {
    const uint32_t word = layout.color(layout.color_at, c, 0);
    for (unsigned lane = 1; lane < layout.count; ++lane)
      if (layout.color(layout.color_at, c, lane) != word) return;
    color[c] = std::bit_cast<float>(word);
  }
  captured_.word = stored_color(kernels_, kernel, color);
  captured_.target = &draw_->targets[bti];
}

/// block_ of a Y-tiled level, which begins at a page: where it is, if its blocks are blocks of tiles, too. A tile of 32x32 pixels is looked up once, for all
/// of its blocks.
bool TargetWriter::find_in_y_tile(const RenderTarget& rt) {
  constexpr uint32_t size = 32, row = 16, column = size * row, pixels_of_column = 4;
  Tile& known = tiles_[block_.x / size % tiles_.size()];
  if (known.target != &rt || known.slice != block_.slice || block_.x - known.x >= size || block_.y - known.y >= size ||
      !(known.stamp == block_.stamp)) {
    const uint64_t at = rt.level->address(block_.x, block_.y, block_.slice);
    const auto within = static_cast<uint32_t>(at & (memory::View::page_size - 1));
    if (within & (7 * row | column | 15)) return false;
    std::byte* const page = context_.view.at_for_write(at) - within;
    known = {&rt, block_.x - within / column * pixels_of_column, block_.y - within % column / row, block_.slice, context_.view.stamp(),
             page};
  }
  block_.stamp = known.stamp;
  block_.row = row, block_.column = column;
  block_.alike = std::min(size - (block_.x - known.x), rt.level->extent().width - block_.x) / 8;
  block_.at = known.page + size_t{(block_.x - known.x) / pixels_of_column} * column + size_t{block_.y - known.y} * row;
  return true;
}

/// The block of 8x8 pixels that holds (x, y). Null: it is not in one page, or not wholly within the level.
const TargetBlock* TargetWriter::find_target_block(const RenderTarget& rt, uint32_t layer, uint32_t x, uint32_t y) {
  const uint32_t left = x & ~7u, top = y & ~7u, slice = layer + rt.surface.min_array_element;
  block_ = {&rt, left, top, slice, context_.view.stamp(), nullptr};
  // A block that starts at a multiple of eight in a tile, too, is in one page.
  const bool y_tiled = rt.surface.tiling == surface::Tiling::y,
             columns = y_tiled || (rt.surface.tiling == surface::Tiling::yf && rt.surface.type != surface::SurfaceType::three_d);
  constexpr uint32_t x_row = 512, y_row = 16, yf_column = 8 * y_row;
  if (left + 8 > rt.level->extent().width || top + 8 > rt.level->extent().height || (!columns && rt.surface.tiling != surface::Tiling::x))
    return nullptr;
  if (y_tiled) return find_in_y_tile(rt) ? &block_ : nullptr;
  block_.row = columns ? y_row : x_row, block_.column = columns ? yf_column : 16;
  const uint64_t at = rt.level->address(left, top, slice);
  if (at & (7 * block_.row | block_.column | 15)) return nullptr;
  block_.at = context_.view.at_for_write(at);
  block_.stamp = context_.view.stamp();
  return &block_;
}

bool TargetWriter::places_squares(const PreparedObject& object) const {
  return draw_->early && !draw_->merger.tests_alpha() && draw_->color[0] && draw_->color[0]->has_codes() && !object.fade &&
         object.layer < draw_->targets[0].surface.view_extent;
}

/// Writes eight pixels at a time. False: no effect, the target or the message needs the general code.
bool TargetWriter::write_colors(PixelThread& thread, const WriteLayout& layout, uint32_t bti) {
  if (bti >= draw_->color.size() || !draw_->color[bti] || layout.target != bti || thread.object->fade ||
      layout.omask_at != WriteLayout::none)
    return false;
  const ColorKernel& kernel = *draw_->color[bti];
  const RenderTarget& rt = draw_->targets[bti];
  const uint32_t live = late_pixels(thread, layout, alpha_pixels(thread, layout, thread.live & layout.thread_pixels()));
  if (!live || thread.object->layer >= rt.surface.view_extent) return true;
  const auto source = [&](unsigned lane, ColorPixels& pixels) {
    const auto floats = [&](size_t at, unsigned component) {
      const size_t reg = layout.replicated ? at : at + size_t{component} * layout.registers + lane / 8;
      return reinterpret_cast<const float*>(layout.message.reg(reg).dw + (layout.replicated ? component : 0));
    };
    for (unsigned c = 0; c < 4; ++c) {
      pixels.source[c] = floats(layout.color_at, c);
      pixels.source1[c] = layout.dual ? floats(layout.source1_at, c) : nullptr;
    }
  };
  count_written(write_pixels(thread, kernel, rt, live, layout.first, layout.count, layout.replicated, source), kernel.blending);
  return true;
}

SendResult TargetWriter::write(PixelThread& thread, const Message& message) {
  const WriteLayout layout(message, draw_->state.pixel);
  if (!layout.valid) return SendResult::failed;
  constexpr uint32_t no_target = ~0u;
  const uint32_t bti = message.op.null_target ? no_target : message.op.binding.index;
  if (capturing_) return capture(layout, bti), SendResult::done;
  if (thread.coarse) write_coarse(thread, layout, bti);
  else if (!write_colors(thread, layout, bti)) write_one_by_one(thread, layout, bti);
  note_written(thread, layout.thread_pixels(), message.end_of_thread);
  return SendResult::done;
}

/// The general code: all pixels and samples one by one.
void TargetWriter::write_one_by_one(PixelThread& thread, const WriteLayout& layout, uint32_t bti) {
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  const OutputMerger& merger = draw_->merger;
  const OutputMerger::Mode mode = merger.mode(rt, layout.target);
  for (unsigned i = 0; i < layout.count; ++i) {
    const unsigned pixel = layout.first + i;
    if (pixel >= thread.pixels || !(layout.pixels >> i & 1) || !thread.samples_of(pixel)) continue;
    PixelColor color = layout.pixel_color(i);
    if (thread.object->fade && mode.floating) fade(color, *thread.object->fade, thread.x(pixel), thread.y(pixel));
    uint32_t samples = thread.samples_of(pixel);
    // Where the shader gives the coverage, alpha does not (Mesa's brw_fs.cpp, brw_compile_fs: it is then lowered).
    samples &= layout.omask_at != WriteLayout::none
                   ? layout.omask(pixel % 16)
                   : merger.alpha_to_coverage(color.source0_alpha, draw_->raster.samples, thread.x(pixel), thread.y(pixel));
    if (!merger.alpha_passes(color.source0_alpha)) {
      // Counted once per pixel, with its first write, as late tests are.
      if (!(thread.written >> pixel & 1)) context_.tally.failed_late += count_samples(samples);
      continue;
    }
    if (!samples) continue;
    if (!draw_->early) samples = late_samples(thread, layout, pixel, i, samples);
    context_.tally.written_one_by_one += static_cast<uint64_t>(std::popcount(samples));
    if (!samples) continue;
    samples = merger.write(context_.view, rt, mode, thread.x(pixel), thread.y(pixel), thread.object->layer, samples, color);
    count_written(count_samples(samples), mode.blending);
  }
}

SendResult TargetWriter::read(const PixelThread& thread, const Message& message) {
  // The response has red, green, blue and alpha of the current sample (the first one when pixels are shaded as a whole).
  const unsigned width = message.op.simd, first = message.op.high_slots ? 16 : 0, registers = width / 8;
  const uint32_t bti = message.op.binding.index;
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned pixel = first + i;
    if (!(message.exec_mask >> i & 1) || pixel >= draw_->simd) continue;
    const surface::Word4 color =
        draw_->merger.read(context_.view, rt, thread.x(pixel), thread.y(pixel), thread.object->layer, thread.sample_id);
    for (unsigned c = 0; c < 4; ++c) {
      const size_t reg = c * registers + i / 8;
      if (reg < message.response.size()) message.response[reg].dw[i % 8] = color[c];
    }
  }
  return SendResult::done;
}

}  // namespace softgen::render

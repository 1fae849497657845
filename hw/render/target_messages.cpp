// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Render Target Write", "Render Target Read"; payload order as Mesa's brw_lower_logical_sends.cpp sends it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/defs/messages/headers.h"
#include "hw/render/pixel_stage.h"

namespace softgen::render {
namespace {

constexpr size_t not_there = ~size_t{0};

}  // namespace

/// Where a write message has what.
struct PixelWorker::WriteLayout {
  WriteLayout(const Message& message, const PixelState& pixel);

  uint32_t dword(size_t reg, unsigned lane) const {
    const size_t index = reg + (registers == 2 ? lane / 8 : 0);
    return message.reg(index).dw[lane % 8];
  }
  uint32_t color(size_t at, unsigned component, unsigned lane) const {
    return replicated ? message.reg(at).dw[component] : dword(at + size_t{component} * registers, lane);
  }
  uint32_t omask(unsigned slot) const { return reinterpret_cast<const uint16_t*>(message.reg(omask_at).dw)[slot]; }
  uint8_t stencil(unsigned lane) const { return reinterpret_cast<const uint8_t*>(message.reg(stencil_at).dw)[lane]; }

  const Message& message;
  bool valid, replicated, dual;
  unsigned first, count, registers;  ///< pixels from `first` on; registers a component
  uint32_t pixels;                   ///< those to be written
  unsigned target = 0;               ///< index of the blend state
  size_t alpha_at = not_there, omask_at = not_there, color_at, source1_at = not_there, depth_at = not_there, stencil_at = not_there;
};

PixelWorker::WriteLayout::WriteLayout(const Message& m, const PixelState& pixel) : message(m) {
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
  if (m.header_present()) {
    const message_header::RenderTarget header{message.reg(0).dw};
    at = 2;
    target = header.render_target_index();
    pixels = message_header::RenderTargetMasks{message.reg(1).dw}.pixel_sample_mask() >> half;
    if (header.source_0_alpha_present() && !replicated) alpha_at = at, at += registers;
  }
  if (pixel.sample_mask) omask_at = at++;
  color_at = at;
  at += replicated ? 1 : 4 * registers;
  if (dual) source1_at = at, at += 4;
  if (pixel.computes_depth) depth_at = at, at += registers;
  if (pixel.computes_stencil) stencil_at = at;
}

uint32_t PixelWorker::late_samples(const WriteLayout& layout, unsigned pixel, unsigned lane, uint32_t samples) {
  // The tests belong to the pixel, not to each target: they are done with the first write and remembered in the batch.
  PixelBatch& thread = running();
  if (!(thread.tested >> pixel & 1)) {
    std::optional<float> z;
    if (layout.depth_at != not_there) {
      const Viewport& viewport = draw_->raster.viewports[object_->viewport];
      z = std::min(std::max(std::bit_cast<float>(layout.dword(layout.depth_at, lane)), viewport.min_depth), viewport.max_depth);
    }
    std::optional<uint8_t> stencil;
    if (layout.stencil_at != not_there) stencil = layout.stencil(lane);
    thread.tested |= 1u << pixel;
    passed_[pixel] = test(thread.x(pixel), thread.y(pixel), samples, z, stencil);
  }
  return samples & passed_[pixel];
}

/// Whether the tests come late, and are none.
bool PixelWorker::passes_all() const { return !draw_->early && !draw_->depth_stencil.any_test() && !draw_->depth_stencil.any_write(); }

/// late_samples() of pixels `lit`, where passes_all().
void PixelWorker::pass(uint32_t lit) {
  PixelBatch& thread = running();
  const uint32_t fresh = lit & ~thread.tested;
  depth_count_ += static_cast<uint64_t>(std::popcount(fresh));
  for (uint32_t left = fresh; left; left &= left - 1) {
    const auto pixel = static_cast<unsigned>(std::countr_zero(left));
    passed_[pixel] = thread.samples_of(pixel);
  }
  thread.tested |= lit;
}

/// What a write of one colour to all pixels would leave in each.
void PixelWorker::capture(const WriteLayout& layout, uint32_t bti) {
  if (bti >= draw_->color.size() || !draw_->color[bti] || layout.target != bti || layout.omask_at != not_there || layout.dual) return;
  if (layout.first != 0 || layout.count != draw_->simd) return;
  const ColorKernel& kernel = *draw_->color[bti];
  if (kernel.blending || kernel.keep) return;
  std::array<std::byte, 32> quads;
  ColorPixels pixels{.source = {}, .source1 = {}, .replicated = true, .lanes = 1, .rows = {&quads[0], &quads[8], &quads[16], &quads[24]}};
  std::array<float, 4> color;
  for (unsigned c = 0; c < 4; ++c) {
    const uint32_t word = layout.color(layout.color_at, c, 0);
    for (unsigned lane = 1; lane < layout.count; ++lane)
      if (layout.color(layout.color_at, c, lane) != word) return;
    color[c] = std::bit_cast<float>(word);
    pixels.source[c] = &color[c];
  }
  kernels_.write_color(kernel, pixels);
  std::memcpy(&captured_.word, quads.data(), sizeof captured_.word);
  captured_.target = &draw_->targets[bti];
}

/// The block of 8x8 pixels that holds (x, y); null where it is not in one page, or not all within the level.
const PixelWorker::TargetBlock* PixelWorker::find_target_block(const RenderTarget& rt, uint32_t x, uint32_t y) {
  const uint32_t left = x & ~7u, top = y & ~7u, slice = object_->layer + rt.surface.min_array_element;
  block_ = {&rt, left, top, slice, view_.stamp(), nullptr};
  // A block that starts at a multiple of eight in a tile, too, lies in one page.
  const bool y_tiled = rt.surface.tiling == surface::Tiling::y,
             columns = y_tiled || (rt.surface.tiling == surface::Tiling::yf && rt.surface.type != surface::SurfaceType::three_d);
  constexpr uint32_t x_row = 512, y_row = 16, y_column = 32 * y_row, yf_column = 8 * y_row;
  if (left + 8 > rt.level->extent().width || top + 8 > rt.level->extent().height || (!columns && rt.surface.tiling != surface::Tiling::x))
    return nullptr;
  block_.row = columns ? y_row : x_row, block_.column = y_tiled ? y_column : columns ? yf_column : 16;
  const uint64_t at = rt.level->address(left, top, slice);
  if (at & (7 * block_.row | block_.column | 15)) return nullptr;
  block_.at = view_.at_for_write(at);
  block_.stamp = view_.stamp();
  return &block_;
}

/// quad_rows() of a block.
void PixelWorker::TargetBlock::quad_rows(uint32_t at_x, uint32_t at_y, std::byte** rows) const {
  rows[0] = at + size_t{at_y & 7} * row + (at_x & 4 ? column : 0) + 4 * (at_x & 3);
  rows[1] = rows[0] + row;
}

/// Pixels `lit` of those from `first` on; `source` names the colours of eight of them.
template <typename Source>
void PixelWorker::write_lit(const ColorKernel& kernel, const RenderTarget& rt, uint32_t lit, unsigned first, unsigned count,
                            bool replicated, Source&& source) {
  const PixelBatch& thread = running();
  const uint32_t slice = object_->layer + rt.surface.min_array_element;
  for (unsigned lane = 0; lane < count; lane += 8) {
    ColorPixels pixels;
    pixels.lanes = lit >> (first + lane) & 0xff;
    pixels.replicated = replicated;
    const uint32_t one = thread.quads[(first + lane) / 4], other = thread.quads[(first + lane) / 4 + 1];
    const uint32_t x = one & 0xffff, y = one >> 16;
    const bool pair = x % 4 == 0 && other == one + 2 && x + 3 < rt.level->extent().width;
    uint32_t there = 0;
    const auto rows_of = [&](uint32_t at_x, uint32_t at_y, std::byte** rows) -> uint32_t {
      const TargetBlock* const block = target_block(rt, at_x, at_y);
      if (!block) return rt.quad_rows(view_, at_x, at_y, slice, rows);
      block->quad_rows(at_x, at_y, rows);
      return 15;
    };
    if (pair || pixels.lanes & 15) there = rows_of(x, y, pixels.rows);
    if (pair) {
      if (!there) continue;  // below the level: there are no rows
      // Levels and slices start at multiples of four elements each way, and four of 4 bytes stand side by side in all of these tilings.
      there |= there << 4;
      pixels.rows[2] = pixels.rows[0] + 8, pixels.rows[3] = pixels.rows[1] + 8;
    } else if (pixels.lanes & 0xf0) {
      there |= rows_of(other & 0xffff, other >> 16, pixels.rows + 2) << 4;
    }
    pixels.lanes &= there;
    pixels.pair = pair && pixels.lanes == 0xff;
    if (!pixels.lanes) continue;
    source(lane, pixels);
    kernels_.write_color(kernel, pixels);
  }
}

/// The common case, eight pixels at a time. False: not that.
bool PixelWorker::write_colors(const WriteLayout& layout, uint32_t bti) {
  const PixelBatch& batch = running();
  if (bti >= draw_->color.size() || !draw_->color[bti] || layout.target != bti || object_->fade || layout.omask_at != not_there)
    return false;
  const ColorKernel& kernel = *draw_->color[bti];
  const RenderTarget& rt = draw_->targets[bti];
  uint32_t lit = batch.lit & (layout.pixels & ((1u << layout.count) - 1)) << layout.first;
  if (passes_all()) pass(lit);
  else if (!draw_->early)
    for (uint32_t left = lit; left; left &= left - 1) {
      const auto pixel = static_cast<unsigned>(std::countr_zero(left));
      if (!late_samples(layout, pixel, pixel - layout.first, batch.samples_of(pixel))) lit &= ~(1u << pixel);
    }
  if (!lit || object_->layer >= rt.surface.view_extent) return true;
  write_lit(kernel, rt, lit, layout.first, layout.count, layout.replicated, [&](unsigned lane, ColorPixels& pixels) {
    const auto floats = [&](size_t at, unsigned component) {
      const size_t reg = layout.replicated ? at : at + size_t{component} * layout.registers + lane / 8;
      return reinterpret_cast<const float*>(layout.message.reg(reg).dw + (layout.replicated ? component : 0));
    };
    for (unsigned c = 0; c < 4; ++c) {
      pixels.source[c] = floats(layout.color_at, c);
      pixels.source1[c] = layout.dual ? floats(layout.source1_at, c) : nullptr;
    }
  });
  return true;
}

/// What direct_write() found out about messages of one form.
struct PixelWorker::DirectWrite {
  PixelWorker* worker;
  const ColorKernel* kernel;
  const RenderTarget* target;
  unsigned count;                                   ///< pixels, from the first on
  std::array<std::array<uint8_t, 2>, 4> registers;  ///< of each component's eights
  ColorCodes codes;

  static bool answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv&) {
    const auto& d = *static_cast<const DirectWrite*>(answer.state.get());
    PixelWorker& worker = *d.worker;
    const PixelBatch& batch = worker.running();
    if (worker.object_->fade) return false;
    const uint32_t lit = batch.lit & mask & ((1u << d.count) - 1);
    if (!worker.draw_->early) worker.pass(lit);
    if (!lit || worker.object_->layer >= d.target->surface.view_extent) return true;
    const uint32_t x = batch.quads[0] & 0xffff, y = batch.quads[0] >> 16;
    if (const TargetBlock * block; batch.square && d.count == 16 && lit == 0xffff && (block = worker.target_block(*d.target, x, y))) {
      ColorSquare square{.source = {}, .at = block->square(x, y), .row = block->row};
      for (unsigned half = 0; half < 2; ++half)
        for (unsigned c = 0; c < 4; ++c) square.source[half][c] = reinterpret_cast<const float*>(registers[d.registers[c][half]].dw);
      worker.kernels_.write_square(*d.kernel, square);
      return true;
    }
    worker.write_lit(*d.kernel, *d.target, lit, 0, d.count, false, [&](unsigned lane, ColorPixels& pixels) {
      for (unsigned c = 0; c < 4; ++c) {
        pixels.source[c] = reinterpret_cast<const float*>(registers[d.registers[c][lane / 8]].dw);
        pixels.source1[c] = nullptr;
      }
    });
    return true;
  }
  static bool answer_words(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
};

/// Of a target that copies_words(): two pixels of a quad side by side at a time.
bool PixelWorker::DirectWrite::answer_words(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv&) {
  const auto& d = *static_cast<const DirectWrite*>(answer.state.get());
  PixelWorker& worker = *d.worker;
  const PixelBatch& batch = worker.running();
  uint32_t lit = batch.lit & mask & ((1u << d.count) - 1);
  if (!worker.draw_->early) worker.pass(lit);
  if (worker.object_->layer >= d.target->surface.view_extent) return true;
  const uint32_t slice = worker.object_->layer + d.target->surface.min_array_element;
  while (lit) {
    const unsigned first = static_cast<unsigned>(std::countr_zero(lit)) & ~1u, half = first / 8;
    std::array<surface::Word4, 2> words;
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; i < 2; ++i) words[i][c] = registers[d.registers[c][half]].dw[first % 8 + i];
    d.target->write_words(worker.view_, batch.x(first), batch.y(first), slice, lit >> first & 3, words);
    lit &= ~(3u << first);
  }
  return true;
}

/// Colours of the first target, without header, when nothing but colour comes of them.
void PixelWorker::direct_write(const MessageForm& form, DirectAnswer& answer) {
  const Message message = form.without_contents();
  if (message.header_present() || message.op.binding.index != 0 || !(draw_->early || passes_all()) || draw_->targets.empty()) return;
  const bool words = !draw_->color[0] && draw_->merger.copies_words(draw_->targets[0], 0);
  if (!draw_->color[0] && !words) return;
  const WriteLayout layout(message, draw_->state.pixel);
  if (!layout.valid || layout.dual || layout.replicated || layout.first != 0 || layout.omask_at != not_there) return;
  const ColorKernel* const kernel = words ? nullptr : &*draw_->color[0];
  // Blending of infinities with denormals is not the same with MXCSR.DAZ, unless colours are clamped before.
  if (kernel && kernel->blending && !kernel->clamp_before) return;
  DirectWrite direct{this, kernel, &draw_->targets[0], layout.count, {}, {}};
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned half = 0; half < layout.registers; ++half) {
      const size_t index = layout.color_at + c * layout.registers + half;
      if (index >= form.registers()) return;
      direct.registers[c][half] = static_cast<uint8_t>(form.reg(static_cast<unsigned>(index)));
    }
  answer.function = words ? DirectWrite::answer_words : DirectWrite::answer;
  if (words) {
    answer.state = std::make_shared<const DirectWrite>(direct);
    return;
  }
  for (unsigned c = 0; c < 4; ++c) direct.codes.shift[c] = kernel->shift[c];
  direct.codes.alpha = kernel->alpha_stored ? 255 : 0;
  const auto state = std::make_shared<const DirectWrite>(direct);
  if (kernel->plain() && draw_->early) answer.colors = &state->codes;
  answer.state = state;
}

SendResult PixelWorker::render_target_write(const Message& message) {
  const WriteLayout layout(message, draw_->state.pixel);
  if (!layout.valid) return SendResult::failed;
  const PixelBatch& batch = running();
  const uint32_t bti = message.op.binding.index;
  if (capturing_) {
    capture(layout, bti);
    return SendResult::done;
  }
  if (write_colors(layout, bti)) return SendResult::done;
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  const OutputMerger& merger = draw_->merger;
  const OutputMerger::Mode mode = merger.mode(rt, layout.target);
  for (unsigned i = 0; i < layout.count; ++i) {
    const unsigned pixel = layout.first + i;
    if (pixel >= batch.pixels || !(layout.pixels >> i & 1) || !batch.samples_of(pixel)) continue;
    PixelColor color;
    for (unsigned c = 0; c < 4; ++c) {
      color.source0[c] = layout.color(layout.color_at, c, i);
      if (layout.dual) color.source1[c] = layout.color(layout.source1_at, c, i);
    }
    color.source0_alpha = std::bit_cast<float>(layout.alpha_at != not_there ? layout.dword(layout.alpha_at, i) : color.source0[3]);
    if (object_->fade && mode.floating) {
      const auto part = static_cast<float>(object_->fade->at(batch.x(pixel) + 0.5, batch.y(pixel) + 0.5));
      color.source0_alpha *= part;
      color.source0[3] = std::bit_cast<uint32_t>(std::bit_cast<float>(color.source0[3]) * part);
    }
    uint32_t samples = batch.samples_of(pixel);
    // Where the shader gives the coverage, alpha does not (Mesa's brw_fs.cpp, brw_compile_fs: it is then lowered).
    samples &= layout.omask_at != not_there
                   ? layout.omask(pixel % 16)
                   : merger.alpha_to_coverage(color.source0_alpha, draw_->raster.samples, batch.x(pixel), batch.y(pixel));
    if (!samples || !merger.alpha_passes(color.source0_alpha)) continue;
    if (!draw_->early) samples = late_samples(layout, pixel, i, samples);
    written_singly_ += static_cast<uint64_t>(std::popcount(samples));
    if (samples) merger.write(view_, rt, mode, batch.x(pixel), batch.y(pixel), object_->layer, samples, color);
  }
  return SendResult::done;
}

SendResult PixelWorker::render_target_read(const Message& message) {
  // The response has red, green, blue and alpha of the current sample (the first one when pixels are shaded as a whole).
  const PixelBatch& batch = running();
  const unsigned width = message.op.simd, first = message.op.high_slots ? 16 : 0, registers = width / 8;
  const uint32_t bti = message.op.binding.index;
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned pixel = first + i;
    if (!(message.exec_mask >> i & 1) || pixel >= draw_->simd) continue;
    const surface::Word4 color = draw_->merger.read(view_, rt, batch.x(pixel), batch.y(pixel), object_->layer, batch.sample_id);
    for (unsigned c = 0; c < 4; ++c) {
      const size_t reg = c * registers + i / 8;
      if (reg < message.response.size()) message.response[reg].dw[i % 8] = color[c];
    }
  }
  return SendResult::done;
}

}  // namespace softgen::render

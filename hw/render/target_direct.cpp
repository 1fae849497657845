// SPDX-License-Identifier: GPL-2.0-or-later
// Direct answers to render target writes: without headers or coverage masks, of one source, to the first target.
#include <bit>

#include "hw/render/target_layout.h"

namespace softgen::render {

/// What direct_write() found out about messages of one form. Its functions answer them.
struct TargetWriter::DirectWrite {
  TargetWriter* writer;
  const ColorKernel* kernel;
  const RenderTarget* target;
  unsigned count;                                   ///< pixels, from the first on
  bool last;                                        ///< the message ends the thread
  std::array<std::array<uint8_t, 2>, 4> registers;  ///< of each component, for eight pixels each
  ColorCodes codes;

  static bool answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv&) {
    const auto& d = *static_cast<const DirectWrite*>(answer.state.get());
    TargetWriter& writer = *d.writer;
    PixelThread& thread = writer.context_.thread();
    if (thread.object->fade) return false;
    const uint32_t pixels = mask & ((1u << d.count) - 1), live = thread.live & pixels;
    writer.note_written(thread, pixels, d.last);
    if (!writer.draw_->early) writer.pass(thread, live);
    if (!live || thread.object->layer >= d.target->surface.view_extent) return d.wrote(answer, 0);
    const uint32_t x = thread.quads[0] & 0xffff, y = thread.quads[0] >> 16;
    if (const TargetBlock * block;
        thread.square && d.count == 16 && live == 0xffff && (block = writer.target_block(*d.target, thread.object->layer, x, y))) {
      ColorSquare square{.source = {}, .at = block->square(x, y), .row = block->row};
      for (unsigned half = 0; half < 2; ++half)
        for (unsigned c = 0; c < 4; ++c) square.source[half][c] = reinterpret_cast<const float*>(registers[d.registers[c][half]].dw);
      writer.kernels_.write_square(*d.kernel, square);
      return true;
    }
    const auto source = [&](unsigned lane, ColorPixels& eight) {
      for (unsigned c = 0; c < 4; ++c) {
        eight.source[c] = reinterpret_cast<const float*>(registers[d.registers[c][lane / 8]].dw);
        eight.source1[c] = nullptr;
      }
    };
    return d.wrote(answer, writer.write_pixels(thread, *d.kernel, *d.target, live, 0, d.count, false, source));
  }
  /// Counts the message, of which `pixels` pixels were written. Always true.
  bool wrote(const DirectAnswer& answer, uint32_t pixels) const {
    answer.left_out += count - pixels;
    return true;
  }
  static bool answer_words(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
};

/// For a target that copies_words(): two neighbouring pixels of a quad at a time.
bool TargetWriter::DirectWrite::answer_words(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv&) {
  const auto& d = *static_cast<const DirectWrite*>(answer.state.get());
  TargetWriter& writer = *d.writer;
  PixelThread& thread = writer.context_.thread();
  const uint32_t pixels = mask & ((1u << d.count) - 1);
  uint32_t live = thread.live & pixels, written = 0;
  writer.note_written(thread, pixels, d.last);
  if (!writer.draw_->early) writer.pass(thread, live);
  if (thread.object->layer >= d.target->surface.view_extent) return d.wrote(answer, 0);
  const uint32_t slice = thread.object->layer + d.target->surface.min_array_element;
  while (live) {
    const unsigned first = static_cast<unsigned>(std::countr_zero(live)) & ~1u, half = first / 8;
    std::array<surface::Word4, 2> words;
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; i < 2; ++i) words[i][c] = registers[d.registers[c][half]].dw[first % 8 + i];
    written +=
        count_of_eight(d.target->write_words(writer.context_.view, thread.x(first), thread.y(first), slice, live >> first & 3, words));
    live &= ~(3u << first);
  }
  return d.wrote(answer, written);
}

void TargetWriter::direct_write(const MessageForm& form, DirectAnswer& answer) {
  const Message message = form.without_contents();
  if (draw_->coarse || message.header_present() || !message.op.is_plain() || message.op.binding.index != 0 || draw_->merger.tests_alpha() ||
      !(draw_->early || tests_pass_trivially()) || draw_->targets.empty())
    return;
  const bool words = !draw_->color[0] && draw_->merger.copies_words(draw_->targets[0], 0);
  if (!draw_->color[0] && !words) return;
  const WriteLayout layout(message, draw_->state.pixel);
  if (!layout.valid || layout.dual || layout.replicated || layout.first != 0 || layout.omask_at != WriteLayout::none) return;
  const ColorKernel* const kernel = words ? nullptr : &*draw_->color[0];
  // Compiled code runs with MXCSR.DAZ, which changes blending of infinities with denormals unless colours are clamped before.
  if (kernel && kernel->blending && !kernel->clamp_before) return;
  DirectWrite direct{this, kernel, &draw_->targets[0], layout.count, message.end_of_thread, {}, {}};
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned half = 0; half < layout.registers; ++half) {
      const size_t index = layout.color_at + c * layout.registers + half;
      if (index >= form.registers()) return;
      direct.registers[c][half] = static_cast<uint8_t>(form.reg(static_cast<unsigned>(index)));
    }
  answer.function = words ? DirectWrite::answer_words : DirectWrite::answer;
  answer.work = {.unit = MessageWork::Unit::target, .blending = kernel && kernel->blending, .channels = static_cast<uint8_t>(layout.count)};
  if (words) {
    answer.state = std::make_shared<const DirectWrite>(direct);
    return;
  }
  direct.codes = color_codes(*kernel);
  const auto state = std::make_shared<const DirectWrite>(direct);
  if (kernel->has_codes() && draw_->early) answer.colors = &state->codes;
  answer.state = state;
}

}  // namespace softgen::render

// SPDX-License-Identifier: GPL-2.0-or-later
// The places of a write message's registers; and the writes of colours by kernels, which send() and direct answers share.
#pragma once

#include <bit>
#include <optional>
#include <utility>

#include "hw/render/target_quads.h"
#include "hw/render/target_writer.h"

namespace softgen::render {

/// The places of a write message's registers; `none`: it has no such ones.
struct TargetWriter::WriteLayout {
  static constexpr size_t none = ~size_t{0};
  WriteLayout(const Message& message, const PixelState& pixel);

  uint32_t dword(size_t reg, unsigned lane) const {
    const size_t index = reg + (registers == 2 ? lane / 8 : 0);
    return message.reg(index).dw[lane % 8];
  }
  uint32_t color(size_t at, unsigned component, unsigned lane) const {
    return replicated ? message.reg(at).dw[component] : dword(at + size_t{component} * registers, lane);
  }
  uint32_t omask(unsigned slot) const { return reinterpret_cast<const uint16_t*>(message.reg(omask_at).dw)[slot]; }
  PixelColor pixel_color(unsigned lane) const {
    PixelColor result;
    for (unsigned c = 0; c < 4; ++c) {
      result.source0[c] = color(color_at, c, lane);
      if (dual) result.source1[c] = color(source1_at, c, lane);
    }
    result.source0_alpha = alpha(lane);
    return result;
  }
  /// Render target 0's.
  float alpha(unsigned lane) const { return std::bit_cast<float>(alpha_at != none ? dword(alpha_at, lane) : color(color_at, 3, lane)); }
  /// The pixels to be written, as a mask of the thread's pixels.
  uint32_t thread_pixels() const { return (pixels & ((1u << count) - 1)) << first; }
  uint8_t stencil(unsigned lane) const { return reinterpret_cast<const uint8_t*>(message.reg(stencil_at).dw)[lane]; }

  const Message& message;
  bool valid, replicated, dual;
  unsigned first, count, registers;  ///< pixels from `first` on; registers per component
  uint32_t pixels;                   ///< those to be written
  unsigned target = 0;               ///< index of the blend state
  size_t alpha_at = none, omask_at = none, color_at, source1_at = none, depth_at = none, stencil_at = none;
};

/// What the shader computed of a pixel, if it does.
struct TargetWriter::ShaderDepth {
  std::optional<float> z;
  std::optional<uint8_t> stencil;
};

/// Multiplies alpha with the part of pixel (x, y) that is covered.
inline void fade(PixelColor& color, const Fade& by, uint32_t x, uint32_t y) {
  const auto part = static_cast<float>(by.at(x + 0.5, y + 0.5));
  color.source0_alpha *= part;
  color.source0[3] = std::bit_cast<uint32_t>(std::bit_cast<float>(color.source0[3]) * part);
}

/// Records a message that covers `pixels`. With the thread's last one, live pixels that no message covered count as discarded by the shader.
inline void TargetWriter::note_written(PixelThread& thread, uint32_t pixels, bool last) {
  if (!last) thread.written |= pixels;
  else if (const uint32_t killed = thread.live & ~pixels & ~thread.written)
    context_.tally.killed += static_cast<uint64_t>(std::popcount(killed));
}

inline void TargetWriter::count_written(uint64_t samples, bool blended) {
  context_.tally.written += samples;
  if (blended) context_.tally.blended += samples;
}

/// Writes the colours of the pixels `live`, all of them among the `count` from `first` on; `source` gives those of eight. Returns how
/// many of them are within the target.
template <typename Source>
uint32_t TargetWriter::write_pixels(const PixelThread& thread, const ColorKernel& kernel, const RenderTarget& rt, uint32_t live,
                                    unsigned first, unsigned count, bool replicated, Source&& source) {
  const uint32_t layer = thread.object->layer, slice = layer + rt.surface.min_array_element;
  const auto rows_of = [&](uint32_t x, uint32_t y, std::byte** rows) -> uint32_t {
    const TargetBlock* const block = target_block(rt, layer, x, y);
    if (!block) return rt.quad_rows(context_.view, x, y, slice, rows);
    block->quad_rows(x, y, rows);
    return 15;
  };
  return write_quads(kernels_, kernel, rt, {thread.quads.data(), live, first, count, replicated}, rows_of, std::forward<Source>(source));
}

}  // namespace softgen::render

// SPDX-License-Identifier: GPL-2.0-or-later
// The places of a write message's registers; and the writes of colours by kernels, which send() and direct answers share.
#pragma once

#include <bit>
#include <optional>

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
    result.source0_alpha = std::bit_cast<float>(alpha_at != none ? dword(alpha_at, lane) : result.source0[3]);
    return result;
  }
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

/// Population count of eight bits.
constexpr uint32_t count_of_eight(uint32_t bits) { return (bits * 0x08040201u >> 3 & 0x11111111u) * 0x11111111u >> 28; }

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
  uint32_t written = 0;
  for (unsigned lane = 0; lane < count; lane += 8) {
    ColorPixels pixels;
    pixels.lanes = live >> (first + lane) & 0xff;
    pixels.replicated = replicated;
    const uint32_t one = thread.quads[(first + lane) / 4], other = thread.quads[(first + lane) / 4 + 1];
    const uint32_t x = one & 0xffff, y = one >> 16;
    const bool pair = x % 4 == 0 && other == one + 2 && x + 3 < rt.level->extent().width;
    uint32_t there = 0;
    const auto rows_of = [&](uint32_t at_x, uint32_t at_y, std::byte** rows) -> uint32_t {
      const TargetBlock* const block = target_block(rt, layer, at_x, at_y);
      if (!block) return rt.quad_rows(context_.view, at_x, at_y, slice, rows);
      block->quad_rows(at_x, at_y, rows);
      return 15;
    };
    if (pair || pixels.lanes & 15) there = rows_of(x, y, pixels.rows);
    if (pair) {
      if (!there) continue;  // below the level: there are no rows
      // Levels and slices start at multiples of four elements each way, and four pixels of 4 bytes are contiguous in all of these tilings.
      there |= there << 4;
      pixels.rows[2] = pixels.rows[0] + 8, pixels.rows[3] = pixels.rows[1] + 8;
    } else if (pixels.lanes & 0xf0) {
      there |= rows_of(other & 0xffff, other >> 16, pixels.rows + 2) << 4;
    }
    pixels.lanes &= there;
    pixels.pair = pair && pixels.lanes == 0xff;
    if (!pixels.lanes) continue;
    written += count_of_eight(pixels.lanes);
    source(lane, pixels);
    kernels_.write_color(kernel, pixels);
  }
  return written;
}

}  // namespace softgen::render

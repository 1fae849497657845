// SPDX-License-Identifier: GPL-2.0-or-later
// The places of a render target write's registers: Mesa brw_lower_logical_sends.cpp (lower_fb_write_logical_send).
#pragma once

#include <bit>

#include "hw/render/ilk/windowizer.h"

namespace softgen::render::ilk {

/// Where a message has what: two registers of header, stencil or coverage, colours, depths.
struct Windowizer::WriteLayout {
  using Form = TargetMessage::Form;
  static constexpr unsigned header_registers = 2;

  std::span<const Grf> registers;
  Form form;
  unsigned first = 0, count = 8;  ///< pixels of the thread
  size_t color_at = header_registers, source1_at = 0, depth_at = 0;
  bool dual = false, has_depth = false, valid = false;

  WriteLayout(const TargetMessage& how, std::span<const Grf> payload, bool extra, const DepthCase& depth)
      : registers(payload), form(how.form), has_depth(depth.source_to_target) {
    count = form == Form::simd16 || form == Form::replicated ? 16 : 8;
    first = form == Form::dual_high ? 8 : 0;
    dual = form == Form::dual_low || form == Form::dual_high;
    color_at += extra ? 1 : 0;
    const size_t colors = form == Form::replicated ? 1 : form == Form::simd16 || dual ? 8 : 4;
    source1_at = color_at + 4, depth_at = color_at + colors;
    const size_t depth_registers = count / 8;
    const size_t needed = depth_at + (has_depth ? depth_registers : 0) + (depth.stored_depth ? depth_registers : 0);
    valid = payload.size() >= needed;
  }

  uint32_t pixels() const { return registers[0].dw[0] & 0xffff; }
  /// `lane`: of the message's pixels.
  uint32_t color(size_t at, unsigned component, unsigned lane) const {
    if (form == Form::replicated) return registers[at].dw[component];
    return registers[at + component + (lane / 8) * 4].dw[lane % 8];
  }
  PixelColor pixel_color(unsigned lane) const {
    PixelColor out;
    for (unsigned c = 0; c < 4; ++c) {
      out.source0[c] = color(color_at, c, lane);
      if (dual) out.source1[c] = registers[source1_at + c].dw[lane % 8];
    }
    out.source0_alpha = std::bit_cast<float>(out.source0[3]);
    return out;
  }
  float alpha(unsigned lane) const { return std::bit_cast<float>(color(color_at, 3, lane)); }
  /// A component of eight pixels, or the one value of all.
  const float* floats(size_t at, unsigned component, unsigned lane) const {
    const bool one = form == Form::replicated;
    const Grf& reg = registers[one ? at : at + component + (lane / 8) * 4];
    return reinterpret_cast<const float*>(reg.dw + (one ? component : 0));
  }
  float depth(unsigned lane) const { return std::bit_cast<float>(registers[depth_at + lane / 8].dw[lane % 8]); }
};

}  // namespace softgen::render::ilk

// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels whose pixels are texels of one surface at the pixel's place plus a constant, stored in the format that they were read in: drivers copy buffers
// and images that way (Mesa's blorp). Their objects are copied as rectangles, without threads.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/iface/message_op.h"
#include "hw/render/draw_state.h"
#include "hw/render/pixel_draw.h"
#include "hw/render/setup.h"
#include "hw/surface/surface.h"

namespace softgen::render {

/// Where the pixels of an object come from.
struct TexelSource {
  SurfaceBinding binding;
  uint32_t level = 0, slice = 0;  ///< as the message says
  int32_t x = 0, y = 0;           ///< of the texel, less those of the pixel
};

/// Whether the code may be such a kernel: it ends with a write of what its only other message, a load of texels, was given. `simd`: channels of a thread.
bool may_copy_texels(const eu::Program& program, unsigned simd);

/// Of a draw whose kernel may_copy_texels(): what its pixels are if the object's constants and attributes say no more than a distance. Nothing: they are
/// not of that kind.
std::optional<TexelSource> find_texel_source(const PixelDraw& draw, const PreparedObject& object);

/// A level of a surface whose texels are to be copied to a target.
struct CopyPlan {
  surface::Level from;
  uint32_t from_slice = 0;
  int32_t x = 0, y = 0;  ///< as of TexelSource
  unsigned bytes = 0;    ///< of a texel
};

/// How to copy the texels of `from` for the pixels of `rect`, all within `to`, which stores_texels(). Nothing: they are not stored as they are read, or not
/// all within the level.
std::optional<CopyPlan> plan_copy(const surface::Surface& from, const RenderTarget& to, const TexelSource& source, const PixelRect& rect);

/// Copies them, row by row; `slice`: of the target. Ranges that overlap have their old texels or the copied ones.
void copy_texels(memory::View& view, const CopyPlan& plan, const RenderTarget& target, uint32_t slice, const PixelRect& rect);

}  // namespace softgen::render

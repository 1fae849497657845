// SPDX-License-Identifier: GPL-2.0-or-later
// What a payload has after the masks, in the order in which Mesa's brw_fs_thread_payload.cpp and IGC's PixelShaderCodeGen.cpp (AllocatePSPayload) read
// it; and the parts of a payload that coarse pixels have otherwise.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/render/pixel_payload.h"

namespace softgen::render {
namespace {

uint32_t as_dword(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

}  // namespace

/// Where the plane equations start: r1.1, r1.6, or on Gen12 with the planes only (brw_fs_nir.cpp, emit_pixel_interpolater_alu_at_offset).
void PayloadWriter::put_start() {
  if (!draw_->state.pixel.inputs.object_in_r1) own(1).dw[1] = as_dword(start()[0]), own(1).dw[6] = as_dword(start()[1]);
}

/// The coefficients of y and x, and the value at the start.
void PayloadWriter::put_plane(Grf& to, unsigned first, const Plane2& plane) const {
  const Point at = start();
  to.dw[first] = as_dword(plane.b), to.dw[first + 1] = as_dword(plane.a), to.dw[first + 3] = as_dword(plane.at(at[0], at[1]));
}

unsigned PayloadWriter::put_coefficients(const PixelThread& thread, unsigned reg) {
  const PixelCoefficients& wanted = draw_->state.pixel.inputs.coefficients;
  if (wanted.requested_size) {
    Grf& sizes = own(reg++) = {};
    for (unsigned quad = 0; quad < std::min(draw_->simd, 16u) / 4; ++quad)
      for (unsigned axis = 0; axis < 2; ++axis)
        sizes.dw[4 * axis + quad] = std::bit_cast<uint32_t>(thread.coarse ? thread.coarse->requested[quad][axis] : 1.0f);
  }
  const auto planes = [&](const Plane2& one, const Plane2& other) {
    Grf& to = own(reg++) = {};
    put_plane(to, 0, one), put_plane(to, 4, other);
    to.dw[2] = as_dword(start()[0]), to.dw[6] = as_dword(start()[1]);
  };
  if (wanted.planes()) put_start();
  if (wanted.depth_w) {
    Plane2 z = object_->z;
    z.c += object_->depth_bias;
    planes(z, object_->one_over_w);
  }
  if (wanted.perspective) planes(object_->perspective[0], object_->perspective[1]);
  if (wanted.linear) planes(object_->linear()[0], object_->linear()[1]);
  if (wanted.sample_offsets) {
    // Sixteen bytes of x, then of y, in sixteenths of a pixel.
    auto* bytes = reinterpret_cast<uint8_t*>((own(reg++) = {}).dw);
    for (unsigned i = 0; i < draw_->raster.samples; ++i)
      for (unsigned axis = 0; axis < 2; ++axis)
        bytes[16 * axis + i] = static_cast<uint8_t>(draw_->raster.sample_positions[i][axis] * 16 / subpixels);
  }
  return reg;
}

/// The samples of a coarse pixel follow each other pixel by pixel, row after row, as far as 32 bits go: chosen.
uint32_t PayloadWriter::coverage(const PixelThread& thread, unsigned pixel) const {
  if (!thread.coarse) return thread.coverage_of(pixel);
  uint32_t mask = 0;
  const unsigned pixels = thread.pixels_of_coarse();
  for (unsigned n = 0; n < pixels && n * draw_->raster.samples < 32; ++n)
    mask |= uint32_t{thread.coarse->coverage[pixel][n]} << n * draw_->raster.samples;
  return mask;
}

/// The centre of a coarse pixel that is wholly covered, or not at all; else the centroid of the first of its pixels that is covered: chosen.
PayloadWriter::Point PayloadWriter::coarse_centroid(const PixelThread& thread, unsigned pixel) const {
  const CoarseMask& covered = thread.coarse->coverage[pixel];
  const auto all = static_cast<uint16_t>((1u << draw_->raster.samples) - 1);
  const auto end = covered.begin() + thread.pixels_of_coarse();
  const auto first = std::find_if(covered.begin(), end, [](uint16_t samples) { return samples != 0; });
  if (first == end || std::all_of(covered.begin(), end, [&](uint16_t samples) { return samples == all; }))
    return {thread.center_x(pixel), thread.center_y(pixel)};
  const auto n = static_cast<uint32_t>(first - covered.begin());
  const auto [x, y] = thread.place(pixel, n);
  if (*first == all) return {x + 0.5, y + 0.5};
  const auto& place = draw_->raster.sample_positions[static_cast<size_t>(std::countr_zero(*first))];
  return {x + place[0] / double{subpixels}, y + place[1] / double{subpixels}};
}

}  // namespace softgen::render

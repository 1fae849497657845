// SPDX-License-Identifier: GPL-2.0-or-later
// Coverage of a block, and the table of one instruction set (PIXEL_KERNELS names it). See pixel_vectors.h.
#include "hw/render/pixel_kernels.h"

#include "hw/render/pixel_vectors.h"

namespace softgen::render {
namespace {

uint64_t coverage(const BlockEdge* edges, size_t count) {
  uint64_t out = 0;
  for (size_t e = 0; e < count; ++e) {
    const I8 step = {0, 1, 2, 3, 4, 5, 6, 7};
    I8 value = edges[e].corner + step * edges[e].a;
    for (unsigned row = 0; row < 8; ++row, value += edges[e].b) out |= uint64_t{sign_bits(value)} << 8 * row;
  }
  return ~out;
}

}  // namespace

extern const PixelKernels PIXEL_KERNELS;
const PixelKernels PIXEL_KERNELS{coverage, PIXEL_ISA::depth_test, PIXEL_ISA::depth_write, PIXEL_ISA::depth_block,
                                 PIXEL_ISA::interpolate, PIXEL_ISA::center_planes, PIXEL_ISA::write_color, PIXEL_ISA::write_square};

}  // namespace softgen::render

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/reconstruct.h"

#include <algorithm>

#include "hw/media/avc/intra.h"
#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc/transform.h"

namespace softgen::media::avc {

void Reconstructor::pcm(Residual& residual) {
  const Samples luma = c_.luma(), colors = c_.chroma();
  const std::span<uint8_t, 384> samples = residual.samples();
  for (unsigned i = 0; i < 256; ++i) luma.at[static_cast<ptrdiff_t>(i / 16) * luma.stride + i % 16] = samples[i];
  for (unsigned i = 0; i < 128 && !c_.picture.params.monochrome; ++i)
    colors.at[static_cast<ptrdiff_t>(i % 64 / 8) * colors.stride + i % 8 * 2 + i / 64] = samples[256 + i];
  std::ranges::fill(samples, uint8_t{0});
}

void Reconstructor::predict_intra(Residual& residual) {
  const Macroblock& mb = *c_.mb;
  const Samples luma = c_.luma();
  const auto usable = [this](int x, int y, unsigned rows) { return usable_for_intra(c_, x, y, rows); };
  const bool above = usable(0, -1, 1), corner = usable(-1, -1, 1);
  if (mb.kind == Kind::intra16) intra16(luma.at, luma.stride, residual.mode16, {usable(-1, 0, 16), above, corner, false});
  if (!c_.picture.params.monochrome) {
    const Samples colors = c_.chroma();
    intra_chroma(colors.at, colors.stride, mb.chroma_mode, {usable(-1, 0, 8), usable(-1, 8, 8)}, {false, above, corner, false});
  }
  if (mb.kind == Kind::intra16) return;
  const unsigned size = mb.transform8 ? 8 : 4;
  for (unsigned block = 0; block < 16; block += size * size / 16) {
    const int x = block_x[block] * 4, y = block_y[block] * 4, right = x + static_cast<int>(size);
    const bool later = y > 0 && (right >= 16 || block_at[y / 4 - 1][right / 4] > block);
    const Edges edges{usable(x - 1, y, size), usable(x, y - 1, 1), usable(x - 1, y - 1, 1), !later && usable(right, y - 1, 1)};
    uint8_t* const to = luma.at + y * luma.stride + x;
    const unsigned mode = mb.intra_mode[static_cast<unsigned>(y + x / 4)];
    (mb.transform8 ? intra8 : intra4)(to, luma.stride, mode, edges);
    if (!(residual.coded >> block & 1)) continue;
    if (mb.transform8) add8(residual.luma.data() + block * 16, to, luma.stride);
    else add4(residual.luma.data() + block * 16, to, luma.stride);
  }
  residual.coded &= ~0xffffu;
}

void Reconstructor::run(Residual& residual) {
  const Macroblock& mb = *c_.mb;
  if (mb.kind == Kind::pcm) return pcm(residual);
  if (mb.intra()) predict_intra(residual);
  else inter_.predict();
  const Samples luma = c_.luma();
  for (unsigned block = 0; block < 16 && residual.coded & 0xffff; block += mb.transform8 ? 4 : 1) {
    if (!(residual.coded >> block & 1)) continue;
    uint8_t* const to = luma.at + block_y[block] * 4 * luma.stride + block_x[block] * 4;
    if (mb.transform8) add8(residual.luma.data() + block * 16, to, luma.stride);
    else add4(residual.luma.data() + block * 16, to, luma.stride);
  }
  if (!(residual.coded >> 16)) return;
  const Samples colors = c_.chroma();
  for (unsigned i = 0; i < 4; ++i)
    if (residual.coded >> (16 + i) & 0x11)
      add4(residual.chroma[0].data() + i * 16, residual.chroma[1].data() + i * 16, colors.at + i / 2 * 4 * colors.stride + i % 2 * 8,
           colors.stride);
}

}  // namespace softgen::media::avc

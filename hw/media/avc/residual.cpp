// SPDX-License-Identifier: GPL-2.0-or-later
// Quantizer, coefficients and reconstruction of macroblocks.
#include <algorithm>

#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/intra.h"
#include "hw/media/avc/macroblock.h"
#include "hw/media/avc/tables.h"

namespace softgen::media::avc {

/// QP of the macroblock and its chroma, of the context's (8.5.8).
template <class Syntax>
bool MacroblockReader<Syntax>::quantizer() {
  c_.mb->qp = static_cast<uint8_t>(c_.qp);
  for (unsigned i = 0; i < 2; ++i) c_.mb->chroma_qp[i] = chroma_qp_table[std::clamp(c_.qp + c_.picture.params.chroma_qp_offset[i], 0, 51)];
  return true;
}

template <class Syntax>
bool MacroblockReader<Syntax>::residual() {
  Macroblock& mb = *c_.mb;
  if (mb.cbp || mb.kind == Kind::intra16) {
    const int delta = syntax_.qp_delta();
    if (delta < -26 || delta > 25) return false;
    c_.last_delta = delta;
    c_.qp = (c_.qp + delta + 52) % 52;
    quantizer();
    if (mb.kind == Kind::intra16) luma16_residual();
    else luma_residual();
    if (!c_.picture.params.monochrome && mb.cbp >> 4) chroma_residual();
  } else {
    c_.last_delta = 0;
    quantizer();
  }
  reconstruct();
  return true;
}

template <class Syntax>
void MacroblockReader<Syntax>::luma_block4(Cat cat, unsigned block, unsigned size) {
  Macroblock& mb = *c_.mb;
  const unsigned at = block_y[block] * 4u + block_x[block], count = syntax_.residual(cat, 0, at, size, levels_), skipped = 16 - size;
  mb.coefficients[0][at] = static_cast<uint8_t>(count);
  if (!count) return;
  coded_ |= 1u << block;
  const auto& scale = scale_.by4[mb.intra() ? 0 : 3][mb.qp % 6];
  for (unsigned i = 0; i < levels_.count; ++i) {
    const unsigned place = scan4[mb.field][levels_.place[i] + skipped];
    luma_[block * 16 + place] = scale4(levels_.level[i], scale[place], mb.qp);
  }
}

template <class Syntax>
void MacroblockReader<Syntax>::luma16_residual() {
  Macroblock& mb = *c_.mb;
  std::array<int32_t, 16> dc{};
  const bool any = syntax_.residual(Cat::luma_dc16, 0, 0, 16, levels_) != 0;
  for (unsigned i = 0; i < levels_.count; ++i) dc[scan4[mb.field][levels_.place[i]]] = levels_.level[i];
  if (mb.cbp & 15)
    for (unsigned block = 0; block < 16; ++block) luma_block4(Cat::luma_ac16, block, 15);
  if (!any) return;
  luma_dc(dc, scale_.by4[0][mb.qp % 6][0], mb.qp);
  for (unsigned block = 0; block < 16; ++block) {
    luma_[block * 16] = dc[block_y[block] * 4u + block_x[block]];
    if (luma_[block * 16]) coded_ |= 1u << block;
  }
}

template <class Syntax>
void MacroblockReader<Syntax>::luma_residual() {
  Macroblock& mb = *c_.mb;
  const auto& scale = scale_.by8[!mb.intra()][mb.qp % 6];
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    if (!(mb.cbp >> quarter & 1)) continue;
    const unsigned first = quarter * 4, at = block_y[first] * 4u + block_x[first];
    if (!mb.transform8) {
      for (unsigned block = first; block < first + 4; ++block) luma_block4(Cat::luma4, block, 16);
      continue;
    }
    const auto place = [&](unsigned scan, unsigned i) {
      const unsigned to = scan8[mb.field][scan];
      luma_[quarter * 64 + to] = scale8(levels_.level[i], scale[to], mb.qp);
      coded_ |= 1u << first;
    };
    auto& counts = mb.coefficients[0];
    if constexpr (Syntax::is_cabac) {
      const auto count = static_cast<uint8_t>(syntax_.residual(Cat::luma8, 0, at, 64, levels_));
      for (unsigned i = 0; i < levels_.count; ++i) place(levels_.place[i], i);
      counts[at] = counts[at + 1] = counts[at + 4] = counts[at + 5] = count;
    } else {
      for (unsigned part = 0; part < 4; ++part) {
        const unsigned of = block_y[first + part] * 4u + block_x[first + part];
        counts[of] = static_cast<uint8_t>(syntax_.residual(Cat::luma4, 0, of, 16, levels_));
        for (unsigned i = 0; i < levels_.count; ++i) place(levels_.place[i] * 4u + part, i);
      }
    }
  }
}

template <class Syntax>
void MacroblockReader<Syntax>::chroma_residual() {
  Macroblock& mb = *c_.mb;
  for (unsigned plane = 0; plane < 2; ++plane) {
    std::array<int32_t, 4> dc{};
    if (!syntax_.residual(Cat::chroma_dc, plane + 1, 0, 4, levels_)) continue;
    for (unsigned i = 0; i < levels_.count; ++i) dc[levels_.place[i]] = levels_.level[i];
    const unsigned qp = mb.chroma_qp[plane];
    chroma_dc(dc, scale_.by4[(mb.intra() ? 1 : 4) + plane][qp % 6][0], qp);
    for (unsigned block = 0; block < 4; ++block) {
      chroma_[plane][block * 16] = dc[block];
      if (dc[block]) coded_ |= 1u << (16 + plane * 4 + block);
    }
  }
  if (mb.cbp >> 4 != 2) return;
  for (unsigned plane = 0; plane < 2; ++plane) {
    const unsigned qp = mb.chroma_qp[plane];
    const auto& scale = scale_.by4[(mb.intra() ? 1 : 4) + plane][qp % 6];
    for (unsigned block = 0; block < 4; ++block) {
      const unsigned count = syntax_.residual(Cat::chroma_ac, plane + 1, block, 15, levels_);
      mb.coefficients[plane + 1][block] = static_cast<uint8_t>(count);
      if (count) coded_ |= 1u << (16 + plane * 4 + block);
      for (unsigned i = 0; i < levels_.count; ++i) {
        const unsigned place = scan4[mb.field][levels_.place[i] + 1u];
        chroma_[plane][block * 16 + place] = scale4(levels_.level[i], scale[place], qp);
      }
    }
  }
}

// Samples left of `rows` rows from (x + 1, y) on, or the one at (x, y), may be used for intra prediction.
template <class Syntax>
bool MacroblockReader<Syntax>::usable(int x, int y, unsigned rows) const {
  const bool constrained = c_.picture.params.constrained_intra;
  const unsigned step = c_.picture.params.mbaff && constrained ? 1 : rows;
  for (unsigned i = 0; i < rows; i += step) {
    const Location at = c_.locate(x, y + static_cast<int>(i));
    if (!at.mb || (constrained && !at.mb->intra())) return false;
  }
  return true;
}

template <class Syntax>
void MacroblockReader<Syntax>::predict_intra() {
  const Macroblock& mb = *c_.mb;
  const Samples luma = c_.luma();
  const bool above = usable(0, -1, 1), corner = usable(-1, -1, 1);
  if (mb.kind == Kind::intra16) intra16(luma.at, luma.stride, mode16_, {usable(-1, 0, 16), above, corner, false});
  if (!c_.picture.params.monochrome) {
    const Samples colors = c_.chroma();
    for (unsigned plane = 0; plane < 2; ++plane)
      intra_chroma(colors.at + plane, colors.stride, mb.chroma_mode, {usable(-1, 0, 8), usable(-1, 8, 8)}, {false, above, corner, false});
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
    if (!(coded_ >> block & 1)) continue;
    if (mb.transform8) add8(luma_.data() + block * 16, to, luma.stride);
    else add4(luma_.data() + block * 16, to, luma.stride, 1);
  }
  coded_ &= ~0xffffu;
}

template <class Syntax>
void MacroblockReader<Syntax>::reconstruct() {
  const Macroblock& mb = *c_.mb;
  if (mb.intra()) predict_intra();
  else inter_.predict();
  const Samples luma = c_.luma();
  for (unsigned block = 0; block < 16 && coded_ & 0xffff; block += mb.transform8 ? 4 : 1) {
    if (!(coded_ >> block & 1)) continue;
    uint8_t* const to = luma.at + block_y[block] * 4 * luma.stride + block_x[block] * 4;
    if (mb.transform8) add8(luma_.data() + block * 16, to, luma.stride);
    else add4(luma_.data() + block * 16, to, luma.stride, 1);
  }
  if (!(coded_ >> 16)) return;
  const Samples colors = c_.chroma();
  for (unsigned i = 0; i < 8; ++i)
    if (coded_ >> (16 + i) & 1)
      add4(chroma_[i / 4].data() + i % 4 * 16, colors.at + i % 4 / 2 * 4 * colors.stride + i % 2 * 8 + i / 4, colors.stride, 2);
}

template class MacroblockReader<CabacSyntax>;
template class MacroblockReader<CavlcSyntax>;

}  // namespace softgen::media::avc

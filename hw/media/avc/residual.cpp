// SPDX-License-Identifier: GPL-2.0-or-later
// Quantizer and coefficients of macroblocks.
#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/macroblock.h"
#include "hw/media/avc/tables.h"

namespace softgen::media::avc {

template <class Syntax>
bool MacroblockReader<Syntax>::residual() {
  Macroblock& mb = *c_.mb;
  if (mb.cbp || mb.kind == Kind::intra16) {
    const int delta = syntax_.qp_delta();
    if (delta < -26 || delta > 25) return false;
    c_.last_delta = delta;
    c_.qp = (c_.qp + delta + 52) % 52;
    c_.set_quantizer(c_.qp);
    if (mb.kind == Kind::intra16) luma16_residual();
    else luma_residual();
    if (!c_.picture.params.monochrome && mb.cbp >> 4) chroma_residual();
  } else {
    c_.last_delta = 0;
    c_.set_quantizer(c_.qp);
  }
  return true;
}

template <class Syntax>
void MacroblockReader<Syntax>::luma_block4(Cat cat, unsigned block, unsigned size) {
  Macroblock& mb = *c_.mb;
  const unsigned at = block_y[block] * 4u + block_x[block], count = syntax_.residual(cat, 0, at, size, levels_), skipped = 16 - size;
  mb.coefficients[0][at] = static_cast<uint8_t>(count);
  if (!count) return;
  residual_->coded |= 1u << block;
  const auto& scale = scale_.by4[mb.intra() ? 0 : 3][mb.qp % 6];
  for (unsigned i = 0; i < levels_.count; ++i) {
    const unsigned place = scan4[mb.field][levels_.place[i] + skipped];
    residual_->luma[block * 16 + place] = scale4(levels_.level[i], scale[place], mb.qp);
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
    residual_->luma[block * 16] = static_cast<int16_t>(dc[block_y[block] * 4u + block_x[block]]);
    if (residual_->luma[block * 16]) residual_->coded |= 1u << block;
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
      residual_->luma[quarter * 64 + to] = scale8(levels_.level[i], scale[to], mb.qp);
      residual_->coded |= 1u << first;
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
      residual_->chroma[plane][block * 16] = static_cast<int16_t>(dc[block]);
      if (dc[block]) residual_->coded |= 1u << (16 + plane * 4 + block);
    }
  }
  if (mb.cbp >> 4 != 2) return;
  for (unsigned plane = 0; plane < 2; ++plane) {
    const unsigned qp = mb.chroma_qp[plane];
    const auto& scale = scale_.by4[(mb.intra() ? 1 : 4) + plane][qp % 6];
    for (unsigned block = 0; block < 4; ++block) {
      const unsigned count = syntax_.residual(Cat::chroma_ac, plane + 1, block, 15, levels_);
      mb.coefficients[plane + 1][block] = static_cast<uint8_t>(count);
      if (count) residual_->coded |= 1u << (16 + plane * 4 + block);
      for (unsigned i = 0; i < levels_.count; ++i) {
        const unsigned place = scan4[mb.field][levels_.place[i] + 1u];
        residual_->chroma[plane][block * 16 + place] = scale4(levels_.level[i], scale[place], qp);
      }
    }
  }
}

template class MacroblockReader<CabacSyntax>;
template class MacroblockReader<CavlcSyntax>;

}  // namespace softgen::media::avc

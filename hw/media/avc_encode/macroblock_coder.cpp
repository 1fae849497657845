// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/macroblock_coder.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/avc/tables.h"

namespace softgen::media::avc {

bool has_samples(unsigned mode, const Edges& edges) {
  switch (mode) {
    case 0:
    case 3:
    case 7: return edges.above;
    case 1:
    case 8: return edges.left;
    case 2: return true;
    default: return mode < 9 && edges.left && edges.above && edges.corner;
  }
}

bool has_samples16(unsigned mode, const Edges& edges) {
  const std::array<bool, 4> has{edges.above, edges.left, true, edges.left && edges.above && edges.corner};
  return mode < 4 && has[mode];
}

bool has_samples_chroma(unsigned mode, const Edges& edges) {
  const std::array<bool, 4> has{true, edges.left, edges.above, edges.left && edges.above && edges.corner};
  return mode < 4 && has[mode];
}

void MacroblockCoder::reset(Kind kind, int qp) {
  Macroblock& mb = *c_.mb;
  mb = Macroblock{};
  mb.kind = kind;
  mb.slice = c_.id;
  c_.set_quantizer(qp);
  for (unsigned i = 0; i < 2; ++i) mb.ref[i].fill(-1), mb.picture[i].fill(-1);
}

bool MacroblockCoder::usable(int x, int y) const {
  const Location at = c_.locate(x, y);
  return at.mb && (!c_.picture.params.constrained_intra || at.mb->intra());
}

Block MacroblockCoder::source(unsigned x, unsigned y) const {
  const Plane<uint8_t>& luma = input_.source.luma;
  return {luma.at(c_.x * 16 + x, c_.y * 16 + y), static_cast<ptrdiff_t>(luma.stride())};
}

Block MacroblockCoder::source_chroma(unsigned plane) const {
  const Plane<uint8_t>& chroma = input_.source.chroma;
  return {chroma.at(c_.x * 16 + plane, c_.y * 8), static_cast<ptrdiff_t>(chroma.stride()), 2};
}

Edges MacroblockCoder::edges() const { return {usable(-1, 0), usable(0, -1), usable(-1, -1), false}; }

Edges MacroblockCoder::edges(unsigned block, int size) const {
  const int x = block_x[block] * 4, y = block_y[block] * 4, right = x + size;
  const bool later = y > 0 && (right >= 16 || block_at[y / 4 - 1][right / 4] > block);
  return {usable(x - 1, y), usable(x, y - 1), usable(x - 1, y - 1), !later && usable(right, y - 1)};
}

void MacroblockCoder::block4(unsigned block, CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u, list = mb.intra() ? 0 : 3;
  if (!(coded.mask.luma >> block & 1)) return;
  const Samples luma = c_.luma();
  uint8_t* const to = luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x;
  std::array<int32_t, 16> coefficients;
  forward4(source(x, y), {to, luma.stride}, coefficients);
  alignas(16) std::array<int16_t, 16> scaled{};
  unsigned count = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned place = scan4[0][i];
    const int16_t level = input_.quantizer.level4(coefficients[place], list, place, mb.qp);
    coded.luma[block][i] = level;
    if (!level) continue;
    ++count;
    scaled[place] = scale4(level, input_.scale.by4[list][mb.qp % 6][place], mb.qp);
  }
  mb.coefficients[0][block_y[block] * 4u + block_x[block]] = static_cast<uint8_t>(count);
  if (!count) return;
  mb.cbp |= static_cast<uint8_t>(1u << block / 4);
  add4(scaled.data(), to, luma.stride);
}

// Counts are as the decoder's two entropy coders give them.
void MacroblockCoder::block8(unsigned quarter, CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  const unsigned x = quarter % 2 * 8, y = quarter / 2 * 8, at = y + x / 4, list = !mb.intra();
  if (!(coded.mask.luma >> quarter * 4 & 0xf)) return;
  const Samples luma = c_.luma();
  uint8_t* const to = luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x;
  std::array<int32_t, 64> coefficients;
  forward8(source(x, y), {to, luma.stride}, coefficients);
  alignas(16) std::array<int16_t, 64> scaled{};
  std::array<unsigned, 4> counts{};
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned place = scan8[0][i];
    const int16_t level = input_.quantizer.level8(coefficients[place], list, place, mb.qp);
    coded.luma8[quarter][i] = level;
    if (!level) continue;
    ++counts[i % 4];
    scaled[place] = scale8(level, input_.scale.by8[list][mb.qp % 6][place], mb.qp);
  }
  const unsigned all = counts[0] + counts[1] + counts[2] + counts[3];
  for (unsigned i = 0; i < 4; ++i)
    mb.coefficients[0][at + i / 2 * 4 + i % 2] = static_cast<uint8_t>(c_.picture.params.cabac ? all : counts[i]);
  if (!all) return;
  mb.cbp |= static_cast<uint8_t>(1u << quarter);
  add8(scaled.data(), to, luma.stride);
}

// Each block is predicted from samples that are reconstructed already.
void MacroblockCoder::intra_blocks(CodedMacroblock& coded) {
  const Macroblock& mb = *c_.mb;
  const Samples luma = c_.luma();
  for (unsigned block = 0; block < 16; block += mb.transform8 ? 4 : 1) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u;
    uint8_t* const to = luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x;
    const unsigned mode = mb.intra_mode[y + x / 4];
    if (mb.transform8) intra8(to, luma.stride, mode, edges(block, 8)), block8(block / 4, coded);
    else intra4(to, luma.stride, mode, edges(block, 4)), block4(block, coded);
  }
}

void MacroblockCoder::intra16(CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  mb.intra_mode.fill(2);
  const Samples luma = c_.luma();
  avc::intra16(luma.at, luma.stride, coded.mode16, edges());
  const auto& scale = input_.scale.by4[0][mb.qp % 6];
  alignas(16) std::array<std::array<int16_t, 16>, 16> scaled{};
  std::array<int32_t, 16> dc{}, coefficients;
  unsigned any = 0;
  for (unsigned block = 0; block < 16; ++block) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u;
    forward4(source(x, y), {luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x, luma.stride}, coefficients);
    dc[y + x / 4] = coded.mask.dc & 1 ? coefficients[0] : 0;
    if (!(coded.mask.luma >> block & 1)) continue;
    unsigned count = 0;
    for (unsigned i = 1; i < 16; ++i) {
      const unsigned place = scan4[0][i];
      const int16_t level = input_.quantizer.level4(coefficients[place], 0, place, mb.qp);
      coded.luma[block][i - 1] = level;
      if (!level) continue;
      ++count;
      scaled[block][place] = scale4(level, scale[place], mb.qp);
    }
    mb.coefficients[0][y + x / 4] = static_cast<uint8_t>(count);
    any |= count;
  }
  if (any) mb.cbp = 15;
  forward_luma_dc(dc);
  std::array<int32_t, 16> levels{};
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned place = scan4[0][i];
    coded.luma_dc[i] = input_.quantizer.luma_dc_level(dc[place], mb.qp);
    levels[place] = coded.luma_dc[i];
    if (levels[place]) mb.dc_coded |= 1;
  }
  if (mb.dc_coded & 1) luma_dc(levels, scale[0], mb.qp);
  for (unsigned block = 0; block < 16; ++block) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u;
    scaled[block][0] = static_cast<int16_t>(levels[y + x / 4]);
    add4(scaled[block].data(), luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x, luma.stride);
  }
}

void MacroblockCoder::intra_chroma(CodedMacroblock& coded) {
  if (c_.picture.params.monochrome) return;
  const Samples colors = c_.chroma();
  const Edges of = edges();
  avc::intra_chroma(colors.at, colors.stride, c_.mb->chroma_mode, {of.left, of.left}, of);
  chroma(coded);
}

void MacroblockCoder::chroma(CodedMacroblock& coded) {
  if (c_.picture.params.monochrome) return;
  Macroblock& mb = *c_.mb;
  const Samples colors = c_.chroma();
  alignas(16) std::array<std::array<std::array<int16_t, 16>, 4>, 2> scaled{};
  bool any_ac = false;
  for (unsigned plane = 0; plane < 2; ++plane) {
    const unsigned list = (mb.intra() ? 1 : 4) + plane, qp = mb.chroma_qp[plane];
    const auto& scale = input_.scale.by4[list][qp % 6];
    const Block wanted = source_chroma(plane);
    std::array<int32_t, 4> dc{};
    std::array<int32_t, 16> coefficients;
    for (unsigned block = 0; block < 4; ++block) {
      const unsigned x = block % 2 * 4, y = block / 2 * 4;
      forward4({wanted.at + y * wanted.stride + x * 2, wanted.stride, 2}, {colors.at + plane + y * colors.stride + x * 2, colors.stride, 2},
               coefficients);
      dc[block] = coded.mask.dc >> (plane + 1) & 1 ? coefficients[0] : 0;
      if (!(coded.mask.chroma[plane] >> block & 1)) continue;
      unsigned count = 0;
      for (unsigned i = 1; i < 16; ++i) {
        const unsigned place = scan4[0][i];
        const int16_t level = input_.quantizer.level4(coefficients[place], list, place, qp);
        coded.chroma_ac[plane][block][i - 1] = level;
        if (!level) continue;
        ++count;
        scaled[plane][block][place] = scale4(level, scale[place], qp);
      }
      mb.coefficients[plane + 1][block] = static_cast<uint8_t>(count);
      any_ac |= count != 0;
    }
    forward_chroma_dc(dc);
    for (unsigned i = 0; i < 4; ++i) {
      coded.chroma_dc[plane][i] = input_.quantizer.chroma_dc_level(dc[i], list, qp);
      dc[i] = coded.chroma_dc[plane][i];
      if (dc[i]) mb.dc_coded |= static_cast<uint8_t>(2u << plane);
    }
    chroma_dc(dc, scale[0], qp);
    for (unsigned block = 0; block < 4; ++block) scaled[plane][block][0] = static_cast<int16_t>(dc[block]);
  }
  if (any_ac) mb.cbp |= 2 << 4;
  else if (mb.dc_coded >> 1) mb.cbp |= 1 << 4;
  else return;
  for (unsigned block = 0; block < 4; ++block)
    add4(scaled[0][block].data(), scaled[1][block].data(), colors.at + block / 2 * 4 * colors.stride + block % 2 * 8, colors.stride);
}

void MacroblockCoder::inter_luma(CodedMacroblock& coded) {
  for (unsigned block = 0; block < 16; ++block) {
    if (!c_.mb->transform8) block4(block, coded);
    else if (block % 4 == 0) block8(block / 4, coded);
  }
}

void MacroblockCoder::pcm(CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  const Samples luma = c_.luma(), colors = c_.chroma();
  const bool has_chroma = !c_.picture.params.monochrome;
  coded.pcm.resize(has_chroma ? 384 : 256);
  const Block wanted = source(0, 0);
  for (unsigned i = 0; i < 256; ++i) {
    const uint8_t sample = wanted.at[static_cast<ptrdiff_t>(i / 16) * wanted.stride + i % 16];
    coded.pcm[i] = luma.at[static_cast<ptrdiff_t>(i / 16) * luma.stride + i % 16] = sample;
  }
  for (unsigned i = 0; i < 128 && has_chroma; ++i) {
    const unsigned plane = i / 64, x = i % 8 * 2, y = i % 64 / 8;
    const Block from = source_chroma(plane);
    const uint8_t sample = from.at[static_cast<ptrdiff_t>(y) * from.stride + x];
    coded.pcm[256 + i] = colors.at[static_cast<ptrdiff_t>(y) * colors.stride + x + plane] = sample;
  }
  mb.cbp = 0x2f, mb.dc_coded = 7;
  for (auto& plane : mb.coefficients) plane.fill(16);
  c_.set_quantizer(0);
}

void MacroblockCoder::set_vectors(unsigned list, unsigned index, const std::array<Mv, 16>& vectors, CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  for_each_part(coded, index, [&](const Partition& part) {
    const unsigned block = first_block(part);
    const Mv mv = vectors[block], predicted = motion_.predict(list, mb.ref[list][first_quarter(part)], part);
    const Mv difference =
        coded.difference[list][block] = {static_cast<int16_t>(mv.x - predicted.x), static_cast<int16_t>(mv.y - predicted.y)};
    motion_.set(list, part, mv);
    const std::array<uint8_t, 2> size{static_cast<uint8_t>(std::min(std::abs(difference.x), 255)),
                                      static_cast<uint8_t>(std::min(std::abs(difference.y), 255))};
    for (unsigned y = 0; y < part.height / 4u; ++y)
      for (unsigned x = 0; x < part.width / 4u; ++x) mb.mvd[list][block + y * 4 + x] = size;
  });
}

}  // namespace softgen::media::avc

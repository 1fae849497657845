// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/macroblock_encoder.h"

#include <algorithm>
#include <cstring>

#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"

namespace softgen::media::avc {
namespace {

/// What a bit is worth in differences: 2^((QP - 12) / 6).
constexpr uint32_t lambda_of(unsigned qp) {
  constexpr uint32_t sixteenths[6] = {16, 18, 20, 23, 25, 29};
  return qp < 12 ? 1 : ((sixteenths[qp % 6] << (qp / 6 - 2)) + 8) >> 4;
}

/// Bits of I_NxN's type and pattern beyond Intra_16x16's, about.
constexpr uint32_t intra4_bits = 12;

/// Which modes of Intra_4x4 have their samples (8.3.1.2).
bool has_samples(unsigned mode, const Edges& edges) {
  switch (mode) {
    case 0:
    case 3:
    case 7: return edges.above;
    case 1:
    case 8: return edges.left;
    case 2: return true;
    default: return edges.left && edges.above && edges.corner;
  }
}

}  // namespace

MacroblockEncoder::MacroblockEncoder(Context& context, const EncodeInput& input)
    : c_(context),
      input_(input),
      motion_(context, no_motion_),
      inter_(context, motion_, input.references),
      search_(context, motion_, input.planes, input.range, lambda_of(context.slice.qp)),
      lambda_(lambda_of(context.slice.qp)) {}

void MacroblockEncoder::reset(Kind kind) {
  Macroblock& mb = *c_.mb;
  mb = Macroblock{};
  mb.kind = kind;
  mb.slice = c_.id;
  mb.qp = c_.slice.qp;
  for (unsigned i = 0; i < 2; ++i) {
    mb.chroma_qp[i] = chroma_qp_table[std::clamp(c_.slice.qp + c_.picture.params.chroma_qp_offset[i], 0, 51)];
    mb.ref[i].fill(-1), mb.picture[i].fill(-1);
  }
}

bool MacroblockEncoder::usable(int x, int y) const {
  const Location at = c_.locate(x, y);
  return at.mb && (!c_.picture.params.constrained_intra || at.mb->intra());
}

Block MacroblockEncoder::source(unsigned x, unsigned y) const {
  const Plane<uint8_t>& luma = input_.source.luma;
  return {luma.at(c_.x * 16 + x, c_.y * 16 + y), static_cast<ptrdiff_t>(luma.stride())};
}

Block MacroblockEncoder::source_chroma(unsigned plane) const {
  const Plane<uint8_t>& chroma = input_.source.chroma;
  return {chroma.at(c_.x * 16 + plane, c_.y * 8), static_cast<ptrdiff_t>(chroma.stride()), 2};
}

Edges MacroblockEncoder::edges16() const { return {usable(-1, 0), usable(0, -1), usable(-1, -1), false}; }

Edges MacroblockEncoder::edges4(unsigned block) const {
  const int x = block_x[block] * 4, y = block_y[block] * 4, right = x + 4;
  const bool later = y > 0 && (right >= 16 || block_at[y / 4 - 1][right / 4] > block);
  return {usable(x - 1, y), usable(x, y - 1), usable(x - 1, y - 1), !later && usable(right, y - 1)};
}

unsigned MacroblockEncoder::code_block(unsigned block, CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u, list = mb.intra() ? 0 : 3;
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
  if (!count) return 0;
  mb.cbp |= static_cast<uint8_t>(1u << block / 4);
  add4(scaled.data(), to, luma.stride);
  return count;
}

// Each block is predicted from samples that are reconstructed already.
uint32_t MacroblockEncoder::code4(CodedMacroblock& coded, uint32_t limit) {
  reset(Kind::intra4);
  Macroblock& mb = *c_.mb;
  const Samples luma = c_.luma();
  uint32_t total = lambda_ * intra4_bits;
  for (unsigned block = 0; block < 16 && total < limit; ++block) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u, at = y + x / 4;
    uint8_t* const to = luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x;
    const Edges edges = edges4(block);
    const unsigned predicted = predicted_intra_mode(c_, at);
    const Block wanted = source(x, y);
    uint32_t best = ~0u;
    unsigned chosen = 2;
    for (unsigned mode = 0; mode < 9; ++mode) {
      if (!has_samples(mode, edges)) continue;
      intra4(to, luma.stride, mode, edges);
      const uint32_t cost = satd(wanted, {to, luma.stride}, 4, 4) + lambda_ * (mode == predicted ? 1 : 4);
      if (cost < best) best = cost, chosen = mode;
    }
    intra4(to, luma.stride, chosen, edges);
    mb.intra_mode[at] = static_cast<uint8_t>(chosen);
    code_block(block, coded);
    total += best;
  }
  return total;
}

uint32_t MacroblockEncoder::choose16(CodedMacroblock& coded) {
  const Samples luma = c_.luma();
  const Edges edges = edges16();
  const std::array<bool, 4> has{edges.above, edges.left, true, edges.left && edges.above && edges.corner};
  uint32_t best = ~0u;
  for (unsigned mode = 0; mode < 4; ++mode) {
    if (!has[mode]) continue;
    intra16(luma.at, luma.stride, mode, edges);
    const uint32_t cost = satd(source(0, 0), {luma.at, luma.stride}, 16, 16) + lambda_ * 3;
    if (cost < best) best = cost, coded.mode16 = static_cast<uint8_t>(mode);
  }
  return best;
}

void MacroblockEncoder::code16(CodedMacroblock& coded) {
  reset(Kind::intra16);
  Macroblock& mb = *c_.mb;
  mb.intra_mode.fill(2);
  const Samples luma = c_.luma();
  intra16(luma.at, luma.stride, coded.mode16, edges16());
  const auto& scale = input_.scale.by4[0][mb.qp % 6];
  alignas(16) std::array<std::array<int16_t, 16>, 16> scaled{};
  std::array<int32_t, 16> dc{}, coefficients;
  unsigned any = 0;
  for (unsigned block = 0; block < 16; ++block) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u;
    forward4(source(x, y), {luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x, luma.stride}, coefficients);
    dc[y + x / 4] = coefficients[0];
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

void MacroblockEncoder::intra_colors(CodedMacroblock& coded) {
  if (c_.picture.params.monochrome) return;
  const Samples colors = c_.chroma();
  const Edges edges = edges16();
  const std::array<bool, 2> left{edges.left, edges.left};
  const std::array<bool, 4> has{true, edges.left, edges.above, edges.left && edges.above && edges.corner};
  static constexpr uint32_t bits[4] = {1, 2, 3, 3};
  uint32_t best = ~0u;
  unsigned chosen = 0;
  for (unsigned mode = 0; mode < 4; ++mode) {
    if (!has[mode]) continue;
    intra_chroma(colors.at, colors.stride, mode, left, edges);
    uint32_t cost = lambda_ * bits[mode];
    for (unsigned plane = 0; plane < 2; ++plane) cost += satd(source_chroma(plane), {colors.at + plane, colors.stride, 2}, 8, 8);
    if (cost < best) best = cost, chosen = mode;
  }
  intra_chroma(colors.at, colors.stride, chosen, left, edges);
  c_.mb->chroma_mode = static_cast<uint8_t>(chosen);
  code_chroma(coded);
}

void MacroblockEncoder::code_chroma(CodedMacroblock& coded) {
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
      dc[block] = coefficients[0];
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

void MacroblockEncoder::code_inter_luma(CodedMacroblock& coded) {
  for (unsigned block = 0; block < 16; ++block) code_block(block, coded);
}

void MacroblockEncoder::inter(const MotionChoice& choice, CodedMacroblock& coded) {
  reset(Kind::inter);
  Macroblock& mb = *c_.mb;
  mb.ref[0].fill(0);
  mb.picture[0].fill(motion_.picture(0, 0));
  coded.shape = choice.shape;
  const auto parts = partitions(choice.shape);
  for (unsigned i = 0; i < partition_count(choice.shape); ++i) {
    const Partition& part = parts[i];
    motion_.set(0, part, choice.mv[i]);
    const Mv difference = coded.difference[i] = choice.difference[i];
    const std::array<uint8_t, 2> size{static_cast<uint8_t>(std::min(std::abs(difference.x), 255)),
                                      static_cast<uint8_t>(std::min(std::abs(difference.y), 255))};
    for (unsigned y = part.y / 4u; y < (part.y + part.height) / 4u; ++y)
      for (unsigned x = part.x / 4u; x < (part.x + part.width) / 4u; ++x) mb.mvd[0][y * 4 + x] = size;
  }
  inter_.predict();
  code_inter_luma(coded);
  code_chroma(coded);
  if (!mb.cbp && choice.shape == Shape::whole && choice.mv[0] == motion_.predict_skip()) mb.skip = true, mb.mvd = {};
}

// P_Skip, where nothing is left to code.
bool MacroblockEncoder::skip() {
  reset(Kind::inter);
  Macroblock& mb = *c_.mb;
  mb.ref[0].fill(0);
  mb.picture[0].fill(motion_.picture(0, 0));
  mb.mv[0].fill(motion_.predict_skip());
  inter_.predict();
  const Samples luma = c_.luma();
  // A block with less than this has no level.
  if (satd(source(0, 0), {luma.at, luma.stride}, 16, 16) > 64 * lambda_) return false;
  CodedMacroblock coded;
  code_inter_luma(coded);
  if (mb.cbp) return false;
  code_chroma(coded);
  if (mb.cbp) return false;
  mb.skip = true;
  return true;
}

void MacroblockEncoder::encode(CodedMacroblock& coded) {
  const bool is_p = c_.slice.type == SliceType::p && input_.planes.loaded() && motion_.picture(0, 0) >= 0;
  if (is_p && skip()) return;
  MotionChoice choice;
  uint32_t best = ~0u;
  if (is_p) {
    reset(Kind::inter);
    c_.mb->ref[0].fill(0);
    choice = search_.choose(source(0, 0));
    best = choice.cost;
  }
  reset(Kind::intra16);
  const uint32_t of16 = choose16(coded);
  const bool is_inter = best <= of16;
  best = std::min(best, of16);
  // Smaller blocks seldom halve the cost.
  if ((!is_inter || of16 < 2 * best) && code4(coded, best) < best) return intra_colors(coded);
  if (is_inter) return inter(choice, coded);
  code16(coded);
  intra_colors(coded);
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/macroblock_encoder.h"

#include <algorithm>

#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/macroblock_writer.h"

namespace softgen::media::avc {
namespace {

/// What a bit is worth in differences: 2^((QP - 12) / 6).
constexpr uint32_t lambda_of(unsigned qp) {
  constexpr uint32_t sixteenths[6] = {16, 18, 20, 23, 25, 29};
  return qp < 12 ? 1 : ((sixteenths[qp % 6] << (qp / 6 - 2)) + 8) >> 4;
}

/// Bits of I_NxN's type and pattern beyond Intra_16x16's, about.
constexpr uint32_t blocks_bits = 12;

}  // namespace

MacroblockEncoder::MacroblockEncoder(Context& context, const EncodeInput& input)
    : c_(context),
      input_(input),
      coder_(context, input.code),
      search_(context, coder_.motion(), input.planes, input.range, lambda_of(context.slice.qp)),
      lambda_(lambda_of(context.slice.qp)) {}

// Each block is predicted from samples that are reconstructed already.
uint32_t MacroblockEncoder::code_blocks(bool by8, CodedMacroblock& coded, uint32_t limit) {
  reset(by8 ? Kind::intra8 : Kind::intra4);
  Macroblock& mb = *c_.mb;
  mb.transform8 = by8;
  const Samples luma = c_.luma();
  uint32_t total = lambda_ * blocks_bits;
  for (unsigned block = 0; block < 16 && total < limit; block += by8 ? 4 : 1) {
    const unsigned x = block_x[block] * 4u, y = block_y[block] * 4u, at = y + x / 4;
    uint8_t* const to = luma.at + static_cast<ptrdiff_t>(y) * luma.stride + x;
    const Edges edges = coder_.edges(block, by8 ? 8 : 4);
    const auto predict = by8 ? intra8 : intra4;
    const unsigned predicted = predicted_intra_mode(c_, at);
    const Block wanted = coder_.source(x, y), prediction{to, luma.stride};
    uint32_t best = ~0u;
    unsigned chosen = 2;
    for (unsigned mode = 0; mode < 9; ++mode) {
      if (!has_samples(mode, edges)) continue;
      predict(to, luma.stride, mode, edges);
      const uint32_t differs = by8 ? satd8(wanted, prediction, 8, 8) : satd(wanted, prediction, 4, 4);
      const uint32_t cost = differs + lambda_ * (mode == predicted ? 1 : 4);
      if (cost < best) best = cost, chosen = mode;
    }
    predict(to, luma.stride, chosen, edges);
    for (const unsigned i : {0u, 1u, 4u, 5u})
      if (!i || by8) mb.intra_mode[at + i] = static_cast<uint8_t>(chosen);
    if (by8) coder_.block8(block / 4, coded);
    else coder_.block4(block, coded);
    total += best;
  }
  return total;
}

bool MacroblockEncoder::intra_blocks(CodedMacroblock& coded, uint32_t limit) {
  const uint32_t of8 = input_.tools.intra8 ? code_blocks(true, coded, limit) : limit, least = std::min(of8, limit);
  const std::array<uint8_t, 16> modes = c_.mb->intra_mode;
  if (code_blocks(false, coded, least) < least) return true;
  if (of8 >= limit) return false;
  reset(Kind::intra8);
  c_.mb->transform8 = true;
  c_.mb->intra_mode = modes;
  coder_.intra_blocks(coded);
  return true;
}

uint32_t MacroblockEncoder::choose16(CodedMacroblock& coded) {
  const Samples luma = c_.luma();
  const Edges edges = coder_.edges();
  uint32_t best = ~0u;
  for (unsigned mode = 0; mode < 4; ++mode) {
    if (!has_samples16(mode, edges)) continue;
    intra16(luma.at, luma.stride, mode, edges);
    const uint32_t cost = satd(coder_.source(0, 0), {luma.at, luma.stride}, 16, 16) + lambda_ * 3;
    if (cost < best) best = cost, coded.mode16 = static_cast<uint8_t>(mode);
  }
  return best;
}

void MacroblockEncoder::intra_colors(CodedMacroblock& coded) {
  if (c_.picture.params.monochrome) return;
  const Samples colors = c_.chroma();
  const Edges edges = coder_.edges();
  static constexpr uint32_t bits[4] = {1, 2, 3, 3};
  uint32_t best = ~0u;
  for (unsigned mode = 0; mode < 4; ++mode) {
    if (!has_samples_chroma(mode, edges)) continue;
    intra_chroma(colors.at, colors.stride, mode, {edges.left, edges.left}, edges);
    uint32_t cost = lambda_ * bits[mode];
    for (unsigned plane = 0; plane < 2; ++plane) cost += satd(coder_.source_chroma(plane), {colors.at + plane, colors.stride, 2}, 8, 8);
    if (cost < best) best = cost, c_.mb->chroma_mode = static_cast<uint8_t>(mode);
  }
  coder_.intra_chroma(coded);
}

void MacroblockEncoder::inter(const MotionChoice& choice, CodedMacroblock& coded) {
  reset(Kind::inter);
  Macroblock& mb = *c_.mb;
  mb.ref[0].fill(0);
  mb.picture[0].fill(coder_.motion().picture(0, 0));
  coded.shape = choice.shape;
  const auto parts = partitions(choice.shape);
  for (unsigned i = 0; i < partition_count(choice.shape); ++i) {
    std::array<Mv, 16> vectors{};
    vectors[first_block(parts[i])] = choice.mv[i];
    coder_.set_vectors(0, i, vectors, coded);
  }
  coder_.predict();
  if (input_.tools.inter_transform8 && may_transform8(c_, coded)) {
    const Samples luma = c_.luma();
    const Block wanted = coder_.source(0, 0), prediction{luma.at, luma.stride};
    mb.transform8 = satd8(wanted, prediction, 16, 16) < satd(wanted, prediction, 16, 16);
  }
  coder_.inter_luma(coded);
  if (!(mb.cbp & 15)) mb.transform8 = false;
  coder_.chroma(coded);
  if (!mb.cbp && choice.shape == Shape::whole && choice.mv[0] == coder_.motion().predict_skip()) mb.skip = true, mb.mvd = {};
}

// P_Skip, where nothing is left to code.
bool MacroblockEncoder::skip() {
  reset(Kind::inter);
  Macroblock& mb = *c_.mb;
  mb.ref[0].fill(0);
  mb.picture[0].fill(coder_.motion().picture(0, 0));
  mb.mv[0].fill(coder_.motion().predict_skip());
  coder_.predict();
  const Samples luma = c_.luma();
  // A block with less than this has no level.
  if (satd(coder_.source(0, 0), {luma.at, luma.stride}, 16, 16) > 64 * lambda_) return false;
  CodedMacroblock coded;
  coder_.inter_luma(coded);
  if (mb.cbp) return false;
  coder_.chroma(coded);
  if (mb.cbp) return false;
  mb.skip = true;
  return true;
}

void MacroblockEncoder::encode(CodedMacroblock& coded) {
  const bool is_p = c_.slice.type == SliceType::p && input_.planes.loaded() && coder_.motion().picture(0, 0) >= 0;
  if (is_p && skip()) return;
  MotionChoice choice;
  uint32_t best = ~0u;
  if (is_p) {
    reset(Kind::inter);
    c_.mb->ref[0].fill(0);
    choice = search_.choose(coder_.source(0, 0));
    best = choice.cost;
  }
  reset(Kind::intra16);
  const uint32_t of16 = choose16(coded);
  const bool is_inter = best <= of16;
  best = std::min(best, of16);
  // Smaller blocks seldom halve the cost.
  if ((!is_inter || of16 < 2 * best) && intra_blocks(coded, best)) return intra_colors(coded);
  if (is_inter) return inter(choice, coded);
  reset(Kind::intra16);
  coder_.intra16(coded);
  intra_colors(coded);
}

}  // namespace softgen::media::avc

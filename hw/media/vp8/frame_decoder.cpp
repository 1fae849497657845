// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/frame_decoder.h"

#include "hw/media/vp8/inter.h"
#include "hw/media/vp8/intra.h"
#include "hw/media/vp8/loop_filter.h"
#include "hw/media/vp8/modes.h"

namespace softgen::media::vp8 {

bool FrameDecoder::decode(const FrameParams& params, const TokenProbabilities& probs, const References& references, BoolDecoder headers,
                          std::span<BoolDecoder> tokens, std::span<uint8_t> segments, const StopFlag& stop) {
  frame_.resize(params.width * 16, params.height * 16);
  blocks_.resize(params.width, params.height);
  above_.assign(params.width, {});
  broken_ = false;
  for (uint32_t y = 0; y < params.height; ++y) {
    BoolDecoder& bits = tokens[y % tokens.size()];
    Nonzero left{};
    for (uint32_t x = 0; x < params.width; ++x) {
      if (stop.aborting()) return false;
      Macroblock& block = *blocks_.at(x, y);
      uint8_t& segment = segments[size_t{y} * params.width + x];
      block.segment = segment & (vp8::segments - 1);
      read_header(headers, params, x, y, &block, blocks_.stride());
      segment = block.segment;
      bool coded = false;
      if (block.skip) skip_residual(block.has_y2(), above_[x], left);
      else
        coded = read_residual(bits, probs, params.quantizer[params.segmentation ? segment : 0], block.has_y2(), above_[x], left, residual_);
      block.skip = !coded;
      reconstruct(params, references, block, x, y, coded);
    }
    broken_ |= headers.over() || bits.over();
  }
  for (uint32_t y = 0; params.filter.enabled && y < params.height; ++y) {
    if (stop.aborting()) return false;
    filter_row(params, blocks_, y, frame_);
  }
  return true;
}

void FrameDecoder::reconstruct(const FrameParams& params, const References& references, const Macroblock& block, uint32_t x, uint32_t y,
                               bool coded) {
  const bool intra = block.reference == Reference::intra;
  if (intra) predict_intra(block, x, y, params.width, coded ? &residual_ : nullptr, frame_);
  else predict_inter(params, block, x, y, references[static_cast<size_t>(block.reference) - 1], frame_);
  if (!coded) return;
  for (unsigned i = block.mode == Mode::by_block ? 16 : 0; i < 24; ++i) {
    if (!(residual_.coded >> i & 1)) continue;
    if (i < 16) {
      add_residual(residual_.block[i], frame_.luma.at(x * 16 + i % 4 * 4, y * 16 + i / 4 * 4), 1, frame_.luma.stride());
      continue;
    }
    const uint32_t component = i >= 20, column = i % 2 * 4, row = i % 4 / 2 * 4;
    add_residual(residual_.block[i], frame_.chroma.at(x * 16 + column * 2 + component, y * 8 + row), 2, frame_.chroma.stride());
  }
}

}  // namespace softgen::media::vp8

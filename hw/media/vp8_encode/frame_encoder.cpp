// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/frame_encoder.h"

#include <algorithm>

#include "hw/media/vp8/inter.h"
#include "hw/media/vp8/intra.h"
#include "hw/media/vp8/loop_filter.h"
#include "hw/media/vp8/mode_neighbours.h"
#include "hw/media/vp8_encode/mode_writer.h"

namespace softgen::media::vp8 {
namespace {

/// What the places of their sizes can hold (RFC 6386, 9.1 and 9.5).
constexpr size_t max_first_bytes = (1u << 19) - 1, max_token_bytes = (1u << 24) - 1;

}  // namespace

void FrameEncoder::begin(const FrameParams& frame, unsigned partitions, const TokenProbabilities& probs, const HeaderBits& bits,
                         std::span<const uint8_t> header) {
  frame_ = frame, partitions_ = partitions, probs_ = probs;
  picture_.resize(frame.width * 16, frame.height * 16);
  blocks_.resize(frame.width, frame.height);
  above_.assign(frame.width, {});
  counts_ = {}, next_ = 0, skipped_ = 0;
  headers_.begin(max_first_bytes);
  for (BoolEncoder& one : tokens_) one.begin(max_token_bytes);
  write_frame_header(headers_, header, bits);
}

FrameEncoder::Place FrameEncoder::place_of(unsigned block, uint32_t x, uint32_t y) {
  if (block < 16) {
    const size_t column = block % 4 * 4, row = block / 4 * 4;
    return {row * 16 + column, 1, picture_.luma.stride(), picture_.luma.row(y * 16 + static_cast<uint32_t>(row)) + x * 16 + column};
  }
  const size_t component = block >= 20, column = block % 2 * 4, row = block % 4 / 2 * 4;
  return {(16 + row) * 16 + column * 2 + component, 2, picture_.chroma.stride(),
          picture_.chroma.row(y * 8 + static_cast<uint32_t>(row)) + x * 16 + column * 2 + component};
}

void FrameEncoder::transform(unsigned block, const Samples& samples, uint32_t x, uint32_t y, std::array<int16_t, 16>& out) {
  const Place place = place_of(block, x, y);
  std::array<int16_t, 16> difference;
  for (size_t i = 0; i < 16; ++i) {
    const size_t column = i % 4 * place.step, row = i / 4;
    difference[i] = static_cast<int16_t>(samples[place.source + row * 16 + column] - place.at[row * place.stride + column]);
  }
  forward_transform(difference, out);
}

void FrameEncoder::reconstruct(unsigned block, uint32_t x, uint32_t y) {
  if (!(residual_.coded >> block & 1)) return;
  const Place place = place_of(block, x, y);
  add_residual(residual_.block[block], place.at, place.step, place.stride);
}

/// Intra blocks, each predicted from those before it.
void FrameEncoder::luma_by_block(const Macroblock& block, const Quantizer& by, const Samples& samples, bool drops) {
  const uint32_t x = next_x(), y = next_y();
  for (unsigned i = 0; i < 16; ++i) {
    if (block.mode == Mode::by_block) predict_block(block.block_mode[i], i, x, y, frame_.width, picture_.luma);
    if (drops) continue;
    std::array<int16_t, 16> values;
    transform(i, samples, x, y, values);
    levels_.end[i] = static_cast<uint8_t>(quantize(values, by.y1, 0, levels_.block[i]));
    dequantize(levels_.block[i], by.y1, residual_.block[i]);
    residual_.coded |= uint32_t{levels_.end[i] != 0} << i;
    reconstruct(i, x, y);
  }
}

/// The blocks' DCs are a block of their own.
void FrameEncoder::luma_as_one(const Quantizer& by, const Samples& samples) {
  const uint32_t x = next_x(), y = next_y();
  std::array<int16_t, 16> dc, values;
  for (unsigned i = 0; i < 16; ++i) {
    transform(i, samples, x, y, values);
    dc[i] = values[0];
    levels_.end[i] = static_cast<uint8_t>(quantize(values, by.y1, 1, levels_.block[i]));
    dequantize(levels_.block[i], by.y1, residual_.block[i]);
    residual_.coded |= uint32_t{levels_.end[i] != 0} << i;
  }
  forward_walsh(dc, values);
  levels_.end[y2_block] = static_cast<uint8_t>(quantize(values, by.y2, 0, levels_.block[y2_block]));
  if (levels_.end[y2_block]) {
    std::array<int16_t, 16> y2{};
    dequantize(levels_.block[y2_block], by.y2, y2);
    inverse_walsh(y2, residual_);
    residual_.coded |= 0xffff;
  }
  for (unsigned i = 0; i < 16; ++i) reconstruct(i, x, y);
}

void FrameEncoder::chroma(const Quantizer& by, const Samples& samples) {
  const uint32_t x = next_x(), y = next_y();
  for (unsigned i = 16; i < 24; ++i) {
    std::array<int16_t, 16> values;
    transform(i, samples, x, y, values);
    levels_.end[i] = static_cast<uint8_t>(quantize(values, by.uv, 0, levels_.block[i]));
    dequantize(levels_.block[i], by.uv, residual_.block[i]);
    residual_.coded |= uint32_t{levels_.end[i] != 0} << i;
    reconstruct(i, x, y);
  }
}

void FrameEncoder::macroblock(const PakObject& object, const References& references, const PictureMap& source) {
  const uint32_t x = next_x(), y = next_y();
  Macroblock& block = *blocks_.at(x, y);
  const size_t stride = blocks_.stride();
  block = object.block;
  if (!frame_.segmentation) block.segment = 0;
  const bool intra = frame_.is_key || block.reference == Reference::intra;
  if (intra) {
    block.reference = Reference::intra;
    if (block.mode > Mode::by_block) block.mode = Mode::dc;
    block.vector.fill({});
    if (block.mode != Mode::by_block) block.block_mode.fill(implied(block.mode));
    if (block.mode != Mode::by_block) predict_luma(block.mode, x, y, picture_.luma);
    predict_chroma(block.uv_mode, x, y, picture_.chroma);
  } else {
    choose_inter_mode(frame_, x, y, &block, stride);
    predict_inter(frame_, block, x, y, references[static_cast<size_t>(block.reference) - 1], picture_);
  }
  levels_.end.fill(0);
  residual_.coded = 0;
  for (auto& one : residual_.block) one.fill(0);
  Samples samples;
  source.luma.fetch(static_cast<int>(x * 16), static_cast<int>(y * 16), 16, 16, reinterpret_cast<std::byte*>(samples.data()), 16);
  source.chroma.fetch(static_cast<int>(x * 8), static_cast<int>(y * 8), 8, 8, reinterpret_cast<std::byte*>(samples.data()) + 16 * 16, 16);
  const Quantizer& by = frame_.quantizer[block.segment];
  if (!block.has_y2()) luma_by_block(block, by, samples, object.drops);
  else if (!object.drops) luma_as_one(by, samples);
  if (!object.drops) chroma(by, samples);

  block.skip = !levels_.any();
  if (!x) left_ = {};
  skipped_ += block.skip;
  write_header(headers_, frame_, x, y, &block, stride);
  if (block.skip && frame_.mb_no_coeff_skip) skip_residual(block.has_y2(), above_[x], left_);
  else write_residual(tokens_[y % partitions_], probs_, levels_, block.has_y2(), above_[x], left_, counts_);
  ++next_;
}

bool FrameEncoder::is_cut() const {
  return headers_.is_cut() || std::any_of(tokens_.begin(), tokens_.end(), [](const BoolEncoder& one) { return one.is_cut(); });
}

bool FrameEncoder::filter(const StopFlag& stop) {
  for (uint32_t y = 0; frame_.filter.enabled && y < frame_.height; ++y) {
    if (stop.aborting()) return false;
    filter_row(frame_, blocks_, y, picture_);
  }
  return true;
}

}  // namespace softgen::media::vp8

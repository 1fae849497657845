// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/mpeg2_encode_codec.h"

#include <cstring>

#include "hw/base/log.h"
#include "hw/media/jpeg/transform.h"
#include "hw/media/mpeg2/block.h"
#include "hw/media/mpeg2/idct.h"

namespace softgen::media {
namespace {

using namespace mpeg2;

constexpr unsigned all_blocks = 0x3f, last_block = blocks_per_macroblock - 1;
constexpr uint8_t grey = 128;

/// The samples of a macroblock: 16 rows of luma, then 8 of pairs of chroma, 16 bytes each.
using Samples = std::array<std::byte, 16 * 24>;

/// Where a block's samples are among those of a macroblock.
struct Place {
  uint32_t x, y, step;
};
Place place_of(unsigned block) {
  if (block < 4) return {block % 2 * 8, block / 2 * 8, 1};
  return {block - 4, 16, 2};
}

Vector within(Vector v, const std::array<uint8_t, 2>& f_code) {
  const auto limit = [](int value, unsigned code) { return std::clamp(value, -(16 << (code - 1)), (16 << (code - 1)) - 1); };
  return {limit(v.x, f_code[0]), limit(v.y, f_code[1])};
}

/// The bytes of a block in the frame that macroblock (x, y) has.
uint8_t* in_frame(Frame<uint8_t>& frame, uint32_t x, uint32_t y, unsigned block, size_t& stride) {
  const Place place = place_of(block);
  Plane<uint8_t>& plane = block < 4 ? frame.luma : frame.chroma;
  stride = plane.stride();
  return block < 4 ? plane.at(x * 16 + place.x, y * 16 + place.y) : plane.at(x * 16 + place.x, y * 8);
}

}  // namespace

ExecResult Mpeg2Encoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  if (packets_->is_insertion(packet)) {
    end_slice(env);
    append(env, packets_->insertion(packet).bytes);
  } else {
    maps_.refresh(env);
    source_.refresh(env.view, env.stop);
    macroblock(packets_->object(packet, picture_), state, env);
  }
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Mpeg2Encoder::begin(const PacketStore& state, EngineEnv& env) {
  picture_ = packets_->shared().picture(state);
  status_ = {.blocks = picture_.width * picture_.height};
  if (!picture_.is_frame()) unimplemented("MPEG-2 encoding", "of fields");
  quantiser_ = packets_->quantiser(state);
  maps_.open(env, packets_->shared().surfaces(state), picture_);
  const SurfaceSet source = packets_->source(state);
  source_.open(env.view, env.stop, source, source.destination, Access::read);
  frame_.resize(picture_.width * 16, picture_.height * 16);
  for (Plane<uint8_t>* plane : {&frame_.luma, &frame_.chroma}) std::memset(plane->row(0), grey, plane->stride() * plane->height());
  writer_.emplace(picture_);
  coded_.begin();
  target_ = packets_->target(state);
  in_slice_ = false;
  open_ = true;
}

void Mpeg2Encoder::begin_slice(const PakObject& object, const PacketStore& state) {
  const SliceGroup group = packets_->group(state);
  writer_->begin({.row = object.y,
                  .scale_code = object.scale_code,
                  .has_intra_flag = group.has_intra_flag,
                  .intra = group.intra,
                  .is_inserted = object.first_in_group && group.first_is_inserted});
  in_slice_ = true;
  next_x_ = object.x, slice_y_ = object.y;
}

void Mpeg2Encoder::end_slice(EngineEnv& env) {
  if (!in_slice_) return;
  in_slice_ = false;
  writer_->end();
  append(env, writer_->bits().bytes());
  writer_->bits().clear();
}

void Mpeg2Encoder::macroblock(const PakObject& object, const PacketStore& state, EngineEnv& env) {
  if (object.x >= picture_.width || object.y >= picture_.height || !picture_.is_frame())
    return guest_error("MFC_MPEG2_PAK_OBJECT", "macroblock {}, {} of a picture of {} x {}", object.x, object.y, picture_.width,
                       picture_.height);
  // A slice has macroblocks of one row, one after the other.
  const bool follows = in_slice_ && !object.first && object.x == next_x_ && object.y == slice_y_;
  if (!follows) {
    end_slice(env);
    begin_slice(object, state);
  }
  CodedMacroblock coded;
  code(object, coded);
  const bool last = object.last || object.x + 1 == picture_.width;
  writer_->macroblock(coded, object.x, last);
  reconstruct(object, coded);
  next_x_ = object.x + 1;
  if (last) end_slice(env);
}

void Mpeg2Encoder::code(const PakObject& object, CodedMacroblock& coded) {
  coded.intra = object.intra;
  coded.may_skip = object.may_skip;
  coded.scale_code = object.scale_code;
  coded.motion.used = object.used;
  for (unsigned d = 0; d < 2; ++d)
    if (object.used[d]) coded.motion.vector[d].fill(within(object.vector[d], picture_.f_code[d]));
  if (!object.intra) predict(picture_, maps_.references, coded.motion, object.x, object.y, frame_);

  Samples samples;
  const int x = static_cast<int>(object.x), y = static_cast<int>(object.y);
  source_.luma.fetch(x * 16, y * 16, 16, 16, samples.data(), 16);
  source_.chroma.fetch(x * 8, y * 8, 8, 8, samples.data() + 16 * 16, 16);
  const unsigned scale = quantiser_scale(object.scale_code, picture_.q_scale_type);
  coded.pattern = object.intra ? all_blocks : 0;
  for (unsigned block = 0; block < blocks_per_macroblock; ++block) {
    const bool wanted = object.pattern >> (last_block - block) & 1 && !object.drops_blocks;
    if (!object.intra && !wanted) continue;
    const Place place = place_of(block);
    size_t stride;
    const uint8_t* predicted = in_frame(frame_, object.x, object.y, block, stride);
    jpeg::Block values, coefficients;
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned column = i % 8 * place.step, row = i / 8;
      const int sample = static_cast<int>(samples[(place.y + row) * 16 + place.x + column]);
      values[i] = static_cast<int16_t>(object.intra ? sample : sample - predicted[row * stride + column]);
    }
    jpeg::forward_transform(values, coefficients);
    auto& levels = coded.levels[block];
    const bool has_levels = quantise(quantiser_, picture_, object.intra, scale, coefficients, levels);
    if (object.intra && !wanted) std::fill(levels.begin() + 1, levels.end(), int16_t{0});
    if (!object.intra && has_levels) coded.pattern |= 1u << (last_block - block);
  }
}

void Mpeg2Encoder::reconstruct(const PakObject& object, const CodedMacroblock& coded) {
  const unsigned scale = quantiser_scale(coded.scale_code, picture_.q_scale_type);
  const auto write = coded.intra ? put_block : add_block;
  for (unsigned block = 0; block < blocks_per_macroblock; ++block) {
    if (!(coded.pattern >> (last_block - block) & 1)) continue;
    alignas(32) std::array<int16_t, 64> values;
    restore_block(coded.levels[block], picture_, coded.intra, scale, values.data());
    inverse_dct(values.data());
    size_t stride;
    uint8_t* const to = in_frame(frame_, object.x, object.y, block, stride);
    write(values.data(), to, place_of(block).step, stride);
  }
}

ExecResult Mpeg2Encoder::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (env.stop.aborting()) return ExecResult::aborted;
  end_slice(env);
  maps_.refresh(env);
  store_frame(maps_.destination, frame_, pool_);
  const uint32_t size = static_cast<uint32_t>(coded_.size());
  coded_.pad(env.view, target_);
  packets_->report(env, size, static_cast<uint32_t>(writer_->coefficient_bits()), coded_.is_cut());
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media

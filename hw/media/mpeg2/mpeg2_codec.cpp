// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/mpeg2_codec.h"

#include "hw/media/mpeg2/slice.h"

namespace softgen::media {
namespace {

using mpeg2::CodingType;

}  // namespace

ExecResult Mpeg2Codec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  maps_.refresh(env);
  const mpeg2::SliceObject object = packets_->slice(packet, state, picture_);
  const std::span<const uint8_t> bytes = read_object(env, object, bytes_);
  mpeg2::SliceDecoder decoder(picture_, maps_.references, frame_, done_);
  const mpeg2::SliceResult result = decoder.decode(BitReader(bytes, object.first_bit), object.slice, env.stop);
  if (result == mpeg2::SliceResult::broken) status_.errors |= 1;
  return result == mpeg2::SliceResult::aborted || env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Mpeg2Codec::begin(const PacketStore& state, EngineEnv& env) {
  picture_ = packets_->picture(state);
  status_ = {};
  frame_.resize(picture_.width * 16, picture_.height * 16);
  done_.assign(size_t{picture_.width} * picture_.height, 0);
  maps_.open(env, packets_->surfaces(state), picture_);
  open_ = true;
}

ExecResult Mpeg2Codec::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (env.stop.aborting()) return ExecResult::aborted;
  maps_.refresh(env);
  if (!conceal(env.stop)) return ExecResult::aborted;
  if (goes_to_surface()) store_frame(maps_.destination, frame_, pool_);
  if (picture_.is_frame()) hand_over(host_picture(frame_), env);
  status_.blocks = static_cast<uint32_t>(done_.size());
  open_ = false;
  return ExecResult::done;
}

// The same place of the reference where there is one (what most decoders do); else the row above, or grey.
bool Mpeg2Codec::conceal(const StopFlag& stop) {
  mpeg2::Motion motion;
  motion.type = picture_.is_frame() ? mpeg2::MotionType::frame : mpeg2::MotionType::field;
  motion.used[0] = true;
  motion.select[0].fill(static_cast<uint8_t>(picture_.parity()));
  for (uint32_t address = 0; address < done_.size(); ++address) {
    if (done_[address]) continue;
    ++status_.concealed_blocks;
    const uint32_t x = address % picture_.width, y = address / picture_.width;
    if (!x && stop.aborting()) return false;
    if (picture_.type == CodingType::i) repeat_row_above(frame_, x, y);
    else predict(picture_, maps_.references, motion, x, y, frame_);
  }
  return true;
}

}  // namespace softgen::media

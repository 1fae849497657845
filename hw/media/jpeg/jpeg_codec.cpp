// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/jpeg_codec.h"

namespace softgen::media::jpeg {

ExecResult JpegDecoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) {
    const std::optional<Structure> structure = packets_->structure(state);
    if (!structure) return ExecResult::done;
    scans_.begin(*structure);
    open_ = true;
  }
  const Indirect data = packets_->data(packet, state);
  const std::span<uint8_t> bytes = read_object(env, data, bytes_);
  return scans_.decode(packets_->scan(packet, state, scans_.structure()), bytes, env.stop) ? ExecResult::done : ExecResult::aborted;
}

ExecResult JpegDecoder::close(const PacketStore& state, EngineEnv& env) {
  open_ = false;
  status_ = {.errors = scans_.lost() != 0, .blocks = scans_.units(), .concealed_blocks = scans_.lost()};
  const Target target = packets_->target(state, scans_.structure());
  if (goes_to_surface()) output_.store(scans_, target, env.view, env.stop, pool_);
  if (target.rotation == Rotation::none) hand_over(host_picture(scans_), env);
  return ExecResult::done;
}

}  // namespace softgen::media::jpeg

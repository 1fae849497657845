// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/vp9_codec.h"

namespace softgen::media {

ExecResult Vp9Codec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  status_ = {};
  std::optional<Vp9Job> job = packets_->job(packet, state);
  if (!job) {
    status_.errors = 1;
    return ExecResult::done;
  }
  return job->picture.bit_depth == 8 ? decode(narrow_, *job, env) : decode(wide_, *job, env);
}

template <typename T>
ExecResult Vp9Codec::decode(vp9::Decoder<T>& decoder, Vp9Job& job, EngineEnv& env) {
  memory_.open(job, env);
  memory_.read(job, env);
  const std::span<const uint8_t> stream = read_object(env, job.stream, job.stream_bytes, job.stream_bound, stream_);
  const vp9::Outcome outcome = decoder.decode(job.picture, memory_.side_data(stream), pool_, [&] { return env.stop.aborting(); });
  if (outcome == vp9::Outcome::aborted) return ExecResult::aborted;
  const uint32_t columns = (job.picture.columns8() + 7) / 8, rows = (job.picture.rows8() + 7) / 8;
  status_ = {.errors = outcome == vp9::Outcome::broken, .blocks = columns * rows, .concealed_blocks = decoder.concealed()};
  if (goes_to_surface()) memory_.store(job, decoder.planes(), pool_, env);
  hand_over(vp9::host_picture(decoder.planes(), job.picture.bit_depth), env);
  memory_.write(job, env, outcome == vp9::Outcome::whole && job.picture.refresh_context);
  return ExecResult::done;
}

}  // namespace softgen::media

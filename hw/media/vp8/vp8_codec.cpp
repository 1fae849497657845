// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/vp8_codec.h"

#include "hw/memory/view.h"

namespace softgen::media {

ExecResult Vp8Codec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  status_ = {};
  params_ = packets_->frame(state);
  const vp8::FrameSurfaces surfaces = packets_->surfaces(state);
  const vp8::FrameObject object = packets_->object(packet, state);
  open(surfaces, env);
  vp8::TokenProbabilities probabilities;
  env.view.read(surfaces.token_probabilities, &probabilities, sizeof probabilities);
  load_segments(surfaces.segments, env);
  std::array<std::span<const uint8_t>, 1 + vp8::max_partitions> parts;
  for (unsigned i = 0; i <= object.partitions; ++i)
    parts[i] = read_object(env, object.part[i].address, object.part[i].bytes, object.bound, bytes_[i]);
  std::array<BoolDecoder, vp8::max_partitions> tokens;
  for (unsigned i = 0; i < object.partitions; ++i) tokens[i] = BoolDecoder(parts[i + 1]);
  const BoolDecoder headers(parts[0], object.first_bit, object.range, object.value);
  if (!decoder_.decode(params_, probabilities, references_, headers, std::span(tokens).first(object.partitions), segments_, env.stop))
    return ExecResult::aborted;
  if (decoder_.broken()) status_.errors |= 1;
  status_.blocks = params_.width * params_.height;
  store_segments(surfaces.segments, env);
  if (destination_.luma.is_open() && goes_to_surface()) store_frame(destination_, decoder_.frame(), pool_);
  hand_over(host_picture(decoder_.frame()), env);
  return ExecResult::done;
}

void Vp8Codec::open(const vp8::FrameSurfaces& surfaces, EngineEnv& env) {
  const auto open_one = [&](PictureMap& map, uint64_t address, Access access) {
    if (address) map.open(env.view, env.stop, surfaces, address, access);
    else map.close();
  };
  for (size_t i = 0; i < references_.size(); ++i) open_one(references_[i], params_.is_key ? 0 : surfaces.reference[i], Access::read);
  open_one(destination_, surfaces.destination, Access::write);
}

// One byte per macroblock, of the 16 that drivers allocate: no driver reads it, and they clear it to 0.
void Vp8Codec::load_segments(uint64_t address, EngineEnv& env) {
  segments_.assign(size_t{params_.width} * params_.height, 0);
  if (params_.load_segments) env.view.read(address, segments_.data(), segments_.size());
}

void Vp8Codec::store_segments(uint64_t address, EngineEnv& env) {
  if (params_.store_segments) env.view.write(address, segments_.data(), segments_.size());
}

}  // namespace softgen::media

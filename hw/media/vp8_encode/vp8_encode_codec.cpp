// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/vp8_encode_codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/memory/view.h"

namespace softgen::media {
namespace {

using namespace vp8;

/// Drivers allocate 4 and 8 KiB for the header's bits.
constexpr uint32_t max_header_bits = 8 * 16384;
constexpr uint8_t start_code[3] = {0x9d, 0x01, 0x2a};

void put24(std::vector<uint8_t>& to, size_t value) {
  for (unsigned i = 0; i < 3; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

ExecResult Vp8Encoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  PakObject object = packets_->object(packet, state);
  if (encoder_.is_whole() || object.x != encoder_.next_x() || object.y != encoder_.next_y()) {
    guest_error("MFX_VP8_PAK_OBJECT", "macroblock {}, {} out of order in a frame of {} x {}", object.x, object.y, frame_.width,
                frame_.height);
    return ExecResult::done;
  }
  source_.refresh(env.view, env.stop);
  for (PictureMap& one : references_) one.refresh(env.view, env.stop);
  if (object.block.reference != Reference::intra) read_vectors(object, env);
  encoder_.macroblock(object, references_, source_);
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Vp8Encoder::begin(const PacketStore& state, EngineEnv& env) {
  frame_ = packets_->frame(state);
  output_ = packets_->output(state);
  status_ = {.blocks = frame_.width * frame_.height};
  const FrameSurfaces surfaces = packets_->surfaces(state), source = packets_->source(state);
  const auto open_one = [&](PictureMap& map, const FrameSurfaces& set, uint64_t address, Access access) {
    if (address) map.open(env.view, env.stop, set, address, access);
    else map.close();
  };
  for (size_t i = 0; i < references_.size(); ++i)
    open_one(references_[i], surfaces, frame_.is_key ? 0 : surfaces.reference[i], Access::read);
  open_one(destination_, surfaces, surfaces.destination, Access::write);
  source_.open(env.view, env.stop, source, source.destination, Access::read);
  if (output_.header.count > max_header_bits) {
    guest_error("MFX_VP8_ENCODER_CFG", "a frame header of {} bits", output_.header.count);
    output_.header.count = max_header_bits;
  }
  bytes_.resize((output_.header.count + 7) / 8);
  env.view.read(output_.header_address, bytes_.data(), bytes_.size());
  TokenProbabilities probabilities;
  env.view.read(output_.probabilities, &probabilities, sizeof probabilities);
  encoder_.begin(frame_, output_.partitions, probabilities, output_.header, bytes_);
  open_ = true;
}

void Vp8Encoder::read_vectors(PakObject& object, EngineEnv& env) {
  int16_t values[16][2] = {};
  const std::span<const uint8_t> bytes = read_object(env, object.vectors, bytes_);
  std::copy_n(bytes.data(), std::min(bytes.size(), sizeof values), reinterpret_cast<uint8_t*>(values));
  for (unsigned i = 0; i < 16; ++i) object.block.vector[i] = {values[i][0], values[i][1]};
}

ExecResult Vp8Encoder::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  source_.refresh(env.view, env.stop);
  for (PictureMap& one : references_) one.refresh(env.view, env.stop);
  // What no object has brought is predicted without a residual.
  for (; !encoder_.is_whole(); ++status_.concealed_blocks) {
    if (env.stop.aborting()) return ExecResult::aborted;
    PakObject object;
    object.drops = true;
    object.block.reference = frame_.is_key ? Reference::intra : Reference::last;
    encoder_.macroblock(object, references_, source_);
  }
  if (!encoder_.filter(env.stop)) return ExecResult::aborted;
  destination_.refresh(env.view, env.stop);
  if (destination_.luma.is_open()) store_frame(destination_, encoder_.picture(), pool_);
  assemble(env);
  open_ = false;
  return ExecResult::done;
}

/// Frame tag, the first partition, the sizes of the others but for the last, and these.
void Vp8Encoder::assemble(EngineEnv& env) {
  const std::span<const uint8_t> first = encoder_.first_partition();
  bytes_.clear();
  put24(bytes_, size_t{!frame_.is_key} | output_.version << 1 | size_t{output_.shown} << 4 | first.size() << 5);
  if (frame_.is_key) {
    bytes_.insert(bytes_.end(), std::begin(start_code), std::end(start_code));
    for (const unsigned size : {output_.width, output_.height}) {
      bytes_.push_back(static_cast<uint8_t>(size));
      bytes_.push_back(static_cast<uint8_t>(size >> 8));
    }
  }
  bytes_.insert(bytes_.end(), first.begin(), first.end());
  std::array<std::span<const uint8_t>, max_partitions> tokens;
  for (unsigned i = 0; i < output_.partitions; ++i) tokens[i] = encoder_.token_partition(i);
  for (unsigned i = 0; i + 1 < output_.partitions; ++i) put24(bytes_, tokens[i].size());
  coded_.begin();
  const auto append = [&](std::span<const uint8_t> bytes) {
    if (!output_.discards) coded_.append(env.view, output_.target, bytes);
  };
  append(bytes_);
  for (unsigned i = 0; i < output_.partitions; ++i) append(tokens[i]);
  const auto size = static_cast<uint32_t>(coded_.size());
  if (size) coded_.pad(env.view, output_.target);
  packets_->report(env, size, coded_.is_cut() || encoder_.is_cut());
  if (!output_.statistics) return;
  FrameCounts counts{.skipped = encoder_.skipped()};
  if (output_.counts_bits) {
    counts.partition_bits[0] = static_cast<uint32_t>(first.size() * 8);
    for (unsigned i = 0; i < output_.partitions; ++i) counts.partition_bits[1 + i] = static_cast<uint32_t>(tokens[i].size() * 8);
  }
  const auto statistics = statistics_of(encoder_.counts(), counts);
  env.view.write(output_.statistics, statistics.data(), sizeof statistics);
}

}  // namespace softgen::media

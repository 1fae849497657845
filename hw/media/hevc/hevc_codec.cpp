// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/hevc_codec.h"

#include "hw/base/log.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/memory/view.h"

namespace softgen::media {

bool HevcCodec::begin(const PacketStore& state, EngineEnv& env) {
  const std::optional<HevcPicture> picture = packets_->picture(state);
  if (!picture) return false;
  picture_ = *picture;
  status_ = {};
  collocated_frame_ = -1;
  for (PictureMap& map : references_) map.close();
  const unsigned bytes = picture_.luma.element;
  std::unique_ptr<hevc::PictureDecoder>& decoder = decoders_[bytes - 1];
  if (!decoder) decoder = hevc::make_picture_decoder(bytes);
  decoder_ = decoder.get();
  decoder_->begin(picture_.parameters, references_);
  target_.open(env.view, env.stop, {picture_.luma, picture_.chroma}, picture_.luma.base, Access::write);
  return true;
}

void HevcCodec::open_references(const hevc::SliceParameters& slice, EngineEnv& env) {
  target_.refresh(env.view, env.stop);
  for (PictureMap& map : references_) map.refresh(env.view, env.stop);
  if (slice.type == hevc::SliceType::i) return;
  for (unsigned list = 0; list < (slice.type == hevc::SliceType::b ? 2 : 1); ++list) {
    for (unsigned i = 0; i < slice.active[list]; ++i) {
      const unsigned frame = slice.lists[list][i].frame;
      if (picture_.references[frame] && !references_[frame].luma.is_open())
        references_[frame].open(env.view, env.stop, {picture_.luma, picture_.chroma}, picture_.references[frame], Access::read);
    }
  }
}

std::span<const hevc::StoredMotion> HevcCodec::collocated_of(const hevc::SliceParameters& slice, EngineEnv& env) {
  if (slice.type == hevc::SliceType::i || !slice.temporal_mvp || !picture_.collocated[slice.collocated_frame]) return {};
  if (collocated_frame_ != slice.collocated_frame) {
    collocated_.resize(decoder_->info().stored_motions.size());
    env.view.read(picture_.collocated[slice.collocated_frame], collocated_.data(), collocated_.size() * sizeof(hevc::StoredMotion));
    collocated_frame_ = slice.collocated_frame;
  }
  return collocated_;
}

ExecResult HevcCodec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!decoder_ && !begin(state, env)) return ExecResult::done;
  const hevc::SliceParameters slice = packets_->slice(state, picture_.parameters);
  open_references(slice, env);
  const HevcObject object = packets_->object(packet, state);
  const std::span<uint8_t> read = read_object(env, object.address, object.bytes, object.bound, bytes_);
  if (env.stop.aborting()) return ExecResult::aborted;
  std::span<const uint8_t> data = read.first(strip_emulation(read));
  data = data.subspan(std::min<size_t>(slice.header_bytes, data.size()));
  const hevc::SliceResult result = decoder_->decode(slice, data, collocated_of(slice, env), pool_, env.stop);
  if (result == hevc::SliceResult::aborted) return ExecResult::aborted;
  if (result == hevc::SliceResult::broken) {
    status_.errors |= 1;
    guest_error("HEVC slice", "broken, from CTB {} on", slice.first_ctb);
  }
  return slice.is_last ? close(state, env) : ExecResult::done;
}

ExecResult HevcCodec::close(const PacketStore& /*state*/, EngineEnv& env) {
  if (!decoder_) return ExecResult::done;
  target_.refresh(env.view, env.stop);
  const std::optional<uint32_t> concealed = decoder_->finish(target_, pool_, env.stop);
  if (!concealed) return ExecResult::aborted;
  status_.blocks = decoder_->info().ctb_count();
  status_.concealed_blocks = *concealed;
  if (status_.concealed_blocks) status_.errors |= 1;
  if (picture_.motion) {
    const std::vector<hevc::StoredMotion>& motions = decoder_->info().stored_motions;
    env.view.write(picture_.motion, motions.data(), motions.size() * sizeof(hevc::StoredMotion));
  }
  decoder_ = nullptr;
  return ExecResult::done;
}

}  // namespace softgen::media

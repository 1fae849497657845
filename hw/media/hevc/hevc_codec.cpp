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
  references_.begin();
  const unsigned bytes = picture_.luma.element;
  std::unique_ptr<hevc::PictureDecoder>& decoder = decoders_[bytes - 1];
  if (!decoder) decoder = std::make_unique<hevc::PictureDecoder>(bytes);
  decoder_ = decoder.get();
  decoder_->begin(picture_.parameters, references_.maps());
  target_.open(env.view, env.stop, {picture_.luma, picture_.chroma}, picture_.luma.base, Access::write);
  open_ = true;
  return true;
}

ExecResult HevcCodec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_ && !begin(state, env)) return ExecResult::done;
  const hevc::SliceParameters slice = packets_->slice(state, picture_.parameters);
  target_.refresh(env.view, env.stop);
  references_.open(picture_, slice, env);
  const std::span<uint8_t> read = read_object(env, packets_->object(packet, state), bytes_);
  if (env.stop.aborting()) return ExecResult::aborted;
  std::span<const uint8_t> data = read.first(strip_emulation(read));
  data = data.subspan(std::min<size_t>(slice.header_bytes, data.size()));
  const hevc::SliceResult result =
      decoder_->decode(slice, data, references_.collocated(picture_, slice, decoder_->info().stored_motions.size(), env), pool_, env.stop);
  if (result == hevc::SliceResult::aborted) return ExecResult::aborted;
  if (result == hevc::SliceResult::broken) {
    status_.errors |= 1;
    guest_error("HEVC slice", "broken, from CTB {} on", slice.first_ctb);
  }
  return slice.is_last ? close(state, env) : ExecResult::done;
}

ExecResult HevcCodec::close(const PacketStore& /*state*/, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  target_.refresh(env.view, env.stop);
  const bool is_taken = is_taken_over();
  const std::optional<uint32_t> concealed = decoder_->finish(goes_to_surface() ? &target_ : nullptr, is_taken, pool_, env.stop);
  if (!concealed) return ExecResult::aborted;
  status_.blocks = decoder_->info().ctb_count();
  status_.concealed_blocks = *concealed;
  if (status_.concealed_blocks) status_.errors |= 1;
  if (picture_.motion) {
    const std::vector<hevc::StoredMotion>& motions = decoder_->info().stored_motions;
    env.view.write(picture_.motion, motions.data(), motions.size() * sizeof(hevc::StoredMotion));
  }
  if (is_taken) hand_over(decoder_->finished(), env);
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media

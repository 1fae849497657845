// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/avc_codec.h"

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"
#include "hw/media/avc/deblock.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/memory/view.h"

namespace softgen::media::avc {

void AvcCodec::begin(const PacketStore& state) {
  state_ = packets_->picture(state);
  picture_.begin(state_.params);
  scale_.set(state_.params);
  stored_.begin(state_);
  status_ = {};
  open_ = true;
}

ExecResult AvcCodec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state);
  const SliceState slice = packets_->slice(packet, state, state_.params);
  // A phantom slice: what it covers is concealed.
  if (!slice.bytes) return ExecResult::done;
  const std::span<uint8_t> bytes = read_object(env, slice, bytes_);
  const std::span<const uint8_t> nal = bytes.first(strip_emulation(bytes));
  stored_.open(slice.params, env);
  const std::function<bool()> stop = [&env] { return env.stop.aborting(); };
  const std::span<const uint8_t> data = nal.subspan(std::min<size_t>(slice.data_offset, nal.size()));
  const SliceEnd end = decode_slice(picture_, {slice.params, data, scale_, stored_.references(), stored_.motion(), stop, pool_});
  if (end == SliceEnd::stopped) return ExecResult::aborted;
  if (end == SliceEnd::broken) {
    status_.errors |= 1;
    guest_error("AVC slice", "from macroblock {} on: broken", slice.params.first_mb);
  }
  return ExecResult::done;
}

// Macroblocks that no slice has: as in a reference, or grey.
bool AvcCodec::conceal(const StopFlag& stop) {
  const Progress& progress = picture_.progress;
  if (progress.in_order && size_t{progress.written} * (picture_.params.mbaff ? 2 : 1) == picture_.mbs.size()) return true;
  for (uint32_t y = 0; y < picture_.height; ++y) {
    if (stop.aborting()) return false;
    for (uint32_t x = 0; x < picture_.width; ++x) {
      if (picture_.mb(x, y).slice != Macroblock::no_slice) continue;
      ++status_.concealed_blocks;
      Plane<uint8_t>&luma = picture_.frame.luma, &chroma = picture_.frame.chroma;
      if (const PictureMap* const from = stored_.first()) {
        const int column = static_cast<int>(x), row = static_cast<int>(y);
        from->luma.fetch(column * 16, row * 16, 16, 16, reinterpret_cast<std::byte*>(luma.at(x * 16, y * 16)), luma.stride());
        from->chroma.fetch(column * 8, row * 8, 8, 8, reinterpret_cast<std::byte*>(chroma.at(x * 16, y * 8)), chroma.stride());
        continue;
      }
      make_grey(picture_.frame, x, y);
    }
  }
  return true;
}

ExecResult AvcCodec::close(const PacketStore& /*state*/, EngineEnv& env) {
  stored_.refresh(env);
  if (!conceal(env.stop)) return ExecResult::aborted;
  const uint32_t rows = picture_.height / (picture_.params.mbaff ? 2 : 1);
  for (uint32_t row = picture_.progress.filtered; row < rows; ++row) {
    if (env.stop.aborting()) return ExecResult::aborted;
    deblock_row(picture_, row);
  }
  status_.blocks = static_cast<uint32_t>(picture_.mbs.size());
  if (goes_to_surface()) stored_.store(picture_, pool_, env);
  if (!picture_.params.field()) hand_over(host_picture(picture_.frame, !picture_.params.monochrome), env);
  stored_.write_motion(picture_, pool_, env);
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media::avc

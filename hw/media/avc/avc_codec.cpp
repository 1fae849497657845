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
  for (PictureMap& map : maps_) map.close();
  references_.fill(nullptr);
  motion_.fill({});
  conceal_from_ = nullptr;
  status_ = {};
  open_ = true;
}

void AvcCodec::open_map(PictureMap& map, uint64_t base, unsigned part, Access access, EngineEnv& env) const {
  map.open(env.view, env.stop, part == whole ? state_.layout : state_.layout.field(part == bottom_field), base, access);
}

const PictureMap* AvcCodec::reference(unsigned frame, unsigned part, EngineEnv& env) {
  const unsigned at = frame * 4 + part;
  if (!references_[at] && state_.references[frame]) {
    open_map(maps_[at], state_.references[frame], part, Access::read, env);
    references_[at] = &maps_[at];
  }
  return references_[at];
}

void AvcCodec::open_references(const SliceParams& slice, EngineEnv& env) {
  for (const PictureMap*& map : references_)
    if (map) maps_[static_cast<size_t>(&map - references_.data())].refresh(env.view, env.stop);
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < slice.active[list]; ++i) {
      const RefEntry& entry = slice.list[list][i];
      if (!entry.present) continue;
      const bool is_field = state_.params.field();
      const PictureMap* const map = reference(entry.frame, is_field ? (entry.bottom ? bottom_field : top_field) : whole, env);
      if (!conceal_from_) conceal_from_ = map;
      if (state_.params.mbaff) reference(entry.frame, top_field, env), reference(entry.frame, bottom_field, env);
    }
}

void AvcCodec::read_motion(unsigned frame, EngineEnv& env) {
  if (!motion_[frame].empty() || !state_.motion[frame]) return;
  const PictureParams& params = state_.params;
  std::vector<uint8_t>& bytes = motion_bytes_[frame];
  bytes.resize(size_t{params.width_mbs} * params.frame_height_mbs * MotionRecord::bytes);
  env.view.read(state_.motion[frame], bytes.data(), bytes.size());
  motion_[frame] = bytes;
}

ExecResult AvcCodec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state);
  const SliceState slice = packets_->slice(packet, state, state_.params);
  // A phantom slice: what it covers is concealed.
  if (!slice.bytes) return ExecResult::done;
  const std::span<uint8_t> bytes = read_object(env, slice, bytes_);
  const std::span<const uint8_t> nal = bytes.first(strip_emulation(bytes));
  open_references(slice.params, env);
  if (slice.params.type == SliceType::b && slice.params.list[1][0].present) read_motion(slice.params.list[1][0].frame, env);
  const std::function<bool()> stop = [&env] { return env.stop.aborting(); };
  const SliceEnd end = decode_slice(
      picture_, {slice.params, nal.subspan(std::min<size_t>(slice.data_offset, nal.size())), scale_, references_, motion_, stop, pool_});
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
      if (conceal_from_) {
        const int column = static_cast<int>(x), row = static_cast<int>(y);
        conceal_from_->luma.fetch(column * 16, row * 16, 16, 16, reinterpret_cast<std::byte*>(luma.at(x * 16, y * 16)), luma.stride());
        conceal_from_->chroma.fetch(column * 8, row * 8, 8, 8, reinterpret_cast<std::byte*>(chroma.at(x * 16, y * 8)), chroma.stride());
        continue;
      }
      make_grey(picture_.frame, x, y);
    }
  }
  return true;
}

void AvcCodec::write_motion(EngineEnv& env) {
  const PictureParams& params = state_.params;
  if (!params.reference || !state_.motion_write) return;
  using Coding = MotionRecord::Coding;
  records_.resize(picture_.mbs.size() * MotionRecord::bytes);
  for_each(pool_, picture_.height, [&](size_t row, unsigned) {
    for (size_t i = row * picture_.width; i < (row + 1) * picture_.width; ++i) {
      const Macroblock& mb = picture_.mbs[i];
      write_record(mb,
                   params.field() ? Coding::field_picture
                   : mb.field     ? Coding::field_mb
                                  : Coding::frame,
                   params, records_.data() + i * MotionRecord::bytes);
    }
  });
  env.view.write(state_.motion_write + (params.bottom() ? records_.size() : 0), records_.data(), records_.size());
  // The frame's first record says how all of it is coded, also when the bottom field is the first. Else it has the top field's first block.
  if (!params.bottom()) return;
  const uint64_t first = state_.motion_write + MotionRecord::blocks_at;
  env.view.store(first, with_coding(env.view.load<uint8_t>(first), Coding::field_picture));
}

void AvcCodec::store(EngineEnv& env) {
  const PictureParams& params = state_.params;
  PictureMap map;
  open_map(map, state_.destination, !params.field() ? whole : params.bottom() ? bottom_field : top_field, Access::write, env);
  store_frame(map, picture_.frame, pool_, !params.monochrome);
}

ExecResult AvcCodec::close(const PacketStore& /*state*/, EngineEnv& env) {
  for (PictureMap& map : maps_) map.refresh(env.view, env.stop);
  if (!conceal(env.stop)) return ExecResult::aborted;
  const uint32_t rows = picture_.height / (picture_.params.mbaff ? 2 : 1);
  for (uint32_t row = picture_.progress.filtered; row < rows; ++row) {
    if (env.stop.aborting()) return ExecResult::aborted;
    deblock_row(picture_, row);
  }
  status_.blocks = static_cast<uint32_t>(picture_.mbs.size());
  store(env);
  write_motion(env);
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media::avc

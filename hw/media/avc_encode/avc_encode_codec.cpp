// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/avc_encode_codec.h"

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"
#include "hw/defs/command.h"
#include "hw/media/avc/deblock.h"
#include "hw/memory/view.h"

namespace softgen::media::avc {
namespace {

/// iHD flushes twice behind each slice. A picture whose last slice does not come ends after this many.
constexpr unsigned max_flushes = 4;

std::byte* bytes_of(uint8_t* samples) { return reinterpret_cast<std::byte*>(samples); }

}  // namespace

ExecResult AvcEncoder::begin(const PacketStore& state, EngineEnv& env) {
  open_ = true;
  between_slices_ = true, is_last_ = false;
  report_ = {};
  status_ = {};
  planes_.drop();
  pak_.reset();
  params_ = packets_->picture(state);
  if (!params_) return ExecResult::done;
  const PictureParams& params = params_->state.params;
  picture_.begin(params);
  status_.blocks = static_cast<uint32_t>(picture_.mbs.size());
  stored_.begin(params_->state);
  scale_.set(params);
  quantizer_.set(scale_);
  const EncodeTarget target = packets_->target(state);
  stream_.begin(target);
  stream_.seek(target.offset);
  const uint32_t width = picture_.width * 16, height = picture_.height * 16;
  source_.resize(width, height);
  PictureMap map;
  map.open(env.view, env.stop, params_->source.limited(width, height), params_->source.base, Access::read);
  for (uint32_t y = 0; y < height; y += 16) {
    if (env.stop.aborting()) return ExecResult::aborted;
    const int row = static_cast<int>(y);
    map.luma.fetch(0, row, width, 16, bytes_of(source_.luma.row(y)), source_.luma.stride());
    map.chroma.fetch(0, row / 2, width / 2, 8, bytes_of(source_.chroma.row(y / 2)), source_.chroma.stride());
  }
  return ExecResult::done;
}

ExecResult AvcEncoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_)
    if (const ExecResult result = begin(state, env); result != ExecResult::done) return result;
  flushes_ = 0;
  if (!params_) return ExecResult::done;
  if (between_slices_) {
    between_slices_ = false;
    const EncodeTarget target = packets_->target(state);
    if (target.by_slice) stream_.seek(target.offset);
  }
  if (packets_->is_header(packet)) {
    insert(packets_->header(packet, state, params_->state.params), env);
    return ExecResult::done;
  }
  if (packets_->is_macroblock(packet) != params_->by_objects) {
    guest_error(packet.command->name, "in a picture that is encoded otherwise");
    return ExecResult::done;
  }
  if (params_->by_objects) return macroblock(packet, state, env);
  between_slices_ = true;
  is_last_ = packets_->is_last_slice(state);
  const std::optional<SliceParams> slice = packets_->slice(packet, state, params_->state.params);
  if (!slice || picture_.slices.size() >= Macroblock::no_slice) return ExecResult::done;
  return encode(*slice, packets_->protects_slice_data(state), env);
}

void AvcEncoder::insert(const HeaderBits& header, EngineEnv& env) {
  static constexpr std::array<uint8_t, 3> start_code{0, 0, 1};
  // std::ranges::search() is too much for clang 14 with libstdc++ 12.
  const auto found = std::search(header.bytes.begin(), header.bytes.end(), start_code.begin(), start_code.end());
  const bool has_nal = found != header.bytes.end();
  const size_t after_nal = static_cast<size_t>(found - header.bytes.begin()) + start_code.size() + 1;
  for (size_t i = 0; i < header.bytes.size(); ++i) {
    unsigned count = header.bits_of(i);
    uint32_t bits = header.bytes[i] >> (8 - count);
    if (header.first_mb && has_nal && i == after_nal) {
      stream_.bits().unsigned_golomb(*header.first_mb);
      bits &= (1u << --count) - 1;
    }
    stream_.bits().put(bits, count);
  }
  report_.bytes += stream_.flush(env.view, header.protect, header.skipped);
}

// A slice's parameters are those of its first object.
ExecResult AvcEncoder::macroblock(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!pak_) {
    const std::optional<SliceParams> slice = packets_->pak_slice(state, params_->state.params);
    if (!slice) return ExecResult::done;
    if (picture_.slices.size() >= Macroblock::no_slice) {
      guest_error(packet.command->name, "in slice {} of a picture", picture_.slices.size());
      return ExecResult::done;
    }
    stored_.open(*slice, env);
    pak_ = std::make_unique<PakSlice>(picture_, *slice, code_input(), stream_.bits());
  }
  const PakMacroblock object = packets_->macroblock(packet, state, pak_->type(), env);
  if (!object.x && env.stop.aborting()) return ExecResult::aborted;
  if (object.y * picture_.width + object.x != pak_->next() || object.x >= picture_.width) {
    guest_error(packet.command->name, "macroblock ({}, {}) is not the slice's next", object.x, object.y);
    return ExecResult::done;
  }
  stored_.refresh(env);
  if (!pak_->code(object)) return ExecResult::done;
  report_.bits += static_cast<uint32_t>(pak_->bits());
  report_.qp += pak_->qp_sum();
  ++report_.slices;
  pak_.reset();
  report_.bytes += stream_.flush(env.view, packets_->protects_slice_data(state));
  between_slices_ = true;
  is_last_ = packets_->is_last_slice(state);
  return ExecResult::done;
}

bool AvcEncoder::load_planes(const SliceParams& slice, EngineEnv& env) {
  const RefEntry& entry = slice.list[0][0];
  const PictureMap* const reference =
      slice.type == SliceType::p && entry.present ? stored_.references()[entry.frame * 4u + whole] : nullptr;
  if (!reference) planes_.drop();
  if (!reference || (planes_.loaded() && planes_of_ == entry.frame)) return true;
  planes_of_ = entry.frame;
  return planes_.load(reference->luma, picture_.width * 16, picture_.height * 16, env.stop);
}

ExecResult AvcEncoder::encode(const SliceParams& slice, bool protect, EngineEnv& env) {
  stored_.open(slice, env);
  if (!load_planes(slice, env)) return ExecResult::aborted;
  const EncodeInput input{code_input(), planes_, params_->range, params_->tools};
  const uint64_t before = stream_.bits().bits();
  if (!encode_slice(picture_, slice, input, [&env] { return env.stop.aborting(); }, stream_.bits())) return ExecResult::aborted;
  report_.bits += static_cast<uint32_t>(stream_.bits().bits() - before);
  report_.qp += slice.qp * (slice.next_mb - slice.first_mb);
  ++report_.slices;
  report_.bytes += stream_.flush(env.view, protect);
  return ExecResult::done;
}

// Luma alone: only an encoder's own search reads this surface (media-map 4.2).
void AvcEncoder::store_scaled(EngineEnv& env) {
  const Plane<uint8_t>& luma = picture_.frame.luma;
  PictureMap map;
  map.open(env.view, env.stop, params_->scaled.limited(luma.width() / 4, luma.height() / 4), params_->scaled.base, Access::write);
  std::vector<uint8_t> row(luma.width() / 4);
  for (uint32_t y = 0; y < luma.height() / 4; ++y) {
    for (uint32_t x = 0; x < row.size(); ++x) {
      unsigned sum = 8;
      for (uint32_t i = 0; i < 16; ++i) sum += *luma.at(x * 4 + i % 4, y * 4 + i / 4);
      row[x] = static_cast<uint8_t>(sum / 16);
    }
    map.luma.store(0, y, static_cast<unsigned>(row.size()), 1, bytes_of(row.data()), row.size());
  }
}

ExecResult AvcEncoder::close(const PacketStore& /*state*/, EngineEnv& env) {
  if (params_ && !is_last_ && ++flushes_ < max_flushes) return ExecResult::done;
  open_ = false;
  pak_.reset();
  if (!params_) return ExecResult::done;
  for (uint32_t y = 0; y < picture_.height; ++y) {
    if (env.stop.aborting()) return ExecResult::aborted;
    for (uint32_t x = 0; x < picture_.width; ++x)
      if (picture_.mb(x, y).slice == Macroblock::no_slice) make_grey(picture_.frame, x, y);
  }
  for (uint32_t y = 0; y < picture_.height && params_->filtered; ++y) {
    if (env.stop.aborting()) return ExecResult::aborted;
    deblock_row(picture_, y);
  }
  if (params_->state.destination) stored_.store(picture_, pool_, env);
  stored_.write_motion(picture_, pool_, env);
  if (params_->scaled.base) store_scaled(env);
  stream_.bits().align(false);
  report_.bytes += stream_.flush(env.view, false);
  report_.is_cut = stream_.is_cut();
  stream_.pad(env.view);
  packets_->report(env, report_);
  return ExecResult::done;
}

}  // namespace softgen::media::avc

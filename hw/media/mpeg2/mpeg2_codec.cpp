// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/mpeg2_codec.h"

#include <algorithm>
#include <cstring>

#include "hw/media/mpeg2/slice.h"

namespace softgen::media {
namespace {

using mpeg2::CodingType;

constexpr uint8_t grey = 128;

/// `parity` negative: the frame, else one of its fields.
void open_picture(PictureMap& map, EngineEnv& env, const mpeg2::SurfaceSet& surfaces, uint64_t address, int parity, Access access) {
  for (const bool is_chroma : {false, true}) {
    PlaneLayout layout = is_chroma ? surfaces.chroma : surfaces.luma;
    layout.base = address;
    if (parity >= 0) {
      layout.first_row += static_cast<uint32_t>(parity);
      layout.row_step = 2;
      layout.height /= 2;
    }
    (is_chroma ? map.chroma : map.luma).open(env.view, env.stop, layout, access);
  }
}

void close_map(PictureMap& map) { map.luma.close(), map.chroma.close(); }

}  // namespace

ExecResult Mpeg2Codec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  refresh(env);
  const mpeg2::SliceObject object = packets_->slice(packet, state, picture_);
  const std::span<const uint8_t> bytes = read_object(env, object.address, object.bytes, object.bound, bytes_);
  mpeg2::SliceDecoder decoder(picture_, references_, frame_, done_);
  const mpeg2::SliceResult result = decoder.decode(BitReader(bytes, object.first_bit), object.slice, env.stop);
  if (result == mpeg2::SliceResult::broken) status_.errors |= 1;
  return result == mpeg2::SliceResult::aborted || env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Mpeg2Codec::begin(const PacketStore& state, EngineEnv& env) {
  picture_ = packets_->picture(state);
  status_ = {};
  frame_.resize(picture_.width * 16, picture_.height * 16);
  done_.assign(size_t{picture_.width} * picture_.height, 0);
  const mpeg2::SurfaceSet surfaces = packets_->surfaces(state);
  open_picture(destination_, env, surfaces, surfaces.destination, picture_.is_frame() ? -1 : static_cast<int>(picture_.parity()),
               Access::write);
  open_references(surfaces, env);
  open_ = true;
}

void Mpeg2Codec::open_references(const mpeg2::SurfaceSet& surfaces, EngineEnv& env) {
  for (unsigned direction = 0; direction < 2; ++direction) {
    const bool used = picture_.type == CodingType::b || (picture_.type == CodingType::p && direction == 0);
    const auto& addresses = surfaces.reference[direction];
    PictureMap& frame = references_.frame[direction];
    if (used && picture_.is_frame() && addresses[0]) open_picture(frame, env, surfaces, addresses[0], -1, Access::read);
    else close_map(frame);
    for (unsigned parity = 0; parity < 2; ++parity) {
      PictureMap& field = references_.field[direction][parity];
      const uint64_t address = addresses[picture_.is_frame() ? 0 : parity];
      if (used && address && !(picture_.is_frame() && picture_.frame_pred_frame_dct))
        open_picture(field, env, surfaces, address, static_cast<int>(parity), Access::read);
      else close_map(field);
    }
  }
}

void Mpeg2Codec::refresh(EngineEnv& env) {
  destination_.refresh(env.view, env.stop);
  for (unsigned direction = 0; direction < 2; ++direction) {
    references_.frame[direction].refresh(env.view, env.stop);
    for (PictureMap& field : references_.field[direction]) field.refresh(env.view, env.stop);
  }
}

ExecResult Mpeg2Codec::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (env.stop.aborting()) return ExecResult::aborted;
  refresh(env);
  if (!conceal(env.stop)) return ExecResult::aborted;
  store();
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
    if (picture_.type == CodingType::i) conceal_intra(x, y);
    else predict(picture_, references_, motion, x, y, frame_);
  }
  return true;
}

void Mpeg2Codec::conceal_intra(uint32_t x, uint32_t y) {
  for (const bool is_chroma : {false, true}) {
    Plane<uint8_t>& plane = is_chroma ? frame_.chroma : frame_.luma;
    const uint32_t rows = is_chroma ? mpeg2::chroma_rows : mpeg2::luma_rows;
    for (uint32_t row = y * rows; row < (y + 1) * rows; ++row) {
      if (y) std::memcpy(plane.at(x * 16, row), plane.at(x * 16, y * rows - 1), 16);
      else std::memset(plane.at(x * 16, row), grey, 16);
    }
  }
}

void Mpeg2Codec::store() {
  for_each(pool_, picture_.height, [&](size_t block_row, unsigned) {
    const uint32_t y = static_cast<uint32_t>(block_row);
    const auto bytes_of = [](const uint8_t* samples) { return reinterpret_cast<const std::byte*>(samples); };
    const Plane<uint8_t>&luma = frame_.luma, &chroma = frame_.chroma;
    destination_.luma.store(0, y * 16, luma.width(), mpeg2::luma_rows, bytes_of(luma.row(y * 16)), luma.stride());
    destination_.chroma.store(0, y * 8, chroma.width() / 2, mpeg2::chroma_rows, bytes_of(chroma.row(y * 8)), chroma.stride());
  });
}

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/vc1_codec.h"

#include "hw/media/vc1/field_motion.h"
#include "hw/media/vc1/filter.h"
#include "hw/media/vc1/inter.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/slice.h"

namespace softgen::media {
namespace {

using vc1::Macroblock;
using vc1::PictureType;
using vc1::StoredMotion;
using vc1::Vector;

/// The layout of direct motion buffers is chosen: these bytes for each macroblock, in raster order. Drivers allocate 64.
static_assert(sizeof(StoredMotion) == 12);

/// The vector that stands for a macroblock's four; 0 of intra ones.
StoredMotion stored_motion(const vc1::PictureParams& params, const Macroblock& block) {
  if (params.coding == vc1::Coding::progressive) {
    Vector combined;
    return {.vector = vc1::combined_vector(block.forward, block.intra, combined) ? combined : Vector{}};
  }
  if (block.intra) return {};
  if (params.coding == vc1::Coding::frame) return {.vector = block.forward[0], .second = block.forward[2]};
  const vc1::FieldVector combined = vc1::combined_field_vector(block.forward, block.opposite[0]);
  return {.vector = combined.vector, .opposite = combined.opposite};
}

}  // namespace

ExecResult Vc1Codec::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  refresh(env);
  const vc1::SliceObject object = packets_->slice(packet, state, picture_.params);
  std::span<uint8_t> bytes = read_object(env, object, bytes_);
  if (object.has_emulation) bytes = bytes.first(strip_emulation(bytes));
  vc1::SliceDecoder decoder(picture_, BitReader(bytes, object.first_bit));
  const vc1::SliceResult result = decoder.decode(object.first_row, object.end_row, env.stop);
  if (result == vc1::SliceResult::broken) status_.errors |= 1;
  return result == vc1::SliceResult::aborted || env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Vc1Codec::begin(const PacketStore& state, EngineEnv& env) {
  vc1::PictureParams& params = picture_.params = packets_->picture(state);
  status_ = {};
  const size_t count = size_t{params.width} * params.height;
  picture_.blocks.assign(count, Macroblock{});
  picture_.begins_slice.assign(params.height, 0);
  picture_.frame.resize(params.width * 16, params.height * 16);
  if (params.smooths()) picture_.differences.resize(params.width * 16, params.height * 16);
  const vc1::SurfaceSet surfaces = packets_->surfaces(state);
  const PictureLayout& whole = surfaces;
  const PictureLayout destination = params.is_field() ? whole.field(params.field.bottom) : whole;
  destination_.open(env.view, env.stop, destination, surfaces.destination, Access::write);
  open_references(surfaces, env);
  motion_address_ = surfaces.motion_write;
  read_flags(surfaces, env);
  if (params.type == PictureType::b) read_motion(surfaces.motion_read, env);
  open_ = true;
}

void Vc1Codec::open_references(const vc1::SurfaceSet& surfaces, EngineEnv& env) {
  const vc1::PictureParams& params = picture_.params;
  const PictureLayout layout = surfaces.limited(params.edge_width, params.edge_height);
  for (size_t i = 0; i < picture_.references.size(); ++i) {
    PictureMap& map = picture_.references[i];
    const bool is_backward = i & 1, is_bottom = i & 2;
    const bool used = params.type == PictureType::b || (params.type == PictureType::p && !is_backward);
    if (!used || !surfaces.reference[i] || (is_bottom && !params.is_field())) {
      map.close();
      continue;
    }
    const bool as_frame = !params.is_field() || !params.is_interlaced_reference(i);
    map.open(env.view, env.stop, as_frame ? layout : layout.field(is_bottom), surfaces.reference[i], Access::read);
  }
}

void Vc1Codec::read_flags(const vc1::SurfaceSet& surfaces, EngineEnv& env) {
  const uint32_t width = picture_.params.width, height = picture_.params.height;
  picture_.flags.assign(size_t{width} * height, 0);
  if (!surfaces.bitplane) return;
  std::array<uint8_t, (vc1::max_blocks + 1) / 2> row;
  for (uint32_t y = 0; y < height && !env.stop.aborting(); ++y) {
    env.view.read(surfaces.bitplane + uint64_t{y} * surfaces.bitplane_pitch, row.data(), (width + 1) / 2);
    for (uint32_t x = 0; x < width; ++x) picture_.flags[size_t{y} * width + x] = row[x / 2] >> x % 2 * 4 & 15;
  }
}

void Vc1Codec::read_motion(uint64_t address, EngineEnv& env) {
  vc1::MotionParams& motion = picture_.params.motion;
  motion.has_stored = motion.has_stored && address;
  if (!motion.has_stored) return;
  picture_.stored.resize(picture_.blocks.size());
  env.view.read(address, picture_.stored.data(), picture_.stored.size() * sizeof(StoredMotion));
}

void Vc1Codec::refresh(EngineEnv& env) {
  destination_.refresh(env.view, env.stop);
  for (PictureMap& reference : picture_.references) reference.refresh(env.view, env.stop);
}

ExecResult Vc1Codec::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (env.stop.aborting()) return ExecResult::aborted;
  refresh(env);
  if (picture_.params.smooths()) vc1::smooth(picture_, pool_, env.stop);
  if (!conceal(env.stop)) return ExecResult::aborted;
  if (picture_.params.loop_filter) vc1::deblock(picture_, pool_, env.stop);
  if (env.stop.aborting()) return ExecResult::aborted;
  if (goes_to_surface()) store_frame(destination_, picture_.frame, pool_);
  if (!picture_.params.is_field()) hand_over(host_picture(picture_.frame), env);
  if (picture_.params.type == PictureType::p && motion_address_) write_motion(env);
  status_.blocks = picture_.params.width * picture_.params.height;
  open_ = false;
  return ExecResult::done;
}

// The same place of the reference where there is one; else the row above, or grey.
bool Vc1Codec::conceal(const StopFlag& stop) {
  vc1::Predictor predictor(picture_);
  const unsigned unseen = picture_.params.is_field() ? vc1::field_reference(picture_.params.field, 0, false) : 0;
  for (uint32_t y = 0; y < picture_.params.height; ++y) {
    if (stop.aborting()) return false;
    for (uint32_t x = 0; x < picture_.params.width; ++x) {
      if (picture_.at(x, y).done) continue;
      ++status_.concealed_blocks;
      if (picture_.params.is_intra()) repeat_row_above(picture_.frame, x, y);
      else predictor.macroblock(x, y, unseen, {}, false);
    }
  }
  return true;
}

// For direct prediction.
void Vc1Codec::write_motion(EngineEnv& env) const {
  std::vector<StoredMotion> stored;
  stored.reserve(picture_.blocks.size());
  for (const Macroblock& block : picture_.blocks) stored.push_back(stored_motion(picture_.params, block));
  env.view.write(motion_address_, stored.data(), stored.size() * sizeof(StoredMotion));
}

}  // namespace softgen::media

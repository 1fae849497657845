// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile AVC slices: parameters, streams and direct MV buffers, through the decoder's core and its loop filter.
#include <vector>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/slice.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/state_source.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;
using fuzz::StateSource;

namespace {

constexpr uint32_t stream_bytes = 2048;

PictureParams picture_of(StateSource& in) {
  PictureParams p;
  p.width_mbs = 1 + in.below(4), p.frame_height_mbs = 2 + in.below(2) * 2;
  p.structure = static_cast<Structure>(in.below(3));
  p.mbaff = !p.field() && in.one_in(2);
  p.direct_8x8_inference = in.one_in(2), p.transform_8x8 = in.one_in(2), p.constrained_intra = in.one_in(2), p.cabac = in.one_in(2);
  p.monochrome = in.below(8) == 0, p.weighted_pred = in.one_in(2);
  p.weighted_bipred = static_cast<uint8_t>(in.below(3));
  for (int8_t& offset : p.chroma_qp_offset) offset = static_cast<int8_t>(in.below(25) - 12);
  for (auto& list : p.scaling4) list.fill(in.take<uint8_t>());
  for (auto& list : p.scaling8) list.fill(in.take<uint8_t>());
  for (auto& poc : p.poc) poc = {static_cast<int32_t>(in.take<uint8_t>() * 0x0101'0101u), in.take<uint8_t>()};
  p.current_poc = {in.take<uint8_t>(), in.take<uint8_t>()};
  return p;
}

SliceParams slice_of(StateSource& in, const PictureParams& p) {
  SliceParams s;
  s.type = static_cast<SliceType>(in.below(3));
  if (s.type != SliceType::i) s.active[0] = static_cast<uint8_t>(in.below(33));
  if (s.type == SliceType::b) s.active[1] = static_cast<uint8_t>(in.below(33));
  for (auto& list : s.list)
    for (RefEntry& entry : list) {
      const uint8_t value = in.take<uint8_t>();
      entry = {(value & 0xe0) != 0xe0, (value & 0x40) != 0, (value & 1) != 0, static_cast<uint8_t>(value >> 1 & 15)};
    }
  const Weight weight{static_cast<int16_t>(in.take<uint8_t>() * 257), static_cast<int16_t>(in.take<uint8_t>() * 257)};
  for (auto& list : s.weights)
    for (auto& planes : list) planes.fill(weight);
  s.luma_denominator = static_cast<uint8_t>(in.below(8)), s.chroma_denominator = static_cast<uint8_t>(in.below(8));
  s.direct_spatial = in.one_in(2);
  s.disable_deblocking = static_cast<uint8_t>(in.below(4)), s.cabac_init = static_cast<uint8_t>(in.below(4)),
  s.qp = static_cast<uint8_t>(in.below(52));
  s.alpha_offset = static_cast<int8_t>(in.below(25) - 12), s.beta_offset = static_cast<int8_t>(in.below(25) - 12);
  s.first_mb = in.below(p.width_mbs * p.height_mbs() + 2);
  s.bit_offset = in.below(8);
  return s;
}

/// What inter prediction reads: surfaces of a hostile guest map, of the picture's size as the packets' decoder opens them.
class ReferenceMaps {
 public:
  std::span<const uint64_t> addresses() const { return map_.addresses(); }
  const References& open(StateSource& in, const Picture& picture) {
    references_ = {};
    const PictureParams& p = picture.params;
    for (PictureMap& map : maps_) {
      static constexpr surface::Tiling tilings[] = {surface::Tiling::linear, surface::Tiling::y};
      PlaneLayout luma{
          .base = in.address(), .pitch = 128, .tiling = in.one_of(tilings), .width = p.width_mbs * 16, .height = p.height_mbs() * 16};
      PlaneLayout chroma = luma;
      chroma.first_row = luma.height, chroma.element = 2, chroma.width /= 2, chroma.height /= 2;
      map.luma.open(map_.view, stop_, luma, Access::read), map.chroma.open(map_.view, stop_, chroma, Access::read);
    }
    for (const PictureMap*& reference : references_)
      if (const uint32_t i = in.below(8); i < maps_.size()) reference = &maps_[i];
    return references_;
  }

 private:
  fuzz::GuestMap map_{64};
  StopFlag stop_;
  std::array<PictureMap, 5> maps_;
  References references_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Picture picture;
  static ReferenceMaps maps;
  StateSource in({data, size}, maps.addresses());
  picture.begin(picture_of(in));
  LevelScale scale;
  scale.set(picture.params);
  const References& references = maps.open(in, picture);
  std::vector<uint8_t> records(size_t{picture.width} * picture.params.frame_height_mbs * MotionRecord::bytes);
  MotionBuffers motion;
  motion.fill(records);
  const std::function<bool()> stop = [] { return false; };
  for (unsigned slices = 1 + in.below(3); slices; --slices) {
    for (size_t i = 0; i < records.size() / 4; ++i) records[i] = in.take<uint8_t>();
    const SliceParams slice = slice_of(in, picture.params);
    const auto stream = in.stream<stream_bytes>();
    decode_slice(picture, {slice, std::span(stream).first(1 + in.below(stream_bytes)), scale, references, motion, stop});
  }
  for (uint32_t row = 0; row < picture.height / (picture.params.mbaff ? 2 : 1); ++row) deblock_row(picture, row);
  for (const Macroblock& mb : picture.mbs) {
    write_record(mb, MotionRecord::Coding::frame, picture.params, records.data());
    const MotionRecord record(records.data());
    for (unsigned i = 0; i < 16; ++i) record.mv(i), record.block(i / 4);
  }
  return 0;
}

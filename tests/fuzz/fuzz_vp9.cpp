// SPDX-License-Identifier: GPL-2.0-or-later
// VP9's decoder on hostile parameters, streams, probabilities, motion vectors and segment ids; references are surfaces of a hostile guest map.
#include <array>

#include "hw/media/vp9/decoder.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/state_source.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;
using namespace softgen::media;

namespace {

class Vp9Target {
 public:
  Vp9Target() { quiet_log(); }

  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    vp9::Parameters picture = parameters(in);
    const size_t blocks = size_t{picture.rows8()} * picture.columns8();
    fill_side(in, blocks);
    for (unsigned i = 0; i < 3; ++i) reference(in, picture.references[i], maps_[i], picture.bit_depth);
    auto stream = in.stream<stream_bytes>();
    const std::span<uint8_t> used = std::span(stream).first(in.below(stream_bytes + 1));
    if (!in.one_in(8)) write_tile_sizes(in, picture, used);
    const vp9::SideData side{
        .stream = used, .probabilities = &probabilities_, .previous = previous_, .motion = motion_, .segment_ids = segment_ids_};
    unsigned left = 64;
    const auto aborting = [&] { return --left == 0; };
    if (picture.bit_depth == 8) narrow_.decode(picture, side, nullptr, aborting);
    else wide_.decode(picture, side, nullptr, aborting);
    for (const uint8_t id : segment_ids_)
      if (id > 7) std::abort();
  }

 private:
  static constexpr uint32_t stream_bytes = 1024;

  static vp9::Parameters parameters(StateSource& in) {
    vp9::Parameters p;
    const bool is_small = in.one_in(4);
    p.width = 8 * (1 + (is_small ? in.small_below(18) : in.below(18))), p.height = 8 * (1 + (is_small ? in.small_below(14) : in.below(14)));
    const uint32_t flags = in.take<uint32_t>();
    const auto bit = [&](unsigned i) { return (flags >> i & 1) != 0; };
    p.bit_depth = bit(0) ? 10 : 8;
    p.key_frame = bit(1) && bit(2), p.intra_only = bit(3) && bit(4), p.adapt = bit(5), p.refresh_context = bit(6), p.last_was_key = bit(7);
    p.high_precision = bit(8), p.use_previous_mvs = bit(9), p.lossless = bit(10) && bit(11);
    p.filter = static_cast<uint8_t>((flags >> 12 & 7) % 5);
    for (unsigned i = 0; i < 3; ++i) p.sign_bias[1 + i] = bit(15 + i);
    p.filter_level = static_cast<uint8_t>(flags >> 18 & 63), p.sharpness = static_cast<uint8_t>(flags >> 24 & 7);
    p.segmentation.enabled = bit(27), p.segmentation.update_map = bit(28), p.segmentation.temporal_update = bit(29);
    p.log2_tile_columns = static_cast<uint8_t>(in.one_in(4) ? flags >> 30 : 0);
    p.log2_tile_rows = static_cast<uint8_t>(in.one_in(4) ? in.below(3) : 0);
    p.compressed_header_bytes = in.one_in(4) ? in.take<uint8_t>() : in.below(32);
    for (vp9::Segment& s : p.segmentation.segments) {
      const uint8_t kind = in.take<uint8_t>();
      s.has_reference = (kind & 3) == 3, s.skip = (kind & 12) == 12, s.reference = static_cast<int8_t>(kind >> 4 & 3);
      for (auto& levels : s.levels) levels = {static_cast<uint8_t>(kind & 63), static_cast<uint8_t>(kind >> 2)};
      for (auto& quantizers : s.quantizers) quantizers = {in.take<uint16_t>(), static_cast<uint16_t>(kind * 257)};
    }
    return p;
  }

  /// Each tile but the last has its size before it; those that are there add up to the stream.
  static void write_tile_sizes(StateSource& in, const vp9::Parameters& picture, std::span<uint8_t> stream) {
    std::span<uint8_t> rest = stream.subspan(std::min<size_t>(picture.compressed_header_bytes, stream.size()));
    for (unsigned left = 1u << (picture.log2_tile_columns + picture.log2_tile_rows); left > 1 && rest.size() > 4; --left) {
      const auto size = std::min(in.below(static_cast<uint32_t>(2 * rest.size() / left) + 1), static_cast<uint32_t>(rest.size() - 4));
      for (unsigned i = 0; i < 4; ++i) rest[i] = static_cast<uint8_t>(size >> (24 - 8 * i));
      rest = rest.subspan(4 + size);
    }
  }

  void fill_side(StateSource& in, size_t blocks) {
    const uint32_t seed = in.take<uint32_t>();
    uint32_t state = seed | 1;
    const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    in.fill_bytes(probabilities_);
    segment_ids_.resize(blocks), motion_.resize(blocks), previous_.resize(blocks);
    for (size_t i = 0; i < blocks; ++i) {
      segment_ids_[i] = next() & 7;
      for (vp9::Mv& mv : previous_[i].mv) mv = {static_cast<int16_t>(next()), static_cast<int16_t>(next())};
      previous_[i].reference = {static_cast<int8_t>(next() % 5 - 1), static_cast<int8_t>(next() % 5 - 1)};
    }
  }

  void reference(StateSource& in, vp9::ReferencePicture& out, PictureMap& map, unsigned bit_depth) {
    const uint8_t kind = in.take<uint8_t>();
    out.width = 1 + in.take<uint8_t>(), out.height = 1 + in.take<uint8_t>();
    out.x_scale = kind & 1 ? in.take<uint16_t>() : 1 << 14, out.y_scale = kind & 2 ? in.take<uint16_t>() : 1 << 14;
    if (kind & 4) return;
    const uint8_t sample = bit_depth > 8 ? 2 : 1;
    const uint64_t base = map_.addresses()[kind % map_.addresses().size()];
    const PlaneLayout luma{
        .base = base, .pitch = 512, .tiling = surface::Tiling::y, .element = sample, .width = out.width, .height = out.height};
    PlaneLayout chroma = luma;
    chroma.first_row = 256, chroma.element = static_cast<uint8_t>(2 * sample);
    chroma.width = (out.width + 1) / 2, chroma.height = (out.height + 1) / 2;
    map.luma.open(map_.view, stop_, luma, Access::read), map.chroma.open(map_.view, stop_, chroma, Access::read);
    out.map = &map;
  }

  GuestMap map_{64, 1};
  StopFlag stop_;
  std::array<PictureMap, 3> maps_;
  std::array<uint8_t, vp9::probability_bytes> probabilities_{};
  std::vector<uint8_t> segment_ids_;
  std::vector<vp9::StoredMotion> motion_, previous_;
  vp9::Decoder<uint8_t> narrow_;
  vp9::Decoder<uint16_t> wide_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Vp9Target target;
  target.run({data, size});
  return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's AVC loop filter read: a macroblock's deblocking data, as the bit stream decoder writes it, comes with the maps and thresholds that its strengths
// and indices stand for. intel-vaapi-driver src/shaders/h264/ildb/AVC_ILDB.inc, Load_ILDB_Cntrl_Data.asm.
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/dataport/messages.h"
#include "hw/defs/avc_loop_filter.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/messages/headers.h"

namespace softgen::dataport {
namespace {

using Data = defs::gen5::AVC_ILDB_DATA;
using Control = defs::gen5::AVC_ILDB_CONTROL;

constexpr unsigned groups = 4, rows = 16, internal_edges = 6, planes = 3;
/// Edges of one plane with an index of their own, in AVC_ILDB_DATA's order.
enum Kind : unsigned { internal, left0, left1, top0, top1, kinds };
/// External edges in the order in which AVC_ILDB_CONTROL has their maps, and AVC_ILDB_DATA their strengths.
constexpr std::array<unsigned, 4> mapped_edges{0, 2, 1, 3};

/// Of the groups whose strength `chosen` takes, four places each.
template <typename Chosen>
uint32_t map_of(const uint32_t* strengths, Chosen&& chosen) {
  uint32_t map = 0;
  for (unsigned i = 0; i < groups; ++i)
    if (chosen(strengths[i])) map |= 0xfu << 4 * i;
  return map;
}

/// Of a row of the left edge between a frame and a field pair of MBAFF. Both edges, with a group for every two rows, share the first one's maps:
/// AVC_ILDB_Filter_Mbaff_Y_v.asm reads no others, and AVC_ILDB_Filter_Mbaff_UV_v.asm takes chroma's rows from them.
uint32_t mixed_strength(const Data& data, unsigned row) {
  const bool field = data.field_macroblock;
  const unsigned edge = field ? row / (rows / 2) : row % 2, group = field ? row % (rows / 2) / 2 : row / groups;
  return data.external_strength[edge * groups + group];
}

template <typename Chosen>
uint32_t mixed_map(const Data& data, Chosen&& chosen) {
  uint32_t map = 0;
  for (unsigned row = 0; row < rows; ++row) map |= uint32_t{chosen(mixed_strength(data, row))} << row;
  return map;
}

/// The indices of one plane's edges of a kind; the guest's are bounded.
struct Index {
  uint32_t a, b;
  Index(const Data& data, unsigned plane, Kind kind) {
    const uint32_t* const at = &data.threshold_index[(plane * kinds + kind) * 2];
    a = std::min(at[0], defs::avc::loop_filter_indices - 1), b = std::min(at[1], defs::avc::loop_filter_indices - 1);
  }
  uint32_t alpha() const { return defs::avc::alphas[a]; }
  uint32_t beta() const { return defs::avc::betas[b]; }
  uint32_t clip(uint32_t strength) const { return strength && strength < 4 ? defs::avc::clips[a][strength - 1] : 0; }
};

/// One plane of a macroblock's control data, as it goes on in order.
class PlaneControl {
 public:
  PlaneControl(const Data& data, unsigned plane) : data_(data), plane_(plane) {}

  void clips(uint32_t*& to, Kind kind, const uint32_t* strengths) const {
    const Index index(data_, plane_, kind);
    for (unsigned i = 0; i < groups; ++i) *to++ = index.clip(strengths[i]);
  }
  void thresholds(uint32_t*& to, Kind kind) const {
    const Index index(data_, plane_, kind);
    *to++ = index.alpha(), *to++ = index.beta();
  }
  const uint32_t* external(unsigned edge) const { return &data_.external_strength[edge * groups]; }

  /// `first`, `step`: the internal edges that the plane has, of three in each direction.
  void first_set(uint32_t* clip, uint32_t* threshold, unsigned first, unsigned step) const {
    for (const bool down : {false, true}) {
      clips(clip, down ? top0 : left0, external(down ? 2 : 0));
      for (unsigned e = first; e < internal_edges / 2; e += step)
        clips(clip, internal, &data_.internal_strength[(down * internal_edges / 2 + e) * groups]);
    }
    for (const Kind kind : {left0, top0, internal}) thresholds(threshold, kind);
  }
  void second_set(uint32_t* clip, uint32_t* threshold) const {
    clips(clip, left1, external(1));
    clips(clip, top1, external(3));
    for (const Kind kind : {left1, top1}) thresholds(threshold, kind);
  }

 private:
  const Data& data_;
  unsigned plane_;
};

Control expand(const Data& data) {
  Control out{};
  const auto filtered = [](uint32_t strength) { return strength != 0; };
  const auto strongest = [](uint32_t strength) { return strength == 4; };
  for (unsigned e = 0; e < internal_edges; ++e) out.internal_edge[e] = map_of(&data.internal_strength[e * groups], filtered);
  for (unsigned e = 0; e < mapped_edges.size(); ++e) {
    const uint32_t* const strengths = &data.external_strength[mapped_edges[e] * groups];
    out.external_edge[e * 2] = map_of(strengths, filtered);
    out.external_edge[e * 2 + 1] = map_of(strengths, strongest);
  }
  if (data.mbaff_picture && data.left_field_macroblock != data.field_macroblock)
    out.external_edge[0] = mixed_map(data, filtered), out.external_edge[1] = mixed_map(data, strongest);
  const std::array<PlaneControl, planes> plane{{{data, 0}, {data, 1}, {data, 2}}};
  plane[0].first_set(out.luma_clip.data(), out.luma_threshold.data(), 0, 1);
  plane[1].first_set(out.cb_clip.data(), out.cb_threshold.data(), 1, internal_edges);
  plane[2].first_set(out.cr_clip.data(), out.cr_threshold.data(), 1, internal_edges);
  plane[0].second_set(out.second_luma_clip.data(), out.second_luma_threshold.data());
  plane[1].second_set(out.second_cb_clip.data(), out.second_cb_threshold.data());
  plane[2].second_set(out.second_cr_clip.data(), out.second_cr_threshold.data());
  return out;
}

}  // namespace

/// The header's offset counts bytes, as those of this generation's other blocks.
SendResult avc_loop_filter(const Message& message, Space space) {
  std::array<uint32_t, Data::dwords> data;
  space.read(message_header::OwordBlock{message.reg(0).dw}.offset() & ~15ull, data.data(), sizeof data);
  const auto control = expand(Data::unpack(data)).pack();
  std::array<uint32_t, Data::dwords + Control::dwords> reply;
  std::ranges::copy(control, std::ranges::copy(data, reply.begin()).out);
  std::memcpy(message.response.data(), reply.data(), std::min(message.response.size_bytes(), sizeof reply));
  return SendResult::done;
}

}  // namespace softgen::dataport

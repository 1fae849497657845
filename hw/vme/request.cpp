// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/vme/request.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hw/defs/messages/headers.h"

namespace softgen::vme {
namespace {

constexpr unsigned max_path = 64;
/// Of Type Remap. No public source has its values: iHD's kernels of FEI for H.264 send it with searches whose forward references are those of list 1.
constexpr uint32_t remap_to_backward = 2;
/// S13.2 of vectors, in whole samples.
constexpr int max_offset = 2048;

/// U4U4: a shift, and what is shifted.
unsigned cost_of(uint32_t code) { return (code & 15) << (code >> 4 & 15); }

Measure measure_of(uint32_t code, bool without_dc) {
  if (!(code & 2)) return Measure::sad;
  return without_dc ? Measure::haar_without_dc : Measure::haar;
}

int window_size(uint32_t size) { return std::clamp(static_cast<int>(size & ~3u), min_window, max_window); }

int offset_of(int32_t value) { return std::clamp(value, -max_offset, max_offset - 1); }

const char* what_is_missing(const message_header::VmePlace& place) {
  if (place.source_size()) return "VME source block of another size than 16x16";
  if (place.type_remap() && place.type_remap() != remap_to_backward) return "VME type remap";
  if (place.source_is_field() || place.reference_is_field()) return "VME of fields";
  return nullptr;
}

}  // namespace

Vector vector_of(uint32_t dword) { return {static_cast<int16_t>(dword), static_cast<int16_t>(dword >> 16)}; }
uint32_t dword_of(Vector v) { return (static_cast<uint32_t>(v.x) & 0xffff) | static_cast<uint32_t>(v.y) << 16; }

Request::Request(const Message& message) : Costs(message) {
  const message_header::VmePlace place{message.reg(0).dw};
  const message_header::VmeControl control{message.reg(1).dw};
  window = {{{offset_of(place.reference_0_x()), offset_of(place.reference_0_y())},
             {offset_of(place.reference_1_x()), offset_of(place.reference_1_y())}}};
  window_width = window_size(place.window_width()), window_height = window_size(place.window_height());
  search_control = place.search_control(), partitions_off = place.partitions_off();
  adaptive = control.adaptive_search();
  max_vectors = control.max_vectors();
  path_length = std::min(control.path_length(), max_path), max_units = std::min(control.max_search_units(), max_path);
  start = {{{static_cast<int>(control.start_0_x()), static_cast<int>(control.start_0_y())},
            {static_cast<int>(control.start_1_x()), static_cast<int>(control.start_1_y())}}};

  static constexpr Precision precisions[] = {Precision::whole, Precision::half, Precision::half, Precision::quarter};
  precision = precisions[place.sub_pel_mode()];
  bilinear = control.bilinear(), bidirectional = !place.bidirectional_off();
  if (control.backward_weight()) backward_weight = control.backward_weight();

  const bool without_dc = control.haar_without_dc();
  intra = measure_of(place.intra_measure(), without_dc), inter = measure_of(place.inter_measure(), without_dc);
  intra_off = control.intra_shapes_off(), neighbours = control.intra_neighbours();
  skip = control.skip_mode(), skip_by_quarter = place.skip_by_quarter(), skip_centers = control.skip_centers();
  chroma = place.inter_chroma(), transforms = place.forward_transform();
  const message_header::VmeCosts costs{message.reg(2).dw};
  thresholds = {costs.transform_threshold_0(), costs.transform_threshold_1(), costs.transform_threshold_2(), costs.transform_threshold_3(),
                costs.transform_threshold_4(), costs.transform_threshold_5(), costs.transform_threshold_6()};

  source_x = static_cast<int>(place.source_x()), source_y = static_cast<int>(place.source_y());
  reference_ids = control.reference_ids();
  as_backward = place.type_remap() == remap_to_backward;
  missing = what_is_missing(place);
}

Costs::Costs(const Message& message) {
  const message_header::VmeCosts costs{message.reg(2).dw};
  intra_ = {cost_of(costs.intra_16x16()), cost_of(costs.intra_8x8()), cost_of(costs.intra_4x4())};
  modes_ = {cost_of(costs.inter_16x16()), cost_of(costs.inter_16x8()), cost_of(costs.inter_16x8()), cost_of(costs.inter_8x8())};
  backward_ = cost_of(costs.inter_backward()), scale_ = message_header::VmeControl{message.reg(1).dw}.vector_cost_scale();
  for (unsigned i = 0; i < 4; ++i) {
    vectors_[i] = cost_of(costs.vectors_0_to_3() >> i * 8 & 0xff);
    vectors_[4 + i] = cost_of(costs.vectors_4_to_7() >> i * 8 & 0xff);
    for (unsigned d = 0; d < 2; ++d) centers_[i][d] = vector_of(message.reg(3).dw[i * 2 + d]);
  }
}

unsigned Costs::vector_cost(unsigned block8, unsigned direction, Vector vector) const {
  const Vector center = centers_[block8][direction];
  return distance_cost(static_cast<unsigned>(std::abs(vector.x - center.x)) >> scale_) +
         distance_cost(static_cast<unsigned>(std::abs(vector.y - center.y)) >> scale_);
}

// Between the entries of the table the cost is interpolated, and beyond 64 it stays.
unsigned Costs::distance_cost(unsigned distance) const {
  if (!distance) return vectors_[0];
  const unsigned step = static_cast<unsigned>(std::bit_width(distance));
  if (step >= vectors_.size()) return vectors_.back();
  const unsigned below = 1u << (step - 1);
  const int from = static_cast<int>(vectors_[step]);
  const int to = static_cast<int>(step + 1 < vectors_.size() ? vectors_[step + 1] : vectors_[step]);
  return static_cast<unsigned>(from + (to - from) * static_cast<int>(distance - below) / static_cast<int>(below));
}

}  // namespace softgen::vme

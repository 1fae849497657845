// SPDX-License-Identifier: GPL-2.0-or-later
// Levels of detail and footprints of a message. Compiled once per instruction set (LANE_LODS and LANE_FOOTPRINTS name the functions).
#include "hw/sampler/lane_quads.h"

namespace softgen::sampler {

void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out) {
  F4 value = given ? Quads::four(given) : Quads::plane(d, Quads::differences(u), Quads::differences(v));
  if (given || bias) {
    value = value == value ? value : F4{};
    value = value + (bias ? Quads::four(bias) : F4{}) + d.bias;
    value = value == value ? value : F4{};
  } else {
    value = value + d.bias;
  }
  const Quads::Lods lods = Quads::finished(d, value);
  // Copied one by one: GCC 12 joins both copies to one load of 32 bytes, which has to wait for two stores of 16.
  const I4 level = lods.level;
  const F4 weight = lods.weight;
  std::memcpy(out.level, &level, sizeof level);
  std::memcpy(out.weight, &weight, sizeof weight);
  out.magnify = lods.magnify;
  out.one_level = Quads::bits_of(lods.level == __builtin_shufflevector(lods.level, lods.level, 0, 0, 0, 0)) == 15;
  out.mixed = Quads::bits_of(lods.weight != 0) != 0;
}

void LANE_FOOTPRINTS(const LaneDetail& d, const float* u, const float* v, unsigned max_taps, LaneFootprints& out, float* lod);
void LANE_FOOTPRINTS(const LaneDetail& d, const float* u, const float* v, unsigned max_taps, LaneFootprints& out, float* lod) {
  const Quads::Footprints f = Quads::footprints(d, Quads::differences(u), Quads::differences(v), max_taps);
  std::memcpy(out.taps, &f.taps, sizeof f.taps);
  std::memcpy(out.step_u, &f.step_u, sizeof f.step_u);
  std::memcpy(out.step_v, &f.step_v, sizeof f.step_v);
  std::memcpy(lod, &f.lod, sizeof f.lod);
}

}  // namespace softgen::sampler

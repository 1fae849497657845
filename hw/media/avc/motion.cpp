// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/motion.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/avc/tables.h"

namespace softgen::media::avc {
namespace {

int median(int a, int b, int c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

// 8.4.1.3.2, with the scaling between field and frame macroblocks.
Motion::Candidate Motion::candidate(unsigned list, const Location& at) const {
  if (!at.mb) return {};
  if (at.mb->intra()) return {-1, {}};
  const int ref = at.mb->ref[list][at.quarter()];
  if (ref < 0) return {-1, {}};
  Mv mv = at.mb->mv[list][at.block()];
  if (!c_.picture.params.mbaff || at.mb->field == c_.mb->field) return {ref, mv};
  if (at.mb->field) return {ref >> 1, {mv.x, static_cast<int16_t>(mv.y * 2)}};
  return {ref * 2, {mv.x, static_cast<int16_t>(mv.y / 2)}};
}

// C, or D if that is not available: outside of the slice, or later in decoding order.
Motion::Candidate Motion::diagonal(unsigned list, const Partition& p) const {
  const int x = p.x + p.width, y = p.y - 1;
  bool present = y < 0 || x < 16;
  if (present && y >= 0) present = block_at[y / 4][x / 4] < block_at[p.y / 4][p.x / 4];
  const Candidate at = present ? candidate(list, c_.locate(x, y)) : Candidate{};
  return at.ref != -2 ? at : candidate(list, c_.locate(p.x - 1, p.y - 1));
}

Mv Motion::predict(unsigned list, int ref, const Partition& p) const {
  const Candidate a = candidate(list, c_.locate(p.x - 1, p.y)), b = candidate(list, c_.locate(p.x, p.y - 1));
  if (p.width == 16 && p.height == 8) {
    const Candidate& side = p.y ? a : b;
    if (side.ref == ref) return side.mv;
  }
  const Candidate c = diagonal(list, p);
  if (p.width == 8 && p.height == 16) {
    const Candidate& side = p.x ? c : a;
    if (side.ref == ref) return side.mv;
  }
  if (b.ref == -2 && c.ref == -2 && a.ref != -2) return a.mv;
  const int same = (a.ref == ref) + (b.ref == ref) + (c.ref == ref);
  if (same == 1) return a.ref == ref ? a.mv : b.ref == ref ? b.mv : c.mv;
  return {static_cast<int16_t>(median(a.mv.x, b.mv.x, c.mv.x)), static_cast<int16_t>(median(a.mv.y, b.mv.y, c.mv.y))};
}

Mv Motion::predict_skip() const {
  const Candidate a = candidate(0, c_.locate(-1, 0)), b = candidate(0, c_.locate(0, -1));
  if (a.ref == -2 || b.ref == -2 || (a.ref == 0 && a.mv == Mv{}) || (b.ref == 0 && b.mv == Mv{})) return {};
  return predict(0, 0, {0, 0, 16, 16});
}

void Motion::set(unsigned list, const Partition& p, Mv mv) const {
  for (unsigned y = p.y / 4u; y < (p.y + p.height) / 4u; ++y)
    for (unsigned x = p.x / 4u; x < (p.x + p.width) / 4u; ++x) c_.mb->mv[list][y * 4 + x] = mv;
}

int8_t Motion::picture(unsigned list, int ref) const {
  if (ref < 0) return -1;
  const bool field_mb = c_.field_mb();
  const unsigned index = static_cast<unsigned>(ref) >> field_mb;
  if (index >= max_list || !c_.slice.list[list][index].present) return -1;
  const RefEntry& entry = c_.slice.list[list][index];
  unsigned part = whole;
  if (field_mb) part = (c_.y % 2 ^ (static_cast<unsigned>(ref) & 1)) ? bottom_field : top_field;
  else if (c_.picture.params.field()) part = entry.bottom ? bottom_field : top_field;
  return static_cast<int8_t>(entry.frame * 4u + part);
}

int32_t Motion::poc(int8_t picture) const { return poc_of(c_.picture.params, picture); }

int32_t Motion::current_poc() const {
  const PictureParams& p = c_.picture.params;
  if (p.field()) return p.current_poc[p.bottom()];
  return c_.field_mb() ? p.current_poc[c_.y % 2] : std::min(p.current_poc[0], p.current_poc[1]);
}

bool Motion::long_term(unsigned list, int ref) const {
  const unsigned index = static_cast<unsigned>(ref) >> c_.field_mb();
  return index < max_list && c_.slice.list[list][index].long_term;
}

// No other reference has the current picture's order count, nor a field the one of its parity (H.8.1).
bool Motion::in_other_view(unsigned list, int ref) const {
  const PictureParams& p = c_.picture.params;
  const unsigned index = static_cast<unsigned>(ref) >> c_.field_mb();
  if (index >= max_list) return false;
  const RefEntry& entry = c_.slice.list[list][index];
  const std::array<int32_t, 2>& both = p.poc[entry.frame % max_frames];
  if (!p.field()) return both == p.current_poc;
  return entry.bottom == p.bottom() && both[p.bottom()] == p.current_poc[p.bottom()];
}

Motion::Distance Motion::distance(int ref0, int ref1) const {
  const int32_t poc0 = poc(picture(0, ref0)), poc1 = poc(picture(1, ref1));
  const int tb = static_cast<int>(std::clamp<int64_t>(int64_t{current_poc()} - poc0, -128, 127));
  const int td = static_cast<int>(std::clamp<int64_t>(int64_t{poc1} - poc0, -128, 127));
  if (!td) return {};
  const int tx = (16384 + std::abs(td / 2)) / td;
  return {td, std::clamp((tb * tx + 32) >> 6, -1024, 1023)};
}

std::array<int, 2> Motion::implicit_weights(int ref0, int ref1) const {
  const auto [td, factor] = distance(ref0, ref1);
  const int second = factor >> 2;
  // Another view's picture is no long-term reference (H.8.4), although intel-vaapi-driver says so, lest it be a short-term one (get_ref_idx_state_1).
  const auto without_distance = [&](unsigned list, int ref) { return long_term(list, ref) && !in_other_view(list, ref); };
  if (!td || without_distance(0, ref0) || without_distance(1, ref1) || second < -64 || second > 128) return {32, 32};
  return {64 - second, second};
}

void Motion::direct(unsigned mask) const {
  if (c_.slice.direct_spatial) spatial(mask);
  else temporal(mask);
}

// 8.4.1.2.2.
void Motion::spatial(unsigned mask) const {
  std::array<int, 2> ref;
  std::array<Mv, 2> mv{};
  const Partition all{0, 0, 16, 16};
  // Candidates are those of the whole macroblock, whatever is in it already.
  for (unsigned list = 0; list < 2; ++list) {
    const std::array<int, 3> refs{candidate(list, c_.locate(-1, 0)).ref, candidate(list, c_.locate(0, -1)).ref, diagonal(list, all).ref};
    ref[list] = -1;
    for (const int one : refs)
      if (one >= 0 && (ref[list] < 0 || one < ref[list])) ref[list] = one;
    if (ref[list] >= 0) mv[list] = predict(list, ref[list], all);
  }
  const bool zero = ref[0] < 0 && ref[1] < 0;
  if (zero) ref = {0, 0};
  const bool inference = c_.picture.params.direct_8x8_inference, can_rest = !zero && (ref[0] == 0 || ref[1] == 0) && !long_term(1, 0);
  const auto resting = [&](unsigned block) {
    const Colocated col = colocated(block);
    return col.used && col.first_ref && std::abs(col.mv.x) <= 1 && std::abs(col.mv.y) <= 1;
  };
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    if (!(mask >> quarter & 1)) continue;
    const bool all_rest = can_rest && inference && resting(quarter / 2 * 12 + quarter % 2 * 3);
    for (unsigned list = 0; list < 2; ++list) c_.mb->ref[list][quarter] = static_cast<int8_t>(ref[list]);
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned block = quarter / 2 * 8 + quarter % 2 * 2 + i / 2 * 4 + i % 2;
      const bool rests = inference ? all_rest : can_rest && resting(block);
      for (unsigned list = 0; list < 2; ++list) c_.mb->mv[list][block] = ref[list] < 0 || (rests && ref[list] == 0) ? Mv{} : mv[list];
    }
  }
}

// 8.4.1.2.3.
void Motion::temporal(unsigned mask) const {
  for (unsigned block = 0; block < 16; ++block)
    if (mask >> (block / 8 * 2 + block % 4 / 2) & 1) temporal_block(block);
}

void Motion::temporal_block(unsigned block) const {
  const unsigned quarter = block / 8 * 2 + block % 4 / 2;
  const Colocated col = colocated(c_.picture.params.direct_8x8_inference ? quarter / 2 * 12 + quarter % 2 * 3 : block);
  int ref = 0;
  Mv mv{};
  if (col.used) {
    const bool as_field = c_.field_mb() || c_.picture.params.field();
    const bool is_bottom = c_.picture.params.field() ? c_.picture.params.bottom() : c_.y % 2 != 0;
    int8_t wanted = coded_from(col);
    if (wanted < 0) wanted = -1;
    else if (!as_field) wanted = static_cast<int8_t>(wanted & ~3);
    else if (col.scale == 1) wanted = static_cast<int8_t>((wanted & ~3) | (is_bottom ? bottom_field : top_field));
    ref = std::max(index_in_list0(wanted), 0);
    mv = col.mv;
    if (col.scale == 1) mv.y = static_cast<int16_t>(mv.y / 2);
    if (col.scale == -1) mv.y = static_cast<int16_t>(mv.y * 2);
  }
  c_.mb->ref[0][quarter] = static_cast<int8_t>(ref);
  c_.mb->ref[1][quarter] = 0;
  const auto [td, factor] = distance(ref, 0);
  if (!td || long_term(0, ref)) {
    c_.mb->mv[0][block] = mv, c_.mb->mv[1][block] = {};
    return;
  }
  const Mv first{static_cast<int16_t>((factor * mv.x + 128) >> 8), static_cast<int16_t>((factor * mv.y + 128) >> 8)};
  c_.mb->mv[0][block] = first;
  c_.mb->mv[1][block] = {static_cast<int16_t>(first.x - mv.x), static_cast<int16_t>(first.y - mv.y)};
}

// The picture that a colocated block was predicted from.
int8_t Motion::coded_from(const Colocated& col) const {
  for (unsigned i = 0; i < c_.slice.active[0]; ++i) {
    const auto one = static_cast<int8_t>(c_.slice.list[0][i].frame * 4 + col.part);
    if (static_cast<uint16_t>(poc(one)) == col.poc) return one;
  }
  return -1;
}

int Motion::index_in_list0(int8_t wanted) const {
  for (unsigned i = 0; i < c_.active(0); ++i)
    if (picture(0, static_cast<int>(i)) == wanted) return static_cast<int>(i);
  return -1;
}

}  // namespace softgen::media::avc

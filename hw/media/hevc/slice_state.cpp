// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/slice_state.h"

#include <algorithm>

#include "hw/media/hevc/deblock.h"

namespace softgen::media::hevc {

bool SliceState::begin_slice(const SliceParameters& slice, std::span<const StoredMotion> collocated) {
  if (info_.slices.empty()) slice_address_ = -1;
  // A picture has no more slice segments than CTBs; a dependent one needs another before it.
  if (slice.first_ctb >= info_.ctb_count() || info_.slices.size() >= info_.ctb_count()) return false;
  if (slice.is_dependent && slice_address_ < 0) return false;
  slice_ = &slice;
  if (!slice.is_dependent) slice_address_ = static_cast<int32_t>(slice.first_ctb);
  info_.slices.push_back({.address = static_cast<uint32_t>(slice_address_),
                          .beta_offset = slice.beta_offset,
                          .tc_offset = slice.tc_offset,
                          .deblocking_off = slice.deblocking_off,
                          .loop_across_slices = slice.loop_across_slices});
  predictor_.begin(info_, slice, collocated);
  return true;
}

void SliceState::initialize() {
  const unsigned type = slice_->type == SliceType::i ? 0 : (slice_->type == SliceType::p) != slice_->cabac_init ? 1 : 2;
  initialize_contexts(contexts_, type, slice_->qp);
}

bool SliceState::starts_row(uint32_t ctb) const { return ctb % info_.ctb_columns() == 0 || info_.tile_of(ctb) != info_.tile_of(ctb - 1); }

void SliceState::enter_ctb(uint32_t ctb, bool is_first) {
  info_.ctbs[ctb] = {
      .slice_address = slice_address_, .slice = static_cast<uint32_t>(info_.slices.size() - 1), .sao = {}, .is_whole = false};
  info_.enter(ctb);
  const uint32_t scan = info_.to_tile_scan[ctb], columns = info_.ctb_columns();
  const bool starts_tile = scan == 0 || info_.tile_of(ctb) != info_.tile_of(info_.to_raster[scan - 1]);
  const bool new_row = picture().entropy_sync && starts_row(ctb);
  if (starts_tile || new_row || (is_first && !slice_->is_dependent)) quantization_.previous = slice_->qp;
  if (starts_tile) {
    initialize();
  } else if (new_row) {
    const int size = 1 << picture().log2_ctb, x = static_cast<int>(ctb % columns) * size, y = static_cast<int>(ctb / columns) * size;
    if (info_.is_available(x, y, x + size, y - size)) contexts_ = row_contexts_;
    else initialize();
  } else if (is_first) {
    if (slice_->is_dependent) contexts_ = segment_contexts_;
    else initialize();
  }
}

void SliceState::keep_contexts(uint32_t ctb) {
  if (picture().entropy_sync && !starts_row(ctb) && starts_row(ctb - 1)) row_contexts_ = contexts_;
}

// 8.5.3.2.9 takes the motion at each 16x16 block's upper left.
void SliceState::store_motion(uint32_t ctb) {
  const uint32_t size = 1u << picture().log2_ctb, left = ctb % info_.ctb_columns() * size, top = ctb / info_.ctb_columns() * size;
  const StoredMotionLayout layout(picture());
  for (uint32_t y = top; y < std::min(top + size, picture().height); y += 16) {
    for (uint32_t x = left; x < std::min(left + size, picture().width); x += 16) {
      const size_t cell = info_.cell_index(static_cast<int>(x), static_cast<int>(y));
      if (!info_.cells[cell].is(Cell::inter)) continue;
      const Motion& motion = info_.motions[cell];
      StoredMotion& to = info_.stored_motions[layout.index(x, y)];
      for (unsigned list = 0; list < 2; ++list) {
        if (!motion.uses(list)) continue;
        const Reference& reference = slice_->lists[list][static_cast<size_t>(motion.index[list])];
        to.mv[list] = motion.mv[list];
        to.poc_distance[list] = reference.poc_distance;
        to.flags[list] = StoredMotion::used | (reference.is_long_term ? StoredMotion::long_term : 0);
      }
    }
  }
}

unsigned SliceState::split_context(int x, int y, unsigned depth) const {
  unsigned context = ctx_split_cu;
  if (info_.is_available(x, y, x - 1, y) && info_.cells[info_.cell_index(x - 1, y)].depth > depth) ++context;
  if (info_.is_available(x, y, x, y - 1) && info_.cells[info_.cell_index(x, y - 1)].depth > depth) ++context;
  return context;
}

unsigned SliceState::skip_context(int x, int y) const {
  unsigned context = ctx_skip;
  if (info_.is_available(x, y, x - 1, y) && info_.cells[info_.cell_index(x - 1, y)].is(Cell::skipped)) ++context;
  if (info_.is_available(x, y, x, y - 1) && info_.cells[info_.cell_index(x, y - 1)].is(Cell::skipped)) ++context;
  return context;
}

// 8.6.1: neighbours count only within the CTB, where what precedes the group is decoded.
void SliceState::begin_quantization_group(int x, int y) {
  const int mask = (1 << picture().log2_ctb) - 1, before = quantization_.previous;
  const int left = x & mask ? info_.cells[info_.cell_index(x - 1, y)].qp : before,
            above = y & mask ? info_.cells[info_.cell_index(x, y - 1)].qp : before;
  quantization_.predicted = (left + above + 1) >> 1;
  quantization_.qp = quantization_.predicted;
  quantization_.coded = false;
}

void SliceState::change_qp(int delta) {
  const int offset = 6 * (picture().luma_bits - 8), range = 52 + offset;
  quantization_.coded = true;
  quantization_.qp = ((quantization_.predicted + delta + 52 + 2 * offset) % range + range) % range - offset;
}

unsigned SliceState::component_qp(unsigned component) const {
  const int offset = 6 * (static_cast<int>(picture().bits(component)) - 8);
  if (!component) return static_cast<unsigned>(std::clamp(quantization_.qp + offset, 0, 51 + offset));
  const int shift = component == 1 ? picture().cb_qp_offset + slice_->cb_qp_offset : picture().cr_qp_offset + slice_->cr_qp_offset;
  return static_cast<unsigned>(chroma_qp(std::clamp(quantization_.qp + shift, -offset, 57)) + offset);
}

IntraPresence SliceState::presence_of(int x, int y, int size) const {
  IntraPresence presence;
  const auto is_present = [&](int at_x, int at_y) {
    return info_.is_available(x, y, at_x, at_y) &&
           (!picture().constrained_intra || info_.cells[info_.cell_index(at_x, at_y)].is(Cell::intra));
  };
  for (int i = 0; i < size / 2; ++i) {
    presence.left |= uint32_t{is_present(x - 1, y + 4 * i)} << i;
    presence.above |= uint32_t{is_present(x + 4 * i, y - 1)} << i;
  }
  presence.corner = is_present(x - 1, y - 1);
  return presence;
}

}  // namespace softgen::media::hevc

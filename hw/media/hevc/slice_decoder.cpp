// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/slice_decoder.h"

#include <algorithm>

namespace softgen::media::hevc {

bool SliceDecoder::begin_slice(const SliceParameters& slice) {
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
  return true;
}

SliceResult SliceDecoder::decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                                 Reconstructor& sink, const StopFlag& stop) {
  if (info_.slices.empty()) slice_address_ = -1;
  sink_ = &sink;
  if (!begin_slice(slice)) return SliceResult::broken;
  cabac_ = CabacDecoder(data);
  predictor_.begin(info_, slice, collocated);
  const unsigned log2 = picture().log2_ctb;
  uint32_t ctb = slice.first_ctb;
  for (bool is_first = true;; is_first = false) {
    if (stop.aborting()) return SliceResult::aborted;
    enter_ctb(ctb, is_first);
    if (picture().sao && (slice.sao_luma || slice.sao_chroma)) read_sao(ctb);
    quadtree(static_cast<int>(ctb % info_.ctb_columns() << log2), static_cast<int>(ctb / info_.ctb_columns() << log2), log2, 0);
    sink_->end_ctb();
    bool is_broken = false;
    uint32_t next = ctb;
    const bool goes_on = leave_ctb(ctb, next, is_broken);
    if (is_broken) return SliceResult::broken;
    info_.ctbs[ctb].is_whole = true;
    if (slice.type != SliceType::i) store_motion(ctb);
    if (!goes_on) return SliceResult::whole;
    ctb = next;
  }
}

void SliceDecoder::initialize() {
  const unsigned type = slice_->type == SliceType::i ? 0 : (slice_->type == SliceType::p) != slice_->cabac_init ? 1 : 2;
  initialize_contexts(contexts_, type, slice_->qp);
}

// 9.3.1, 9.3.2.
void SliceDecoder::enter_ctb(uint32_t ctb, bool is_first) {
  info_.ctbs[ctb] = {
      .slice_address = slice_address_, .slice = static_cast<uint32_t>(info_.slices.size() - 1), .sao = {}, .is_whole = false};
  info_.enter(ctb);
  const uint32_t scan = info_.to_tile_scan[ctb], columns = info_.ctb_columns();
  const bool starts_tile = scan == 0 || info_.tile_of(ctb) != info_.tile_of(info_.to_raster[scan - 1]);
  const bool starts_row = picture().entropy_sync && (ctb % columns == 0 || info_.tile_of(ctb) != info_.tile_of(ctb - 1));
  if (starts_tile || starts_row || (is_first && !slice_->is_dependent)) quantization_.previous = slice_->qp;
  if (starts_tile) {
    initialize();
  } else if (starts_row) {
    const int size = 1 << picture().log2_ctb, x = static_cast<int>(ctb % columns) * size, y = static_cast<int>(ctb / columns) * size;
    if (info_.is_available(x, y, x + size, y - size)) contexts_ = row_contexts_;
    else initialize();
  } else if (is_first) {
    if (slice_->is_dependent) contexts_ = segment_contexts_;
    else initialize();
  }
}

bool SliceDecoder::leave_ctb(uint32_t ctb, uint32_t& next, bool& is_broken) {
  const uint32_t columns = info_.ctb_columns();
  const auto starts_row = [&](uint32_t at) { return at % columns == 0 || info_.tile_of(at) != info_.tile_of(at - 1); };
  if (picture().entropy_sync && ctb % columns != 0 && !starts_row(ctb) && starts_row(ctb - 1)) row_contexts_ = contexts_;
  const bool is_end = cabac_.terminate();
  is_broken = cabac_.over();
  if (is_end || is_broken) {
    segment_contexts_ = contexts_;
    return false;
  }
  next = info_.next_ctb(ctb);
  if (next >= info_.ctb_count() || info_.ctbs[next].slice_address == slice_address_) {
    is_broken = true;
    return false;
  }
  if (info_.tile_of(next) == info_.tile_of(ctb) && !(picture().entropy_sync && starts_row(next))) return true;
  is_broken = !cabac_.terminate();
  cabac_ = CabacDecoder(cabac_.rest());
  return !is_broken;
}

// 8.5.3.2.9 takes the motion at each 16x16 block's upper left.
void SliceDecoder::store_motion(uint32_t ctb) {
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

void SliceDecoder::read_sao(uint32_t ctb) {
  const uint32_t columns = info_.ctb_columns();
  const auto may_merge = [&](uint32_t from) {
    return info_.ctbs[from].slice_address == slice_address_ && info_.tile_of(from) == info_.tile_of(ctb);
  };
  SaoParameters& sao = info_.ctbs[ctb].sao;
  if (ctb % columns && may_merge(ctb - 1) && bin(ctx_sao_merge)) sao = info_.ctbs[ctb - 1].sao;
  else if (ctb >= columns && may_merge(ctb - columns) && bin(ctx_sao_merge)) sao = info_.ctbs[ctb - columns].sao;
  else
    for (unsigned component = 0; component < 3; ++component)
      if (component ? slice_->sao_chroma : slice_->sao_luma) read_sao_component(sao, component);
}

void SliceDecoder::read_sao_component(SaoParameters& sao, unsigned component) {
  if (component == 2) {
    sao.type[2] = sao.type[1], sao.position[2] = sao.position[1];
  } else {
    sao.type[component] = !bin(ctx_sao_type) ? 0 : cabac_.bypass() ? 2 : 1;
  }
  if (!sao.type[component]) return;
  const unsigned limit = (1u << (picture().bits(component) - 5)) - 1;
  std::array<int8_t, 4>& offsets = sao.offset[component];
  for (int8_t& offset : offsets) {
    unsigned value = 0;
    while (value < limit && cabac_.bypass()) ++value;
    offset = static_cast<int8_t>(value);
  }
  if (sao.type[component] == 1) {
    for (int8_t& offset : offsets)
      if (offset && cabac_.bypass()) offset = static_cast<int8_t>(-offset);
    sao.position[component] = static_cast<uint8_t>(cabac_.bypass_bits(5));
  } else {
    offsets[2] = static_cast<int8_t>(-offsets[2]), offsets[3] = static_cast<int8_t>(-offsets[3]);
    if (component < 2) sao.position[component] = static_cast<uint8_t>(cabac_.bypass_bits(2));
  }
}

bool SliceDecoder::read_split(int x, int y, unsigned log2, unsigned depth) {
  const int size = 1 << log2;
  const bool fits = x + size <= static_cast<int>(picture().width) && y + size <= static_cast<int>(picture().height);
  if (log2 <= picture().log2_min_cb) return false;
  if (!fits) return true;
  unsigned context = ctx_split_cu;
  if (info_.is_available(x, y, x - 1, y) && info_.cells[info_.cell_index(x - 1, y)].depth > depth) ++context;
  if (info_.is_available(x, y, x, y - 1) && info_.cells[info_.cell_index(x, y - 1)].depth > depth) ++context;
  return bin(context);
}

void SliceDecoder::quadtree(int x, int y, unsigned log2, unsigned depth) {
  const bool splits = read_split(x, y, log2, depth);
  if (log2 + picture().max_qp_delta_depth >= picture().log2_ctb) begin_quantization_group(x, y);
  if (!splits) return coding_unit(x, y, log2, depth);
  const int half = 1 << (log2 - 1);
  for (const auto& [to_x, to_y] : {std::array{x, y}, std::array{x + half, y}, std::array{x, y + half}, std::array{x + half, y + half}})
    if (info_.contains(to_x, to_y)) quadtree(to_x, to_y, log2 - 1, depth + 1);
}

// 8.6.1: neighbours count only within the CTB, where what precedes the group is decoded.
void SliceDecoder::begin_quantization_group(int x, int y) {
  const int mask = (1 << picture().log2_ctb) - 1, before = quantization_.previous;
  const int left = x & mask ? info_.cells[info_.cell_index(x - 1, y)].qp : before,
            above = y & mask ? info_.cells[info_.cell_index(x, y - 1)].qp : before;
  quantization_.predicted = (left + above + 1) >> 1;
  quantization_.qp = quantization_.predicted;
  quantization_.coded = false;
}

}  // namespace softgen::media::hevc

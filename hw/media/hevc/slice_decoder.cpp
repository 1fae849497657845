// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/slice_decoder.h"

#include <algorithm>

namespace softgen::media::hevc {

SliceResult SliceDecoder::decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                                 Reconstructor& sink, const StopFlag& stop) {
  sink_ = &sink;
  if (!begin_slice(slice, collocated)) return SliceResult::broken;
  cabac_ = CabacDecoder(data);
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

bool SliceDecoder::leave_ctb(uint32_t ctb, uint32_t& next, bool& is_broken) {
  keep_contexts(ctb);
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
  if (log2 <= picture().log2_min_cb) return false;
  return !fits(x, y, 1 << log2) || bin(split_context(x, y, depth));
}

void SliceDecoder::quadtree(int x, int y, unsigned log2, unsigned depth) {
  const bool splits = read_split(x, y, log2, depth);
  if (begins_quantization_group(log2)) begin_quantization_group(x, y);
  if (!splits) return coding_unit(x, y, log2, depth);
  const int half = 1 << (log2 - 1);
  for (const auto& [to_x, to_y] : {std::array{x, y}, std::array{x + half, y}, std::array{x, y + half}, std::array{x + half, y + half}})
    if (info_.contains(to_x, to_y)) quadtree(to_x, to_y, log2 - 1, depth + 1);
}

}  // namespace softgen::media::hevc

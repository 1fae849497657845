// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9_encode/tile_encoder.h"

#include "hw/media/vp9_encode/forward_transform.h"

namespace softgen::media::vp9 {

void TileEncoder::begin(uint32_t column_begin, uint32_t column_end, size_t max_bytes) {
  tile_.bits.begin(max_bytes);
  tile_.bits.literal(0, 1);  // the marker
  tile_.column_begin = column_begin, tile_.column_end = column_end;
}

std::vector<uint8_t> TileEncoder::end() {
  const std::span<const uint8_t> written = tile_.bits.finish();
  std::vector<uint8_t> bytes(written.begin(), written.end());
  // Not what a superframe's index ends with (VP9 specification, annex B).
  if (!bytes.empty() && (bytes.back() & 0xe0) == 0xc0) bytes.push_back(0);
  return bytes;
}

bool TileEncoder::superblock(uint32_t row, uint32_t column, const SuperblockRecord& record) {
  record_ = &record, next_unit_ = 0, is_consistent_ = true;
  partition(row, column, 3, 0);
  return is_consistent_;
}

const UnitRecord& TileEncoder::next_unit(unsigned log2) {
  const bool is_there = next_unit_ < record_->units.size();
  const UnitRecord& unit = is_there ? record_->units[next_unit_++] : default_unit_;
  is_consistent_ &= is_there && unit.log2 == log2 + 3;
  return unit;
}

void TileEncoder::partition(uint32_t row, uint32_t column, unsigned log2, unsigned path) {
  if (row >= frame_.rows || column >= frame_.columns) return;
  const uint32_t half = (1u << log2) / 2;
  const bool has_rows = row + half < frame_.rows, has_columns = column + half < frame_.columns;
  const bool flag = log2 == 3 ? record_->split0 : log2 == 2 ? record_->split1 >> path & 1 : log2 == 1 && (record_->split2 >> path & 1);
  if (flag || (!has_rows && !has_columns)) {
    modes_.partition(row, column, log2, has_rows, has_columns, partition_split);
    for (unsigned i = 0; i < 4; ++i) partition(row + (i / 2) * half, column + (i % 2) * half, log2 - 1, log2 == 3 ? i : path * 4 + i);
    return;
  }
  const UnitRecord& unit = next_unit(log2);
  Partition kind = unit.kind;
  if (!has_rows) kind = partition_horizontal;
  else if (!has_columns) kind = partition_vertical;
  else if (kind == partition_split && log2 > 0) kind = partition_none;
  if (log2 == 0 && kind != partition_none && modes_.must_be_whole(row, column, unit)) kind = partition_none;
  modes_.partition(row, column, log2, has_rows, has_columns, kind);
  const unsigned size = size_of_parts(kind, log2);
  block(row, column, size, unit, 0);
  if (log2 > 0 && kind == partition_horizontal && has_rows) block(row + half, column, size, unit, 1);
  if (log2 > 0 && kind == partition_vertical && has_columns) block(row, column + half, size, unit, 1);
  modes_.enter_partition(row, column, log2, size);
}

void TileEncoder::block(uint32_t row, uint32_t column, unsigned size, const UnitRecord& unit, unsigned which) {
  BlockInfo& block = modes_.begin_block(row, column, size);
  modes_.choose(block, unit, which);
  if (block.is_inter()) predict_inter(block);
  levels_.clear(), coded_.clear();
  bool any = false;
  each_transform(block, [&](const TransformPlace& place) {
    if (!block.is_inter()) predict_intra_at(block, place);
    if (modes_.skips(block)) return;
    code_transform(block, place, unit.parts[which].rounding);
    any |= coded_.back() > 0;
  });
  block.skip = !any;
  modes_.code_block(block);
  modes_.enter(block);
  if (block.skip) clear_contexts(block);
  else write_residual(block);
}

void TileEncoder::code_transform(const BlockInfo& block, const TransformPlace& place, uint8_t rounding) {
  const Parameters& picture = frame_.picture;
  const unsigned size = 4u << place.tx_size, chroma = place.plane > 0;
  const Plane<uint8_t>& plane = source_.plane[place.plane];
  const uint8_t* from = plane.at((block.column * 8u >> chroma) + place.x * 4, (block.row * 8u >> chroma) + place.y * 4);
  uint8_t* const to = samples_at(block, place);
  const size_t stride = planes_.plane[place.plane].stride();
  for (unsigned y = 0; y < size; ++y, from += plane.stride())
    for (unsigned x = 0; x < size; ++x) residual_[y * size + x] = static_cast<int16_t>(from[x] - to[y * stride + x]);
  const TxType type = transform_at(block, place);
  const auto& quantizers = picture.segmentation.segments[block.segment].quantizers[chroma];
  forward_transform(place.tx_size, type, picture.lossless, residual_, coefficients_);
  const size_t first = levels_.size();
  levels_.resize(first + size * size);
  const unsigned coded = quantize({.tx_size = place.tx_size, .type = type, .quantizers = &quantizers, .rounding = rounding}, coefficients_,
                                  levels_.data() + first);
  levels_.resize(first + coded);
  coded_.push_back(coded);
  std::fill_n(coefficients_, size * size, 0);
  if (!coded) return;
  const Scan& scan = scan_table(place.tx_size, type);
  for (unsigned i = 0; i < coded; ++i) {
    const int level = levels_[first + i];
    const int32_t scaled = scaled_level(static_cast<unsigned>(std::abs(level)), quantizers[i > 0], place.tx_size, picture.bit_depth);
    coefficients_[scan.stored[i]] = level < 0 ? -scaled : scaled;
  }
  add_residual_(place.tx_size, type, picture.lossless, coded, coefficients_, to, stride, picture.bit_depth);
}

void TileEncoder::write_residual(const BlockInfo& block) {
  size_t at = 0, index = 0;
  each_transform(block, [&](const TransformPlace& place) {
    const unsigned coded = coded_[index++];
    const CoefficientBlock to{.tx_size = place.tx_size,
                              .chroma = place.plane > 0,
                              .inter = block.is_inter(),
                              .type = transform_at(block, place),
                              .context = coefficient_context(block, place),
                              .quantizers = nullptr};
    write_coefficients(frame_, tile_, to, std::span<const int16_t>(levels_).subspan(at, coded));
    set_coded(block, place, coded > 0);
    at += coded;
  });
}

}  // namespace softgen::media::vp9

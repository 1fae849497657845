// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/decoder.h"

#include <algorithm>

#include "hw/media/vp9/loop_filter.h"

namespace softgen::media::vp9 {
namespace {

/// VP9 specification, get_tile_offset(): where a tile begins, in units of 8 samples.
uint32_t tile_offset(uint32_t tile, uint32_t whole, unsigned log2) {
  return std::min(static_cast<uint32_t>(uint64_t{tile} * ((whole + 7) / 8) >> log2) * 8, whole);
}

}  // namespace

template <typename T>
Outcome Decoder<T>::decode(const Parameters& picture, const SideData& side, const std::function<bool()>& aborting) {
  frame_.begin(picture, side);
  planes_.resize(picture.width, picture.height);
  concealed_ = 0;
  const Probabilities before = load(*side.probabilities);
  frame_.probabilities = before;
  const size_t header = std::min<size_t>(picture.compressed_header_bytes, side.stream.size());
  BoolDecoder bits(side.stream.first(header));
  frame_.header = read_compressed_header(picture, bits, frame_.probabilities);
  bool broken = frame_.header.broken || header == 0;
  if (!decode_tiles(side.stream.subspan(header), aborting, broken)) return Outcome::aborted;
  for (uint32_t row = 0; picture.filter_level && row < frame_.rows; row += 8) {
    if (aborting()) return Outcome::aborted;
    filter_row(frame_, planes_, row);
  }
  if (broken) return Outcome::broken;
  if (picture.refresh_context) {
    if (picture.adapt) adapt(picture, frame_.header, frame_.counts, before, frame_.probabilities);
    store(frame_.probabilities, picture.is_intra(), *side.probabilities);
  }
  return Outcome::whole;
}

template <typename T>
bool Decoder<T>::decode_tiles(std::span<const uint8_t> bytes, const std::function<bool()>& aborting, bool& broken) {
  const unsigned columns = 1u << frame_.picture.log2_tile_columns, rows = 1u << frame_.picture.log2_tile_rows;
  for (unsigned y = 0; y < rows; ++y)
    for (unsigned x = 0; x < columns; ++x) {
      size_t size = bytes.size();
      if (y + 1 < rows || x + 1 < columns) {
        size = 0;
        if (bytes.size() >= 4) {
          for (unsigned i = 0; i < 4; ++i) size = size << 8 | bytes[i];
          bytes = bytes.subspan(4);
        } else {
          broken = true, bytes = {};
        }
      }
      if (size > bytes.size() || size == 0) broken = true;
      size = std::min(size, bytes.size());
      tile_.begin(bytes.first(size), tile_offset(x, frame_.columns, frame_.picture.log2_tile_columns),
                  tile_offset(x + 1, frame_.columns, frame_.picture.log2_tile_columns));
      bytes = bytes.subspan(size);
      const uint32_t begin = tile_offset(y, frame_.rows, frame_.picture.log2_tile_rows),
                     end = tile_offset(y + 1, frame_.rows, frame_.picture.log2_tile_rows);
      for (uint32_t row = begin; row < end; row += 8) {
        if (aborting()) return false;
        tile_.row(row);
        if (tile_.over()) broken = true, concealed_ += (frame_.columns + 7) / 8 >> frame_.picture.log2_tile_columns;
      }
    }
  return true;
}

template class Decoder<uint8_t>;
template class Decoder<uint16_t>;

}  // namespace softgen::media::vp9

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "hw/media/vp9/loop_filter.h"

namespace softgen::media::vp9 {
namespace {

/// Sums of what tiles have counted.
void add(const Counts& from, Counts& to) {
  static_assert(sizeof(Counts) % sizeof(uint32_t) == 0 && std::is_trivially_copyable_v<Counts>);
  constexpr size_t count = sizeof(Counts) / sizeof(uint32_t);
  const auto numbers = std::bit_cast<std::array<uint32_t, count>>(from);
  auto sums = std::bit_cast<std::array<uint32_t, count>>(to);
  for (size_t i = 0; i < count; ++i) sums[i] += numbers[i];
  to = std::bit_cast<Counts>(sums);
}

}  // namespace

template <typename T>
Outcome Decoder<T>::decode(const Parameters& picture, const SideData& side, WorkerPool* pool, const std::function<bool()>& aborting) {
  frame_.begin(picture, side);
  planes_.resize(picture.width, picture.height);
  concealed_ = 0, over_ = aborted_ = false;
  const Probabilities before = load(*side.probabilities);
  frame_.probabilities = before;
  const size_t header = std::min<size_t>(picture.compressed_header_bytes, side.stream.size());
  BoolDecoder bits(side.stream.first(header));
  frame_.header = read_compressed_header(picture, bits, frame_.probabilities);
  bool broken = frame_.header.broken || header == 0;
  if (!find_tiles(side.stream.subspan(header))) broken = true;
  tile_decoders_.resize(slots_of(pool));
  for (auto& tile : tile_decoders_) {
    if (!tile) tile = std::make_unique<TileDecoder<T>>(frame_, planes_);
    tile->begin_picture();
  }
  for_each(pool, size_t{1} << picture.log2_tile_columns,
           [&](size_t x, unsigned slot) { decode_column(static_cast<unsigned>(x), *tile_decoders_[slot], aborting); });
  if (aborted_) return Outcome::aborted;
  if (picture.filter_level && !filter_picture(frame_, planes_, pool, aborting)) return Outcome::aborted;
  if (broken || over_) return Outcome::broken;
  if (picture.refresh_context) {
    if (picture.adapt) {
      Counts counts{};
      for (const auto& tile : tile_decoders_) add(tile->counts(), counts);
      adapt(picture, frame_.header, counts, before, frame_.probabilities);
    }
    store(frame_.probabilities, picture.is_intra(), *side.probabilities);
  }
  return Outcome::whole;
}

/// False: a tile has no bytes, or fewer than its size says.
template <typename T>
bool Decoder<T>::find_tiles(std::span<const uint8_t> bytes) {
  tiles_.clear();
  bool whole = true;
  for (unsigned left = 1u << (frame_.picture.log2_tile_columns + frame_.picture.log2_tile_rows); left; --left) {
    size_t size = bytes.size();
    if (left > 1) {
      size = 0;
      if (bytes.size() >= 4) {
        for (unsigned i = 0; i < 4; ++i) size = size << 8 | bytes[i];
        bytes = bytes.subspan(4);
      } else {
        whole = false, bytes = {};
      }
    }
    if (size > bytes.size() || size == 0) whole = false;
    size = std::min(size, bytes.size());
    tiles_.push_back(bytes.first(size));
    bytes = bytes.subspan(size);
  }
  return whole;
}

template <typename T>
void Decoder<T>::decode_column(unsigned x, TileDecoder<T>& tile, const std::function<bool()>& aborting) {
  const unsigned log2_columns = frame_.picture.log2_tile_columns, log2_rows = frame_.picture.log2_tile_rows;
  for (unsigned y = 0; y < 1u << log2_rows; ++y) {
    tile.begin(tiles_[(y << log2_columns) + x], tile_offset(x, frame_.columns, log2_columns),
               tile_offset(x + 1, frame_.columns, log2_columns));
    const uint32_t begin = tile_offset(y, frame_.rows, log2_rows), end = tile_offset(y + 1, frame_.rows, log2_rows);
    for (uint32_t row = begin; row < end; row += 8) {
      if (aborted_ || aborting()) {
        aborted_ = true;
        return;
      }
      tile.row(row);
      if (tile.over()) over_ = true, concealed_ += (frame_.columns + 7) / 8 >> log2_columns;
    }
  }
}

template class Decoder<uint8_t>;
template class Decoder<uint16_t>;

}  // namespace softgen::media::vp9

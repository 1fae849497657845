// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes whole pictures. Knows no packets and no memory: samples end in planes, side data in spans.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "hw/base/worker_pool.h"
#include "hw/media/vp9/tile.h"

namespace softgen::media::vp9 {

enum class Outcome : uint8_t { whole, broken, aborted };

template <typename T>
class Decoder {
 public:
  /// `aborting` is asked once per row of superblocks, by the pool's threads. `pool` null: this thread alone; the bits are the same. broken: the stream ended early or made no sense; the picture is complete all the same (what is missing
  /// is decoded from zeros), and probabilities stay.
  Outcome decode(const Parameters& picture, const SideData& side, WorkerPool* pool, const std::function<bool()>& aborting);
  Planes<T>& planes() { return planes_; }
  /// Superblocks that were decoded behind the end of their tile's bytes.
  uint32_t concealed() const { return concealed_; }

 private:
  bool find_tiles(std::span<const uint8_t> bytes);
  /// A column of tiles, from the top down: nothing in it depends on other columns.
  void decode_column(unsigned x, TileDecoder<T>& tile, const std::function<bool()>& aborting);

  FrameState frame_;
  Planes<T> planes_;
  std::vector<std::unique_ptr<TileDecoder<T>>> tile_decoders_;  ///< by the pool's slots
  std::vector<std::span<const uint8_t>> tiles_;                 ///< rows of columns
  std::atomic<uint32_t> concealed_ = 0;
  std::atomic<bool> over_ = false, aborted_ = false;
};

}  // namespace softgen::media::vp9

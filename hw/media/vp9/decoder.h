// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes whole pictures. Knows no packets and no memory: samples end in planes, side data in spans.
#pragma once

#include <functional>

#include "hw/media/vp9/tile.h"

namespace softgen::media::vp9 {

enum class Outcome : uint8_t { whole, broken, aborted };

template <typename T>
class Decoder {
 public:
  /// `aborting` is asked once per row of superblocks. broken: the stream ended early or made no sense; the picture is complete all the same (what is missing
  /// is decoded from zeros), and probabilities stay.
  Outcome decode(const Parameters& picture, const SideData& side, const std::function<bool()>& aborting);
  Planes<T>& planes() { return planes_; }
  /// Superblocks that were decoded behind the end of their tile's bytes.
  uint32_t concealed() const { return concealed_; }

 private:
  bool decode_tiles(std::span<const uint8_t> bytes, const std::function<bool()>& aborting, bool& broken);

  FrameState frame_;
  Planes<T> planes_;
  TileDecoder<T> tile_{frame_, planes_};
  uint32_t concealed_ = 0;
};

}  // namespace softgen::media::vp9

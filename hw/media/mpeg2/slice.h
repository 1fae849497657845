// SPDX-License-Identifier: GPL-2.0-or-later
// One slice, decoded into the picture.
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/mpeg2/slice_parser.h"

namespace softgen::media::mpeg2 {

class SliceDecoder final : public MacroblockSink {
 public:
  /// `done`: a byte for each macroblock of the picture; set to 1 for each that is decoded.
  SliceDecoder(const PictureParams& picture, const References& references, Frame<uint8_t>& frame, std::span<uint8_t> done)
      : picture_(picture), references_(references), frame_(frame), done_(done) {}

  SliceResult decode(const BitReader& bits, const SliceParams& slice, const StopFlag& stop) { return parser_.parse(bits, slice, stop); }

 private:
  bool macroblock(Macroblock& mb) override;
  void reconstruct(Macroblock& mb);

  const PictureParams& picture_;
  const References& references_;
  Frame<uint8_t>& frame_;
  std::span<uint8_t> done_;
  SliceParser parser_{picture_, BlockValues::coefficients, *this};
};

}  // namespace softgen::media::mpeg2

// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of VC-1 share.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hw/media/vc1/slice.h"
#include "hw/media/vc1/vlc.h"
#include "tests/catch.h"
#include "tests/unit/media/bit_writer.h"

namespace softgen::media::test {

using namespace vc1;

inline std::string digits(const Code& code) {
  std::string text;
  for (unsigned i = code.length; i--;) text += code.value >> i & 1 ? '1' : '0';
  return text;
}

/// Codes of which none begins another one; `unused` of 2^32 words begin with none.
inline void check_codes(std::span<const Code> codes, uint64_t unused = 0) {
  uint64_t words = 0;
  const Vlc vlc(codes);
  for (size_t i = 0; i < codes.size(); ++i) {
    words += uint64_t{1} << (32 - codes[i].length);
    for (const char* const more : {"0000000000000000000000000000000000000000", "1111111111111111111111111111111111111111"}) {
      BitWriter bits;
      bits.put(digits(codes[i])), bits.put(more);
      BitReader reader(bits.bytes());
      REQUIRE(vlc.take(reader) == static_cast<int>(i));
      REQUIRE(reader.position() == codes[i].length);
    }
  }
  CHECK(words + unused == uint64_t{1} << 32);
}

/// A picture of 2x2 macroblocks, Advanced profile.
struct Vc1Rig {
  Vc1Rig() {
    PictureParams& params = picture.params;
    params.width = params.height = 2;
    params.edge_width = params.edge_height = 32;
    params.advanced = true;
    params.quantizer.step = 4;
    params.quantizer.low_index = true;
  }
  SliceResult decode(BitWriter& bits, uint32_t first = 0, uint32_t last = 2) {
    if (picture.blocks.empty()) {
      picture.blocks.assign(4, Macroblock{});
      picture.begins_slice.assign(2, 0);
      picture.flags.resize(4);
      picture.frame.resize(32, 32);
    }
    return SliceDecoder(picture, BitReader(bits.bytes())).decode(first, last, stop);
  }
  bool is_flat(uint8_t value) const {
    for (uint32_t y = 0; y < 32; ++y)
      for (uint32_t x = 0; x < 32; ++x)
        if (*picture.frame.luma.at(x, y) != value || *picture.frame.chroma.at(x, y / 2) != value) return false;
    return true;
  }
  Picture picture;
  StopFlag stop;
};

}  // namespace softgen::media::test

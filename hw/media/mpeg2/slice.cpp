// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/slice.h"

#include "hw/media/mpeg2/idct.h"
#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {

bool SliceDecoder::macroblock(Macroblock& mb) {
  if (!(mb.type & mb_intra)) predict(picture_, references_, mb.motion, mb.address % picture_.width, mb.address / picture_.width, frame_);
  if (!mb.broken) reconstruct(mb);
  done_[mb.address] = 1;
  return true;
}

void SliceDecoder::reconstruct(Macroblock& mb) {
  const uint32_t x = mb.address % picture_.width * 16, y = mb.address / picture_.width * 16;
  const auto write = mb.type & mb_intra ? put_block : add_block;
  for (unsigned index = 0; index < 6; ++index) {
    if (!(mb.pattern >> (5 - index) & 1)) continue;
    int16_t* const block = mb.blocks[index].data();
    inverse_dct(block);
    if (index < 4) {
      const uint32_t row = y + (mb.field_dct ? index / 2 : index / 2 * 8);
      write(block, frame_.luma.at(x + index % 2 * 8, row), 1, frame_.luma.stride() << mb.field_dct);
    } else {
      write(block, frame_.chroma.at(x + index - 4, y / 2), 2, frame_.chroma.stride());
    }
  }
}

}  // namespace softgen::media::mpeg2

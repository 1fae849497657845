// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/slice_encoder.h"

#include "hw/media/avc_encode/slice_writer.h"

namespace softgen::media::avc {

bool encode_slice(Picture& picture, const SliceParams& slice, const EncodeInput& input, const std::function<bool()>& stop,
                  GolombWriter& to) {
  SliceWriter writer(picture, slice, to);
  Context& context = writer.context();
  MacroblockEncoder encoder(context, input);
  for (uint32_t at = slice.first_mb; at < slice.next_mb; ++at) {
    const uint32_t x = at % picture.width;
    if ((!x || at == slice.first_mb) && stop()) return false;
    context.enter(x, at / picture.width, false);
    CodedMacroblock coded;
    encoder.encode(coded);
    writer.write(coded, at + 1 == slice.next_mb);
  }
  return true;
}

}  // namespace softgen::media::avc

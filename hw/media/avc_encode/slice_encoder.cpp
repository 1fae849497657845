// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/slice_encoder.h"

#include "hw/media/avc_encode/cabac_writer.h"
#include "hw/media/avc_encode/cavlc_writer.h"
#include "hw/media/avc_encode/macroblock_writer.h"

namespace softgen::media::avc {
namespace {

template <class Syntax>
bool encode(Picture& picture, const SliceParams& slice, const EncodeInput& input, const std::function<bool()>& stop, GolombWriter& to,
            uint16_t id) {
  Context context(picture, slice, id);
  context.qp = slice.qp;
  Syntax syntax(context, to);
  MacroblockWriter<Syntax> writer(context, syntax);
  MacroblockEncoder encoder(context, input);
  for (uint32_t at = slice.first_mb; at < slice.next_mb; ++at) {
    const uint32_t x = at % picture.width;
    if ((!x || at == slice.first_mb) && stop()) return false;
    context.enter(x, at / picture.width, false);
    CodedMacroblock coded;
    encoder.encode(coded);
    writer.write(coded);
    syntax.end_of_slice(at + 1 == slice.next_mb);
  }
  to.align(false);
  return true;
}

}  // namespace

bool encode_slice(Picture& picture, const SliceParams& slice, const EncodeInput& input, const std::function<bool()>& stop,
                  GolombWriter& to) {
  const auto id = static_cast<uint16_t>(picture.slices.size());
  picture.slices.push_back({slice.disable_deblocking, slice.alpha_offset, slice.beta_offset});
  if (!picture.params.cabac) return encode<CavlcWriter>(picture, slice, input, stop, to, id);
  to.align(true);
  return encode<CabacWriter>(picture, slice, input, stop, to, id);
}

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/slice_writer.h"

#include "hw/media/avc_encode/macroblock_writer.h"

namespace softgen::media::avc {

SliceWriter::SliceWriter(Picture& picture, const SliceParams& slice, GolombWriter& to)
    : params_(slice), to_(to), context_(picture, params_, picture.add_slice(params_)) {
  context_.qp = slice.qp;
  if (picture.params.cabac) to.align(true), cabac_.emplace(context_, to);
  else cavlc_.emplace(context_, to);
}

template <class Syntax>
void SliceWriter::write_with(Syntax& syntax, const CodedMacroblock& coded, bool is_last) {
  MacroblockWriter<Syntax>(context_, syntax).write(coded);
  syntax.end_of_slice(is_last);
}

void SliceWriter::write(CodedMacroblock& coded, bool is_last) {
  const Macroblock& mb = *context_.mb;
  const bool has_delta = mb.kind == Kind::intra16 || (mb.cbp && mb.kind != Kind::pcm);
  // 7.4.5: from -26 to 25, modulo 52.
  if (has_delta) coded.qp_delta = (mb.qp - context_.qp + 26 + 52) % 52 - 26;
  else if (mb.kind != Kind::pcm) context_.set_quantizer(context_.qp);
  if (cabac_) write_with(*cabac_, coded, is_last);
  else write_with(*cavlc_, coded, is_last);
  context_.last_delta = has_delta ? coded.qp_delta : 0;
  if (has_delta) context_.qp = mb.qp;
  if (is_last) to_.align(false);
}

}  // namespace softgen::media::avc

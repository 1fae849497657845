// SPDX-License-Identifier: GPL-2.0-or-later
// slice_data (H.264 7.3.4), written macroblock by macroblock.
#pragma once

#include <optional>

#include "hw/media/avc/context.h"
#include "hw/media/avc_encode/cabac_writer.h"
#include "hw/media/avc_encode/cavlc_writer.h"
#include "hw/media/avc_encode/coded_macroblock.h"
#include "hw/media/avc_encode/golomb_writer.h"

namespace softgen::media::avc {

class SliceWriter {
 public:
  /// The next slice of `picture`. `to` has the header's last bits.
  SliceWriter(Picture& picture, const SliceParams& slice, GolombWriter& to);
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  Context& context() { return context_; }
  /// The context's macroblock, which has been coded with the quantizer that it should have; sets the one that it has. Behind the last one: the slice's end
  /// and its trailing bits.
  void write(CodedMacroblock& coded, bool is_last);

 private:
  template <class Syntax>
  void write_with(Syntax& syntax, const CodedMacroblock& coded, bool is_last);

  const SliceParams params_;
  GolombWriter& to_;
  Context context_;
  std::optional<CabacWriter> cabac_;
  std::optional<CavlcWriter> cavlc_;
};

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
// Syntax elements of slice data in CABAC (H.264 9.3). Names are the elements'.
#pragma once

#include <array>
#include <span>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/tables.h"
#include "hw/media/bits/cabac.h"

namespace softgen::media::avc {

/// The number of a luma DC, Cb DC or Cr DC block in Macroblock::dc_coded is its plane's.
class CabacSyntax {
 public:
  static constexpr bool is_cabac = true;
  CabacSyntax(Context& context, std::span<const uint8_t> bytes, unsigned bit_offset);

  bool over() const { return decoder_.over(); }
  bool end_of_slice() { return decoder_.terminate(); }
  bool skip();
  bool field_flag(bool left_field, bool above_field) { return decode(70 + left_field + above_field); }
  /// As in tables 7-11, 7-13 and 7-14, intra types of P and B slices from 5 and 23 on.
  unsigned mb_type();
  unsigned sub_type();
  unsigned ref_idx(unsigned list, unsigned quarter);
  int mvd(unsigned list, unsigned block, unsigned component);
  bool transform8();
  unsigned cbp(bool intra);
  int qp_delta();
  unsigned chroma_mode();
  /// -1: the predicted one; else rem_intra_pred_mode.
  int intra_mode();
  /// `size`: coefficients of the block. Fills `levels` and returns how many there are.
  unsigned residual(Cat cat, unsigned plane, unsigned block, unsigned size, Levels& levels);
  /// Reads the samples of an I_PCM macroblock; false: there are not as many.
  bool pcm(std::span<uint8_t> samples);

 private:
  bool decode(unsigned index) { return decoder_.decode(states_.data()[index]); }
  unsigned intra_type(unsigned base, bool is_intra_slice);
  unsigned b_type();
  bool coded(Cat cat, unsigned plane, unsigned block);
  unsigned places(CabacDecoder& decoder, Cat cat, unsigned size, uint8_t* place);

  Context& c_;
  CabacDecoder decoder_;
  std::array<CabacState, cabac_contexts> states_;
};

}  // namespace softgen::media::avc

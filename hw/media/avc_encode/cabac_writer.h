// SPDX-License-Identifier: GPL-2.0-or-later
// Syntax elements into CABAC: CabacSyntax's counterpart. What a context depends on of the current macroblock must be in it before.
#pragma once

#include <array>
#include <span>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/cabac_encoder.h"

namespace softgen::media::avc {

class CabacWriter {
 public:
  static constexpr bool is_cabac = true;

  /// `to` is aligned to a byte.
  CabacWriter(const Context& context, GolombWriter& to);

  void skip(bool skipped);
  void end_of_slice(bool ends) { encoder_.terminate(ends); }
  /// As in tables 7-11, 7-13 and 7-14; after I_PCM's, pcm().
  void mb_type(unsigned type);
  void sub_type(unsigned type);
  void ref_idx(unsigned list, unsigned quarter, unsigned index);
  void mvd(unsigned list, unsigned block, unsigned component, int value);
  void transform8(bool flag);
  void cbp(unsigned pattern, bool intra);
  void qp_delta(int delta);
  void chroma_mode(unsigned mode);
  /// -1: the predicted one.
  void intra_mode(int rest);
  void pcm(std::span<const uint8_t> samples) { encoder_.bytes(samples); }
  void residual(Cat cat, unsigned plane, unsigned block, std::span<const int16_t> levels);

 private:
  void encode(unsigned index, bool bin) { encoder_.encode(states_[index], bin); }
  void intra_type(unsigned base, bool is_intra_slice, unsigned type);
  void b_type(unsigned type);
  void golomb(unsigned value, unsigned k);

  const Context& c_;
  CabacEncoder encoder_;
  std::array<CabacState, cabac_contexts> states_;
};

}  // namespace softgen::media::avc

// SPDX-License-Identifier: GPL-2.0-or-later
// Syntax elements into Exp-Golomb codes and CAVLC: CavlcSyntax's counterpart. The members are as in CabacWriter.
#pragma once

#include <span>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc_encode/golomb_writer.h"

namespace softgen::media::avc {

class CavlcWriter {
 public:
  static constexpr bool is_cabac = false;

  CavlcWriter(const Context& context, GolombWriter& to) : c_(context), to_(to) {}

  void skip(bool skipped) {
    if (skipped) ++run_;
    else to_.unsigned_golomb(run_), run_ = 0;
  }
  void end_of_slice(bool ends) {
    if (!ends) return;
    if (run_) to_.unsigned_golomb(run_);
    to_.flag(true);
  }
  void mb_type(unsigned type) { to_.unsigned_golomb(type); }
  void sub_type(unsigned type) { to_.unsigned_golomb(type); }
  void ref_idx(unsigned list, unsigned /*quarter*/, unsigned index) {
    if (c_.active(list) == 2) to_.flag(!index);
    else to_.unsigned_golomb(index);
  }
  void mvd(unsigned /*list*/, unsigned /*block*/, unsigned /*component*/, int value) { to_.signed_golomb(value); }
  void transform8(bool flag) { to_.flag(flag); }
  void cbp(unsigned pattern, bool intra);
  void qp_delta(int delta) { to_.signed_golomb(delta); }
  void chroma_mode(unsigned mode) { to_.unsigned_golomb(mode); }
  void intra_mode(int rest) {
    if (rest < 0) to_.flag(true);
    else to_.put(static_cast<uint32_t>(rest), 4);
  }
  void pcm(std::span<const uint8_t> samples) {
    to_.align(false);
    for (const uint8_t sample : samples) to_.put(sample, 8);
  }
  void residual(Cat cat, unsigned plane, unsigned block, std::span<const int16_t> levels);

 private:
  void token(Cat cat, unsigned plane, unsigned block, unsigned count, unsigned trailing);
  void level(int level, unsigned& suffix_length, bool is_larger);

  const Context& c_;
  GolombWriter& to_;
  uint32_t run_ = 0;
};

}  // namespace softgen::media::avc
